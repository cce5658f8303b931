//===- TargetsTest.cpp - loops for processors below and beside AVX-512 -----------===//
#include "KernelHarness.h"

#include <regex>
#include <set>

#include "JIT/LoopTargetOf.h"
#include "Targets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

Type tensorOf(DType dtype, int rank) {
  return Type(dtype, std::vector<int64_t>(size_t(rank), kDynamic));
}

LoopTarget loopTarget(const char *name) {
  auto target = parseTarget(name);
  EXPECT_TRUE(target.ok()) << target.status();
  return loopTargetOf(*target);
}

/// The lengths of all vectors in a text.
std::set<int> lanesIn(const std::string &text) {
  static const std::regex kVector("vector<([0-9]+)x");
  std::set<int> lanes;
  for (std::sregex_iterator it(text.begin(), text.end(), kVector), end; it != end; ++it)
    lanes.insert(std::stoi((*it)[1]));
  return lanes;
}

/// Sum of operands of these dtypes, in the last one's.
TestKernel sumKernel(const std::vector<DType> &dtypes) {
  Emitter e;
  std::vector<Array> inputs;
  std::vector<std::vector<int64_t>> shapes;
  for (DType dtype : dtypes) {
    inputs.push_back(e.operand(tensorOf(dtype, 1)));
    shapes.push_back({100});
    e.requireEqual(e.dim(inputs.back(), 0), e.dim(inputs[0], 0), "length");
  }
  Array y = e.define({e.dim(inputs[0], 0)}, [&](Indices i) {
    Scalar sum = cast(e.load(inputs[0], i), dtypes.back());
    for (size_t k = 1; k < inputs.size(); ++k)
      sum = sum + cast(e.load(inputs[k], i), dtypes.back());
    return sum;
  });
  auto emission = e.finish();
  EXPECT_TRUE(emission.ok()) << emission.status();
  return makeKernel(*emission, inputs, {y}, shapes);
}

/// A vector fills a register; types of different widths meet lane by lane, counted by those of four
/// bytes, and halves are computed in float32.
TEST(Targets, VectorsFillRegisters) {
  for (auto [name, bytes] : {std::pair("x86-64", 16), std::pair("x86-64-v3", 32),
                             std::pair("x86-64-v4", 64), std::pair("aarch64", 16)}) {
    SCOPED_TRACE(name);
    LoopTarget target = loopTarget(name);
    EXPECT_EQ(target.vectorBytes, bytes);
    auto lanes = [&](const std::vector<DType> &dtypes) {
      return lanesIn(loopsOf(sumKernel(dtypes), target));
    };
    EXPECT_EQ(lanes({DType::Float32, DType::Float32}), std::set{bytes / 4});
    EXPECT_EQ(lanes({DType::Float64, DType::Float64}), std::set{bytes / 8});
    EXPECT_EQ(lanes({DType::Int64, DType::Int64}), std::set{bytes / 8});
    EXPECT_EQ(lanes({DType::Int16, DType::Int16}), std::set{bytes / 2});
    EXPECT_EQ(lanes({DType::UInt8, DType::UInt8}), std::set{bytes});
    EXPECT_EQ(lanes({DType::Float16, DType::Float16}), std::set{bytes / 4});
    EXPECT_EQ(lanes({DType::Float32, DType::Float64}), std::set{bytes / 4});
    EXPECT_EQ(lanes({DType::UInt8, DType::Int32}), std::set{bytes / 4});
  }
}

/// x y, or x^T y, of float32.
TestKernel productKernel(bool isTransposed) {
  Emitter e;
  Array x = e.operand(tensorOf(DType::Float32, 2)), y = e.operand(tensorOf(DType::Float32, 2));
  const int rows = isTransposed ? 1 : 0;
  e.requireEqual(e.dim(x, 1 - rows), e.dim(y, 0), "terms");
  ReduceOptions options;
  options.result = options.accumulator = DType::Float32;
  Array product = e.reduce(
      Combine::Sum, {e.dim(x, rows), e.dim(y, 1)}, {e.dim(y, 0)},
      [&](Indices i, Indices r) {
        Scalar left = isTransposed ? e.load(x, {r[0], i[0]}) : e.load(x, {i[0], r[0]});
        return left * e.load(y, {r[0], i[1]});
      },
      options);
  auto emission = e.finish();
  EXPECT_TRUE(emission.ok()) << emission.status();
  return makeKernel(*emission, {x, y}, {product}, {{20, 20}, {20, 20}});
}

/// x^T + y.
TestKernel crossedKernel(DType dtype) {
  Emitter e;
  Array x = e.operand(tensorOf(dtype, 2)), y = e.operand(tensorOf(dtype, 2));
  e.requireEqual(e.dim(x, 1), e.dim(y, 0), "rows");
  e.requireEqual(e.dim(x, 0), e.dim(y, 1), "columns");
  Array sum = e.define({e.dim(y, 0), e.dim(y, 1)}, [&](Indices i) {
    return e.load(x, {i[1], i[0]}) + e.load(y, {i[0], i[1]});
  });
  auto emission = e.finish();
  EXPECT_TRUE(emission.ok()) << emission.status();
  return makeKernel(*emission, {x, y}, {sum}, {{20, 20}, {20, 20}});
}

