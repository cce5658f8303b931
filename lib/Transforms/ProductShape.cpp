//===- Transforms/ProductShape.cpp - which passes are products -------------===//
//
// Products of no more columns than half a vector has lanes (half-vectors), eight of float32:
//
//   vectors of 16 lanes { masks leave eight of them out }   before
//   vectors of 8 lanes  { no masks }                         after
//
// 8 x 8 x 8 took 1.12 of the time (Zen 5, with the call), 512x64x7 1.28 to 1.5.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

/// Rows of tiles of one vector.
static constexpr int kNarrowRows = 8;
/// Vectors of a panel that has all columns but the last few, as 49 pixels have: a second panel of
/// one vector would read all rows again, in tiles that wait for loads (512 channels of 7x7, 3x3:
/// 0.90 of the time that two panels take).
static constexpr int kWideVectors = 3;

/// Fewer rows do not pay for panels that windows fill.
static constexpr int64_t kWindowRows = 8;
/// The same where they are filled by gathers.
static constexpr int64_t kGatherRows = 32;
/// Panels that windows fill are as long as all sums: longer ones would take too much memory. Of
/// sums whose extents are not known, one is a number of channels, several may be all of a picture;
/// those that are known beside it are the window.
static constexpr int64_t kWindowLength = 8192;
static constexpr int64_t kWindowTaps = 512;

/// What a factor converts.
static Value withoutConversions(Value factor) {
  while (mlir::Operation *op = factor.getDefiningOp()) {
    if (!mlir::isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(
            op))
      break;
    factor = op->getOperand(0);
  }
  return factor;
}

/// The operand that a factor is, perhaps through conversions; -1 if it is something else.
int ProductEmitter::operandOf(Value factor) const {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(withoutConversions(factor));
  if (!argument || argument.getOwner() != nest.body() ||
      argument.getArgNumber() >= nest.inputs.size() || nest.inputs[argument.getArgNumber()] < 0)
    return -1;
  return int(argument.getArgNumber());
}

/// The loops that a value of the body depends on.
static llvm::SmallBitVector loopsOf(const KernelNest &nest, Value value) {
  llvm::SmallBitVector loops(unsigned(nest.numLoops()));
  llvm::SmallVector<Value> left = {value};
  llvm::DenseSet<Value> seen = {value};
  while (!left.empty()) {
    Value next = left.pop_back_val();
    mlir::Operation *op = next.getDefiningOp();
    if (!op) {
      auto argument = mlir::cast<mlir::BlockArgument>(next);
      if (argument.getOwner() == nest.body() && argument.getArgNumber() < nest.inputs.size())
        for (unsigned loop = 0; loop < loops.size(); ++loop)
          if (mapOf(nest, int(argument.getArgNumber())).isFunctionOfDim(loop))
            loops.set(loop);
      continue;
    }
    op->walk([&](mlir::Operation *each) { // a masked load has regions
      if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(each))
        loops.set(unsigned(index.getDim()));
      for (Value operand : each->getOperands())
        if (seen.insert(operand).second)
          left.push_back(operand);
    });
  }
  return loops;
}

/// For each of these loops whether the operand is read backwards along it, if together they are
/// steps as of one loop: through neighbouring axes, all but the first one from end to end.
static std::optional<llvm::SmallBitVector> asOneLoop(const KernelModel &kernel,
                                                     const KernelNest &nest, int operand,
                                                     llvm::ArrayRef<int> loops) {
  llvm::SmallBitVector backwards(unsigned(loops.size()));
  mlir::AffineMap map = mapOf(nest, operand);
  const KernelArray &array = kernel.arrays[size_t(nest.inputs[size_t(operand)])];
  int before = -1;
  for (auto [i, loop] : llvm::enumerate(loops)) {
    int axis = -1;
    for (int k = 0; k < array.rank(); ++k)
      if (map.getResult(unsigned(k)).isFunctionOfDim(unsigned(loop))) {
        if (axis >= 0)
          return std::nullopt;
        axis = k;
      }
    if (axis < 0 || (i && axis != before + 1))
      return std::nullopt;
    before = axis;
    llvm::SmallVector<int64_t, 8> factors =
        affineFactors(map.getResult(unsigned(axis)), unsigned(nest.numLoops()));
    int64_t factor = factors[size_t(loop)], constant = factors.pop_back_val();
    if ((factor != 1 && factor != -1) || llvm::count(factors, 0) + 1 != nest.numLoops())
      return std::nullopt;
    if (factor < 0)
      backwards.set(unsigned(i));
    Size extent = nest.extents[size_t(loop)];
    if (i && extent != array.shape[size_t(axis)])
      return std::nullopt;
    if (i && constant != (factor < 0 ? constantSize(extent).value_or(-1) - 1 : 0))
      return std::nullopt;
  }
  return backwards;
}

