//===- Transforms/ProductStrides.cpp - parts of lines with a stride of 2 ---===//
//
// A vector of a panel is put together of parts of lines (ProductParts.cpp). With a stride of 2 a
// part of 16 pixels covers 31 elements of the picture's line, and every part has masks of its own,
// of which a processor has seven:
//
//   for k {                                       before, for each part:
//     a, b = masked loads of its 16 elements each, other masks for each part
//     part = every second one of (a, b)
//     vector = part where its lanes are
//   }
//   places = where each lane's element is in (a, b)   after
//   for k {
//     a, b = loads of elements that the line has, wherever the part begins
//     part = (a, b)[places]
//     vector = part behind the part before
//   }
//
// Of lines that are as long as a vector or longer, the 31 elements are loaded that begin at the
// part's first pixel, or end with the line. A line of less than half a vector is loaded as a whole,
// and its part is not made apart from the vector: one permutation takes a lane from either. Lines
// between these (14 pixels) gained nothing.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// A vector's lanes that are numbers of elements in two vectors: whole registers alone have an
/// instruction for it, AVX-512's vpermi2ps and vpermi2pd.
static constexpr int kRegisterBytes = 64;

/// If parts are of lines with a stride of 2, the number of elements of a line that is loaded as a
/// whole, or 0; nothing if they are as any others. Where the length of a line is not known,
/// `isLong` says that it is a vector at least.
std::optional<int64_t> ProductEmitter::stridedElements(bool isLong) const {
  int inner = nest.numParallel - 1;
  if (!uses(Optimization::StridedLines) || !shape.isRightPlain || shape.columnLoop >= inner ||
      !mlir::isa<mlir::FloatType>(shape.element) || target.vectorBytes != kRegisterBytes ||
      int64_t(shape.lanes) * memoryBytes(shape.element) != kRegisterBytes)
    return std::nullopt;
  mlir::AffineMap map = mapOf(nest, shape.right);
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    bool isLast = axis + 1 == map.getNumResults();
    if (affineFactors(expr, map.getNumDims())[size_t(inner)] != (isLast ? 2 : 0))
      return std::nullopt;
  }
  auto known = constantSize(nest.extents[size_t(inner)]);
  if (linePartsOf().mayBeMore && (known || !isLong))
    return std::nullopt;
  const int64_t lanes = shape.lanes, length = known.value_or(lanes);
  if (2 * length <= lanes)
    return 2 * length - 1;
  return length < lanes ? std::nullopt : std::optional<int64_t>(0);
}

/// Adds the part of a line whose first pixel would be lane `begin` of its vector; `before`: the
/// lanes in front of it. Returns the pixel from which on the line is loaded.
Value ProductEmitter::addStridedPart(PanelParts &parts, Value begin, Value before) {
  const int64_t lanes = shape.lanes;
  Value zero = stack->constant(0), pixel = zero;
  if (!*parts.numElements) {
    Value length = stack->value(nest.extents[size_t(nest.numParallel - 1)]);
    Value last = arith::SubIOp::create(b, length, stack->constant(lanes));
    Value first = arith::MaxSIOp::create(b, arith::SubIOp::create(b, zero, begin), zero);
    pixel = arith::MinSIOp::create(b, first, last);
  }
  // Lane i is the line's pixel i - begin.
  mlir::Type number = b.getIntegerType(unsigned(8 * memoryBytes(shape.element)));
  auto type = mlir::VectorType::get({lanes}, number);
  auto numbersOf = [&](llvm::function_ref<int64_t(int64_t)> of) -> Value {
    llvm::SmallVector<mlir::Attribute> numbers;
    for (int64_t i = 0; i < lanes; ++i)
      numbers.push_back(b.getIntegerAttr(number, of(i)));
    return arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, numbers));
  };
  auto all = [&](int64_t value) { return numbersOf([&](int64_t) { return value; }); };
  Value first =
      arith::MulIOp::create(b, arith::AddIOp::create(b, begin, pixel), stack->constant(2));
  first = vector::BroadcastOp::create(b, type, arith::IndexCastOp::create(b, number, first));
  Value places = arith::SubIOp::create(b, numbersOf([](int64_t i) { return 2 * i; }), first);
  if (*parts.numElements) {
    // In the line, behind what the vector has; there, a lane is itself.
    places = arith::AddIOp::create(b, places, all(lanes));
    places = arith::SelectOp::create(b, before, numbersOf([](int64_t i) { return i; }), places);
  } else {
    // The second vector begins with the last element of the first one.
    Value isBehind = arith::ShRUIOp::create(b, places, all(llvm::Log2_64(uint64_t(lanes))));
    places = arith::AddIOp::create(b, places, isBehind);
  }
  parts.places.push_back(places);
  parts.before.push_back(before);
  return pixel;
}

/// The panel's vectors at the present k, of such parts.
llvm::SmallVector<Value> ProductEmitter::joinStridedParts(const PanelParts &parts) {
  const int64_t numElements = *parts.numElements;
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  Value buffer = body->memory[size_t(nest.inputs[size_t(shape.right)])].buffer;
  auto pick = [&](Value one, Value places, Value other) -> Value {
    auto name = b.getStringAttr(shape.element.isF32() ? "llvm.x86.avx512.vpermi2var.ps.512"
                                                      : "llvm.x86.avx512.vpermi2var.pd.512");
    return mlir::LLVM::CallIntrinsicOp::create(b, type, name, mlir::ValueRange{one, places, other})
        .getResult(0);
  };
  Value mask, none;
  if (numElements) {
    mask = vector::CreateMaskOp::create(b, mlir::VectorType::get({shape.lanes}, b.getI1Type()),
                                        stack->constant(numElements));
    none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  llvm::SmallVector<Value> vectors;
  const size_t numParts = parts.places.size() / size_t(shape.vectors);
  for (auto [i, place] : llvm::enumerate(body->placesOfOperand(nest, shape.right))) {
    bool isFirst = i % numParts == 0;
    Value places = parts.places[i];
    if (numElements) {
      Value line = vector::MaskedLoadOp::create(b, type, buffer, place, mask, none);
      if (isFirst)
        vectors.push_back(line);
      vectors.back() = pick(vectors.back(), places, line);
      continue;
    }
    Value second = arith::AddIOp::create(b, place, stack->constant(shape.lanes - 1));
    Value part = pick(vector::LoadOp::create(b, type, buffer, place), places,
                      vector::LoadOp::create(b, type, buffer, second));
    if (isFirst)
      vectors.push_back(part);
    else
      vectors.back() = arith::SelectOp::create(b, parts.before[i], vectors.back(), part);
  }
  return vectors;
}

} // namespace graphc
