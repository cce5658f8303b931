//===- Transforms/ProductTiles.cpp - rows beside a panel of columns --------===//
//
// for panels of columns {             before: all panels of a block of columns are copied, then
//   for tiles of rows {               tiles read them, and fetch nothing
//     for k of the first tile: the panel's vectors from where the right operand lies; stores them
//       to the panel, and fetches those 24 k ahead (fill-panels); fma ...
//     for k of other tiles: the panel's vectors from the panel; fma ...
// } }
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

/// A tile that fills a panel of a matrix fetches it so many k ahead.
static constexpr int64_t kPanelAhead = 24;
/// Rows of tiles that take pairs apart. Few, since little is multiplied so.
static constexpr int kSplitRows = 4;

namespace arith = mlir::arith;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
using mlir::Value;
Value ProductEmitter::loadAt(Value address, mlir::Type type, Value mask) {
  Value pointer = pointerTo(address);
  unsigned alignment = unsigned(memoryBytes(mlir::getElementTypeOrSelf(type)));
  if (!mask)
    return LLVM::LoadOp::create(b, type, pointer, alignment);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(b, type, pointer, mask, zero, alignment);
}

void ProductEmitter::storeAt(Value address, Value element) {
  LLVM::StoreOp::create(b, element, pointerTo(address), unsigned(memoryBytes(element.getType())));
}

/// The same number, of which LLVM knows nothing.
Value ProductEmitter::hide(Value number) {
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), number);
  auto assembly = LLVM::InlineAsmOp::create(
      b, b.getI64Type(), integer, /*asm_string=*/"", /*constraints=*/"=r,0",
      /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), mlir::ArrayAttr());
  return arith::IndexCastOp::create(b, b.getIndexType(), assembly.getResult(0));
}

/// sum + x y, in one rounding where the processor can.
Value ProductEmitter::addProduct(Value x, Value y, Value sum) {
  if (mlir::isa<mlir::IntegerType>(mlir::getElementTypeOrSelf(sum.getType())))
    return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
  if (target.math.fma)
    return mlir::math::FmaOp::create(b, x, y, sum);
  return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, y));
}

/// Puts what a tile has read of a matrix at `from` into the panel that it fills, and fetches what
/// it will read.
void ProductEmitter::fillPanelOfMatrix(Value k, Value from, llvm::ArrayRef<Value> right) {
  const int64_t bytes = memoryBytes(shape.element), width = int64_t(right.size()) * shape.lanes;
  Value ahead = arith::MulIOp::create(b, panel.sourceStep, stack->constant(kPanelAhead));
  Value filled = arith::MulIOp::create(b, k, stack->constant(width * bytes));
  filled = arith::AddIOp::create(b, panel.address, filled);
  for (auto [v, lanes] : llvm::enumerate(right)) {
    Value distance = stack->constant(int64_t(v) * shape.lanes * bytes);
    Value place = arith::AddIOp::create(b, filled, distance);
    LLVM::StoreOp::create(b, lanes, pointerTo(place), unsigned(bytes));
    Value at = arith::AddIOp::create(b, from, distance);
    LLVM::Prefetch::create(b, pointerTo(arith::AddIOp::create(b, at, ahead)), /*rw=*/0,
                           /*hint=*/3, /*cache=*/1);
  }
}

/// A tile while its loops over k are made; its rows and columns are set up.
struct ProductEmitter::Tile {
  Tile(ProductEmitter &emitter, bool isWhole);

  void sumOverWindow();
  void sumOverMatrix();

  /// By row and vector. They move with k, as do, in this order: where rows are (every seventh one's
  /// address, or how far all have come); where their next k is copied to, if it is; where the
  /// panel's next vectors are.
  llvm::SmallVector<Value> sums;

private:
  void placeRows();
  void placeCopies();
  void placeRight();
  Value open(Value first, Value end, Value step = {});
  void close();
  void takeCarried(mlir::ValueRange values);
  llvm::SmallVector<Value> carried() const;
  Value addressOfRow(int i);
  Value left(int i);
  Value addressOfVector(int v);
  llvm::SmallVector<Value> loadRight();
  void addProducts(llvm::ArrayRef<Value> rightVectors);
  void copyRows();
  void fetchFarRows();