/// Whether what follows a product reads and writes along the parallel loops from `first` on as
/// along one.
bool ProductEmitter::mayJoinColumns(int first) const {
  for (int number : llvm::ArrayRef(pass.nests).drop_front()) {
    const KernelNest &each = kernel.nests[size_t(number)];
    llvm::SmallVector<int> columns = llvm::to_vector(llvm::seq<int>(first, each.numParallel));
    for (int i = 0; i < int(each.inputs.size()); ++i) {
      bool follows = each.inputs[size_t(i)] >= 0 && llvm::any_of(columns, [&](int loop) {
                       return mapOf(each, i).isFunctionOfDim(unsigned(loop));
                     });
      if (!follows)
        continue;
      auto backwards = asOneLoop(kernel, each, i, columns);
      if (!backwards || backwards->any())
        return false;
    }
    bool asksForCounter = false;
    each.body()->walk(
        [&](mlir::linalg::IndexOp index) { asksForCounter |= int64_t(index.getDim()) >= first; });
    if (asksForCounter)
      return false;
  }
  return true;
}

/// Which loops are rows, columns and sums, and how the factors follow them; false if the pass is no
/// product.
bool ProductEmitter::findProductLoops() {
  auto extentOf = [&](int loop) {
    return constantSize(nest.extents[size_t(loop)]).value_or(int64_t(1) << 40);
  };
  int last = nest.numParallel - 1;
  llvm::SmallBitVector left = loopsOf(nest, shape.leftFactor);
  llvm::SmallBitVector right = loopsOf(nest, shape.rightFactor);
  if (left[unsigned(last)]) {
    std::swap(left, right);
    std::swap(shape.leftFactor, shape.rightFactor);
  }
  if (left[unsigned(last)] || !right[unsigned(last)])
    return false;
  shape.left = operandOf(shape.leftFactor);
  shape.right = operandOf(shape.rightFactor);
  shape.isLeftPlain = mlir::isa<mlir::BlockArgument>(shape.leftFactor) && shape.left >= 0;
  shape.isRightPlain = mlir::isa<mlir::BlockArgument>(shape.rightFactor) && shape.right >= 0;
  shape.columnLoop = last;
  shape.sums = llvm::to_vector(llvm::seq<int>(nest.numParallel, nest.numLoops()));
  shape.backwards.resize(unsigned(shape.sums.size()));
  auto findRows = [&] {
    shape.rowLoop = -1;
    for (int loop = pass.outer; loop < shape.columnLoop; ++loop)
      if (left[unsigned(loop)] && !right[unsigned(loop)] &&
          (shape.rowLoop < 0 || extentOf(loop) >= extentOf(shape.rowLoop)))
        shape.rowLoop = loop;
    return shape.rowLoop >= 0;
  };

  auto isLoad = [&](Value factor) {
    factor = withoutConversions(factor);
    return operandOf(factor) >= 0 ||
           mlir::isa_and_present<mlir::tensor::ExtractOp, mlir::scf::IfOp>(factor.getDefiningOp());
  };
  bool mayBeWindow = isLoad(shape.leftFactor) && isLoad(shape.rightFactor);
  bool isGathered = body->memoryCost(nest, last) >= kGatherCost;
  while (mayBeWindow && !isGathered && shape.columnLoop > pass.outer &&
         right[unsigned(shape.columnLoop - 1)] && !left[unsigned(shape.columnLoop - 1)] &&
         mayJoinColumns(shape.columnLoop - 1))
    --shape.columnLoop;
  for (int loop = shape.columnLoop - 1; loop >= pass.outer; --loop)
    if (right[unsigned(loop)] && !left[unsigned(loop)] && extentOf(loop) > 1)
      shape.pictureLoop = loop;
  if (shape.columnLoop == last && shape.sums.size() == 1 && shape.left >= 0 && shape.right >= 0)
    return left[unsigned(shape.sums[0])] && right[unsigned(shape.sums[0])] && findRows();
  shape.isWindow = true;
  if (!uses(Optimization::Windows) || !mayBeWindow || (isGathered && dotShape(pass)))
    return false;
  if (!findRows() || extentOf(shape.rowLoop) < (isGathered ? kGatherRows : kWindowRows))
    return false;
  int numSums = int(shape.sums.size());
  if (numSums == 1)
    shape.numRun = shape.isLeftPlain;
  for (int run = numSums; run > 0 && numSums > 1 && shape.isLeftPlain && !shape.numRun; --run)
    if (auto backwards = asOneLoop(kernel, nest, shape.left,
                                   llvm::ArrayRef(shape.sums).take_back(size_t(run)))) {
      for (unsigned i : backwards->set_bits())
        shape.backwards.set(unsigned(numSums - run) + i);
      shape.numRun = run;
    }
  bool isOneLoop = shape.numRun == numSums;
  shape.isLeftPlain = isOneLoop;
  int64_t length = 1;
  int numUnknown = 0;
  for (int loop : shape.sums) {
    auto extent = constantSize(nest.extents[size_t(loop)]);
    numUnknown += !extent;
    if (extent && llvm::MulOverflow(length, *extent, length))
      return false;
  }
  return length <= (numUnknown ? kWindowTaps : kWindowLength) && (numUnknown <= 1 || isOneLoop);
}

