//===- Transforms/Products.cpp - products of matrices ---------------------===//
//
// Sums over one loop of products of two loads, of which one follows the last
// parallel loop (the columns; `right`) and the other one another parallel loop
// (the rows; `left`):
//
//   for the other parallel loops:
//     for blocks of columns {                    as many as the packed panels
//     have room for
//       right[k, columns] is copied, a panel of `vectors` vectors after the
//       other for blocks of rows {                     what stays in the L2
//       cache
//         scf.for %j step vectors * lanes {
//           scf.for %i step rows {               and again for the rows that
//           are left, in fewer
//             %sums:rows*vectors = scf.for %k iter_args {
//               `vectors` vectors of right; `rows` scalars of left; fma ...
//             }
//             what follows at the same element (bias, relu, casts); stores
//   } } } }
//
// All sizes are known at run time only, and so is what is worth copying. Every
// sum is made in the order of k, wherever blocks begin: results depend neither
// on the caches nor on the threads.
//
// docs/design/17-products.md tells why, and what was measured.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// Panels of columns that are copied at once, at most: 1024 columns of float32 with AVX-512.
static constexpr int64_t kPanels = 32;
/// A smaller right operand stays in the L2 cache and is used where it lies.
static constexpr int64_t kPackBytes = 128 << 10;
/// Fewer tiles of rows do not pay for a copy; half as many do where it does not fit into the L2
/// cache.
static constexpr int64_t kPackTiles = 4;
/// A larger left operand has its rows copied, if there are more columns than so many.
static constexpr int64_t kPackLeftBytes = 1 << 20;
static constexpr int64_t kPackLeftColumns = 64;
/// Rows that are copied at once, at most.
static constexpr int64_t kCopiedRows = 196;
/// Bytes between rows that are copied, so that neighbours fall into different sets of a cache.
static constexpr int64_t kRowGap = 64;
/// Rows of tiles of one vector.
static constexpr int kNarrowRows = 8;
/// What follows a product, as bodyCost says it: code for a whole tile of it would take longer to
/// compile than smaller tiles, of one kind, cost when they run.
static constexpr int kLongBody = 20;
/// Rows that are addressed from one pointer: 0, s, 2s, 3s, 4s, 5s and 6s are a pointer and one of
/// three registers, scaled.
static constexpr int kRowsOfPointer = 7;

struct KernelEmitter::ProductShape {
  int rowLoop, columnLoop, sumLoop;
  int left, right; ///< operands of the nest
  Value leftFactor, rightFactor;
  bool isLeftPlain, isRightPlain; ///< the factor is the operand's element, and not a cast of it
  bool isLeftTransposed = false;  ///< rows of the left operand stand together
  mlir::Type element;             ///< of the factors and the sums
  int lanes, vectors;
  llvm::SmallVector<int, 2> rows; ///< of tiles, and of those of the rows that are left
  int narrowRows;                 ///< of tiles of one vector
  bool isEven = false;            ///< no rows are left
};

/// What the tiles beside a panel of columns read. All steps are in bytes.
struct KernelEmitter::ProductPanel {
  Value address, step; ///< of the right operand: the panel's first element, and from k to k + 1
  Value leftAddress;   ///< of the left operand's element in row `firstRow`, k = 0
  Value firstRow;
  Size rowStep, sumStep; ///< of the left operand
};

/// The operand that a factor is, perhaps through conversions; -1 if it is
/// something else.
static int operandOf(const KernelNest &nest, Value factor) {
  while (mlir::Operation *op = factor.getDefiningOp()) {
    if (!mlir::isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(
            op))
      return -1;
    factor = op->getOperand(0);
  }
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(factor);
  if (!argument || argument.getOwner() != nest.body() ||
      argument.getArgNumber() >= nest.inputs.size() || nest.inputs[argument.getArgNumber()] < 0)
    return -1;
  return int(argument.getArgNumber());
}

