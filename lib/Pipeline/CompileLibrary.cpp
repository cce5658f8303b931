//===- CompileLibrary.cpp -------------------------------------------------===//
#include "CompileLibrary.h"

#include <optional>

#include "AOT/WriteProgram.h"
#include "CompileKernels.h"

namespace graphc {

/// C callers see complex arrays as real ones of pairs.
static void showPairs(Program &program) {
  for (Program::Input &input : program.inputs)
    if (isComplex(input.dtype)) {
      input.dtype = realDType(input.dtype);
      input.shape.push_back(2);
    }
  for (Program::Output &output : program.outputs)
    output.isComplex = false;
}

absl::Status compileLibrary(KernelGraph kernels, const ObjectCompiler &compiler,
                            const CompileOptions &options, Stages &stages) {
  const LibraryOptions &library = stages.libraryOptions();
  Program &program = kernels.program;
  showPairs(program);
  // Before time is spent on code.
  absl::StatusOr<CallInterface> interface =
      callInterface(program, library.isProgram ? "program" : library.name);
  if (!interface.ok())
    return interface.status();
  absl::StatusOr<std::vector<CompiledKernel>> compiled =
      compileKernels(kernels.kernels, compiler, options.compileThreads);
  if (!compiled.ok())
    return compiled.status();
  std::vector<const CompiledKernel *> code;
  for (const CompiledKernel &kernel : *compiled)
    code.push_back(&kernel);
  placeCode(code, program);
  std::vector<std::string> objects;
  for (const CompiledKernel &kernel : *compiled)
    objects.insert(objects.end(), kernel.objects.begin(), kernel.objects.end());
  const TargetDescription &target = compiler.target();
  const std::string &processor = target.name == "native" ? target.cpu : target.name;
  std::optional<MainTables> main;
  if (library.isProgram)
    main = MainTables::create(program, library.source, processor);
  absl::StatusOr<std::string> object =
      programObject(program, *interface, objects, compiler, main ? &*main : nullptr);
  if (!object.ok())
    return object.status();
  stages.library().object = *std::move(object);
  stages.library().isProgram = library.isProgram;
  if (!main)
    stages.library().header = cHeader(program, *interface, library.source, processor);
  return absl::OkStatus();
}

} // namespace graphc
