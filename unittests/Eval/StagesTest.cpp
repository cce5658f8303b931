//===- StagesTest.cpp - stages of every op, as text and read back -----------------===//
#include <gtest/gtest.h>

#include "Kernels/CompilerInterface.h"
#include "OpCases.h"
#include "Ops/Registry.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace graphc {
namespace {

/// Calls of the op with unknown extents, on every dtype of some that it takes.
GraphModule callsOf(const OpDef &op) {
  GraphModule module;
  for (const OpCase &c : casesOf(op.name))
    for (DType dtype : {DType::Float32, DType::BFloat16, DType::Float64, DType::Int64, DType::UInt8,
                        DType::Bool}) {
      Variables inputs;
      for (size_t i = 0; i < c.shapes.size(); ++i) {
        std::vector<int64_t> shape = c.shapes[i];
        if (!c.isStatic) // an extent of 1 must be known to broadcast
          for (int64_t &extent : shape)
            extent = extent == 1 ? 1 : kDynamic;
        inputs.push_back(tensor(int(i) == c.positions ? DType::Int64 : dtype, shape));
      }
      Variable output = c.call(inputs);
      if (!output.ok())
        continue;
      module.inputs.insert(module.inputs.end(), inputs.begin(), inputs.end());
      module.outputs.push_back(output);
    }
  return module;
}

/// Reading adds checks of views whose number of elements cannot be proven (the channels of grouped
/// convolutions), and the sizes that they compare. Nothing else differs.
std::string withoutAddedChecks(const std::string &again, const std::string &text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n'), kept;
  size_t next = 0;
  for (const std::string &line : std::vector<std::string>(absl::StrSplit(again, '\n'))) {
    bool isNew = next >= lines.size() || line != lines[next];
    bool isCheck = absl::StrContains(line, "whose memory it is: {a} elements and {b}");
    if (isNew && (isCheck || absl::StartsWith(line, "  s")))
      continue;
    ++next;
    kept.push_back(line);
  }
  return absl::StrJoin(kept, "\n");
}

class StagesOfOp : public testing::TestWithParam<const OpDef *> {};

/// What graphc writes of a stage, --from takes, though it believes nothing of it; on all targets.
TEST_P(StagesOfOp, AreReadBack) {
  auto compiler = loadCompiler();
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  GraphModule module = callsOf(*GetParam());
  ASSERT_FALSE(module.outputs.empty());
  CompileOptions options;
  // With the hash of each kernel's content.
  auto kernels = (*compiler)->emit(module, "kernels", options);
  ASSERT_TRUE(kernels.ok()) << kernels.status();
  auto kernelsAgain = (*compiler)->translate(*kernels, "kernels", "kernels", "kernels", options);
  if (absl::StrContains(*kernels, "  host 0 (")) {
    EXPECT_TRUE(absl::StartsWith(kernelsAgain.status().message(), "a host call cannot be read"))
        << kernelsAgain.status();
    return;
  }
  ASSERT_TRUE(kernelsAgain.ok()) << kernelsAgain.status() << *kernels;
  ASSERT_EQ(withoutAddedChecks(*kernelsAgain, *kernels), *kernels);
  auto third = (*compiler)->translate(*kernelsAgain, "kernels", "kernels", "kernels", options);
  ASSERT_TRUE(third.ok()) << third.status();
  ASSERT_EQ(*third, *kernelsAgain);
  for (const char *target : {"x86-64", "x86-64-v4", "aarch64"}) {
    options.target = target;
    auto linalg = (*compiler)->emit(module, "linalg", options);
    ASSERT_TRUE(linalg.ok()) << linalg.status();
    auto fromKernels = (*compiler)->translate(*kernels, "kernels", "kernels", "linalg", options);
    ASSERT_TRUE(fromKernels.ok()) << fromKernels.status() << *kernels;
    ASSERT_EQ(*fromKernels, *linalg);
    auto loops = (*compiler)->translate(*linalg, "linalg", "linalg", "loops", options);
    ASSERT_TRUE(loops.ok()) << loops.status() << *linalg;
    auto code = (*compiler)->translate(*loops, "loops", "loops", "llvm", options);
    ASSERT_TRUE(code.ok()) << code.status() << *loops;
    auto again = (*compiler)->translate(*code, "llvm", "llvm", "llvm", options);
    ASSERT_TRUE(again.ok()) << again.status() << *code;
  }
}

INSTANTIATE_TEST_SUITE_P(All, StagesOfOp,
                         testing::ValuesIn(std::vector<const OpDef *>(allOps().begin(),
                                                                      allOps().end())),
                         [](const auto &info) { return info.param->name; });

} // namespace
} // namespace graphc
