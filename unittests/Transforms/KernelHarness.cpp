//===- unittests/Transforms/KernelHarness.cpp - kernels from emissions ----===//
#include "KernelHarness.h"

#include <atomic>
#include <cmath>
#include <cstring>

#include "Eval/NestEval.h"
#include "JIT/EmitIR.h"
#include "JIT/LoopTargetOf.h"
#include "JIT/ObjectCompiler.h"
#include "JIT/Session.h"
#include "Lowering/LowerToLinalg.h"
#include "Runtime/KeptOperands.h"
#include "Transforms/LinalgToLoops.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

std::vector<int64_t> solveSizes(const Emission &emission,
                                const std::vector<std::vector<int64_t>> &shapes,
                                const std::vector<Array> &inputs) {
  std::vector<int64_t> values;
  for (const SizeNode &node : emission.sizes) {
    auto a = [&] { return values[size_t(node.a)]; };
    auto b = [&] { return values[size_t(node.b)]; };
    int64_t value = 0;
    switch (node.op) {
    case SizeOp::Constant:
      value = node.value;
      break;
    case SizeOp::Dim:
      for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].id == node.a)
          value = shapes[i][size_t(node.b)];
      break;
    case SizeOp::Add:
      value = a() + b();
      break;
    case SizeOp::Sub:
      value = a() - b();
      break;
    case SizeOp::Mul:
      value = a() * b();
      break;
    case SizeOp::FloorDiv:
      value = b() == 0 ? 0 : int64_t(std::floor(double(a()) / double(b())));
      break;
    default:
      ADD_FAILURE() << "size expression that the tests do not use";
      break;
    }
    values.push_back(value);
  }
  return values;
}

mlir::MLIRContext &context() {
  static mlir::MLIRContext *made = [] {
    mlir::DialectRegistry registry;
    registerLoopDialects(registry);
    registerLinalgDialects(registry);
    auto *made = new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
    loadLoopDialects(*made);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *made;
}

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// An element as a double (integers may lose bits: for messages and tolerances of floats only).
double elementAsDouble(const Tensor &tensor, int64_t i) {
  return dispatch(tensor.dtype(), [&](auto zero) -> double {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, static_cast<const char *>(tensor.data()) + i * int64_t(sizeof(T)),
                sizeof(T));
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      return double(float(value));
    else
      return double(value);
  });
}

double ulpOf(DType dtype, double value) {
  int digits = dtype == DType::Float64    ? 53
               : dtype == DType::Float32  ? 24
               : dtype == DType::BFloat16 ? 8
                                          : 11;
  int least = dtype == DType::Float64 ? -1022 : dtype == DType::Float16 ? -14 : -126;
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - digits + 1);
}

constexpr int64_t kGuard = 64;
constexpr unsigned char kGuardByte = 0xA5;

} // namespace

std::vector<int64_t> TestKernel::arguments() const {
  std::vector<int64_t> result(size_t(kernel.numSizeArguments));
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!kernel.sizes[i].constant)
      result[size_t(kernel.sizes[i].value)] = sizes[i];
  return result;
}

std::vector<int64_t> TestKernel::shapeOf(int32_t array) const {
  std::vector<int64_t> result;
  for (int32_t size : kernel.arrays[size_t(array)].shape)
    result.push_back(sizes[size_t(size)]);
  return result;
}

TestKernel makeKernel(const Emission &emission, const std::vector<Array> &inputs,
                      const std::vector<Array> &outputs,
                      const std::vector<std::vector<int64_t>> &shapes, int numShared) {
  TestKernel test;
  Kernel &kernel = test.kernel;
  kernel.name = "test";
  test.sizes = solveSizes(emission, shapes, inputs);
  for (const SizeNode &node : emission.sizes)
    kernel.sizes.push_back(node.op == SizeOp::Constant
                               ? Kernel::Size{true, node.value}
                               : Kernel::Size{false, kernel.numSizeArguments++});

  // Inputs, outputs, locals.
  std::vector<int32_t> number(emission.arrays.size(), -1);
  auto add = [&](int32_t array, Kernel::Role role) {
    number[size_t(array)] = int32_t(kernel.arrays.size());
    kernel.arrays.push_back(
        {role, emission.arrays[size_t(array)].dtype, emission.arrays[size_t(array)].shape});
  };
  for (Array input : inputs)
    add(input.id, Kernel::Role::Input);
  for (Array output : outputs)
    add(output.id, Kernel::Role::Output);
  for (size_t i = 0; i < number.size(); ++i)
    if (number[i] < 0)
      add(int32_t(i), Kernel::Role::Local);

  std::vector<int32_t> nestOfStep(emission.steps.size(), -1);
  for (size_t i = 0; i < emission.steps.size(); ++i) {
    const Step &step = emission.steps[i];
    EXPECT_EQ(step.kind, Step::Kind::Loops);
    nestOfStep[i] = int32_t(kernel.nests.size());
    Nest nest = step.nest;
    nest.result = number[size_t(nest.result)];
    for (ScalarNode &node : nest.body)
      if (node.op == ScalarOp::Load)
        node.payload = uint64_t(number[size_t(node.loadArray())]) << 32 | node.loadFirstIndex();
    kernel.nests.push_back(std::move(nest));
  }
  for (const ElementCheck &check : emission.elementChecks)
    kernel.checks.push_back({nestOfStep[size_t(check.step)], check.condition});
  kernel.numShared = kernel.nests.size() == 1 ? kernel.nests[0].numParallel : numShared;
  return test;
}

