//===- Transforms/LineTiles.cpp - products of windows, line by line -------===//
//
// A convolution of a small picture with a border that the sums read as a condition
// (Kernels/LeaveBorders.cpp): 3x3, 14x14 pixels.
//
//   before: the picture is copied with its border, and all of it is multiplied (ProductWindows.cpp)
//
//   for panels of two vectors of outputs {           after: a tile is a line of the result, or up
//     weights are copied, if they are no constant      to 14 pixels of it, beside two vectors of
//     for pictures, lines, tiles {                     outputs
//       %sums:pixels*2 = scf.for %c {
//         scf.for %i that the line has in the picture {
//           for each j, two vectors of weights and for each pixel that has j in the picture a
//           scalar of it; fma ...
//       } }
//       transposed in registers; what follows at the same element; stores
//   } }
//
// So nothing is multiplied with the border where a line is one tile, which is 9 % of all products
// of 3x3 windows at 14x14 pixels and 18 at 7x7; in longer lines the two pixels at the ends read a
// zero there. The picture is read where it lies. What a window has beside the border adds nothing
// to a sum: infinite weights make no NaN where it is left out.
//
//===----------------------------------------------------------------------===//
#include "Support/LineTiles.h"
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace vector = mlir::vector;
using mlir::Value;

/// Of outputs, beside each pixel.
static constexpr int kLineVectors = 2;
/// Window positions along a line are written out: so many at most.
static constexpr int64_t kMostLineTaps = 11;
/// Lines of other channels are fetched so many ahead, and weights of other sums that are copied.
static constexpr int64_t kLinesAhead = 8, kWeightsAhead = 8;

struct ProductEmitter::LineShape {
  int array;    ///< the picture
  int line;     ///< the loop of a line's pixels, and that of its window positions; -1: none
  int tap = -1; ///<   is left out for some pixels
  int64_t length = 0, pixels = 0; ///< of a line, of a tile
  int64_t numTaps = 1;
  /// Loops that the window follows and the weights do not, but the line's.
  llvm::SmallVector<int> others;
  llvm::SmallVector<CounterSum> axes; ///< the picture's indices
  /// What must be at least 0 for a pixel and a window position to be in the picture: along the
  /// line, and otherwise, of a sum's loop each.
  llvm::SmallVector<CounterSum> ofLine;
  llvm::SmallVector<std::pair<int, CounterSum>> ofSums;
};

