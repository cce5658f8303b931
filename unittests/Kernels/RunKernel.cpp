//===- RunKernel.cpp ------------------------------------------------------===//
#include "RunKernel.h"

#include <array>
#include <cstring>
#include <mutex>
#include <utility>

#include "Eval/NestEval.h"

namespace graphc {
namespace {

/// The nest for counters [begin, end) of its outermost loop only.
Nest partOf(const Nest &nest, int64_t begin, int32_t extent) {
  Nest part = nest;
  part.extents[0] = extent;
  part.body.clear();
  std::vector<int32_t> map;
  for (ScalarNode n : nest.body) {
    for (int32_t &arg : n.args)
      if (arg >= 0)
        arg = map[arg];
    part.body.push_back(n);
    if (n.op == ScalarOp::Index && n.payload == 0) {
      int32_t counter = int32_t(part.body.size()) - 1;
      part.body.push_back({ScalarOp::Constant, DType::Int64, {-1, -1, -1}, uint64_t(begin)});
      part.body.push_back({ScalarOp::Add, DType::Int64, {counter, counter + 1, -1}, 0});
    }
    map.push_back(int32_t(part.body.size()) - 1);
  }
  part.root = map[nest.root];
  for (int32_t &i : part.indices)
    i = map[i];
  return part;
}

int32_t touchKernel(const Kernel &kernel, void **buffers, const int64_t *arguments) {
  volatile char sum = 0;
  for (size_t a = 0; a < kernel.arrays.size(); ++a) {
    const Kernel::ArrayDecl &decl = kernel.arrays[a];
    int64_t bytes = byteSize(decl.dtype);
    for (int32_t s : decl.shape)
      bytes *= kernel.sizes[s].constant ? kernel.sizes[s].value : arguments[kernel.sizes[s].value];
    auto *memory = static_cast<char *>(buffers[a]);
    for (int64_t i = 0; i < bytes && decl.role == Kernel::Role::Input; ++i)
      sum = char(sum + memory[i]);
    if (bytes > 0 && decl.role == Kernel::Role::Output)
      std::memset(memory, 1, size_t(bytes));
  }
  return 0;
}

using Run = int32_t (*)(const Kernel &, void **, const int64_t *);
struct Slot {
  const Kernel *kernel = nullptr;
  Run run = nullptr;
};

constexpr int kSlots = 64;
Slot slots[kSlots];
std::mutex slotMutex;

template <int N> int32_t runSlot(void **buffers, const int64_t *sizes) {
  return slots[N].run(*slots[N].kernel, buffers, sizes);
}
template <int... N>
constexpr std::array<KernelFunction, kSlots> allSlots(std::integer_sequence<int, N...>) {
  return {runSlot<N>...};
}
constexpr std::array<KernelFunction, kSlots> kRunSlot =
    allSlots(std::make_integer_sequence<int, kSlots>());

class Interpreted : public LoadedCode {
public:
  Interpreted(std::vector<KernelFunction> functions, std::vector<Kernel> kernels,
              std::vector<int> used, Run run)
      : LoadedCode(std::move(functions)), kernels_(std::move(kernels)), used_(std::move(used)) {
    for (size_t k = 0; k < kernels_.size(); ++k)
      slots[used_[k]] = {&kernels_[k], run};
  }
  ~Interpreted() override {
    std::lock_guard lock(slotMutex);
    for (int slot : used_)
      slots[slot] = {};
  }

private:
  std::vector<Kernel> kernels_;
  std::vector<int> used_;
};

} // namespace

int32_t runKernel(const Kernel &kernel, void **buffers, const int64_t *arguments) {
  std::vector<int64_t> sizes;
  for (const Kernel::Size &s : kernel.sizes)
    sizes.push_back(s.constant ? s.value : arguments[s.value]);
  int64_t begin = 0, end = 0;
  if (kernel.splitExtent >= 0) {
    begin = arguments[kernel.numSizeArguments];
    end = arguments[kernel.numSizeArguments + 1];
    sizes.push_back(end - begin);
  }
  std::vector<Tensor> arrays;
  std::vector<int64_t> rowBytes; // of one position on the first axis
  for (size_t a = 0; a < kernel.arrays.size(); ++a) {
    const Kernel::ArrayDecl &decl = kernel.arrays[a];
    std::vector<int64_t> shape;
    int64_t bytes = byteSize(decl.dtype);
    for (int32_t s : decl.shape) {
      shape.push_back(sizes[s]);
      if (shape.size() > 1)
        bytes *= sizes[s];
    }
    rowBytes.push_back(bytes);
    // Scratch is too small for an interpreter, which runs one nest after the other.
    arrays.push_back(decl.role == Kernel::Role::Local
                         ? *Tensor::zeros(decl.dtype, shape)
                         : *Tensor::borrow(decl.dtype, buffers[a], shape));
  }
  std::vector<ElementCheck> checks(kernel.checks.size());
  for (size_t k = 0; k < kernel.nests.size(); ++k) {
    Nest nest = kernel.nests[k];
    std::vector<const ElementCheck *> own;
    Tensor result = arrays[nest.result];
    for (size_t c = 0; c < checks.size(); ++c)
      if (kernel.checks[c].nest == int32_t(k)) {
        checks[c].condition = kernel.checks[c].condition;
        checks[c].kind = ErrorKind::IndexError;
        own.push_back(&checks[c]);
      }
    if (kernel.splitExtent >= 0) {
      if (own.empty()) // conditions have their numbers in the whole body
        nest = partOf(nest, begin, int32_t(sizes.size()) - 1);
      else if (begin != 0 || end != sizes[kernel.splitExtent])
        return 0;
      std::vector<int64_t> shape(result.shape().begin(), result.shape().end());
      shape[0] = end - begin;
      result = *Tensor::borrow(result.dtype(),
                               static_cast<char *>(result.data()) + begin * rowBytes[nest.result],
                               shape);
    }
    const ElementCheck *failed = nullptr;
    if (!runNest(nest, {sizes, arrays, own}, result, failed).ok())
      return failed ? int32_t(failed - checks.data()) + 1 : -1;
  }
  return 0;
}

static std::shared_ptr<const LoadedCode> load(std::vector<Kernel> kernels, Run run) {
  std::lock_guard lock(slotMutex);
  std::vector<int> used;
  std::vector<KernelFunction> functions;
  for (int slot = 0; slot < kSlots && used.size() < kernels.size(); ++slot)
    if (!slots[slot].kernel) {
      used.push_back(slot);
      functions.push_back(kRunSlot[slot]);
    }
  if (used.size() < kernels.size())
    return nullptr;
  return std::make_shared<Interpreted>(std::move(functions), std::move(kernels), std::move(used),
                                       run);
}

std::shared_ptr<const LoadedCode> interpret(std::vector<Kernel> kernels) {
  return load(std::move(kernels), runKernel);
}
std::shared_ptr<const LoadedCode> touch(std::vector<Kernel> kernels) {
  return load(std::move(kernels), touchKernel);
}

absl::StatusOr<std::shared_ptr<const Executable>> makeExecutable(KernelGraph graph) {
  return Executable::create(std::move(graph.program), interpret(std::move(graph.kernels)));
}

} // namespace graphc
