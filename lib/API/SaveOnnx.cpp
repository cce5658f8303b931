//===- SaveOnnx.cpp - the ONNX writer, when it is needed ------------------===//
#include "Support/Fork.h"
#include "Support/SharedLibrary.h"
#include "graphc/Export.h"

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
  using Save =
      void (*)(const GraphModule &, const std::string &, const SaveOnnxOptions &, absl::Status *);
  absl::Status status;
  reinterpret_cast<Save>(*entry)(module, path, options, &status);
  return status;
}

} // namespace graphc