/// Nothing if the product is none that is done so.
std::optional<ProductEmitter::LineShape> ProductEmitter::lineShape() {
  const ProductShape &product = this->shape;
  const mlir::Type element = product.element;
  if (!uses(Optimization::LineTiles) || !target.maskRegisters || target.vectorRegisters != 32 ||
      !target.math.fma || !product.isWindow || product.left < 0 || product.numRun == 0 ||
      !mlir::isa<mlir::BlockArgument>(product.leftFactor) ||
      !(element.isF32() || element.isF64()) ||
      constantSize(strideAlong(nest, product.left, product.rowLoop)) == 1)
    return std::nullopt;
  int cost = 0;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    cost += bodyCost(kernel.nests[size_t(number)]);
  auto branch = product.rightFactor.getDefiningOp<mlir::scf::IfOp>();
  if (!branch || cost >= kLongBody)
    return std::nullopt;
  auto load = mlir::dyn_cast<mlir::tensor::ExtractOp>(branch.thenBlock()->front());
  auto border = branch.elseYield().getOperand(0);
  if (!load || branch.thenYield().getOperand(0) != load.getResult() ||
      !mlir::matchPattern(border, mlir::m_AnyZeroFloat()))
    return std::nullopt;
  LineShape shape;
  shape.array = kernel.arrayOf.lookup(load.getTensor());
  shape.line = nest.numParallel - 1;
  if (!inMemory[size_t(shape.array)])
    return std::nullopt;
  shape.length = constantSize(nest.extents[size_t(shape.line)]).value_or(0);
  if (!areLinesWorthTiles(shape.length))
    return std::nullopt;
  shape.pixels = tilePixels(shape.length);
  for (Value index : load.getIndices()) {
    auto sum = asCounterSum(nest, index);
    if (!sum || sum->factors[size_t(product.rowLoop)] != 0)
      return std::nullopt;
    shape.axes.push_back(*std::move(sum));
  }
  for (int loop = pass.outer; loop < shape.line; ++loop)
    if (loop != product.rowLoop && !mapOf(nest, product.left).isFunctionOfDim(unsigned(loop)))
      shape.others.push_back(loop);
  llvm::SmallVector<CounterSum> conditions;
  if (!readConditions(nest, branch.getCondition(), conditions))
    return std::nullopt;
  for (CounterSum &sum : conditions) {
    int parallel = -1, reduced = -1, count = 0;
    for (auto [loop, factor] : llvm::enumerate(sum.factors))
      if (factor != 0) {
        (int(loop) < nest.numParallel ? parallel : reduced) = int(loop);
        ++count;
      }
    if (count > 2 || parallel < 0 || reduced < 0)
      return std::nullopt;
    if (parallel == shape.line) {
      if (!constantSize(sum.size) || (shape.tap >= 0 && shape.tap != reduced))
        return std::nullopt;
      shape.tap = reduced;
      shape.ofLine.push_back(std::move(sum));
    } else if (std::abs(sum.factors[size_t(reduced)]) == 1 &&
               llvm::is_contained(shape.others, parallel)) {
      shape.ofSums.push_back({reduced, std::move(sum)});
    } else {
      return std::nullopt;
    }
  }
  for (const CounterSum &axis : llvm::ArrayRef(shape.axes).drop_back())
    if (axis.factors[size_t(shape.line)] || (shape.tap >= 0 && axis.factors[size_t(shape.tap)]))
      return std::nullopt;
  if (shape.tap >= 0)
    shape.numTaps = constantSize(nest.extents[size_t(shape.tap)]).value_or(0);
  if (shape.numTaps < 1 || shape.numTaps > kMostLineTaps ||
      int(product.sums.size()) == (shape.tap >= 0) ||
      llvm::any_of(shape.ofSums, [&](const auto &one) { return one.first == shape.tap; }))
    return std::nullopt;
  return shape;
}

/// Whether the runtime may keep the weights as the panels that are copied otherwise, where they are
/// a constant: rows of an input, one after the other, all of which are read.
bool ProductEmitter::mayKeepLines() const {
  const ProductShape &product = shape;
  const KernelArray &array = kernel.arrays[size_t(nest.inputs[size_t(product.left)])];
  mlir::AffineMap map = mapOf(nest, product.left);
  if (!uses(Optimization::KeptPanels) || array.role != KernelArray::Role::Input ||
      product.numRun != int(product.sums.size()) || array.rank() != product.numRun + 1 ||
      map.getResult(0) != mlir::getAffineDimExpr(unsigned(product.rowLoop), b.getContext()))
    return false;
  return llvm::all_of(llvm::enumerate(product.sums), [&](auto sum) {
    return array.shape[sum.index() + 1] == nest.extents[size_t(sum.value())];
  });
}

/// The tiles of one product while they are made. All steps and addresses are in bytes.
struct ProductEmitter::LineTiles {
  LineTiles(ProductEmitter &emitter, const LineShape &shape)
      : emitter(emitter), b(emitter.b), stack(*emitter.stack), body(*emitter.body),
        pass(emitter.pass), nest(emitter.nest), product(emitter.shape), shape(shape),
        bytes(memoryBytes(product.element)), outputs(kLineVectors * product.lanes),
        type(mlir::VectorType::get({product.lanes}, product.element)) {}
  void emit();

private:
  /// A loop of the sums as steps through picture and panel.
  struct Sum {
    Value lower, upper;
    Size ofPicture, ofPanel;
  };

  Size panelStep(size_t position);
  Size pictureStep(int loop);
  Value times(Value number, Size step) { return stack.value(stack.multiply(number, step)); }
  Value sizesOf(const CounterSum &sum);
  void copyWeights(Value first, Value isWanted);
  void copyBlock(llvm::ArrayRef<Value> rows, Value place, Size numLeft);
  void sumLine(Value panel);
  Sum sumOver(size_t position);
  void findBorder();
  void overSums(llvm::ArrayRef<Sum> loops, Value picture, Value panel);
  void addProducts(Value picture, Value panel);
  /// Whether a tile's pixel has a window position in the picture.
  enum class Is { Never, Sometimes, Always };
  bool isInPicture(int64_t pixel, int64_t tap) const;
  Is areInPicture(int64_t pixel, int64_t tap) const;
  void openTiles();
  llvm::SmallVector<Value> transposed();
  void setOutputs(Value first);