/// Nothing if the pass is no product, or one that is better off otherwise.
std::optional<KernelEmitter::ProductShape> KernelEmitter::productShape(const Pass &pass) const {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  if (!nest.isReduction() || nest.neutral.size() != 1 || nest.partialTerm || kernel.hasChecks ||
      nest.numLoops() != nest.numParallel + 1 || nest.numParallel - pass.outer < 2)
    return std::nullopt;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    if (kernel.nests[size_t(number)].isReduction())
      return std::nullopt;
  ProductShape shape;
  shape.columnLoop = nest.numParallel - 1;
  shape.sumLoop = nest.numParallel;
  mlir::Operation *product = nest.terms[0].getDefiningOp();
  shape.element = nest.terms[0].getType();
  bool isFloat = mlir::isa_and_present<arith::MulFOp>(product) &&
                 mlir::isa<arith::AddFOp>(nest.join) &&
                 (shape.element.isF32() || shape.element.isF64());
  bool isInteger = mlir::isa_and_present<arith::MulIOp>(product) &&
                   mlir::isa<arith::AddIOp>(nest.join) &&
                   (shape.element.isInteger(32) || shape.element.isInteger(64));
  if (!isFloat && !isInteger)
    return std::nullopt;

  llvm::SmallVector<mlir::AffineMap> maps =
      const_cast<KernelNest &>(nest).op.getIndexingMapsArray();
  auto follows = [&](int operand, int loop) {
    return maps[size_t(operand)].isFunctionOfDim(unsigned(loop));
  };
  shape.leftFactor = product->getOperand(0);
  shape.rightFactor = product->getOperand(1);
  shape.left = operandOf(nest, shape.leftFactor);
  shape.right = operandOf(nest, shape.rightFactor);
  if (shape.left < 0 || shape.right < 0)
    return std::nullopt;
  if (follows(shape.left, shape.columnLoop)) {
    std::swap(shape.left, shape.right);
    std::swap(shape.leftFactor, shape.rightFactor);
  }
  if (follows(shape.left, shape.columnLoop) || !follows(shape.right, shape.columnLoop) ||
      !follows(shape.left, shape.sumLoop) || !follows(shape.right, shape.sumLoop))
    return std::nullopt;
  shape.isLeftPlain = mlir::isa<mlir::BlockArgument>(shape.leftFactor);
  shape.isRightPlain = mlir::isa<mlir::BlockArgument>(shape.rightFactor);

  auto extentOf = [&](int loop) {
    return constantSize(nest.extents[size_t(loop)]).value_or(int64_t(1) << 40);
  };
  shape.rowLoop = -1;
  for (int loop = pass.outer; loop < shape.columnLoop; ++loop)
    if (follows(shape.left, loop) && !follows(shape.right, loop) &&
        (shape.rowLoop < 0 || extentOf(loop) >= extentOf(shape.rowLoop)))
      shape.rowLoop = loop;
  shape.lanes = lanesOf();
  if (shape.rowLoop < 0 || shape.lanes == 1 || extentOf(shape.rowLoop) < 4 ||
      extentOf(shape.sumLoop) < 4 || extentOf(shape.columnLoop) * 2 < shape.lanes)
    return std::nullopt;

  shape.vectors = target.vectorRegisters == 32 && target.vectorBytes == 16 ? 4 : 2;
  int64_t numVectors =
      std::min<int64_t>(llvm::divideCeil(extentOf(shape.columnLoop), shape.lanes), 64);
  shape.vectors = int(llvm::divideCeil(numVectors, llvm::divideCeil(numVectors, shape.vectors)));
  int registersEach =
      std::max<int>(1, int(shape.lanes * memoryBytes(shape.element)) / target.vectorBytes);
  // Beside the sums: the vectors of the right operand, a scalar of the left
  // one, and without fused operations a product.
  int available = target.vectorRegisters - shape.vectors * registersEach - 1 - !target.math.fma;
  int most = std::clamp(available / (shape.vectors * registersEach), 1, 2 * kRowsOfPointer);
  shape.rows = {evenBlocks(nest.extents[size_t(shape.rowLoop)], most)};
  shape.narrowRows = evenBlocks(nest.extents[size_t(shape.rowLoop)], kNarrowRows);
  int cost = 0;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    cost += bodyCost(kernel.nests[size_t(number)]);
  if (cost >= kLongBody) {
    shape.rows[0] = std::min(shape.rows[0], most / 2);
    shape.narrowRows = std::min(shape.narrowRows, kNarrowRows / 2);
    return shape;
  }
  shape.isEven = extentOf(shape.rowLoop) % shape.rows[0] == 0;
  if (int64_t extent = extentOf(shape.rowLoop); extent > most || !shape.isEven)
    // Four rows of two vectors are as many sums as the multipliers want at a time.
    shape.rows.push_back(std::min(std::max(most / 2, 1), 4));
  return shape;
}

bool KernelEmitter::emitIfProduct(const Pass &pass) {
  std::optional<ProductShape> shape = productShape(pass);
  if (shape)
    emitProduct(pass, *shape);
  return shape.has_value();
}

/// Distance in elements between neighbours of an operand along a loop; that of
/// `numLoops` is what is constant in its place.
Size KernelEmitter::strideAlong(const KernelNest &nest, int operand, int loop) {
  const ArrayMemory &array = body->memory[size_t(nest.inputs[size_t(operand)])];
  mlir::AffineMap map = const_cast<KernelNest &>(nest).op.getIndexingMapsArray()[size_t(operand)];
  Size stride = b.getIndexAttr(0);
  stack->inPrologue([&] {
    for (auto [axis, expr] : llvm::enumerate(map.getResults()))
      if (int64_t step = affineFactors(expr, unsigned(nest.numLoops()))[size_t(loop)])
        stride = stack->add(stride, stack->multiply(array.strides[axis], b.getIndexAttr(step)));
  });
  return stride;
}

