//===- CompileLibrary.cpp -------------------------------------------------===//
#include "CompileLibrary.h"

#include "AOT/WriteProgram.h"
#include "CompileKernels.h"

namespace graphc {

absl::Status compileLibrary(KernelGraph kernels, const ObjectCompiler &compiler,
                            const CompileOptions &options, Stages &stages) {
  const LibraryOptions &library = stages.libraryOptions();
  Program &program = kernels.program;
  // Before time is spent on code.
  absl::StatusOr<CallInterface> interface = callInterface(program, library.name);
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
  for (CompiledKernel &kernel : *compiled)
    objects.push_back(std::move(kernel.object));
  absl::StatusOr<std::string> object = programObject(program, *interface, objects, compiler);
  if (!object.ok())
    return object.status();
  const TargetDescription &target = compiler.target();
  stages.library() = {*std::move(object),
                      cHeader(program, *interface, library.source,
                              target.name == "native" ? target.cpu : target.name)};
  return absl::OkStatus();
}

} // namespace graphc