  ProductEmitter &emitter;
  mlir::ImplicitLocOpBuilder &b;
  LoopStack &stack;
  BodyEmitter &body;
  const Pass &pass;
  const KernelNest &nest;
  const ProductShape &product;
  const LineShape &shape;
  const int64_t bytes, outputs; ///< of an element; of a panel
  const mlir::VectorType type;
  Value weights, room; ///< where they lie, and for a copy of a panel
  Value lower, upper;  ///< the outputs that are wanted
  Value pixel, done;   ///< of the tile at hand: the first one, and how many there are already
  Value zeroAddress;
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> inPicture;
  Value fetched;                 ///< how far ahead lines are fetched
  llvm::SmallVector<Value> sums; ///< by pixel and vector
};

bool ProductEmitter::emitIfLineTiles() {
  std::optional<LineShape> lines = lineShape();
  if (lines)
    LineTiles(*this, *lines).emit();
  return lines.has_value();
}

void ProductEmitter::LineTiles::emit() {
  emitter.placeArrays(pass, pass.outer);
  llvm::SmallVector<Size> extents = emitter.extentsOf(nest, product.sums);
  Value kept;
  if (emitter.mayKeepLines()) {
    KeptForm form{-1, int32_t(outputs), int32_t(bytes), /*isTransposed=*/true};
    kept =
        emitter.function.addKept(nest.inputs[size_t(product.left)], form, product.element, extents);
  }
  extents.push_back(b.getIndexAttr(outputs));
  room = emitter.addressOf(emitter.function.addScratchArgument(product.element, extents));
  if (int(body.loops.size()) < nest.numLoops())
    body.loops.resize(size_t(nest.numLoops()));
  int opened = 0;
  for (int loop = pass.outer; loop < shape.line; ++loop)
    if (loop != product.rowLoop && !llvm::is_contained(shape.others, loop)) {
      emitter.openLoop(nest, loop);
      ++opened;
    }
  body.lanes = product.lanes;
  weights = emitter.productAddress(product.left);
  Bounds range = emitter.bounds(nest, product.rowLoop);
  lower = stack.value(range.lower);
  upper = stack.value(range.upper);
  Value rest = arith::RemUIOp::create(b, lower, stack.constant(outputs));
  auto panels = stack.open(arith::SubIOp::create(b, lower, rest), upper, stack.constant(outputs));
  Value first = panels.getInductionVar(), panel = room;
  Value isWanted = arith::ConstantIntOp::create(b, b.getI1Type(), 1);
  if (kept) {
    Value are = emitter.isKept(kept);
    Size rowBytes = stack.multiply(emitter.extentOfAll(nest, product.sums), b.getIndexAttr(bytes));
    panel = arith::SelectOp::create(b, are, arith::AddIOp::create(b, kept, times(first, rowBytes)),
                                    panel);
    isWanted = arith::XOrIOp::create(b, are, isWanted);
  }
  copyWeights(first, isWanted);
  setOutputs(first);
  for (int loop : shape.others)
    emitter.openLoop(nest, loop);
  openTiles();
  sumLine(panel);
  emitter.keepNests(pass, transposed());
  body.rowExists.clear();
  body.masks.clear();
  opened += int(shape.others.size()) + 1 + (shape.pixels < shape.length);
  while (opened--)
    stack.close();
}

/// The tiles of a line: `pixel` is the first one's, `done` of those that the tile before has.
void ProductEmitter::LineTiles::openTiles() {
  pixel = stack.constant(0);
  done = stack.constant(0);
  if (shape.pixels == shape.length)
    return;
  auto tiles = stack.open(pixel, stack.constant(shape.length), stack.constant(shape.pixels));
  pixel = tiles.getInductionVar();
  if (shape.length % shape.pixels == 0)
    return;
  Value last = stack.constant(shape.length - shape.pixels);
  Value first = arith::MinSIOp::create(b, pixel, last);
  done = arith::SubIOp::create(b, pixel, first);
  pixel = first;
}