/// The address of an operand's element at 0 of the product's loops and at the
/// present iteration of the others.
Value KernelEmitter::productAddress(const KernelNest &nest, const ProductShape &shape,
                                    int operand) {
  Value start;
  stack->inPrologue([&] {
    start = memref::ExtractAlignedPointerAsIndexOp::create(
        b, body->memory[size_t(nest.inputs[size_t(operand)])].buffer);
  });
  Size offset = strideAlong(nest, operand, nest.numLoops());
  for (int loop = 0; loop < nest.numParallel; ++loop)
    if (loop != shape.rowLoop && loop != shape.columnLoop)
      offset = stack->add(offset, stack->multiply(body->loops[size_t(loop)].index[0],
                                                  strideAlong(nest, operand, loop)));
  offset = stack->multiply(offset, b.getIndexAttr(memoryBytes(shape.element)));
  return stack->value(stack->add(start, offset));
}

Value KernelEmitter::loadAt(Value address, mlir::Type type, Value mask) {
  Value number = arith::IndexCastOp::create(b, b.getI64Type(), address);
  Value pointer = LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), number);
  unsigned alignment = unsigned(memoryBytes(mlir::getElementTypeOrSelf(type)));
  if (!mask)
    return LLVM::LoadOp::create(b, type, pointer, alignment);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(b, type, pointer, mask, zero, alignment);
}

/// The same number, of which LLVM knows nothing.
Value KernelEmitter::hide(Value number) {
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), number);
  auto assembly = LLVM::InlineAsmOp::create(
      b, b.getI64Type(), integer, /*asm_string=*/"", /*constraints=*/"=r,0",
      /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), mlir::ArrayAttr());
  return arith::IndexCastOp::create(b, b.getIndexType(), assembly.getResult(0));
}

/// sum + x y, in one rounding where the processor can.
Value KernelEmitter::addProduct(Value x, Value y, Value sum) {
  if (mlir::isa<mlir::IntegerType>(mlir::getElementTypeOrSelf(sum.getType())))
    return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
  if (target.math.fma)
    return mlir::math::FmaOp::create(b, x, y, sum);
  return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, y));
}

/// The sums of the tile whose rows and columns are set up, by row and vector.
llvm::SmallVector<Value> KernelEmitter::sumTile(const KernelNest &nest, const ProductShape &shape,
                                                const ProductPanel &panel, bool isWhole) {
  int rows = body->rows, vectors = body->vectors;
  int64_t bytes = memoryBytes(shape.element);
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  const LoopVariable &row = body->loops[size_t(shape.rowLoop)];
  // Multiples of a row's length; an address can have them doubled and doubled again. Hidden, so
  // that they are what is kept in registers, and not the length that they are made of.
  llvm::SmallDenseMap<int, Value> multiples;
  if (isWhole && !constantSize(panel.rowStep))
    for (int factor : {1, 3, 5})
      multiples[factor] =
          hide(stack->value(stack->multiply(panel.rowStep, b.getIndexAttr(factor))));

  // What moves with k: pointers to every seventh row, or how far all rows have come.
  llvm::SmallVector<Value> carried(size_t(rows * vectors), body->neutral(nest, shape.lanes)[0]);
  size_t numSums = carried.size();
  llvm::SmallVector<Value> starts;
  for (int i = 0; i < rows; i += isWhole ? kRowsOfPointer : 1) {
    Value distance = arith::SubIOp::create(b, row.index[size_t(i)], panel.firstRow);
    starts.push_back(
        stack->value(stack->add(panel.leftAddress, stack->multiply(distance, panel.rowStep))));
  }
  if (isWhole)
    carried.append(starts);
  else
    carried.push_back(stack->constant(0));
  carried.push_back(panel.address);

  auto loop = stack->open(stack->constant(0), stack->value(bounds(nest, shape.sumLoop).upper),
                          stack->constant(1), carried);
  carried.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());

  llvm::SmallVector<Value> right;
  for (int v = 0; v < vectors; ++v)
    right.push_back(loadAt(
        stack->value(stack->add(carried.back(), b.getIndexAttr(v * shape.lanes * bytes))), type,
        target.maskRegisters && !body->masks.empty() ? body->masks[size_t(v)] : Value()));
  auto leftAt = [&](int i) -> Value {
    Value address;
    if (!isWhole) {
      address = arith::AddIOp::create(b, starts[size_t(i)], carried[numSums]);
    } else {
      address = carried[numSums + size_t(i / kRowsOfPointer)];
      int distance = i % kRowsOfPointer, doubled = 0;
      if (distance && constantSize(panel.rowStep)) {
        address = stack->value(
            stack->add(address, stack->multiply(panel.rowStep, b.getIndexAttr(distance))));
      } else if (distance) {
        for (; distance % 2 == 0; distance /= 2)
          ++doubled;
        // Made here and not in front of the loop, so that it becomes part of
        // the load.
        Value offset = multiples[distance];
        if (doubled)
          offset = arith::ShLIOp::create(b, offset, stack->constant(doubled));
        address = arith::AddIOp::create(b, address, offset);
      }
    }
    return vector::BroadcastOp::create(b, type, loadAt(address, shape.element, nullptr));
  };
  for (int i = 0; i < rows; ++i) {
    Value scalar = leftAt(i);
    for (int v = 0; v < vectors; ++v) {
      Value &sum = carried[size_t(i) * size_t(vectors) + size_t(v)];
      sum = addProduct(scalar, right[size_t(v)], sum);
    }
  }
  for (size_t i = numSums; i + 1 < carried.size(); ++i)
    carried[i] = arith::AddIOp::create(b, carried[i], stack->value(panel.sumStep));
  carried.back() = arith::AddIOp::create(b, carried.back(), panel.step);
  stack->close(carried);
  stack->dropAnchor(); // what follows uses the sums
  return llvm::SmallVector<Value>(loop.getResults().take_front(numSums));
}

