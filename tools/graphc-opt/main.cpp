//===- main.cpp - mlir-opt with graphc's dialect and passes ---------------===//
#include "JIT/EmitIR.h"
#include "Lowering/LowerToLinalg.h"
#include "Pipeline/LoopsPass.h"
#include "Text/Bytecode.h"
#include "Text/GraphDialect.h"
#include "Text/Nesting.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

static int fail(llvm::StringRef message, llvm::StringRef place = "") {
  llvm::errs() << place << (place.empty() ? "" : ": ") << "error: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  graphc::registerGraphDialect(registry);
  graphc::registerLinalgDialects(registry);
  graphc::registerLoopDialects(registry);
  graphc::registerLoopsPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "graphc-opt\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &message);
  if (!file)
    return fail(message);
  std::string_view text = file->getBuffer();
  if (!graphc::isBytecode(text)) // MLIR's parser calls itself once a level, until the stack ends
    if (absl::Status status = graphc::checkNesting(text, input); !status.ok())
      return fail(std::string(status.message()),
                  graphc::errorPlace(status).value_or(graphc::Place()).str());
  std::unique_ptr<llvm::ToolOutputFile> out = mlir::openOutputFile(output, &message);
  if (!out)
    return fail(message);
  mlir::LogicalResult result = mlir::MlirOptMain(out->os(), std::move(file), registry, config);
  out->os().flush();
  if (std::error_code error = out->os().error()) {
    out->os().clear_error();
    return fail(output + ": " + error.message());
  }
  if (mlir::succeeded(result))
    out->keep();
  return mlir::asMainReturnCode(result);
}