/// From one iteration of a sum's loop to the next, in the order of the panel.
Size ProductEmitter::LineTiles::panelStep(size_t position) {
  Size inside = emitter.extentOfAll(nest, llvm::ArrayRef(product.sums).drop_front(position + 1));
  Size step;
  stack.inPrologue([&] { step = stack.multiply(inside, b.getIndexAttr(outputs * bytes)); });
  return step;
}

Size ProductEmitter::LineTiles::pictureStep(int loop) {
  const ArrayPlace &picture = body.memory[size_t(shape.array)];
  Size step = b.getIndexAttr(0);
  stack.inPrologue([&] {
    for (auto [axis, stride] : llvm::zip(shape.axes, picture.strides))
      if (int64_t factor = axis.factors[size_t(loop)])
        step = stack.add(step, stack.multiply(stride, b.getIndexAttr(factor * bytes)));
  });
  return step;
}

/// Without the sums' loops.
Value ProductEmitter::LineTiles::sizesOf(const CounterSum &sum) {
  Size size = sum.size;
  for (int loop = 0; loop < nest.numParallel; ++loop)
    if (int64_t factor = sum.factors[size_t(loop)]; factor && loop != shape.line)
      size = stack.add(size,
                       stack.multiply(body.loops[size_t(loop)].index[0], b.getIndexAttr(factor)));
  return stack.value(size);
}

/// Copies the weights of the outputs from `first` on: of each k those of all outputs.
void ProductEmitter::LineTiles::copyWeights(Value first, Value isWanted) {
  const size_t numOuter = product.sums.size() - size_t(product.numRun);
  const auto run = llvm::ArrayRef(product.sums).drop_front(numOuter);
  Size rowStep = stack.multiply(emitter.strideAlong(nest, product.left, product.rowLoop),
                                b.getIndexAttr(bytes));
  Value last = arith::AddIOp::create(b, stack.value(nest.extents[size_t(product.rowLoop)]),
                                     stack.constant(-1));
  llvm::SmallVector<Value> rows;
  for (int64_t i = 0; i < outputs; ++i) {
    Value row = arith::AddIOp::create(b, first, stack.constant(i));
    row = arith::MinSIOp::create(b, row, last);
    rows.push_back(arith::AddIOp::create(b, weights, times(row, rowStep)));
  }
  Value zero = stack.constant(0), place = room, ahead;
  auto upperOf = [&](Size extent, bool isOutermost) {
    Value end = stack.value(extent);
    return isOutermost ? Value(arith::SelectOp::create(b, isWanted, end, zero)) : end;
  };
  stack.dropAnchor();
  for (size_t position = 0; position < numOuter; ++position) {
    const int loop = product.sums[position];
    auto counter =
        stack.open(zero, upperOf(nest.extents[size_t(loop)], position == 0), stack.constant(1));
    Size step =
        stack.multiply(emitter.strideAlong(nest, product.left, loop), b.getIndexAttr(bytes));
    Value distance = times(counter.getInductionVar(), step);
    ahead = times(stack.constant(kWeightsAhead), step);
    for (Value &row : rows)
      row = arith::AddIOp::create(b, row, distance);
    place = arith::AddIOp::create(b, place, times(counter.getInductionVar(), panelStep(position)));
  }
  Size length = emitter.extentOfAll(nest, run);
  auto blocks = stack.open(zero, upperOf(length, numOuter == 0), stack.constant(product.lanes));
  Value done = blocks.getInductionVar(), distance = times(done, b.getIndexAttr(bytes));
  for (Value &row : rows)
    row = arith::AddIOp::create(b, row, distance);
  if (ahead) // pieces of rows, far from those of the next term: no processor sees where they go
    for (Value row : rows)
      LLVM::Prefetch::create(b, emitter.pointerTo(arith::AddIOp::create(b, row, ahead)), /*rw=*/0,
                             /*hint=*/3, /*cache=*/1);
  const bool isOneBlock = constantSize(length).value_or(product.lanes + 1) <= product.lanes;
  copyBlock(rows, arith::AddIOp::create(b, place, times(done, b.getIndexAttr(outputs * bytes))),
            isOneBlock ? length : stack.subtract(length, done));
  for (size_t i = 0; i < numOuter + 1; ++i)
    stack.close();
  stack.dropAnchor();
}

