//===- BoundTest.cpp - products on memory that stays ------------------------===//
#include <gtest/gtest.h>

#include <algorithm>

#include "Compare.h"
#include "Inputs.h"
#include "Measure.h"

namespace graphc::bench {
namespace {

const Case *caseOf(const std::string &name) {
  static const auto *const kCases = new std::vector<Case>(allCases());
  auto found = std::ranges::find(*kCases, name, &Case::name);
  return found == kCases->end() ? nullptr : &*found;
}

// The tables are M x N x K, names of cases M x K x N: here what must come out of the former, by
// hand.
TEST(BoundProducts, HaveTheShapesOfTheTables) {
  struct Row {
    const char *name, *about;
    const Group *group;
  };
  const Group *squares = &groups::kBoundProducts, *others = &groups::kBoundOthers;
  for (const Row &row : {
           // 200x300x400, 777x555x333, 64x3072x768, 1024x32x1024, 1024x1024x32, 1024x1x1024
           Row{"bound_f32_200x400x300", "a[200, 400], b[400, 300], f32, bound", others},
           Row{"bound_f32_777x333x555", "a[777, 333], b[333, 555], f32, bound", others},
           Row{"bound_f32_64x768x3072", "a[64, 768], b[768, 3072], f32, bound", others},
           Row{"bound_f32_1024x1024x32", "a[1024, 1024], b[1024, 32], f32, bound", others},
           Row{"bound_f32_1024x32x1024", "a[1024, 32], b[32, 1024], f32, bound", others},
           Row{"bound_f32_1024x1024x1", "a[1024, 1024], b[1024, 1], f32, bound", others},
           // 17x33x65 of each table
           Row{"bound_f32_17x65x33", "a[17, 65], b[65, 33], f32, bound", others},
           Row{"bound_f64_17x65x33", "a[17, 65], b[65, 33], f64, bound", others},
           Row{"bound_atb_f32_17x65x33", "a[65, 17]^T, b[65, 33], f32, bound", others},
           Row{"bound_abt_f32_17x65x33", "a[17, 65], b[33, 65]^T, f32, bound", others},
           Row{"bound_f32_127x127x127", "a[127, 127], b[127, 127], f32, bound", squares},
           // 12 x 128x128x64 B^T, 12 x 128x64x128, 96 x 32x32x64 B^T
           Row{"bound_batch_abt_f32_12x128x64x128", "a[12, 128, 64], b[12, 128, 64]^T, f32, bound",
               squares},
           Row{"bound_batch_f32_12x128x128x64", "a[12, 128, 128], b[12, 128, 64], f32, bound",
               squares},
           Row{"bound_batch_abt_f32_96x32x64x32", "a[96, 32, 64], b[96, 32, 64]^T, f32, bound",
               squares},
       }) {
    const Case *found = caseOf(row.name);
    ASSERT_TRUE(found) << row.name;
    EXPECT_EQ(found->about, row.about);
    EXPECT_EQ(found->group, row.group) << row.name;
    EXPECT_EQ(found->target.ratio, 1) << row.name;
  }
}

Example exampleOf(std::function<absl::StatusOr<Call>(const Function &)> bind) {
  Tensor a({{1.0, 2.0}, {3.0, 4.0}});
  Variable x = tensor(DType::Float64, {2, 2}, "x");
  Example example{"bound_8x8x8", {x}, {x + x}, {a}};
  example.bind = std::move(bind);
  return example;
}

// What a bound call leaves in memory is checked as results of other calls are.
TEST(BoundCalls, AreChecked) {
  absl::Status status = compare(exampleOf([](const Function &) {
                                  return Call([](std::vector<Tensor> &results) {
                                    results = {*Tensor::zeros(DType::Float64, {2, 2})};
                                    return absl::OkStatus();
                                  });
                                }),
                                std::vector<Hand>(), Settings())
                            .status();
  EXPECT_EQ(status.message().substr(0, 46), "bound_8x8x8: wrong results of graphc: sum 0 in")
      << status;
  status = compare(exampleOf([](const Function &) {
                     return Call([](std::vector<Tensor> &) { return absl::InternalError("no"); });
                   }),
                   std::vector<Hand>(), Settings())
               .status();
  EXPECT_EQ(status.message(), "no");
  status = compare(exampleOf([](const Function &) -> absl::StatusOr<Call> {
                     return absl::InternalError("unbound");
                   }),
                   std::vector<Hand>(), Settings())
               .status();
  EXPECT_EQ(status.message(), "unbound");
}

// Otherwise the cost of Tensors would be in what an optimization brings.
TEST(BoundCalls, AreBoundWithoutAnOptimizationToo) {
  Tensor a = makeInput(DType::Float32, {8, 8}, -1.0, 1.0, 6),
         b = makeInput(DType::Float32, {8, 8}, -1.0, 1.0, 7);
  Variable x = tensor(DType::Float32, {8, 8}, "a"), y = tensor(DType::Float32, {8, 8}, "b");
  Example example{"bound_8x8x8", {x, y}, {dot(x, y)}, {a, b}};
  int binds = 0, calls = 0;
  example.bind = [&](const Function &f) {
    ++binds;
    return Call([&calls, f, a, b](std::vector<Tensor> &results) {
      ++calls;
      absl::StatusOr<Results> found = f(a, b);
      if (!found.ok())
        return found.status();
      results = {(*found)[0]};
      return absl::OkStatus();
    });
  };
  Settings settings;
  settings.switches = true;
  settings.caseName = "gemm_f32_1024x1024x1024"; // of the switch "products"
  absl::StatusOr<Subject> subject = compare(std::move(example), std::vector<Hand>(), settings);
  ASSERT_TRUE(subject.ok()) << subject.status();
  EXPECT_EQ(binds, 2);
  ASSERT_EQ(subject->rivals.size(), 1);
  EXPECT_EQ(calls, 1);
  subject->ours(2);
  EXPECT_EQ(calls, 3);
  ASSERT_TRUE(subject->rivals[0].time(4).ok());
  EXPECT_EQ(calls, 7);
  EXPECT_TRUE(subject->check().ok()) << subject->check();
}

/// A case beside a rival that claims to take 10 s, so that what our own side takes on a machine
/// with other work is nothing beside it.
Case caseWith(double share) {
  Case one{"slow", "", {}, [](const Settings &) -> absl::StatusOr<Subject> {
             Subject subject;
             subject.ours = [](int64_t count) {
               for (volatile int64_t i = 0; i < count * 1000; i = i + 1) {
               }
             };
             subject.rivals = {{"rival", [](int64_t count) { return double(count) * 1e10; }}};
             return subject;
           }};
  one.share = share;
  return one;
}

TEST(Measure, TakesTheShareOfTheTimeThatACaseIsGiven) {
  Settings settings;
  settings.seconds = 1000;
  auto roundsOf = [&](double share) { return measure(caseWith(share), settings)->rounds; };
  // 100, less one for what our own side takes.
  int64_t all = roundsOf(1), half = roundsOf(0.5);
  EXPECT_GT(all, 95);
  EXPECT_LE(all, 100);
  EXPECT_GT(half, 47);
  EXPECT_LE(half, 50);
}

} // namespace
} // namespace graphc::bench