  ProductEmitter &emitter;
  mlir::ImplicitLocOpBuilder &b;
  LoopStack &stack;
  BodyEmitter &body;
  const KernelNest &nest;
  const ProductShape &shape;
  const ProductPanel &panel;
  const bool isWhole;
  const int rows, vectors;
  const int64_t bytes;
  const bool arePairs;
  /// Of an element as it is read, or a pair of them, and of a vector of these.
  const mlir::Type read;
  const mlir::VectorType type;
  /// The tile that fills a panel of a matrix reads it elsewhere than the others, and its rows where
  /// they lie.
  const bool mayFill;
  Value isFilling, isBuffered;
  Size rowStep;
  /// Multiples of a row's length; an address can have them doubled and doubled again.
  llvm::SmallDenseMap<int, Value> multiples;
  llvm::SmallVector<Value> starts, places; ///< of rows: at first, and now
  llvm::SmallVector<Value> copyMasks;      ///< the rows, as vectors; none where they are not copied
  Value copy, right, rightStep, length;
  llvm::SmallVector<mlir::scf::ForOp> loops;
};

ProductEmitter::Tile::Tile(ProductEmitter &e, bool isWhole)
    : emitter(e), b(e.b), stack(*e.stack), body(*e.body), nest(e.nest), shape(e.shape),
      panel(e.panel), isWhole(isWhole), rows(body.rows), vectors(body.vectors),
      bytes(memoryBytes(shape.element)), arePairs(shape.group > 1),
      read(arePairs ? b.getI32Type() : shape.element),
      type(mlir::VectorType::get({shape.lanes}, read)),
      mayFill(panel.fillingRow && isWhole && vectors == shape.vectors && !panel.fills) {
  if (mayFill)
    isFilling = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                      body.loops[size_t(shape.rowLoop)].index[0], panel.fillingRow);
  rowStep = panel.rowStep;
  if (panel.buffers && isWhole && !panel.fills) {
    assert(panel.fetched.numTerms && "nothing would fill the buffer");
    isBuffered = panel.buffers;
    if (mayFill)
      isBuffered = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, isBuffered, isFilling);
    rowStep = arith::SelectOp::create(b, isBuffered, stack.constant(kTermsAtOnce * bytes),
                                      stack.value(rowStep))
                  .getResult();
  }
  // Hidden, so that they are what is kept in registers, and not the length that they are made of.
  if (isWhole && !constantSize(rowStep))
    for (int factor : {1, 3, 5})
      multiples[factor] = e.hide(stack.value(stack.multiply(rowStep, b.getIndexAttr(factor))));
  sums = e.firstSums(isWhole);
  placeRows();
  placeCopies();
  placeRight();
  length = panel.length;
  if (isWhole && !constantSize(shape.length)) // as the multiples
    length = e.hide(length);
}

void ProductEmitter::Tile::placeRows() {
  const LoopVariable &row = body.loops[size_t(shape.rowLoop)];
  for (int i = 0; i < rows; i += isWhole ? kRowsOfPointer : 1)
    starts.push_back(emitter.leftAddressOf(row.index[size_t(i)]));
  if (isWhole)
    places = starts;
  else
    places.push_back(stack.constant(0));
}

void ProductEmitter::Tile::placeCopies() {
  if (!panel.copied || !isWhole)
    return;
  Value count = arith::SelectOp::create(b, panel.copies, stack.constant(rows), stack.constant(0));
  for (int first = 0; first < rows; first += shape.lanes)
    copyMasks.push_back(vector::CreateMaskOp::create(
        b, mlir::VectorType::get({shape.lanes}, b.getI1Type()),
        Value(arith::SubIOp::create(b, count, stack.constant(first)))));
  Value first =
      arith::SubIOp::create(b, body.loops[size_t(shape.rowLoop)].index[0], panel.firstRow);
  first = arith::SelectOp::create(b, panel.copies, first, stack.constant(0));
  copy = arith::AddIOp::create(b, panel.copied,
                               arith::MulIOp::create(b, first, stack.constant(bytes)));
}

void ProductEmitter::Tile::placeRight() {
  right = panel.address;
  rightStep = panel.step;
  if (mayFill) {
    right = arith::SelectOp::create(b, isFilling, panel.source, panel.address);
    rightStep = arith::SelectOp::create(b, isFilling, panel.sourceStep, panel.step);
  }
}