/// As many k of each row as a vector has lanes, of which `numLeft` exist.
void ProductEmitter::LineTiles::copyBlock(llvm::ArrayRef<Value> rows, Value place, Size numLeft) {
  auto maskType = mlir::VectorType::get({product.lanes}, b.getI1Type());
  Value mask = vector::CreateMaskOp::create(b, maskType, stack.value(numLeft));
  llvm::SmallVector<Value> squares[kLineVectors];
  for (int v = 0; v < kLineVectors; ++v) {
    for (Value row : rows.slice(size_t(v * product.lanes), size_t(product.lanes)))
      squares[v].push_back(emitter.loadAt(row, type, mask));
    emitter.transposeInSquares(squares[v]);
  }
  Value last = stack.value(stack.add(numLeft, b.getIndexAttr(-1)));
  const int64_t most = constantSize(numLeft).value_or(product.lanes);
  for (int64_t k = most - 1; k >= 0; --k) { // what is beyond the last one goes to its place
    Value number = arith::MinSIOp::create(b, stack.constant(k), last);
    Value to = arith::AddIOp::create(b, place, times(number, b.getIndexAttr(outputs * bytes)));
    for (int v = 0; v < kLineVectors; ++v) {
      Size distance = b.getIndexAttr(v * product.lanes * bytes);
      LLVM::StoreOp::create(b, squares[v][size_t(k)],
                            emitter.pointerTo(stack.value(stack.add(to, distance))),
                            unsigned(bytes));
    }
  }
}

/// What is wanted of a sum's loop for the line at hand.
ProductEmitter::LineTiles::Sum ProductEmitter::LineTiles::sumOver(size_t position) {
  const int loop = product.sums[position];
  Size ofPanel = panelStep(position);
  if (product.backwards[unsigned(position)])
    ofPanel = stack.multiply(ofPanel, b.getIndexAttr(-1));
  Sum sum{stack.constant(0), stack.value(nest.extents[size_t(loop)]), pictureStep(loop), ofPanel};
  for (const auto &[of, condition] : shape.ofSums) {
    if (of != loop)
      continue;
    Value size = sizesOf(condition); // at least 0 with the counter added, or taken away
    if (condition.factors[size_t(loop)] > 0)
      sum.lower =
          arith::MaxSIOp::create(b, sum.lower, arith::SubIOp::create(b, stack.constant(0), size));
    else
      sum.upper =
          arith::MinSIOp::create(b, sum.upper, arith::AddIOp::create(b, size, stack.constant(1)));
  }
  return sum;
}

/// The sums of the line at hand.
void ProductEmitter::LineTiles::sumLine(Value panel) {
  const ArrayPlace &place = body.memory[size_t(shape.array)];
  Size offset = place.origin ? place.origin : Size(b.getIndexAttr(0));
  for (auto [axis, stride] : llvm::zip(shape.axes, place.strides))
    offset = stack.add(offset, stack.multiply(sizesOf(axis), stride));
  Value picture = arith::AddIOp::create(b, emitter.addressOf(place.buffer),
                                        times(stack.value(offset), b.getIndexAttr(bytes)));
  picture = arith::AddIOp::create(b, picture, times(pixel, pictureStep(shape.line)));
  llvm::SmallVector<Sum> loops;
  for (size_t position = 0; position < product.sums.size(); ++position) {
    const int loop = product.sums[position];
    if (product.backwards[unsigned(position)]) {
      Size last = stack.add(nest.extents[size_t(loop)], b.getIndexAttr(-1));
      panel = arith::AddIOp::create(b, panel, times(stack.value(last), panelStep(position)));
    }
    if (loop != shape.tap)
      loops.push_back(sumOver(position));
  }
  Size ahead = stack.multiply(loops[0].ofPicture, b.getIndexAttr(kLinesAhead));
  fetched = stack.value(ahead);
  findBorder();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  sums.assign(size_t(shape.pixels * kLineVectors), zero);
  stack.dropAnchor();
  overSums(loops, picture, panel);
  stack.dropAnchor(); // what follows uses the sums
}