Tensor randomTensor(DType dtype, const std::vector<int64_t> &shape, uint64_t seed, bool special) {
  Tensor tensor = *Tensor::allocate(dtype, shape);
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  auto next = [&] {
    state = 6364136223846793005u * state + 1442695040888963407u;
    return state >> 33;
  };
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    T *data = static_cast<T *>(tensor.data());
    for (int64_t i = 0; i < tensor.numElements(); ++i) {
      uint64_t bits = next();
      if constexpr (std::is_same_v<T, bool>) {
        data[i] = bits & 1;
      } else if constexpr (std::is_integral_v<T>) {
        data[i] = T(bits % 200) - T(std::is_signed_v<T> ? 100 : 0);
        if (special && bits % 7 == 0)
          data[i] = bits % 3 == 0   ? std::numeric_limits<T>::min()
                    : bits % 3 == 1 ? std::numeric_limits<T>::max()
                                    : T(0);
      } else {
        float value = float(bits) / float(1u << 29) - 2.0f;
        if (special && bits % 7 == 0) {
          const float values[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-30f, 1e30f};
          value = values[bits / 7 % 7];
        }
        data[i] = T(value);
      }
    }
    return 0;
  });
  return tensor;
}

std::vector<Tensor> evaluateKernel(const TestKernel &test, const std::vector<Tensor> &inputs) {
  const Kernel &kernel = test.kernel;
  std::vector<Tensor> arrays = inputs;
  for (size_t i = inputs.size(); i < kernel.arrays.size(); ++i)
    arrays.push_back(*Tensor::allocate(kernel.arrays[i].dtype, test.shapeOf(int32_t(i))));
  for (const Nest &nest : kernel.nests) {
    NestInputs read;
    read.sizes = test.sizes;
    read.arrays = arrays;
    Tensor result = arrays[size_t(nest.result)];
    const ElementCheck *failed = nullptr;
    absl::Status status = runNest(nest, read, result, failed);
    EXPECT_TRUE(status.ok()) << status;
    arrays[size_t(nest.result)] = result;
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (kernel.arrays[i].role == Kernel::Role::Output)
      outputs.push_back(arrays[i]);
  return outputs;
}

CompiledRun runKernel(const TestKernel &test, const std::vector<Tensor> &inputs,
                      const TargetDescription &target) {
  CompiledRun result;
  mlir::OwningOpRef<mlir::ModuleOp> linalg = lowerToLinalg(test.kernel, context());
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*linalg))) << print(*linalg);
  std::string text = print(*linalg);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context());
  EXPECT_TRUE(module) << text;
  if (!module)
    return result;
  absl::Status status = lowerToLoops(*module, loopTargetOf(target));
  EXPECT_TRUE(status.ok()) << status << "\n" << text;
  if (!status.ok() || mlir::failed(mlir::verify(*module))) {
    ADD_FAILURE() << text << print(*module);
    return result;
  }
  std::string loops = print(*module);
  if (getenv("GRAPHC_TEST_PRINT"))
    llvm::errs() << text << loops;
  std::vector<std::vector<char>> scratch;
  KeptOperands kept;
  struct Copy {
    size_t scratch;
    const void *address; // where the input is a constant
    bool hasRoom;
  };
  std::vector<Copy> copies;
  std::vector<int64_t> sizes = test.arguments();
  module->walk([&](mlir::func::FuncOp fn) {
    auto forms = fn->getAttrOfType<mlir::ArrayAttr>(kKeptAttr);
    if (auto list = fn->getAttrOfType<mlir::ArrayAttr>(kScratchAttr))
      for (mlir::Attribute each : list) {
        llvm::ArrayRef<int64_t> numbers = mlir::cast<mlir::DenseI64ArrayAttr>(each).asArrayRef();
        int64_t bytes = numbers[0];
        for (int64_t number : numbers.drop_front())
          bytes *= sizes[size_t(number)];
        KeptForm form = forms ? keptFormOf(forms[unsigned(scratch.size())]) : KeptForm();
        if (form.input >= 0) {
          const Tensor &of = inputs[size_t(form.input)];
          copies.push_back(
              {scratch.size(), kept.get(of.data(), of.numBytes(), bytes, form), form.hasRoom});
        }
        scratch.emplace_back(size_t(bytes) + 64);
      }
  });
  auto compiler = ObjectCompiler::create(target);
  // Every second kernel by two threads, so that some of its loops may be functions.
  static std::atomic<int> number = 0;
  auto objects = (*compiler)->compileOnThreads(*module, 1 + ++number % 2);
  EXPECT_TRUE(objects.ok()) << objects.status() << loops;
  auto session = Session::get();
  if (!objects.ok() || !session.ok())
    return result;
  auto code = (*session)->loadKernels(*objects, {test.kernel.symbol()});
  EXPECT_TRUE(code.ok()) << code.status();
  if (!code.ok())
    return result;

  std::vector<void *> buffers;
  for (const Tensor &input : inputs)
    buffers.push_back(const_cast<void *>(input.data()));
  std::vector<std::vector<unsigned char>> memory;
  for (size_t i = 0; i < test.kernel.arrays.size(); ++i) {
    if (test.kernel.arrays[i].role != Kernel::Role::Output)
      continue;
    result.outputs.push_back(
        *Tensor::allocate(test.kernel.arrays[i].dtype, test.shapeOf(int32_t(i))));
    memory.emplace_back(size_t(result.outputs.back().numBytes() + 2 * kGuard), kGuardByte);
  }
  for (auto &each : memory)
    buffers.push_back(each.data() + kGuard);
  size_t firstScratch = buffers.size();
  for (auto &each : scratch)
    buffers.push_back(each.data());
  for (const Copy &copy : copies)
    buffers[firstScratch + copy.scratch] = nullptr;
  auto call = [&] { return (*code).get()->function(0)(buffers.data(), sizes.data()); };
  result.status = call();
  // The same bits with inputs that are constants.
  std::vector<std::vector<unsigned char>> before;
  const std::vector<void *> ofVariables = buffers;
  for (const Copy &copy : copies)
    if (copy.address) {
      buffers[firstScratch + copy.scratch] = const_cast<void *>(copy.address);
      if (copy.hasRoom)
        buffers[firstScratch + copy.scratch + 1] = nullptr;
      before = memory;
    }
  if (!before.empty() && result.status == 0) {
    for (auto &each : memory)
      std::fill(each.begin() + kGuard, each.end() - kGuard, kGuardByte);
    EXPECT_EQ(call(), 0);
    EXPECT_EQ(memory, before) << "kept operands give other results\n" << loops;
  }
  buffers = ofVariables;
  // The same bits where an output is in the memory of an input, as programs let it be.
  std::vector<std::vector<int32_t>> reusable = reusableInputs(test.kernel);
  for (size_t i = 0; i < memory.size() && result.status == 0; ++i)
    for (int32_t input : reusable[i]) {
      before = memory;
      std::memcpy(memory[i].data() + kGuard, inputs[size_t(input)].data(),
                  size_t(result.outputs[i].numBytes()));
      void *of = std::exchange(buffers[size_t(input)], buffers[inputs.size() + i]);
      EXPECT_EQ(call(), 0);
      EXPECT_EQ(memory, before) << "output " << i << " in the memory of input " << input
                                << " is another\n"
                                << loops;
      buffers[size_t(input)] = of;
    }
  for (size_t i = 0; i < memory.size(); ++i) {
    int64_t bytes = result.outputs[i].numBytes();
    for (int64_t k = 0; k < kGuard; ++k)
      if (memory[i][size_t(k)] != kGuardByte ||
          memory[i][size_t(kGuard + bytes + k)] != kGuardByte) {
        ADD_FAILURE() << "memory around output " << i << " has changed\n" << text << loops;
        break;
      }
    std::memcpy(result.outputs[i].data(), memory[i].data() + kGuard, size_t(bytes));
  }
  return result;
}

