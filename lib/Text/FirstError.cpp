//===- FirstError.cpp -----------------------------------------------------===//
#include "FirstError.h"

#include "NodeFromOperation.h"
#include "Ops/Registry.h"
#include "Support/Text.h"

namespace graphc {

/// What MLIR says of "custom op 'graph.tanhh'" as graphc says it: of the op tanhh, with the nearest
/// name where it is unknown.
static std::string improved(std::string message) {
  llvm::StringRef text = message;
  if (!text.consume_front("custom op 'graph."))
    return message;
  auto [op, rest] = text.split("' ");
  std::string name = op.str();
  if (!rest.starts_with("is unknown"))
    return name + ": " + rest.str();
  std::vector<std::string> names = {"constant"};
  for (const OpDef *def : allOps())
    names.push_back(def->name);
  return "no op is called '" + name + "'" + didYouMean(name, names);
}

absl::Status FirstError::status() const {
  if (!status_.ok())
    return status_;
  return makeError(ErrorKind::ValueError, "the text cannot be parsed");
}

mlir::LogicalResult FirstError::take(mlir::Diagnostic &d) {
  if (d.getSeverity() != mlir::DiagnosticSeverity::Error || !status_.ok())
    return mlir::success();
  std::string message = improved(d.str());
  for (mlir::Diagnostic &note : d.getNotes())
    message += "\nnote: " + note.str();
  status_ = makeError(ErrorKind::ValueError, message, placeOf(d.getLocation()));
  return mlir::success();
}

} // namespace graphc
