//===- GraphText.h - graphs as MLIR text --------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "graphc/Import.h"
#include "llvm/ADT/StringRef.h"

namespace graphc {

/// Function argument and result attribute with a name that the text cannot spell as %name.
inline constexpr llvm::StringLiteral kNameAttr = "graph.name";

/// See parseGraph and printGraph in graphc/Import.h.
absl::StatusOr<GraphModule> readGraphText(std::string_view text, std::string_view name,
                                          std::string_view entry);
absl::StatusOr<std::string> writeGraphText(const GraphModule &module,
                                           const PrintGraphOptions &options);

} // namespace graphc