/// Tiles of `rows` rows from `lower` on; not `isWhole`, they may reach beyond `upper`: rows there
/// repeat the last one, also where it is stored (what a nest loads of it is loaded before).
void KernelEmitter::emitTiles(const Pass &pass, const ProductShape &shape,
                              const ProductPanel &panel, int rows, Value lower, Value upper,
                              bool isWhole) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  Value last = arith::AddIOp::create(b, upper, stack->constant(-1));
  stack->dropAnchor();
  auto tiles = stack->open(lower, upper, stack->constant(rows));
  LoopVariable &row = body->loops[size_t(shape.rowLoop)];
  row = {};
  row.level = stack->depth();
  row.rowSet = kMajorRows;
  body->rowExists.clear();
  body->rows = rows;
  for (int i = 0; i < rows; ++i) {
    Value index = tiles.getInductionVar();
    if (i)
      index = arith::AddIOp::create(b, index, stack->constant(i));
    if (i && !isWhole)
      index = arith::MinSIOp::create(b, index, last);
    row.index.push_back(index);
  }
  llvm::SmallVector<Value> sums = sumTile(nest, shape, panel, isWhole);
  keepBlock(nest, sums);
  for (int number : llvm::ArrayRef(pass.nests).drop_front()) {
    const KernelNest &map = kernel.nests[size_t(number)];
    keepBlock(map, body->emit(map, map.terms, /*asVectors=*/true)[0]);
  }
  for (int number : pass.nests)
    body->registers.erase(kernel.nests[size_t(number)].result);
  stack->close();
}

/// All rows of [lower, upper) beside one panel.
void KernelEmitter::emitRowsOfPanel(const Pass &pass, const ProductShape &shape,
                                    const ProductPanel &panel, Value lower, Value upper) {
  if (body->vectors < shape.vectors)
    return emitTiles(pass, shape, panel, shape.narrowRows, lower, upper, /*isWhole=*/false);
  if (shape.rows.size() == 1)
    return emitTiles(pass, shape, panel, shape.rows[0], lower, upper, shape.isEven);
  Value count = arith::SubIOp::create(b, upper, lower);
  Value left = arith::RemUIOp::create(b, count, stack->constant(shape.rows[0]));
  Value end = arith::SubIOp::create(b, upper, left);
  emitTiles(pass, shape, panel, shape.rows[0], lower, end, /*isWhole=*/true);
  emitTiles(pass, shape, panel, shape.rows[1], end, upper, /*isWhole=*/false);
}

/// Sets the columns up as a vector loop from `first` on.
void KernelEmitter::setColumns(const ProductShape &shape, Value first, Value upper, bool masked) {
  LoopVariable &columns = body->loops[size_t(shape.columnLoop)];
  columns = {};
  columns.level = stack->depth();
  columns.isVector = true;
  columns.index = {first};
  body->masks.clear();
  if (!masked)
    return;
  Value left = arith::SubIOp::create(b, upper, first);
  for (int v = 0; v < body->vectors; ++v) {
    Value rest = left;
    if (v)
      rest = arith::SubIOp::create(b, left, stack->constant(int64_t(v) * shape.lanes));
    body->masks.push_back(
        vector::CreateMaskOp::create(b, mlir::VectorType::get({shape.lanes}, b.getI1Type()), rest));
  }
}