/// Whether the pass is a sum of products of two factors, and what may follow it.
bool ProductEmitter::findFactors() {
  if (!nest.isReduction() || nest.neutral.size() != 1 || nest.partialTerm || kernel.hasChecks)
    return false;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    if (kernel.nests[size_t(number)].isReduction())
      return false;
  mlir::Operation *product = nest.terms[0].getDefiningOp();
  shape.element = nest.terms[0].getType();
  bool isFloat = mlir::isa_and_present<arith::MulFOp>(product) &&
                 mlir::isa<arith::AddFOp>(nest.join) &&
                 (shape.element.isF32() || shape.element.isF64());
  bool isInteger = mlir::isa_and_present<arith::MulIOp>(product) &&
                   mlir::isa<arith::AddIOp>(nest.join) &&
                   (shape.element.isInteger(32) || shape.element.isInteger(64));
  if (!isFloat && !isInteger)
    return false;
  shape.leftFactor = product->getOperand(0);
  shape.rightFactor = product->getOperand(1);
  return true;
}

/// Whether rows of the left operand are whole rows of an input, one after the other, so that the
/// runtime may have a copy of them where that is a constant (Support/CopiedOperands.h). Windows
/// gain nothing by it: they read long runs of few rows.
bool ProductEmitter::mayKeepRows() const {
  if (!uses(Optimization::KeptRows) || shape.left < 0 || !shape.isLeftPlain || shape.group > 1 ||
      shape.sums.size() != 1 || shape.backwards.any())
    return false;
  const KernelArray &array = kernel.arrays[size_t(nest.inputs[size_t(shape.left)])];
  if (auto length = constantSize(nest.extents[size_t(shape.sums[0])]);
      length && !copiesRows(kCopiedBytes, *length * memoryBytes(array.element)))
    return false;
  mlir::AffineMap map = mapOf(nest, shape.left);
  unsigned rank = map.getNumResults();
  auto isLoop = [&](unsigned axis, int loop) {
    return map.getResult(axis) == mlir::getAffineDimExpr(unsigned(loop), b.getContext());
  };
  return array.role == KernelArray::Role::Input && rank >= 2 && isLoop(rank - 1, shape.sums[0]) &&
         isLoop(rank - 2, shape.rowLoop) &&
         array.shape.back() == nest.extents[size_t(shape.sums[0])];
}

/// How the runtime may keep panels of the right operand where that is a constant: if it is a
/// matrix, all of which the product reads as it is.
std::optional<KeptForm> ProductEmitter::keptPanels() const {
  if (!uses(Optimization::KeptPanels) || shape.right < 0 ||
      (!shape.isRightPlain && shape.group == 1) || shape.isWindow)
    return std::nullopt;
  const KernelArray &array = kernel.arrays[size_t(nest.inputs[size_t(shape.right)])];
  mlir::AffineMap map = mapOf(nest, shape.right);
  if (array.role != KernelArray::Role::Input || map.getNumResults() != 2)
    return std::nullopt;
  auto rows = constantSize(array.shape[0]), columns = constantSize(array.shape[1]);
  if (rows && columns && *rows * *columns * memoryBytes(array.element) < kKeptPanelBytes)
    return std::nullopt;
  auto isLoop = [&](unsigned axis, int loop) {
    return map.getResult(axis) == mlir::getAffineDimExpr(unsigned(loop), b.getContext()) &&
           array.shape[axis] == nest.extents[size_t(loop)];
  };
  bool isTransposed = isLoop(0, shape.columnLoop) && isLoop(1, shape.sums[0]);
  if (!isTransposed && !(isLoop(0, shape.sums[0]) && isLoop(1, shape.columnLoop)))
    return std::nullopt;
  return KeptForm{-1, shape.vectors * shape.lanes,
                  int32_t(memoryBytes(shape.element) / shape.group), isTransposed};
}

