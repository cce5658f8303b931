//===- Sizes.cpp - arithmetic of sizes ------------------------------------===//
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

} // namespace graphc