llvm::SmallVector<Value> ProductEmitter::Tile::carried() const {
  llvm::SmallVector<Value> values = sums;
  values.append(places);
  if (copy)
    values.push_back(copy);
  values.push_back(right);
  return values;
}

void ProductEmitter::Tile::takeCarried(mlir::ValueRange values) {
  auto take = [&](llvm::MutableArrayRef<Value> to) {
    llvm::copy(values.take_front(to.size()), to.begin());
    values = values.drop_front(to.size());
  };
  take(sums);
  take(places);
  if (copy)
    take(copy);
  take(right);
}

/// The counter of a loop in those that are open.
Value ProductEmitter::Tile::open(Value first, Value end, Value step) {
  loops.push_back(stack.open(first, end, step ? step : stack.constant(1), carried()));
  takeCarried(loops.back().getRegionIterArgs());
  return loops.back().getInductionVar();
}

/// Ends all that are open.
void ProductEmitter::Tile::close() {
  stack.close(carried());
  for (size_t i = loops.size() - 1; i > 0; --i)
    stack.close(loops[i].getResults());
  takeCarried(loops[0].getResults());
  loops.clear();
}

Value ProductEmitter::Tile::addressOfRow(int i) {
  if (!isWhole)
    return arith::AddIOp::create(b, starts[size_t(i)], places[0]);
  Value address = places[size_t(i / kRowsOfPointer)];
  int distance = i % kRowsOfPointer;
  if (distance == 0)
    return address;
  if (constantSize(rowStep))
    return stack.value(stack.add(address, stack.multiply(rowStep, b.getIndexAttr(distance))));
  int doubled = 0;
  for (; distance % 2 == 0; distance /= 2)
    ++doubled;
  // Made here and not in front of the loop, so that it becomes part of the load.
  Value offset = multiples[distance];
  if (doubled)
    offset = arith::ShLIOp::create(b, offset, stack.constant(doubled));
  return arith::AddIOp::create(b, address, offset);
}

Value ProductEmitter::Tile::left(int i) {
  Value address = emitter.pointerTo(addressOfRow(i));
  // Pairs are read where they lie, which may be in between two words.
  Value scalar = LLVM::LoadOp::create(b, read, address, unsigned(bytes / shape.group));
  return vector::BroadcastOp::create(b, type, scalar);
}

Value ProductEmitter::Tile::addressOfVector(int v) {
  return stack.value(stack.add(right, b.getIndexAttr(v * shape.lanes * bytes)));
}

llvm::SmallVector<Value> ProductEmitter::Tile::loadRight() {
  const bool isMasked = emitter.target.maskRegisters && !arePairs && !body.masks.empty();
  return llvm::map_to_vector(llvm::seq(vectors), [&](int v) {
    return emitter.loadAt(addressOfVector(v), type, isMasked ? body.masks[size_t(v)] : Value());
  });
}

/// Adds what one k has, and goes on to the next one.
void ProductEmitter::Tile::addProducts(llvm::ArrayRef<Value> rightVectors) {
  using Parts = std::array<Value, 2>;
  llvm::SmallVector<Parts> rightParts;
  if (panel.splits)
    rightParts =
        llvm::map_to_vector(rightVectors, [&](Value words) { return emitter.splitPairs(words); });
  for (int i = 0; i < rows; ++i) {
    Value scalar = left(i);
    Parts parts;
    if (panel.splits)
      parts = emitter.splitPairs(scalar);
    for (int v = 0; v < vectors; ++v) {
      Value &sum = sums[size_t(i) * size_t(vectors) + size_t(v)];
      if (panel.splits)
        for (auto [x, y] : llvm::zip(parts, rightParts[size_t(v)]))
          sum = emitter.addProduct(x, y, sum);
      else
        sum = arePairs ? emitter.addPairs(scalar, rightVectors[size_t(v)], sum)
                       : emitter.addProduct(scalar, rightVectors[size_t(v)], sum);
    }
  }
  copyRows();
  fetchFarRows();
  for (Value &place : places)
    place = arith::AddIOp::create(b, place, stack.value(panel.sumStep));
  right = arith::AddIOp::create(b, right, rightStep);
}