/// With AVX-512 on Intel's processors results are fetched into the L2 cache and not to be written,
/// rows that collide have no buffer, rows that stand together are copied tile by tile before they
/// are read, and not as they are; 16 lines are no square.
TEST(Targets, CopiesForIntelsCaches) {
  const LoopTarget others = loopTarget("x86-64-v4"), intel = loopTargetOf(intelTarget());
  EXPECT_FALSE(others.isIntel);
  ASSERT_TRUE(intel.isIntel);
  const TestKernel plain = productKernel(false), transposed = productKernel(true);
  const std::string kToWrite = "rw = 1", kBuffer = "memref.alloca()";
  EXPECT_GT(countOf(loopsOf(plain, others), kToWrite), 0u);
  EXPECT_EQ(countOf(loopsOf(plain, intel), kToWrite), 0u);
  EXPECT_GT(countOf(loopsOf(plain, intel), "hint = 2"),
            countOf(loopsOf(plain, others), "hint = 2"));
  EXPECT_GT(countOf(loopsOf(plain, others), kBuffer), countOf(loopsOf(plain, intel), kBuffer));
  const std::string kCopiesAsRead = "llvm.intr.masked.store";
  EXPECT_GT(countOf(loopsOf(transposed, others), kCopiesAsRead), 0u);
  EXPECT_EQ(countOf(loopsOf(transposed, intel), kCopiesAsRead), 0u);
  auto withoutTiles = [](LoopTarget target) {
    target.optimizations.takeOut(Optimization::RowTiles);
    return target;
  };
  EXPECT_TRUE(loopsOf(transposed, others) == loopsOf(transposed, withoutTiles(others)));
  EXPECT_FALSE(loopsOf(transposed, intel) == loopsOf(transposed, withoutTiles(intel)));
  const std::string kSquare = "vector.shuffle";
  EXPECT_GT(countOf(loopsOf(crossedKernel(DType::Float32), others), kSquare), 0u);
  EXPECT_EQ(countOf(loopsOf(crossedKernel(DType::Float32), intel), kSquare), 0u);
  EXPECT_GT(countOf(loopsOf(crossedKernel(DType::Float64), intel), kSquare), 0u);
}

/// Their products of bfloat16 pairs take longer than conversions; where there are tile registers,
/// what has no tile there is of pairs as well. Vectors of 256 bits are the same for all.
TEST(Targets, PairsOnIntelsProcessors) {
  auto loops = [](const char *name, bool isIntel) {
    TargetDescription target = *parseTarget(name);
    target.isIntel = isIntel;
    return loopTargetOf(target);
  };
  EXPECT_TRUE(loops("x86-64-v4-bf16", false).bf16Pairs);
  EXPECT_FALSE(loops("x86-64-v4-bf16", true).bf16Pairs);
  EXPECT_TRUE(loops("x86-64-v4-amx", true).bf16Pairs);
  EXPECT_FALSE(loops("x86-64-v3", true).isIntel);
}

/// The same sums to the bit, with vectors of any width: 100 elements leave a masked tail.
TEST(Targets, ResultsDoNotDependOnTheWidth) {
  for (const TargetDescription &target : runnableTargets())
    for (const std::vector<DType> &dtypes :
         {std::vector{DType::Float32, DType::Float32}, std::vector{DType::Float32, DType::Float64},
          std::vector{DType::UInt8, DType::Int32}, std::vector{DType::Int8, DType::Int8}}) {
      SCOPED_TRACE(target.name);
      expectSame(sumKernel(dtypes),
                 {randomTensor(dtypes[0], {100}, 1), randomTensor(dtypes[1], {100}, 2)}, 0, 0,
                 target);
    }
}

/// A product keeps as many sums in registers as there is room for beside the operands: 28 and 24
/// of 32 registers, 12 of 16; without fused operations a product of two factors needs one, too. A
/// loop carries them and pointers to each seventh row and to the columns.
TEST(Targets, ProductsFillTheRegisterFile) {
  for (auto [name, sums] : {std::pair("x86-64", 12), std::pair("x86-64-v3", 12),
                            std::pair("x86-64-v4", 28), std::pair("aarch64", 24)}) {
    SCOPED_TRACE(name);
    Emitter e;
    Array a = e.operand(tensorOf(DType::Float32, 2)), b = e.operand(tensorOf(DType::Float32, 2));
    e.requireEqual(e.dim(a, 1), e.dim(b, 0), "inner");
    ReduceOptions options;
    options.accumulator = DType::Float32;
    Array y = e.reduce(
        Combine::Sum, {e.dim(a, 0), e.dim(b, 1)}, {e.dim(a, 1)},
        [&](Indices i, Indices r) { return e.load(a, {i[0], r[0]}) * e.load(b, {r[0], i[1]}); },
        options);
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test = makeKernel(*emission, {a, b}, {y}, {{64, 64}, {64, 64}});
    std::string loops = loopsOf(test, loopTarget(name));
    std::string carried = ":";
    carried += std::to_string(sums + (sums == 28 ? 3 : 2));
    carried += " = scf.for";
    EXPECT_THAT(loops, ::testing::HasSubstr(carried));
    // Fused only where the processor has the instruction: elsewhere it would be a call.
    bool hasFma = loops.find("math.fma") != loops.npos;
    EXPECT_EQ(hasFma, name != std::string("x86-64"));
  }
}

} // namespace
} // namespace graphc::testing
