//===- Specialise.cpp - a program for one list of extents -----------------===//
#include "Specialise.h"

#include <algorithm>
#include <bit>
#include <map>

#include "CompileKernels.h"
#include "Runtime/Plan.h"
#include "Support/Cancel.h"
#include "Support/Fork.h"

namespace graphc {
namespace {

/// More distinct kernels of one program than this would take seconds: the others stay general.
constexpr size_t kMostKernels = 32;

/// The values of the sizes that follow from those of inputs, and where they are 64 bits long, as
/// constants in the program. Extents that are not known, of bodies' inputs, are kDynamic.
std::vector<std::optional<SizeValue>> fixExtents(Program &program,
                                                 absl::Span<const std::vector<int64_t>> shapes) {
  std::vector<std::optional<SizeValue>> values;
  auto known = [&](int32_t id) { return values[size_t(id)]; };
  for (SizeNode &size : program.sizes) {
    if (size.op != SizeOp::Dim)
      values.push_back(sizeValue(size, known));
    else if (int64_t extent = shapes[size_t(size.a)][size_t(size.b)]; extent >= 0)
      values.push_back(extent);
    else
      values.emplace_back();
    if (values.back() && fitsInt64(*values.back()))
      size = {SizeOp::Constant, -1, -1, -1, int64_t(*values.back())};
  }
  for (size_t i = 0; i < program.inputs.size(); ++i)
    program.inputs[i].shape = shapes[i];
  return values;
}

/// The shapes of a body's inputs, as far as those of the step's operands are known.
std::vector<std::vector<int64_t>>
shapesOfInputs(const Program &program, const Program::Step &step, const Program &body,
               absl::Span<const std::optional<SizeValue>> values) {
  const Program::Control &control = program.controls[size_t(step.callee)];
  std::vector<std::vector<int64_t>> shapes;
  auto add = [&](size_t operand, size_t lacks, size_t count) {
    const Numbers &sizes = program.arrays[size_t(step.arrays[operand])].shape;
    if (control.numLevels > 0)
      lacks += size_t(std::popcount(control.levels[operand]));
    for (size_t k = 0; k < count; ++k) {
      // What the body declares was true before.
      std::vector<int64_t> shape = body.inputs[shapes.size()].shape;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        std::optional<SizeValue> value = values[size_t(sizes[axis + lacks])];
        if (shape[axis] < 0 && value && fitsInt64(*value))
          shape[axis] = int64_t(*value);
      }
      shapes.push_back(std::move(shape));
    }
  };
  size_t operand = 1;
  for (const std::vector<int32_t> &taps : control.sequences)
    add(operand++, 1, taps.size());
  for (size_t k = 0; k < control.states.size(); ++k)
    add(operand++, control.hasHistoryAxis(k), control.states[k].size());
  while (operand < size_t(step.numInputs))
    add(operand++, 0, 1);
  return shapes;
}

/// By step, whether calls run its kernel as a whole: on one thread.
absl::StatusOr<std::vector<bool>> wholeRuns(const Program &program, int threads) {
  absl::StatusOr<ProgramLayout> layout = ProgramLayout::create(program);
  if (!layout.ok())
    return layout.status();
  std::vector<bool> whole(program.steps.size(), threads <= 1);
  if (threads <= 1 || !layout->isStatic)
    return whole;
  absl::StatusOr<std::shared_ptr<Plan>> plan =
      Plan::create(program, *layout, 0, std::vector<SizeValue>(program.sizes.size(), 0));
  if (!plan.ok())
    return plan.status();
  for (size_t s = 0; s < whole.size(); ++s)
    whole[s] = !(*plan)->steps[s].parallel;
  return whole;
}

class KernelSpecialiser final : public Specialiser {
public:
  KernelSpecialiser(std::shared_ptr<const Executable> general, std::vector<Kernel> kernels,
                    std::vector<std::shared_ptr<const CachedKernel>> code,
                    std::shared_ptr<const ObjectCompiler> compiler, bool cache)
      : general_(std::move(general)), kernels_(std::move(kernels)), code_(std::move(code)),
        compiler_(std::move(compiler)), cache_(cache) {}

  absl::StatusOr<std::shared_ptr<const Executable>> make(absl::Span<const int64_t> extents,
                                                         int threads) const override {
    Program program = general_->program();
    std::vector<std::vector<int64_t>> shapes;
    for (const Program::Input &input : program.inputs) {
      absl::Span<const int64_t> own = extents.first(input.shape.size());
      shapes.emplace_back(own.begin(), own.end());
      extents.remove_prefix(own.size());
    }
    Chosen chosen;
    if (absl::Status s = choose(program, shapes, threads, chosen); !s.ok())
      return s;
    program.kernels = std::move(chosen.kernels);
    placeCode(compiledOf(chosen.code), program);
    return Executable::create(std::move(program), codeOf(chosen.code), general_.get());
  }

private:
  /// The kernels of the new program.
  struct Chosen {
    std::map<std::pair<int32_t, KnownSizes>, int32_t> numbers;
    std::vector<Program::Kernel> kernels;
    std::vector<std::shared_ptr<const CachedKernel>> code;
  };