void ProductEmitter::Tile::copyRows() {
  for (auto [i, mask] : llvm::enumerate(copyMasks)) {
    mlir::Attribute distance = b.getIndexAttr(int64_t(i) * shape.lanes * bytes);
    Value from = stack.value(stack.add(places[0], distance));
    Value to = stack.value(stack.add(copy, distance));
    LLVM::MaskedStoreOp::create(b, emitter.loadAt(from, type, mask), emitter.pointerTo(to), mask,
                                unsigned(bytes));
  }
  if (copy)
    copy = arith::AddIOp::create(b, copy, panel.copiedStep);
}

/// Pieces of rows that are far apart, which no processor fetches by itself: their two ends.
void ProductEmitter::Tile::fetchFarRows() {
  if (!panel.ahead || !isWhole || vectors != shape.vectors)
    return;
  for (int64_t end : {int64_t(0), (rows - 1) * bytes}) {
    Value place = arith::AddIOp::create(b, places[0], panel.ahead);
    place = stack.value(stack.add(place, b.getIndexAttr(end)));
    LLVM::Prefetch::create(b, emitter.pointerTo(place), /*rw=*/0, /*hint=*/2, /*cache=*/1);
  }
}

/// Puts the vectors together of the window's lines, and into the panel.
void ProductEmitter::Tile::sumOverWindow() {
  llvm::SmallVector<LoopVariable, 8> loopsOfTile = body.loops;
  Size width = b.getIndexAttr(int64_t(vectors) * shape.lanes);
  PanelParts parts =
      emitter.setLineParts(emitter.linePartsOf().atOnce, stack.constant(0), panel.firstColumn,
                           stack.value(stack.add(panel.firstColumn, width)), /*isLong=*/true);
  for (auto [position, sum] : llvm::enumerate(shape.sums)) {
    if (position + 1 == shape.sums.size() && position > 0)
      emitter.fetchLineParts();
    Value extent = stack.value(nest.extents[size_t(sum)]), number = open(stack.constant(0), extent);
    if (shape.backwards[unsigned(position)])
      number =
          arith::SubIOp::create(b, arith::AddIOp::create(b, extent, stack.constant(-1)), number);
    emitter.setLoop(sum, number);
  }
  if (shape.sums.size() == 1)
    emitter.fetchLineParts();
  llvm::SmallVector<Value> joined = emitter.joinLineParts(parts);
  for (int v = 0; v < vectors; ++v)
    LLVM::StoreOp::create(b, joined[size_t(v)], emitter.pointerTo(addressOfVector(v)),
                          unsigned(bytes));
  addProducts(joined);
  close();
  emitter.clearLineParts();
  body.loops = loopsOfTile;
  body.rows = rows;
}

void ProductEmitter::Tile::sumOverMatrix() {
  // The tile that fills a panel has a loop of its own, in which the others do no step: these have
  // neither a branch nor a load more for it.
  Value first = stack.constant(0), end = length;
  if (mayFill) {
    Value endOfFilling = arith::SelectOp::create(b, isFilling, length, first);
    Value k = open(first, endOfFilling);
    llvm::SmallVector<Value> loaded = loadRight();
    emitter.fillPanelOfMatrix(k, right, loaded);
    addProducts(loaded);
    close();
    first = endOfFilling;
  }
  if (isWhole && panel.fetched.numTerms) {
    first = open(first, length, panel.fetched.numTerms);
    if (panel.fetched.address)
      emitter.fetchAhead(body.loops[size_t(shape.rowLoop)].index[0], first);
    if (isBuffered)
      emitter.bufferRows(isBuffered, starts[0], first, places);
    end =
        arith::MinSIOp::create(b, arith::AddIOp::create(b, first, panel.fetched.numTerms), length);
  }
  open(first, end);
  addProducts(loadRight());
  close();
}

/// The sums of the tile whose rows and columns are set up, by row and vector.
llvm::SmallVector<Value> ProductEmitter::sumTile(bool isWhole) {
  if (shape.inTileRegisters) // these are those of pairs that are taken apart
    return sumSplitTile();
  Tile tile(*this, isWhole);
  if (panel.fills)
    tile.sumOverWindow();
  else
    tile.sumOverMatrix();
  stack->dropAnchor(); // what follows uses the sums
  return tile.sums;
}

/// The numbers of `rows` rows from `first` on; those behind `last`, if there is one, repeat it.
llvm::SmallVector<Value> ProductEmitter::rowsFrom(Value first, int rows, Value last) {
  llvm::SmallVector<Value> numbers = {first};
  for (int i = 1; i < rows; ++i) {
    Value number = arith::AddIOp::create(b, first, stack->constant(i));
    numbers.push_back(last ? Value(arith::MinSIOp::create(b, number, last)) : number);
  }
  return numbers;
}