/// Adds the products of all iterations of the loops, of which the innermost one carries where it
/// is.
void ProductEmitter::LineTiles::overSums(llvm::ArrayRef<Sum> loops, Value picture, Value panel) {
  const Sum &sum = loops.front();
  const bool isInnermost = loops.size() == 1;
  auto moved = [&](Value address, Value number, Size step) {
    return arith::AddIOp::create(b, address, times(number, step)).getResult();
  };
  llvm::SmallVector<Value> carried = sums;
  if (isInnermost) {
    carried.push_back(moved(picture, sum.lower, sum.ofPicture));
    carried.push_back(moved(panel, sum.lower, sum.ofPanel));
  }
  auto loop = stack.open(sum.lower, sum.upper, stack.constant(1), carried);
  auto takeSums = [&](mlir::ValueRange values) {
    sums.assign(values.begin(), values.begin() + ptrdiff_t(sums.size()));
  };
  takeSums(loop.getRegionIterArgs());
  if (isInnermost) {
    picture = loop.getRegionIterArg(unsigned(sums.size()));
    panel = loop.getRegionIterArg(unsigned(sums.size()) + 1);
    Value ahead = arith::AddIOp::create(b, picture, fetched);
    LLVM::Prefetch::create(b, emitter.pointerTo(ahead), /*rw=*/0, /*hint=*/3, /*cache=*/1);
    addProducts(picture, panel);
    carried = sums;
    carried.push_back(stack.value(stack.add(picture, sum.ofPicture)));
    carried.push_back(stack.value(stack.add(panel, sum.ofPanel)));
    stack.close(carried);
  } else {
    Value number = loop.getInductionVar();
    overSums(loops.drop_front(), moved(picture, number, sum.ofPicture),
             moved(panel, number, sum.ofPanel));
    stack.close(sums);
  }
  takeSums(loop.getResults());
}

/// Adds the products of all window positions along the line.
void ProductEmitter::LineTiles::addProducts(Value picture, Value panel) {
  const Size ofPixel = pictureStep(shape.line);
  Size ofTap = b.getIndexAttr(0), weightsOfTap = b.getIndexAttr(0);
  if (shape.tap >= 0) {
    ofTap = pictureStep(shape.tap);
    const size_t position = size_t(llvm::find(product.sums, shape.tap) - product.sums.begin());
    weightsOfTap = panelStep(position);
    if (product.backwards[unsigned(position)])
      weightsOfTap = stack.multiply(weightsOfTap, b.getIndexAttr(-1));
  }
  auto at = [&](Value address, int64_t number, Size step, int64_t offset = 0) -> Value {
    Size distance = stack.multiply(step, b.getIndexAttr(number));
    return stack.value(stack.add(address, stack.add(distance, b.getIndexAttr(offset))));
  };
  for (int64_t tap = 0; tap < shape.numTaps; ++tap) {
    // Hidden, or a pixel's scalar would stay in a register for all positions that meet it, and
    // weights of all positions be loaded at once.
    Value line = at(tap ? emitter.hide(picture) : picture, tap, ofTap);
    Value vectors = tap ? emitter.hide(panel) : panel;
    std::array<Value, kLineVectors> right;
    for (int v = 0; v < kLineVectors; ++v)
      right[size_t(v)] =
          emitter.loadAt(at(vectors, tap, weightsOfTap, v * product.lanes * bytes), type, Value());
    for (int64_t pixel = 0; pixel < shape.pixels; ++pixel) {
      if (areInPicture(pixel, tap) == Is::Never)
        continue;
      Value address = at(line, pixel, ofPixel);
      if (Value is = inPicture.lookup({pixel, tap}))
        address = arith::SelectOp::create(b, is, address, zeroAddress);
      Value scalar =
          LLVM::LoadOp::create(b, product.element, emitter.pointerTo(address), unsigned(bytes));
      Value left = vector::BroadcastOp::create(b, type, scalar);
      for (int v = 0; v < kLineVectors; ++v) {
        Value &sum = sums[size_t(pixel * kLineVectors + v)];
        sum = emitter.addProduct(left, right[size_t(v)], sum);
      }
    }
  }
}

