//===- SaveOnnx.cpp - the ONNX writer, when it is needed ------------------===//
#include "Graph/OnnxEntry.h"
#include "Support/Fork.h"
#include "Support/SharedLibrary.h"

namespace graphc {

absl::Status saveOnnx(const GraphModule &module, const std::string &path,
                      const SaveOnnxOptions &options) {
  CompilerWork work;
  if (absl::Status s = work.check(); !s.ok())
    return s;
  static const absl::StatusOr<void *> entry =
      loadOwnSymbol("libgraphc-onnx.so", "graphcOnnxWriter");
  if (!entry.ok())
    return entry.status();
  absl::Status status;
  reinterpret_cast<decltype(&graphcOnnxWriter)>(*entry)(module, path, options, &status);
  return status;
}

} // namespace graphc