/// The rows of a tile in the loop that was opened last.
void ProductEmitter::setRows(llvm::ArrayRef<Value> numbers) {
  LoopVariable &row = body->loops[size_t(shape.rowLoop)];
  row = {};
  row.level = stack->depth();
  row.rowSet = kMajorRows;
  row.index.append(numbers.begin(), numbers.end());
  body->rowExists.clear();
  body->rows = int(numbers.size());
}

/// Tiles of `rows` rows from `lower` on; not `isWhole`, they may reach beyond `upper`: rows there
/// repeat the last one, also where it is stored (what a nest loads of it is loaded before).
void ProductEmitter::emitTiles(int rows, Value lower, Value upper, bool isWhole) {
  Value last = arith::AddIOp::create(b, upper, stack->constant(-1));
  stack->dropAnchor();
  auto tiles = stack->open(lower, upper, stack->constant(rows));
  if (panel.fills)
    mayBeOutlined(tiles);
  setRows(rowsFrom(tiles.getInductionVar(), rows, isWhole ? Value() : last));
  fetchResults();
  llvm::SmallVector<Value> sums = sumTile(isWhole);
  if (shape.pictureLoop >= 0)
    keepPictures(panel.firstColumn, panel.endColumn, sums);
  else
    keepNests(pass, sums);
  stack->close();
}

/// Those of so many rows that are done in whole tiles. With joinsLeftRows one or two that are left
/// are done with the last whole tile's, in low ones: beside each panel 7 and 8 rows in two tiles of
/// four take 0.8 of the time of one of six and one of four. With mask registers, 16 and 30 rows and
/// what has as many left take 0.98 to 1.02 so.
Value ProductEmitter::rowsOfWholeTiles(Value count) {
  Value tile = stack->constant(shape.rows[0]);
  Value left = arith::RemUIOp::create(b, count, tile);
  Value whole = arith::SubIOp::create(b, count, left);
  const int low = shape.rows[1], most = (low - shape.rows[0] % low) % low;
  if (most == 0 || !tuningOf(target).joinsLeftRows)
    return whole;
  Value areFew = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                       arith::AddIOp::create(b, left, stack->constant(-1)),
                                       stack->constant(most));
  Value fewer =
      arith::MaxSIOp::create(b, arith::SubIOp::create(b, whole, tile), stack->constant(0));
  return arith::SelectOp::create(b, areFew, fewer, whole);
}

/// All rows of the block beside one panel.
void ProductEmitter::emitRowsOfPanel() {
  Value lower = firstRow;
  if (panel.splits)
    return emitTiles(kSplitRows, lower, endRow, /*isWhole=*/false);
  if (body->vectors < shape.vectors && !shape.hasTallTiles)
    return emitTiles(shape.narrowRows, lower, endRow, /*isWhole=*/false);
  if (shape.rows.size() == 1)
    return emitTiles(shape.rows[0], lower, endRow, shape.isOneTile);
  if (panel.endOfFilling) {
    panel.fills = true;
    emitTiles(shape.rows[0], lower, panel.endOfFilling, /*isWhole=*/true);
    panel.fills = false;
    lower = panel.endOfFilling;
  }
  Value count = arith::SubIOp::create(b, endRow, lower);
  Value end = arith::AddIOp::create(b, lower, rowsOfWholeTiles(count));
  Value left = arith::SubIOp::create(b, endRow, end);
  emitTiles(shape.rows[0], lower, end, /*isWhole=*/true);
  if (shape.middleRows && body->vectors == shape.vectors) {
    auto compare = [&](arith::CmpIPredicate predicate, int rows) -> Value {
      return arith::CmpIOp::create(b, predicate, left, stack->constant(rows));
    };
    Value isOne = arith::AndIOp::create(b, compare(arith::CmpIPredicate::sgt, shape.rows[1]),
                                        compare(arith::CmpIPredicate::sle, shape.middleRows));
    Value endOfOne = arith::SelectOp::create(b, isOne, endRow, end);
    emitTiles(shape.middleRows, end, endOfOne, /*isWhole=*/false);
    end = endOfOne;
  }
  emitTiles(shape.rows[1], end, endRow, /*isWhole=*/false);
}

} // namespace graphc