/// Of a line's pixel.
bool ProductEmitter::LineTiles::isInPicture(int64_t pixel, int64_t tap) const {
  return llvm::all_of(shape.ofLine, [&](const CounterSum &sum) {
    return *constantSize(sum.size) + sum.factors[size_t(shape.line)] * pixel +
               sum.factors[size_t(shape.tap)] * tap >=
           0;
  });
}

/// Of all tiles.
ProductEmitter::LineTiles::Is ProductEmitter::LineTiles::areInPicture(int64_t pixel,
                                                                      int64_t tap) const {
  int64_t count = 0, inside = 0;
  for (int64_t first = 0; first < shape.length; first += shape.pixels, ++count)
    inside += isInPicture(std::min(first, shape.length - shape.pixels) + pixel, tap);
  return inside == count ? Is::Always : inside > 0 ? Is::Sometimes : Is::Never;
}

/// For what some tiles have in the picture, whether the tile at hand has it; others read a zero.
void ProductEmitter::LineTiles::findBorder() {
  for (int64_t tap = 0; tap < shape.numTaps; ++tap)
    for (int64_t number = 0; number < shape.pixels; ++number) {
      if (areInPicture(number, tap) != Is::Sometimes)
        continue;
      if (!zeroAddress) {
        zeroAddress = emitter.addressOf(emitter.onStack(product.element, bytes));
        stack.inPrologue([&] {
          Value element = arith::ConstantOp::create(b, b.getZeroAttr(product.element));
          emitter.storeAt(zeroAddress, element);
        });
      }
      Value all;
      for (const CounterSum &sum : shape.ofLine) {
        const int64_t factor = sum.factors[size_t(shape.line)];
        const int64_t before =
            *constantSize(sum.size) + factor * number + sum.factors[size_t(shape.tap)] * tap;
        Value distance = stack.value(
            stack.add(stack.multiply(pixel, b.getIndexAttr(factor)), b.getIndexAttr(before)));
        Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, distance, stack.constant(0));
        all = all ? Value(arith::AndIOp::create(b, all, is)) : is;
      }
      inPicture[{number, tap}] = all;
    }
}

/// The outputs from `first` on are the rows that are set up.
void ProductEmitter::LineTiles::setOutputs(Value first) {
  Value last = arith::AddIOp::create(b, upper, stack.constant(-1));
  llvm::SmallVector<Value> numbers, exist;
  for (int64_t i = 0; i < outputs; ++i) {
    Value number = arith::AddIOp::create(b, first, stack.constant(i));
    Value inside = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, number, lower), last);
    exist.push_back(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, inside));
    numbers.push_back(inside);
  }
  emitter.setRows(numbers);
  body.rowExists.assign(exist.begin(), exist.end());
}

/// The sums by output, as vectors of pixels, which are set up as columns.
llvm::SmallVector<Value> ProductEmitter::LineTiles::transposed() {
  const int64_t lanes = product.lanes;
  body.lanes = int(lanes);
  body.vectors = int(llvm::divideCeil(shape.pixels, lanes));
  LoopVariable &line = body.loops[size_t(shape.line)];
  line = {};
  line.level = stack.depth();
  line.isVector = true;
  line.index = {pixel};
  const bool isMasked = shape.pixels % lanes != 0 || shape.length % shape.pixels != 0;
  emitter.setMasks(stack.constant(0), stack.constant(shape.pixels), isMasked);
  if (shape.length % shape.pixels != 0) { // what is done already may have overwritten operands
    llvm::SmallVector<Value, 8> wanted = body.masks;
    emitter.setMasks(stack.constant(0), done, /*masked=*/true);
    for (auto [mask, before] : llvm::zip(body.masks, wanted))
      mask = arith::XOrIOp::create(b, mask, before);
  }
  llvm::SmallVector<Value> results(size_t(outputs) * size_t(body.vectors));
  for (int v = 0; v < kLineVectors; ++v)
    for (int part = 0; part < body.vectors; ++part) {
      llvm::SmallVector<Value> squares;
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t pixel = std::min(part * lanes + i, shape.pixels - 1);
        squares.push_back(sums[size_t(pixel * kLineVectors + v)]);
      }
      emitter.transposeInSquares(squares);
      for (auto [lane, square] : llvm::enumerate(squares))
        results[(size_t(v * lanes) + lane) * size_t(body.vectors) + size_t(part)] = square;
    }
  return results;
}

} // namespace graphc
