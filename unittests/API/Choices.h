//===- Choices.h - tests of ifElse and loops in every mode --------*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>

#include <atomic>

#include "Calls.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"

namespace graphc {

using List = std::vector<double>;

inline constexpr const char *kEveryMode[] = {"interpreter", "fast_run", "fast_compile", "strict",
                                             "fast_math",   "debug",    "nanguard"};

/// What f.call({inputs}) = outputs gives at `values`, in these modes, with rewrites and without,
/// the same.
inline List runEverywhere(const Variables &inputs, const Variables &outputs,
                          const std::vector<Tensor> &values,
                          absl::Span<const char *const> modes = kEveryMode) {
  List first;
  bool isFirst = true;
  for (bool rewrites : {true, false})
    for (const char *mode : modes) {
      auto f =
          function(inputs, outputs,
                   {.mode = mode, .rewrites = rewrites, .onUnusedInput = OnUnusedInput::Ignore});
      EXPECT_TRUE(f.ok()) << mode << f.status();
      if (!f.ok())
        return {};
      List now = valuesOf(f->call(values));
      if (isFirst)
        first = now;
      isFirst = false;
      EXPECT_EQ(now, first) << mode << rewrites;
    }
  return first;
}

/// x itself, counting how often that is computed, and its gradient, too.
inline Op countingOp(std::atomic<int> &count, std::atomic<int> *pulled = nullptr) {
  OpDef def;
  def.name = "counting";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &request) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{request.type(0)};
  };
  def.emit = [&count](Emitter &e, const Arrays &in, const Attributes &) {
    HostFunction host = [&count](absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs) {
      ++count;
      return outputs[0].assign(inputs[0]);
    };
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  if (pulled) {
    auto counted = [pulled](const Variable &v) { return countingOp(*pulled, pulled)(v); };
    def.pullback = [counted](const Op &, Inputs, Outputs, Gradients g) -> Variables {
      return {counted(g[0])};
    };
    def.pushforward = [counted](const Op &, Inputs, Outputs, Tangents t) -> Variables {
      return {counted(t[0])};
    };
  }
  return *defineOp(def);
}

} // namespace graphc
