//===- Entry.cpp - libgraphc-compiler's only exported symbol --------------===//
#include "AOT/WriteProgram.h"
#include "CompileKernels.h"
#include "JIT/Linker.h"
#include "Kernels/CompilerInterface.h"
#include "Pipeline.h"
#include "Rewrites/ModeRewrites.h"
#include "StageText.h"
#include "Support/StageOfText.h"
#include "Support/WriteFile.h"
#include "Text/GraphText.h"

namespace graphc {
namespace {

class Compiler final : public CompilerInterface {
public:
  absl::StatusOr<CompiledProgram> compile(const GraphModule &module,
                                          const CompileOptions &options) const override {
    Stages stages(options, "");
    return graphc::compile(module, options, stages);
  }

  absl::StatusOr<ProgramImage> image(const GraphModule &module,
                                     const CompileOptions &options) const override {
    ProgramImage image;
    Stages stages(options, &image);
    if (absl::Status s = graphc::compile(module, options, stages).status(); !s.ok())
      return s;
    return image;
  }

  absl::StatusOr<std::string> emit(const GraphModule &module, std::string_view stage,
                                   const CompileOptions &options) const override {
    Stages stages(options, stage);
    if (absl::Status s = graphc::compile(module, options, stages).status(); !s.ok())
      return s;
    return stages.text();
  }

  absl::StatusOr<LibraryFiles> compileLibrary(const GraphModule &module,
                                              const LibraryOptions &library,
                                              const CompileOptions &options) const override {
    Stages stages(options, library);
    if (absl::Status s = graphc::compile(module, options, stages).status(); !s.ok())
      return s;
    return std::move(stages.library());
  }

  absl::StatusOr<LibraryFiles> compileLibrary(std::string_view kernels, std::string_view name,
                                              const LibraryOptions &library,
                                              const CompileOptions &options) const override {
    Stages stages(options, library);
    if (absl::Status s = compileKernelText(kernels, name, options, stages); !s.ok())
      return s;
    return std::move(stages.library());
  }

  absl::Status link(const LibraryFiles &files, const std::string &path) const override {
    absl::StatusOr<std::string> bytes =
        files.isProgram ? linkProgram(files.object)
                        : linkSharedObject({files.object}, path.substr(path.rfind('/') + 1));
    return bytes.ok() ? replaceFile(path, *bytes, /*isProgram=*/true) : bytes.status();
  }

  absl::StatusOr<std::string> translate(std::string_view text, std::string_view name,
                                        std::string_view from, std::string_view to,
                                        const CompileOptions &options) const override {
    if (from == "kernels") {
      Stages stages(options, to);
      absl::Status s = compileKernelText(text, name, options, stages);
      return s.ok() ? absl::StatusOr<std::string>(stages.text()) : s;
    }
    absl::StatusOr<TargetDescription> target = parseTarget(options.target);
    if (!target.ok())
      return target.status();
    target->optimizations = modeOptimizations(options.mode);
    absl::StatusOr<std::shared_ptr<const ObjectCompiler>> compiler =
        objectCompilerFor(*target, /*trusted=*/false);
    if (!compiler.ok())
      return compiler.status();
    absl::StatusOr<std::string> translated = translateText(text, name, from, to, **compiler);
    return translated.ok() ? translated : explainStage(translated.status(), text, name, from);
  }

  absl::StatusOr<GraphModule> readGraph(std::string_view text, std::string_view name,
                                        std::string_view entry) const override {
    return readGraphText(text, name, entry);
  }
  absl::StatusOr<std::string> writeGraph(const GraphModule &module,
                                         const PrintGraphOptions &options) const override {
    return writeGraphText(module, options);
  }
};

} // namespace
} // namespace graphc

const graphc::CompilerInterface *graphcCompilerEntry() {
  static const graphc::Compiler *const kCompiler = new graphc::Compiler();
  return kCompiler;
}