/// Copies a panel of the right operand: what one k needs stands together.
void KernelEmitter::packPanel(const KernelNest &nest, const ProductShape &shape, Value buffer,
                              Value offset) {
  int64_t width = int64_t(shape.vectors) * shape.lanes;
  body->rows = 1;
  auto loop = stack->open(stack->constant(0), stack->value(bounds(nest, shape.sumLoop).upper),
                          stack->constant(1));
  LoopVariable &counter = body->loops[size_t(shape.sumLoop)];
  counter = {};
  counter.level = stack->depth();
  counter.index = {loop.getInductionVar()};
  llvm::SmallVector<Value, 8> values = body->emit(nest, shape.rightFactor, /*asVectors=*/true)[0];
  Value at = arith::AddIOp::create(
      b, offset, arith::MulIOp::create(b, loop.getInductionVar(), stack->constant(width)));
  for (int v = 0; v < shape.vectors; ++v) {
    Value place =
        v ? Value(arith::AddIOp::create(b, at, stack->constant(int64_t(v) * shape.lanes))) : at;
    vector::StoreOp::create(b, values[size_t(v)], buffer, place);
  }
  stack->close();
}

/// The same where a column's elements stand together: squares of four columns
/// and four k are transposed in registers, as many side by side as a vector has
/// room for.
void KernelEmitter::packPanelTransposed(const KernelNest &nest, const ProductShape &shape,
                                        Value buffer, Value offset, Value first, Value last) {
  int side = std::min(4, shape.lanes);
  Value upper = stack->value(bounds(nest, shape.sumLoop).upper);
  Value main = floorToMultiple(upper, side);
  int64_t width = int64_t(shape.vectors) * shape.lanes;
  LoopVariable &columns = body->loops[size_t(shape.columnLoop)];
  LoopVariable &counter = body->loops[size_t(shape.sumLoop)];
  body->masks.clear();
  // Columns beyond the last one repeat it; what is computed of them is not
  // stored.
  auto setLines = [&](Value begin, int count) {
    columns = {};
    columns.level = stack->depth();
    columns.rowSet = kMajorRows;
    begin = arith::AddIOp::create(b, first, begin);
    for (int i = 0; i < count; ++i) {
      Value index = begin;
      if (i)
        index = arith::AddIOp::create(b, begin, stack->constant(i));
      columns.index.push_back(arith::MinSIOp::create(b, index, last));
    }
    body->rows = count;
    body->vectors = 1;
  };
  auto openCounter = [&](Value lower, Value end, int step) {
    stack->dropAnchor();
    auto loop = stack->open(lower, end, stack->constant(step));
    counter = {};
    counter.level = stack->depth();
    counter.isVector = step > 1;
    counter.index = {loop.getInductionVar()};
    Value row = arith::MulIOp::create(b, loop.getInductionVar(), stack->constant(width));
    return Size(arith::AddIOp::create(b, offset, row).getResult());
  };
  if (side > 1) {
    auto vectors =
        stack->open(stack->constant(0), stack->constant(width), stack->constant(shape.lanes));
    setLines(vectors.getInductionVar(), shape.lanes);
    Size at = openCounter(stack->constant(0), main, side);
    body->lanes = side;
    llvm::SmallVector<Value, 8> lines = body->emit(nest, shape.rightFactor, /*asVectors=*/true)[0];
    body->lanes = shape.lanes;
    // Line i of each group of four, side by side; then 4 x 4 squares at once.
    llvm::SmallVector<Value> squares;
    for (int i = 0; i < side; ++i) {
      llvm::SmallVector<Value> parts;
      for (int line = i; line < shape.lanes; line += side)
        parts.push_back(lines[size_t(line)]);
      for (int64_t lanes = side; parts.size() > 1; lanes *= 2) {
        auto both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
        for (size_t k = 0; k < parts.size() / 2; ++k)
          parts[k] = vector::ShuffleOp::create(b, parts[2 * k], parts[2 * k + 1], both);
        parts.truncate(parts.size() / 2);
      }
      squares.push_back(parts[0]);
    }
    for (int distance = 1; distance < side; distance *= 2)
      for (int i = 0; i < side; ++i) {
        if (i & distance)
          continue;
        llvm::SmallVector<int64_t> low, high;
        for (int lane = 0; lane < shape.lanes; ++lane) {
          low.push_back(lane & distance ? shape.lanes + lane - distance : lane);
          high.push_back(lane & distance ? shape.lanes + lane : lane + distance);
        }
        Value &x = squares[size_t(i)], &y = squares[size_t(i) + size_t(distance)];
        Value lower = vector::ShuffleOp::create(b, x, y, low);
        y = vector::ShuffleOp::create(b, x, y, high);
        x = lower;
      }
    for (int i = 0; i < side; ++i) {
      Size place = stack->add(stack->add(at, vectors.getInductionVar()), b.getIndexAttr(i * width));
      vector::StoreOp::create(b, squares[size_t(i)], buffer, stack->value(place));
    }
    stack->close();
    stack->close();
  }
  // What is left of the columns, one k after the other.
  setLines(stack->constant(0), int(width));
  Size at = openCounter(main, upper, 1);
  llvm::SmallVector<Value, 8> elements =
      body->emit(nest, shape.rightFactor, /*asVectors=*/false)[0];
  for (int i = 0; i < int(width); ++i)
    memref::StoreOp::create(b, elements[size_t(i)], buffer,
                            stack->value(stack->add(at, b.getIndexAttr(i))));
  stack->close();
  body->vectors = shape.vectors;
}