  /// Makes the steps name kernels of `chosen`, in bodies too.
  absl::Status choose(Program &program, absl::Span<const std::vector<int64_t>> shapes, int threads,
                      Chosen &chosen) const {
    std::vector<std::optional<SizeValue>> values = fixExtents(program, shapes);
    program.kernels = general_->program().kernels; // bodies have none
    absl::StatusOr<std::vector<bool>> whole = wholeRuns(program, threads);
    program.kernels.clear();
    if (!whole.ok())
      return whole.status();
    for (size_t s = 0; s < program.steps.size(); ++s) {
      Program::Step &step = program.steps[s];
      if (step.kind == Program::Step::Kind::Control)
        for (Program &body : program.controls[size_t(step.callee)].bodies)
          if (absl::Status status =
                  choose(body, shapesOfInputs(program, step, body, values), threads, chosen);
              !status.ok())
            return status;
      if (step.kind != Program::Step::Kind::Kernel)
        continue;
      KnownSizes sizes;
      if (chosen.numbers.size() < kMostKernels)
        sizes = sizesOf(step, values, (*whole)[s]);
      auto [found, isNew] =
          chosen.numbers.try_emplace({step.callee, sizes}, int32_t(chosen.kernels.size()));
      if (isNew) {
        absl::StatusOr<std::shared_ptr<const CachedKernel>> kernel = load(step.callee, sizes);
        if (!kernel.ok())
          return kernel.status();
        chosen.kernels.push_back(general_->program().kernels[size_t(step.callee)]);
        chosen.code.push_back(*std::move(kernel));
      }
      step.callee = found->second;
    }
    return absl::OkStatus();
  }

  /// Of a step's arguments; with begin and end of a kernel that splits.
  KnownSizes sizesOf(const Program::Step &step, const std::vector<std::optional<SizeValue>> &values,
                     bool isWhole) const {
    KnownSizes sizes;
    auto add = [&](std::optional<SizeValue> value) {
      sizes.push_back(value && fitsInt64(*value) ? std::optional(int64_t(*value)) : std::nullopt);
    };
    for (int32_t size : step.sizes)
      add(values[size_t(size)]);
    if (general_->program().kernels[size_t(step.callee)].splits && isWhole) {
      add(0);
      add(values[size_t(step.splitSize)]);
    }
    return sizes;
  }

  /// One at a time, so that a fork need not wait for all.
  absl::StatusOr<std::shared_ptr<const CachedKernel>> load(int32_t number,
                                                           const KnownSizes &sizes) const {
    if (std::ranges::none_of(sizes, [](const auto &size) { return size.has_value(); }))
      return code_[size_t(number)];
    CompilerWork work;
    if (absl::Status s = work.check(); !s.ok())
      return s;
    absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>> loaded =
        loadKernels({{&kernels_[size_t(number)], sizes}}, *compiler_, /*threads=*/1, cache_);
    if (!loaded.ok())
      return loaded.status();
    return (*loaded)[0];
  }

  std::shared_ptr<const Executable> general_;
  std::vector<Kernel> kernels_;
  std::vector<std::shared_ptr<const CachedKernel>> code_;
  std::shared_ptr<const ObjectCompiler> compiler_;
  bool cache_;
};

} // namespace

/// Kernels of programs of static extents take less than this on an average (nanoseconds, as threads
/// are weighed) where it is worth to know them: then what they do before their loops is a part of
/// it.
static constexpr double kShort = 2000;

/// Whether all extents are known, and knowing them in kernels gains little.
static bool isStaticAndLong(const Program &program) {
  std::vector<std::optional<SizeValue>> values;
  for (const SizeNode &size : program.sizes)
    values.push_back(sizeValue(size, [&](int32_t id) { return values[size_t(id)]; }));
  for (const Program::Input &input : program.inputs)
    if (std::ranges::any_of(input.shape, [](int64_t extent) { return extent < 0; }))
      return false;
  double time = 0;
  int numKernels = 0;
  bool hasSizes = false;
  for (const Program::Step &step : program.steps) {
    numKernels += step.kind == Program::Step::Kind::Kernel;
    hasSizes |= step.kind == Program::Step::Kind::Kernel && !step.sizes.empty();
    if (step.kind == Program::Step::Kind::Control || step.kind == Program::Step::Kind::Host)
      return true;
    for (const Program::Step::Work &work : step.work)
      time += double(values[size_t(work.count)].value_or(0)) * double(work.nanoseconds);
  }
  return !hasSizes || time > kShort * numKernels;
}

std::shared_ptr<const Specialiser>
specialiserOf(std::shared_ptr<const Executable> general, std::vector<Kernel> kernels,
              std::vector<std::shared_ptr<const CachedKernel>> code,
              std::shared_ptr<const ObjectCompiler> compiler, bool cache) {
  if (isStaticAndLong(general->program()))
    return nullptr;
  return std::make_shared<KernelSpecialiser>(std::move(general), std::move(kernels),
                                             std::move(code), std::move(compiler), cache);
}

} // namespace graphc
