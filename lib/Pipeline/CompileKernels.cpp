//===- CompileKernels.cpp -------------------------------------------------===//
#include "CompileKernels.h"

#include <map>
#include <mutex>
#include <tuple>

#include "Emit/SizeTable.h"
#include "JIT/CompileInParts.h"
#include "JIT/EmitIR.h"
#include "JIT/LoopTargetOf.h"
#include "Kernels/CheckKernel.h"
#include "Lowering/LowerToLinalg.h"
#include "Support/Cancel.h"
#include "Support/Text.h"
#include "Transforms/CheckLinalg.h"
#include "Transforms/KnownSizes.h"
#include "Transforms/LinalgToLoops.h"

namespace graphc {

ContextPool &kernelContexts() {
  // Never destroyed: threads may still compile while the process ends.
  static ContextPool *const kPool = new ContextPool([](mlir::DialectRegistry &registry) {
    registerLinalgDialects(registry);
    registerLoopDialects(registry);
  });
  return *kPool;
}

namespace {

std::vector<CompiledKernel::Scratch> readScratch(mlir::ModuleOp loops) {
  std::vector<CompiledKernel::Scratch> list;
  for (auto function : loops.getOps<mlir::func::FuncOp>()) {
    auto sizes = function->getAttrOfType<mlir::ArrayAttr>(kScratchAttr);
    auto limits = function->getAttrOfType<mlir::ArrayAttr>(kScratchLimitAttr);
    auto kept = function->getAttrOfType<mlir::ArrayAttr>(kKeptAttr);
    for (size_t i = 0; sizes && i < sizes.size(); ++i) {
      llvm::ArrayRef<int64_t> size = mlir::cast<mlir::DenseI64ArrayAttr>(sizes[i]).asArrayRef();
      list.push_back({size[0], {size.begin() + 1, size.end()}});
      if (kept)
        list.back().kept = keptFormOf(kept[unsigned(i)]);
      llvm::ArrayRef<int64_t> limit;
      if (limits)
        limit = mlir::cast<mlir::DenseI64ArrayAttr>(limits[i]).asArrayRef();
      if (limit.empty())
        continue;
      list.back().limit = limit[0];
      list.back().limited.assign(limit.begin() + 1, limit.end());
    }
  }
  return list;
}

absl::StatusOr<CompiledKernel> compileKernel(const Kernel &kernel, const KnownSizes &sizes,
                                             const ObjectCompiler &compiler, int threads = 1) {
  if (absl::Status s = checkKernel(kernel); !s.ok())
    return s;
  ContextPool::Lease context = kernelContexts().lease();
  mlir::OwningOpRef<mlir::ModuleOp> module = lowerToLinalg(kernel, *context);
  LoopTarget target = loopTargetOf(compiler.target());
  if (!compiler.trusted())
    if (absl::Status s = checkLinalg(*module, target); !s.ok())
      return prefixError(s, "kernel " + kernel.symbol());
  if (absl::Status s = checkCancelled(); !s.ok())
    return s;
  if (absl::Status s = lowerToLoops(*module, target); !s.ok())
    return prefixError(s, "kernel " + kernel.symbol());
  if (absl::Status s = checkCancelled(); !s.ok())
    return s;
  if (!sizes.empty())
    fixSizes(*module, sizes);
  CompiledKernel compiled;
  compiled.symbol = kernel.symbol();
  compiled.scratch = readScratch(*module);
  absl::StatusOr<std::vector<std::string>> objects = compiler.compileOnThreads(*module, threads);
  if (!objects.ok())
    return prefixError(objects.status(), "kernel " + kernel.symbol());
  compiled.objects = *std::move(objects);
  return compiled;
}

/// For the key of its code: "3,?,5".
std::string textOf(const KnownSizes &sizes) {
  return join(sizes, ",", [](const std::optional<int64_t> &size) {
    return size ? std::to_string(*size) : std::string("?");
  });
}

} // namespace

absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
objectCompilerFor(const TargetDescription &target, bool trusted) {
  using Key = std::pair<std::string, bool>;
  static auto *const mutex = new std::mutex();
  static auto *const kept = new std::map<Key, std::shared_ptr<const ObjectCompiler>>();
  std::lock_guard lock(*mutex);
  std::shared_ptr<const ObjectCompiler> &compiler =
      (*kept)[{target.fingerprint() + target.whyNotHere, trusted}];
  if (!compiler) {
    absl::StatusOr<std::shared_ptr<const ObjectCompiler>> made =
        ObjectCompiler::create(target, trusted);
    if (!made.ok())
      return made.status();
    compiler = *std::move(made);
  }
  return compiler;
}

std::vector<KernelRequest> requestsOf(absl::Span<const Kernel> kernels) {
  std::vector<KernelRequest> requests;
  for (const Kernel &kernel : kernels)
    requests.push_back({&kernel});
  return requests;
}

absl::StatusOr<std::vector<CompiledKernel>>
compileKernels(absl::Span<const Kernel> kernels, const ObjectCompiler &compiler, int threads) {
  std::vector<absl::StatusOr<CompiledKernel>> made(kernels.size());
  compileInParts(kernels.size(), threads,
                 [&](size_t i) { made[i] = compileKernel(kernels[i], {}, compiler); });
  std::vector<CompiledKernel> compiled;
  for (absl::StatusOr<CompiledKernel> &each : made) {
    if (!each.ok())
      return each.status();
    compiled.push_back(*std::move(each));
  }
  return compiled;
}

absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
loadKernels(absl::Span<const KernelRequest> wanted, const ObjectCompiler &compiler, int threads,
            bool cache) {
  std::string missing = ";" + compiler.target().optimizations.missing();
  std::vector<Hash128> keys;
  for (const KernelRequest &each : wanted)
    keys.push_back(
        codeKey(each.kernel->content(), textOf(each.sizes) + missing, compiler.target().name));
  auto compile = [&](size_t i, int threadsOfKernel) {
    return compileKernel(*wanted[i].kernel, wanted[i].sizes, compiler, threadsOfKernel);
  };
  if (!cache)
    return KernelCache().get(keys, nullptr, threads, compile);
  return KernelCache::shared().get(keys, CodeFolder::configured().get(), threads, compile);
}

std::vector<const CompiledKernel *>
compiledOf(absl::Span<const std::shared_ptr<const CachedKernel>> code) {
  std::vector<const CompiledKernel *> compiled;
  for (const std::shared_ptr<const CachedKernel> &kernel : code)
    compiled.push_back(kernel.get());
  return compiled;
}

void placeCode(absl::Span<const CompiledKernel *const> code, Program &program) {
  for (size_t i = 0; i < program.kernels.size(); ++i) // bodies have none
    program.kernels[i].symbol = code[i]->symbol;
  for (Program::Control &control : program.controls)
    for (Program &body : control.bodies)
      placeCode(code, body);
  SizeTable sizes(std::move(program.sizes)); // sites of one kernel share what they add
  for (Program::Step &step : program.steps) {
    if (step.kind != Program::Step::Kind::Kernel)
      continue;
    const std::vector<CompiledKernel::Scratch> &wanted = code[size_t(step.callee)]->scratch;
    step.scratch.clear();
    step.scratch.reserve(wanted.size());
    for (const CompiledKernel::Scratch &scratch : wanted) {
      Program::Step::Scratch &bytes = step.scratch.emplace_back();
      bytes.dtype = DType::UInt8;
      bytes.kept = scratch.kept;
      bytes.shape.push_back(sizes.constant(scratch.bytes));
      for (int32_t argument : scratch.sizeArguments)
        bytes.shape.push_back(step.sizes[size_t(argument)]);
      if (scratch.limit < 0)
        continue;
      int32_t product = sizes.constant(1);
      for (int32_t argument : scratch.limited)
        product = sizes.binary(SizeOp::Mul, product, step.sizes[size_t(argument)]);
      bytes.shape.push_back(sizes.binary(SizeOp::Less, sizes.constant(scratch.limit), product));
    }
  }
  program.sizes = sizes.take();
}

} // namespace graphc