/// Copies panels of the columns [lower, upper); `first` is the column of the
/// panel in front.
void KernelEmitter::packPanels(const KernelNest &nest, const ProductShape &shape, Value buffer,
                               Value first, Value lower, Value upper) {
  Value length = stack->value(bounds(nest, shape.sumLoop).upper);
  int64_t width = int64_t(shape.vectors) * shape.lanes;
  // Columns of the operand that stand together, or whose elements do.
  bool isTransposed = constantSize(strideAlong(nest, shape.right, shape.columnLoop)) != 1 &&
                      constantSize(strideAlong(nest, shape.right, shape.sumLoop)) == 1;
  Value last = arith::AddIOp::create(b, upper, stack->constant(-1));
  Value whole = lower;
  if (!target.maskRegisters && !isTransposed) {
    Value count = arith::SubIOp::create(b, upper, lower);
    whole =
        arith::SubIOp::create(b, upper, arith::RemUIOp::create(b, count, stack->constant(width)));
  }
  for (bool masked : {false, true}) {
    if (!masked && (target.maskRegisters || isTransposed))
      continue;
    stack->dropAnchor();
    auto panels =
        stack->open(masked ? whole : lower, masked ? upper : whole, stack->constant(width));
    if (!isTransposed)
      setColumns(shape, panels.getInductionVar(), upper, masked);
    Value offset =
        arith::MulIOp::create(b, arith::SubIOp::create(b, panels.getInductionVar(), first), length);
    if (isTransposed)
      packPanelTransposed(nest, shape, buffer, offset, panels.getInductionVar(), last);
    else
      packPanel(nest, shape, buffer, offset);
    stack->close();
  }
  stack->dropAnchor();
  body->masks.clear();
}

/// Copies rows [first, end) of the left operand: row after row, `stride` apart; or, where rows
/// stand together, one k after the other.
void KernelEmitter::packLeft(const KernelNest &nest, const ProductShape &shape, Value buffer,
                             Value first, Value end, Value stride) {
  int vectorLoop = shape.isLeftTransposed ? shape.rowLoop : shape.sumLoop;
  int otherLoop = shape.isLeftTransposed ? shape.sumLoop : shape.rowLoop;
  Value zero = stack->constant(0), length = stack->value(bounds(nest, shape.sumLoop).upper);
  auto lower = [&](int loop) { return loop == shape.rowLoop ? first : zero; };
  auto upper = [&](int loop) { return loop == shape.rowLoop ? end : length; };
  body->rows = body->vectors = 1;
  stack->dropAnchor();
  // Nothing at all where no rows are copied.
  Value isWanted = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, first, end);
  Value last = arith::SelectOp::create(b, isWanted, upper(otherLoop), lower(otherLoop));
  auto lines = stack->open(lower(otherLoop), last, stack->constant(1));
  LoopVariable &line = body->loops[size_t(otherLoop)];
  line = {};
  line.level = stack->depth();
  line.index = {lines.getInductionVar()};
  Value start = arith::MulIOp::create(
      b, arith::SubIOp::create(b, lines.getInductionVar(), lower(otherLoop)), stride);
  Value count = arith::SubIOp::create(b, upper(vectorLoop), lower(vectorLoop));
  Value main = arith::AddIOp::create(b, lower(vectorLoop), floorToMultiple(count, shape.lanes));
  for (bool masked : {false, true}) {
    stack->dropAnchor();
    auto vectors = stack->open(masked ? main : lower(vectorLoop), masked ? upper(vectorLoop) : main,
                               stack->constant(shape.lanes));
    LoopVariable &lane = body->loops[size_t(vectorLoop)];
    lane = {};
    lane.level = stack->depth();
    lane.isVector = true;
    lane.index = {vectors.getInductionVar()};
    body->masks.clear();
    if (masked)
      body->masks.push_back(vector::CreateMaskOp::create(
          b, mlir::VectorType::get({shape.lanes}, b.getI1Type()),
          arith::SubIOp::create(b, upper(vectorLoop), main).getResult()));
    Value value = body->emit(nest, shape.leftFactor, /*asVectors=*/true)[0][0];
    Value at = arith::AddIOp::create(
        b, start, arith::SubIOp::create(b, vectors.getInductionVar(), lower(vectorLoop)));
    if (masked)
      vector::MaskedStoreOp::create(b, buffer, at, body->masks[0], value);
    else
      vector::StoreOp::create(b, value, buffer, at);
    stack->close();
  }
  stack->close();
  stack->dropAnchor();
  body->masks.clear();
  body->vectors = shape.vectors;
}

