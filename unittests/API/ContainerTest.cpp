//===- ContainerTest.cpp - turns of calls that update and read ------------===//
#include "API/Container.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "Messages.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using detail::Access;
using detail::Container;

/// Whether a call of these uses begins while another one has a turn of those. It begins when that
/// one has ended, in any case.
bool goTogether(const std::vector<Access::Use> &first, const std::vector<Access::Use> &second) {
  std::atomic<bool> begun = false;
  std::thread other;
  bool atOnce = false;
  {
    absl::StatusOr<Access::Turn> turn = Access(first).begin();
    EXPECT_TRUE(turn.ok());
    other = std::thread([&] {
      absl::StatusOr<Access::Turn> own = Access(second).begin();
      begun = own.ok();
    });
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(40);
    while (!begun && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    atOnce = begun;
  }
  other.join();
  EXPECT_TRUE(begun);
  return atOnce;
}

// F-219: who updates a value waits for all that use it in a call with updates, and they for him;
// those that only read it do not wait for each other.
TEST(Turns, ExcludeWhatTheyMust) {
  Type type(DType::Float64, {});
  Container a(type, {}, Tensor(1.0)), b(type, {}, Tensor(2.0)), c(type, {}, Tensor(3.0));
  EXPECT_FALSE(goTogether({{&a, true}}, {{&a, true}}));
  EXPECT_FALSE(goTogether({{&a, true}}, {{&a, false}, {&b, true}}));
  EXPECT_FALSE(goTogether({{&a, false}, {&b, true}}, {{&a, true}}));
  EXPECT_FALSE(goTogether({{&a, false}, {&b, true}}, {{&b, false}, {&a, true}}));
  EXPECT_TRUE(goTogether({{&a, false}, {&b, true}}, {{&a, false}, {&c, true}}));
  EXPECT_TRUE(goTogether({{&a, true}}, {{&b, true}}));
  EXPECT_TRUE(goTogether({{&a, true}}, {{&a, false}})) << "a call without updates has a picture";
}

// F-219: what a call with updates reads is not changed under it either, not even by itself.
TEST(Turns, HostOpsLeaveAloneWhatTheirCallReads) {
  SharedVariable s = shared(Tensor({1.0}), "s"), t = shared(Tensor({0.0}), "t");
  OpDef def;
  def.name = "meddle";
  def.doc = "Sets what its call reads.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  HostFunction host = [s](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
    out[0] = in[0].copy();
    return s.set(in[0]);
  };
  def.emit = [host](Emitter &e, const Arrays &in, const Attributes &) {
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  Op op = *defineOp(def);
  absl::StatusOr<Function> f = function({}, {}, {.updates = {{t, op(s) + 1}}});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_TRUE(said((*f)().status())
                  .starts_with("RuntimeError: meddle: a host op changes a shared value that the "
                               "call which runs it reads or updates; do it after the call\n"));
  EXPECT_EQ(t.get(), Tensor({0.0}));
  // Without updates there is no turn: it is like any other thread's.
  absl::StatusOr<Function> reader = function({}, op(s) * 2);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE((*reader)().ok());
}

} // namespace
} // namespace graphc
