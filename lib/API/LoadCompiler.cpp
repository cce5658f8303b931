//===- LoadCompiler.cpp - the compiler half, when it is needed ------------===//
#include <dlfcn.h>

#include "Kernels/CompilerInterface.h"
#include "Support/Fork.h"
#include "Support/ReadFile.h"
#include "Support/SharedLibrary.h"
#include "graphc/Import.h"

namespace graphc {

absl::StatusOr<const CompilerInterface *> loadCompiler() {
  CompilerWork work;
  if (absl::Status s = work.check(); !s.ok())
    return s;
  static const absl::StatusOr<void *> entry =
      loadOwnSymbol("libgraphc-compiler.so", "graphcCompilerEntry");
  if (!entry.ok())
    return entry.status();
  static const CompilerInterface *compiler =
      reinterpret_cast<decltype(&graphcCompilerEntry)>(*entry)();
  return compiler;
}

absl::StatusOr<GraphModule> parseGraph(std::string_view text, std::string_view name,
                                       std::string_view entry) {
  CompilerWork work;
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  return (*compiler)->readGraph(text, name, entry);
}

absl::StatusOr<GraphModule> loadGraph(const std::string &path, std::string_view entry) {
  absl::StatusOr<std::string> text = readText(path);
  if (!text.ok())
    return text.status();
  return parseGraph(*text, path, entry);
}

absl::StatusOr<std::string> printGraph(const GraphModule &module,
                                       const PrintGraphOptions &options) {
  CompilerWork work;
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  return (*compiler)->writeGraph(module, options);
}

} // namespace graphc
