//===- Bytecode.cpp -------------------------------------------------------===//
#include "Bytecode.h"

#include "Support/Hash.h"
#include "Support/ReadFile.h"
#include "graphc/Status.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/ADT/StringExtras.h"

namespace graphc {
namespace {

constexpr std::string_view kProducer = "graphc ";
constexpr size_t kDigits = 16;

/// The producer's name stands behind magic and version, which is one byte.
constexpr size_t kProducerAt = kBytecodeMagic.size() + 1;
constexpr size_t kSumAt = kProducerAt + kProducer.size();

/// Of all bytes but its own, in hexadecimal digits.
std::string checksum(std::string_view bytes) {
  uint64_t rest = hashString(bytes.substr(kSumAt + kDigits));
  return llvm::utohexstr(hashString(bytes.substr(0, kSumAt), rest), /*LowerCase=*/true, kDigits);
}

} // namespace

bool isBytecode(std::string_view bytes) { return bytes.starts_with(kBytecodeMagic); }

absl::Status checkBytecode(std::string_view bytes) {
  if (bytes.size() < kSumAt + kDigits || bytes.substr(kProducerAt, kProducer.size()) != kProducer)
    return makeError(ErrorKind::ValueError,
                     "bytecode that graphc has not written; hand it over as text");
  if (bytes.substr(kSumAt, kDigits) != checksum(bytes))
    return makeError(ErrorKind::ValueError, "the bytecode is damaged: its checksum is wrong");
  return absl::OkStatus();
}

absl::StatusOr<std::string> writeBytecode(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  std::string producer = std::string(kProducer) + std::string(kDigits, '0');
  if (failed(mlir::writeBytecodeToFile(module, os, mlir::BytecodeWriterConfig(producer))) ||
      std::string_view(bytes).substr(kProducerAt, producer.size()) != producer)
    return makeError(ErrorKind::Internal, "the graph cannot be written as bytecode");
  bytes.replace(kSumAt, kDigits, checksum(bytes));
  return bytes;
}

} // namespace graphc
