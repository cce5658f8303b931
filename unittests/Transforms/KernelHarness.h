//===- unittests/Transforms/KernelHarness.h - kernels from emissions ------*- C++ -*-===//
//
// Makes a Kernel of what an Emitter recorded, without fusion: one nest for each step. Runs it
// through linalg, loops and the JIT, and with the evaluator's plain loops, on data from a fixed
// generator.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

#include "JIT/Target.h"
#include "Kernels/Kernel.h"
#include "Transforms/LoopTarget.h"
#include "absl/status/statusor.h"
#include "graphc/Emit.h"
#include "graphc/Tensor.h"

namespace graphc::testing {

/// A kernel with the values of its size arguments for some shapes of its inputs.
struct TestKernel {
  Kernel kernel;
  std::vector<int64_t> sizes; ///< of all sizes, by number

  std::vector<int64_t> arguments() const;
  std::vector<int64_t> shapeOf(int32_t array) const;
};

/// `shapes` are those of the emission's operands, in order of the operands.
TestKernel makeKernel(const Emission &emission, const std::vector<Array> &inputs,
                      const std::vector<Array> &outputs,
                      const std::vector<std::vector<int64_t>> &shapes, int numShared = 0);

/// Elements from a fixed generator: floats in [-2, 2) with some special values if asked for,
/// integers in a range that fits the dtype.
Tensor randomTensor(DType dtype, const std::vector<int64_t> &shape, uint64_t seed,
                    bool special = false);

/// The outputs by lib/Eval's loops.
std::vector<Tensor> evaluateKernel(const TestKernel &test, const std::vector<Tensor> &inputs);

struct CompiledRun {
  std::vector<Tensor> outputs;
  int32_t status = 0;
};
/// The outputs by compiled code; the printed linalg is parsed again on the way. Fails the test on
/// errors, and when memory around an output has changed.
CompiledRun runKernel(const TestKernel &test, const std::vector<Tensor> &inputs,
                      const TargetDescription &target = hostTarget());

/// The text of the loops stage for a processor.
std::string loopsOf(const TestKernel &test, const LoopTarget &target);

/// How often `part` is in such a text.
size_t countOf(const std::string &text, const std::string &part);

/// Runs both and expects equal results: integers exactly, floats within `ulps` of the result's
/// dtype, or within `absolute`; NaN equals NaN, and the signs of zeros are not looked at.
void expectSame(const TestKernel &test, const std::vector<Tensor> &inputs, double ulps = 0,
                double absolute = 0, const TargetDescription &target = hostTarget());

} // namespace graphc::testing
