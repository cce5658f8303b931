//===- Transforms/ProductPictures.cpp - columns of several pictures --------===//
//
// Pictures of a batch have the same weights. Where they are small, the columns of a convolution
// (ProductWindows.cpp) are the pixels of all of them, one picture after the other:
//
//   for pictures {                       before: 7x7 pixels are a panel, a vector and one column,
//     for panels of the picture's pixels   and weights are read again for each picture
//       for rows { tiles }
//   }
//   for panels of all pictures' pixels { after: 8 pictures are 12 panels and half a vector
//     for rows {
//       tiles
//       for pictures that the panel touches { what follows the sums, with masks; stores }
//   } }
//
// Lines that vectors of panels are put together of (ProductParts.cpp) are counted through all
// pictures. Parts of the work, for threads, begin at whole panels.
//
//===----------------------------------------------------------------------===//
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Of larger pictures less than a twentieth of the columns is no whole panel, and what follows the
/// sums is done without masks.
static constexpr int64_t kSmallPicture = 256;

/// Whether columns count the loop of pictures, too: of small ones, whose extents are known.
bool ProductEmitter::joinsPictures() const {
  if (!uses(Optimization::Pictures) || shape.pictureLoop < 0 || !shape.isWindow ||
      shape.columnLoop + 1 >= nest.numParallel || !mayJoinLineParts())
    return false;
  auto pixels = numPixels();
  return pixels && *pixels > 0 && *pixels <= kSmallPicture;
}

/// Of one picture; nothing if that is not known.
std::optional<int64_t> ProductEmitter::numPixels() const {
  int64_t pixels = 1;
  for (int loop = shape.columnLoop; loop < nest.numParallel; ++loop) {
    auto extent = constantSize(nest.extents[size_t(loop)]);
    if (!extent || llvm::MulOverflow(pixels, *extent, pixels))
      return std::nullopt;
  }
  return pixels;
}

/// The columns of a thread's pictures, from one whole panel to another: what is done with the last
/// few columns of all depends on no thread.
void ProductEmitter::setColumnsOfThread(ProductPart &part) {
  Bounds range = bounds(nest, shape.pictureLoop);
  Value pixels = stack->constant(*numPixels());
  Value width = stack->constant(shape.width());
  Value count = stack->value(nest.extents[size_t(shape.pictureLoop)]);
  auto columnOf = [&](Size picture) -> Value {
    Value number = stack->value(picture);
    Value exact = arith::MulIOp::create(b, number, pixels);
    Value down = arith::SubIOp::create(b, exact, arith::RemUIOp::create(b, exact, width));
    Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, count);
    return arith::SelectOp::create(b, isEnd, exact, down);
  };
  part.begin = columnOf(range.lower);
  part.end = columnOf(range.upper);
}

/// Sets up the pixel that a column is, as a scalar.
void ProductEmitter::setPixel(Value column) {
  Value pixels = stack->constant(*numPixels());
  setLoop(shape.pictureLoop, arith::DivUIOp::create(b, column, pixels));
  body->loops[size_t(nest.numParallel - 1)].index = {arith::RemUIOp::create(b, column, pixels)};
}

/// The results of a tile whose columns begin at `first`, and what follows them, picture by picture.
/// Lane 0 is where the picture's pixel would be that the panel's first column stands for.
void ProductEmitter::keepPictures(Value first, Value end, llvm::ArrayRef<Value> results) {
  Value pixels = stack->constant(*numPixels()), one = stack->constant(1);
  auto type = mlir::VectorType::get({body->lanes}, b.getI1Type());
  Value all = stack->constant(int64_t(body->vectors) * body->lanes);
  Value count = arith::MinSIOp::create(b, arith::SubIOp::create(b, end, first), all);
  Value last =
      arith::AddIOp::create(b, arith::AddIOp::create(b, first, count), stack->constant(-1));
  Value endPicture = arith::AddIOp::create(b, arith::DivUIOp::create(b, last, pixels), one);
  auto pictures = stack->open(arith::DivUIOp::create(b, first, pixels), endPicture, one);
  Value picture = pictures.getInductionVar();
  Value begin = arith::SubIOp::create(b, arith::MulIOp::create(b, picture, pixels), first);
  Value next = arith::MinSIOp::create(b, arith::AddIOp::create(b, begin, pixels), count);
  llvm::SmallVector<Value, 8> masks = body->masks;
  body->masks.clear();
  for (int v = 0; v < body->vectors; ++v) {
    auto firstLanes = [&](Value number) -> Value {
      Value left = arith::SubIOp::create(b, number, stack->constant(int64_t(v) * body->lanes));
      return vector::CreateMaskOp::create(b, type, left);
    };
    body->masks.push_back(arith::XOrIOp::create(b, firstLanes(next), firstLanes(begin)));
  }
  setLoop(shape.pictureLoop, picture);
  LoopVariable &column = body->loops[size_t(nest.numParallel - 1)];
  column.level = stack->depth();
  column.index = {arith::SubIOp::create(b, stack->constant(0), begin)};
  keepNests(pass, results);
  stack->close();
  body->masks = masks;
}

} // namespace graphc