std::string loopsOf(const TestKernel &test, const LoopTarget &target) {
  mlir::OwningOpRef<mlir::ModuleOp> module = lowerToLinalg(test.kernel, context());
  absl::Status status = lowerToLoops(*module, target);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  return print(*module);
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at)
    ++count;
  return count;
}

void expectSame(const TestKernel &test, const std::vector<Tensor> &inputs, double ulps,
                double absolute, const TargetDescription &target) {
  std::vector<Tensor> expected = evaluateKernel(test, inputs);
  CompiledRun run = runKernel(test, inputs, target);
  EXPECT_EQ(run.status, 0);
  ASSERT_EQ(run.outputs.size(), expected.size());
  int shown = 0;
  for (size_t k = 0; k < expected.size(); ++k) {
    const Tensor &want = expected[k], &got = run.outputs[k];
    for (int64_t i = 0; i < want.numElements() && shown < 5; ++i) {
      double w = elementAsDouble(want, i), g = elementAsDouble(got, i);
      bool same =
          !isFloat(want.dtype())
              ? std::memcmp(static_cast<const char *>(want.data()) + i * byteSize(want.dtype()),
                            static_cast<const char *>(got.data()) + i * byteSize(want.dtype()),
                            size_t(byteSize(want.dtype()))) == 0
          : std::isnan(w) || std::isinf(w)
              ? (std::isnan(w) ? std::isnan(g) : w == g)
              : std::abs(w - g) <= std::max(ulps * ulpOf(want.dtype(), w), absolute);
      if (!same) {
        ++shown;
        ADD_FAILURE() << "output " << k << "[" << i << "] of " << want.numElements() << " "
                      << dtypeName(want.dtype()) << ": expected " << w << ", got " << g;
      }
    }
  }
  if (shown)
    ADD_FAILURE() << print(*lowerToLinalg(test.kernel, context()));
}

} // namespace graphc::testing
