//===- Lowering/ScalarCall.cpp - scalar operations as calls ---------------===//
#include "Lowering/ScalarCall.h"

#include "llvm/ADT/StringMap.h"

namespace graphc {
namespace {

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

std::optional<DType> dtypeOf(llvm::StringRef name) {
  return parseDType(std::string_view(name.data(), name.size()));
}

const llvm::StringMap<ScalarOp> &opsByName() {
  static const llvm::StringMap<ScalarOp> table = [] {
    llvm::StringMap<ScalarOp> names;
    for (int i = 0; i <= int(ScalarOp::Cast); ++i)
      names[ref(scalarOpName(ScalarOp(i)))] = ScalarOp(i);
    return names;
  }();
  return table;
}

} // namespace

std::string scalarCallName(const ScalarCall &call) {
  std::string name = "graphc.";
  name += scalarOpName(call.op);
  name += '.';
  name += dtypeShortName(call.operand);
  if (call.op == ScalarOp::Cast) {
    name += '.';
    name += dtypeShortName(call.result);
  }
  return name;
}

std::optional<ScalarCall> parseScalarCall(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  name.split(parts, '.');
  if (parts.size() < 3 || parts[0] != "graphc")
    return std::nullopt;
  auto op = opsByName().find(parts[1]);
  auto operand = dtypeOf(parts[2]);
  if (op == opsByName().end() || !operand)
    return std::nullopt;
  ScalarCall call{op->second, *operand, givesBool(op->second) ? DType::Bool : *operand};
  bool isCast = call.op == ScalarOp::Cast;
  if (parts.size() != (isCast ? 4u : 3u))
    return std::nullopt;
  if (isCast) {
    auto result = dtypeOf(parts[3]);
    if (!result)
      return std::nullopt;
    call.result = *result;
  }
  return call;
}

std::string argCallName(bool isMax, DType dtype) {
  return std::string(isMax ? "graphc.argmax." : "graphc.argmin.") +
         std::string(dtypeShortName(dtype));
}

std::optional<ArgCall> parseArgCall(llvm::StringRef name) {
  bool isMax = name.consume_front("graphc.argmax.");
  if (!isMax && !name.consume_front("graphc.argmin."))
    return std::nullopt;
  auto dtype = dtypeOf(name);
  if (!dtype)
    return std::nullopt;
  return ArgCall{isMax, *dtype};
}

} // namespace graphc
