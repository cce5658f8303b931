//===- LoadOnnx.cpp - the ONNX reader, when it is needed ------------------===//
//
// libgraphc-onnx has protobuf and ONNX's schema inside; programs that read no ONNX never load it.
//
//===----------------------------------------------------------------------===//
#include "Graph/OnnxEntry.h"
#include "Support/Fork.h"
#include "Support/SharedLibrary.h"

namespace graphc {

absl::StatusOr<GraphModule> loadOnnx(const std::string &path, const OnnxInputs &inputs) {
  CompilerWork work;
  if (absl::Status s = work.check(); !s.ok())
    return s;
  static const absl::StatusOr<void *> entry = loadOwnSymbol("libgraphc-onnx.so", "graphcOnnxEntry");
  if (!entry.ok())
    return entry.status();
  absl::StatusOr<GraphModule> module = GraphModule();
  reinterpret_cast<decltype(&graphcOnnxEntry)>(*entry)(path, inputs, &module);
  return module;
}

} // namespace graphc
