//===- main.cpp - mlir-opt with graphc's dialect and passes ---------------===//
#include "JIT/LowerToLLVM.h"
#include "Lowering/LowerToLinalg.h"
#include "Pipeline/LoopsPass.h"
#include "Text/GraphDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  graphc::registerGraphDialect(registry);
  graphc::registerLinalgDialects(registry);
  graphc::registerLoopDialects(registry);
  graphc::registerLoopsPass();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "graphc-opt\n", registry));
}
