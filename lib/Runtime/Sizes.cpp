//===- Sizes.cpp - arithmetic of sizes ------------------------------------===//
#include "absl/strings/str_replace.h"
#include "graphc/Host.h"

namespace graphc {

int64_t foldSize(SizeOp op, int64_t a, int64_t b) {
  switch (op) {
  case SizeOp::Add:
    return int64_t(uint64_t(a) + uint64_t(b));
  case SizeOp::Sub:
    return int64_t(uint64_t(a) - uint64_t(b));
  case SizeOp::Mul:
    return int64_t(uint64_t(a) * uint64_t(b));
  case SizeOp::FloorDiv:
    if (b == 0)
      return 0;
    if (b == -1)
      return int64_t(-uint64_t(a)); // INT64_MIN / -1 traps
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  case SizeOp::Mod:
    if (b == 0 || b == -1)
      return 0;
    return a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
  case SizeOp::Max:
    return a > b ? a : b;
  case SizeOp::Min:
    return a < b ? a : b;
  case SizeOp::Less:
    return a < b;
  case SizeOp::Equal:
    return a == b;
  default:
    break;
  }
  return 0;
}

bool holds(Predicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case Predicate::Equal:
    return a == b;
  case Predicate::LessEqual:
    return a <= b;
  case Predicate::Less:
    return a < b;
  }
  return false;
}

std::string failureText(std::string_view message, int64_t a, int64_t b) {
  std::string valueA = std::to_string(a), valueB = std::to_string(b);
  return absl::StrReplaceAll({message.data(), message.size()}, {{"{a}", valueA}, {"{b}", valueB}});
}

} // namespace graphc