/// Rows of the tiles of what is left of the rows, at most: as many sums as the multipliers want at
/// a time. 49 pixels, the rows of a product that was turned, are three tiles of 14 and one of 7:
/// two of 4 take as long as 13 rows where the panel comes from the L2 cache (2048 channels of 7x7,
/// 512 outputs: 0.93 of the time).
void ProductEmitter::setLeftRows(int most) {
  mlir::AffineExpr row = mlir::getAffineDimExpr(unsigned(shape.rowLoop), b.getContext());
  const bool isTransposed = shape.left >= 0 && mapOf(nest, shape.left).getResults().back() == row;
  shape.rows.push_back(std::clamp(most * 2 / 3, 1, 4));
  if (isTransposed && most == 2 * kRowsOfPointer)
    shape.middleRows = kRowsOfPointer;
}

/// Whether it is bfloat16, as float32.
static bool isWidenedHalf(Value factor) {
  auto widened = factor.getDefiningOp<arith::ExtFOp>();
  return widened && widened.getIn().getType().isBF16();
}

bool ProductEmitter::findShape() {
  if (!uses(Optimization::Products) || nest.numParallel - pass.outer < 2 || !findFactors() ||
      !findProductLoops())
    return false;
  auto extentOf = [&](int loop) {
    return constantSize(nest.extents[size_t(loop)]).value_or(int64_t(1) << 40);
  };
  auto extentFrom = [&](int first, int end) {
    int64_t product = 1;
    for (int loop = first; loop < end; ++loop)
      product = std::min(product * std::min(extentOf(loop), int64_t(1) << 20), int64_t(1) << 40);
    return product;
  };
  int64_t numColumns = extentFrom(shape.columnLoop, nest.numParallel);
  shape.lanes = lanesOf();
  if (!joinsPictures())
    shape.pictureLoop = -1;
  else
    numColumns = std::min(numColumns * extentFrom(shape.pictureLoop, shape.pictureLoop + 1),
                          int64_t(1) << 40);
  // Half a vector without masks; fewer columns are last ones. Pairs are for whole vectors alone.
  const bool arePairs = target.bf16Pairs && uses(Optimization::Pairs) &&
                        isWidenedHalf(shape.leftFactor) && isWidenedHalf(shape.rightFactor);
  while (uses(Optimization::HalfVectors) && !shape.isWindow && !arePairs &&
         numColumns > kLastColumns && numColumns <= shape.lanes / 2)
    shape.lanes /= 2;
  const int64_t numTerms = extentFrom(nest.numParallel, nest.numLoops());
  // Those that are last columns alone have vectors of several terms, which must be there. Not of a
  // transposed right operand, which would be copied to a panel first: few rows would wait for it.
  const bool areLast = uses(Optimization::LastColumns) && shape.lanes > kLastColumns &&
                       !mustPack() && numColumns > 1 && numColumns <= kLastColumns &&
                       numTerms >= kDotTerms;
  if (shape.lanes == 1 || extentOf(shape.rowLoop) < 4 || numTerms < 4 ||
      (numColumns * 2 < shape.lanes && !areLast))
    return false;

  shape.vectors = target.vectorRegisters == 32 && target.vectorBytes == 16 ? 4 : 2;
  int64_t numVectors = std::min<int64_t>(llvm::divideCeil(numColumns, shape.lanes), 64);
  shape.vectors = int(llvm::divideCeil(numVectors, llvm::divideCeil(numVectors, shape.vectors)));
  if (uses(Optimization::WidePanels) && shape.isWindow && target.vectorRegisters == 32 &&
      shape.vectors == 2 && numColumns / shape.lanes == kWideVectors &&
      numColumns % shape.lanes <= kLastColumns)
    shape.vectors = kWideVectors;
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
    return true;
  }
  int64_t extent = extentOf(shape.rowLoop);
  shape.isOneTile = extent <= most && extent % shape.rows[0] == 0;
  if (!shape.isOneTile)
    setLeftRows(most);
  shape.hasTallTiles = uses(Optimization::WidePanels) && shape.vectors > 1 &&
                       shape.rows.size() == 2 && shape.rows[0] > shape.narrowRows;
  return true;
}

} // namespace graphc
