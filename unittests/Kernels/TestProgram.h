//===- TestProgram.h - programs made by hand ----------------------*- C++ -*-===//
//
// Kernels are C++ functions here, so that a test sees what a kernel is called with.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <gtest/gtest.h>

#include "Runtime/Executable.h"
#include "Runtime/Plan.h"
#include "graphc/Type.h"

namespace graphc {

using Storage = Program::Array::Storage;

class Functions : public LoadedCode {
public:
  explicit Functions(std::vector<KernelFunction> functions) : LoadedCode(std::move(functions)) {}
};

/// A program with its kernels, put together piece by piece.
struct Builder {
  Program program;
  std::vector<KernelFunction> functions;

  int32_t size(SizeOp op, int32_t a = -1, int32_t b = -1, int64_t value = 0) {
    program.sizes.push_back({op, a, b, -1, value});
    return int32_t(program.sizes.size()) - 1;
  }
  int32_t constant(int64_t value) { return size(SizeOp::Constant, -1, -1, value); }
  int32_t array(Storage storage, DType dtype, Numbers shape, int32_t number = -1) {
    program.arrays.push_back({storage, dtype, number, std::move(shape)});
    return int32_t(program.arrays.size()) - 1;
  }
  /// A vector of any length; its length is the next size.
  int32_t input(DType dtype) {
    int32_t number = int32_t(program.inputs.size());
    int32_t length = size(SizeOp::Dim, number, 0);
    int32_t id = array(Storage::Input, dtype, {length}, number);
    program.inputs.push_back({"x" + std::to_string(number), dtype, {kDynamic}, id});
    return id;
  }
  int32_t output(DType dtype, Numbers shape) {
    int32_t number = int32_t(program.outputs.size());
    int32_t id = array(Storage::Output, dtype, std::move(shape), number);
    program.outputs.push_back({"", id});
    return id;
  }
  Program::Step &kernel(KernelFunction function, int32_t numInputs, Numbers arrays) {
    Program::Step &step = program.steps.emplace_back();
    step.kind = Program::Step::Kind::Kernel;
    step.callee = int32_t(functions.size());
    step.numInputs = numInputs;
    step.arrays = std::move(arrays);
    functions.push_back(function);
    program.kernels.push_back({"k" + std::to_string(step.callee), false});
    return step;
  }
  /// Threads share the outermost loop of the last step.
  void split(Program::Step &step, int32_t extent) {
    program.kernels[size_t(step.callee)].splits = true;
    step.splitSize = extent;
    step.work.push_back({extent, 1e6f}); // worth any number of threads
  }
  std::shared_ptr<const Executable> executable() const {
    auto made = Executable::create(program, std::make_shared<Functions>(functions));
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  }
};

inline absl::Status run(const Executable &executable, std::vector<Tensor> inputs,
                        std::vector<Tensor> &outputs, int threads = 1) {
  outputs.assign(executable.program().outputs.size(), Tensor());
  return executable.run(inputs, absl::MakeSpan(outputs), threads);
}

inline Tensor zeros(DType dtype, int64_t n) {
  return *Tensor::zeros(dtype, std::vector<int64_t>{n});
}

} // namespace graphc