void KernelEmitter::emitProduct(const Pass &pass, const ProductShape &shape) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  placeArrays(pass, pass.outer);
  int opened = openOtherLoops(pass, shape.columnLoop, shape.rowLoop);
  body->lanes = shape.lanes;
  body->vectors = shape.vectors;
  int64_t bytes = memoryBytes(shape.element);
  int64_t width = int64_t(shape.vectors) * shape.lanes;
  Size length = nest.extents[size_t(shape.sumLoop)];
  Size columnStride = strideAlong(nest, shape.right, shape.columnLoop);
  ArrayMemory packed;
  {
    Value argument = addScratchArgument(shape.element, {b.getIndexAttr(width * kPanels), length});
    packed = view(argument, {b.getIndexAttr(width * kPanels), length}, shape.element, 0);
  }
  bool mustPack = !shape.isRightPlain || constantSize(columnStride) != 1;
  if (!mustPack && target.maskRegisters)
    limitScratch(kPackBytes / bytes, {nest.extents[size_t(shape.columnLoop)], length});
  Value packedAddress;
  stack->inPrologue(
      [&] { packedAddress = memref::ExtractAlignedPointerAsIndexOp::create(b, packed.buffer); });
  // Room for so many rows of the left operand.
  Size leftRowStride = strideAlong(nest, shape.left, shape.rowLoop);
  Size leftSumStride = strideAlong(nest, shape.left, shape.sumLoop);
  ProductShape with = shape;
  with.isLeftTransposed = constantSize(leftRowStride) == 1;
  int64_t mostRows = kCopiedRows / shape.rows[0] * shape.rows[0];
  llvm::SmallVector<Size> room = {b.getIndexAttr(mostRows * 9 / 8 + 1), length};
  ArrayMemory copied = view(addScratchArgument(shape.element, room), room, shape.element, 0);
  if (shape.isLeftPlain)
    limitScratch(kPackLeftBytes / bytes, {nest.extents[size_t(shape.rowLoop)], length});
  Value copiedAddress;
  stack->inPrologue(
      [&] { copiedAddress = memref::ExtractAlignedPointerAsIndexOp::create(b, copied.buffer); });
  Value leftAddress = productAddress(nest, shape, shape.left);
  Value rightAddress = productAddress(nest, shape, shape.right);
  auto inBytes = [&](Size elements) {
    return stack->value(stack->multiply(elements, b.getIndexAttr(bytes)));
  };
  Value columnStep, sumStep;
  Size sumStride = strideAlong(nest, shape.right, shape.sumLoop);
  stack->inPrologue([&] {
    columnStep = inBytes(columnStride);
    sumStep = inBytes(sumStride);
  });

  Bounds rowRange = bounds(nest, shape.rowLoop), columnRange = bounds(nest, shape.columnLoop);
  Value lower = stack->value(rowRange.lower), upper = stack->value(rowRange.upper);
  Value numColumns = stack->value(columnRange.upper), sumLength = stack->value(length);
  Value zero = stack->constant(0);
  Value count = arith::SubIOp::create(b, upper, lower);

  // Whether all panels are copied: where it must be so, and where it pays.
  Value packs;
  if (mustPack) {
    packs = arith::ConstantOp::create(b, b.getBoolAttr(true));
  } else {
    Value size = inBytes(stack->multiply(numColumns, sumLength));
    Value isLarge =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size, stack->constant(kPackBytes));
    // Beyond the L2 cache it is worse to leave it where it lies.
    Value isFar = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size,
                                        stack->constant(target.l2Bytes / 2));
    Value leastRows =
        arith::SelectOp::create(b, isFar, stack->constant(kPackTiles / 2 * shape.rows[0]),
                                stack->constant(kPackTiles * shape.rows[0]));
    Value isTall = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, count, leastRows);
    packs = arith::AndIOp::create(b, isLarge, isTall);
  }
  Value blockColumns =
      arith::SelectOp::create(b, packs, stack->constant(width * kPanels),
                              arith::MaxSIOp::create(b, numColumns, stack->constant(1)));
  // Whether rows of the left operand are copied, and how far apart.
  Value copies;
  if (!shape.isLeftPlain) {
    copies = arith::ConstantOp::create(b, b.getBoolAttr(true));
  } else {
    Value size = inBytes(stack->multiply(nest.extents[size_t(shape.rowLoop)], sumLength));
    Value isLarge =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size, stack->constant(kPackLeftBytes));
    Value isWide = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numColumns,
                                         stack->constant(kPackLeftColumns));
    copies = arith::AndIOp::create(b, isLarge, isWide);
  }
  Value copiedStride = stack->constant(mostRows);
  if (!with.isLeftTransposed) {
    Value rest = arith::AndIOp::create(b, inBytes(sumLength), stack->constant(8 * kRowGap - 1));
    Value isRound = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, zero);
    Value gap = arith::SelectOp::create(b, isRound, stack->constant(kRowGap / bytes), zero);
    copiedStride = arith::AddIOp::create(b, sumLength, gap);
  }
  // Rows that stay in half of the L2 cache.
  Value rowBytes = inBytes(stack->add(sumLength, b.getIndexAttr(1)));
  Value blockRows = arith::DivUIOp::create(b, stack->constant(target.l2Bytes / 2), rowBytes);
  blockRows = arith::MinSIOp::create(b, blockRows, stack->constant(mostRows));
  blockRows = arith::SubIOp::create(
      b, blockRows, arith::RemUIOp::create(b, blockRows, stack->constant(shape.rows[0])));
  blockRows = arith::MaxSIOp::create(b, blockRows, stack->constant(shape.rows[0]));

  auto columnBlocks = stack->open(zero, numColumns, blockColumns);
  Value firstColumn = columnBlocks.getInductionVar();
  Value endColumn =
      arith::MinSIOp::create(b, arith::AddIOp::create(b, firstColumn, blockColumns), numColumns);
  // The columns that are copied begin here. Without mask registers the last,
  // cut panel always is.
  Value firstPacked = endColumn;
  if (!target.maskRegisters)
    firstPacked = arith::SubIOp::create(
        b, endColumn, arith::RemUIOp::create(b, endColumn, stack->constant(width)));
  firstPacked = arith::SelectOp::create(b, packs, firstColumn, firstPacked);
  packPanels(nest, shape, packed.buffer, firstPacked, firstPacked, endColumn);

  auto rowBlocks = stack->open(lower, upper, blockRows);
  Value endRow = arith::MinSIOp::create(
      b, arith::AddIOp::create(b, rowBlocks.getInductionVar(), blockRows), upper);
  Value firstRow = rowBlocks.getInductionVar();
  packLeft(nest, with, copied.buffer, firstRow,
           arith::SelectOp::create(b, copies, endRow, firstRow), copiedStride);
  ProductPanel panel;
  panel.firstRow = firstRow;
  auto either = [&](Size packed, Size inPlace) -> Size {
    if (packed == inPlace)
      return packed;
    return arith::SelectOp::create(b, copies, stack->value(packed), stack->value(inPlace))
        .getResult();
  };
  auto toBytes = [&](Size elements) { return stack->multiply(elements, b.getIndexAttr(bytes)); };
  Size element = b.getIndexAttr(bytes);
  Value inPlace =
      stack->value(stack->add(leftAddress, stack->multiply(firstRow, toBytes(leftRowStride))));
  panel.leftAddress = arith::SelectOp::create(b, copies, copiedAddress, inPlace);
  panel.rowStep =
      either(with.isLeftTransposed ? element : toBytes(copiedStride), toBytes(leftRowStride));
  panel.sumStep =
      either(with.isLeftTransposed ? toBytes(copiedStride) : element, toBytes(leftSumStride));
  // Whole panels without masks: with one, a load is two instructions on many
  // processors. What is left is done a vector at a time.
  Value rest = arith::RemUIOp::create(b, endColumn, stack->constant(width));
  Value whole = arith::SubIOp::create(b, endColumn, rest);
  for (bool isRest : {false, true}) {
    body->vectors = isRest ? 1 : shape.vectors;
    stack->dropAnchor();
    auto panels = stack->open(isRest ? whole : firstColumn, isRest ? endColumn : whole,
                              stack->constant(isRest ? shape.lanes : width));
    Value column = panels.getInductionVar(), start = isRest ? whole : column;
    setColumns(shape, column, endColumn, /*masked=*/isRest);
    Value isPacked = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, start, firstPacked);
    Size elements =
        stack->multiply(arith::SubIOp::create(b, start, firstPacked).getResult(), sumLength);
    if (isRest)
      elements = stack->add(elements, arith::SubIOp::create(b, column, whole).getResult());
    Value place = inBytes(elements);
    panel.address = arith::SelectOp::create(
        b, isPacked, arith::AddIOp::create(b, packedAddress, place),
        arith::AddIOp::create(b, rightAddress, arith::MulIOp::create(b, column, columnStep)));
    panel.step = arith::SelectOp::create(b, isPacked, stack->constant(width * bytes), sumStep);
    emitRowsOfPanel(pass, shape, panel, firstRow, endRow);
    stack->close();
  }
  body->masks.clear();
  stack->close();
  stack->close();
  while (opened--)
    stack->close();
}

} // namespace graphc
