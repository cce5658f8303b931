//===- Transforms/BodyEmitter.h - bodies of nests on vectors ----*- C++ -*-===//
//
// Makes the code of a nest's body for a block of iterations: `rows` values of one loop times
// `vectors` vectors of `lanes` values of another. Each op of the body is made as often as its
// operands differ within the block: a load that does not depend on the row loop is made once for
// all rows. Values that do not depend on the vector loop stay scalars until something wants them as
// vectors, and everything goes to the outermost loop that it may go to (LoopStack). With lanes == 1
// the same code makes scalar loops.
//
// Indices that are linear in the vector loop are kept as the scalar of lane 0 (the base) with a
// constant factor, so that their loads are vector loads and range tests on them are comparisons of
// 32-bit lanes with one scalar.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Support/MemoryCost.h"
#include "Transforms/LoopTarget.h"
#include "Transforms/Memory.h"
#include "Transforms/VectorRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace graphc {

/// Rows of a block are iterations of one loop, or pairs of two loops: row number
/// major * BodyEmitter::minorRows + minor. A value belongs to a set of them.
enum RowSet : unsigned { kNoRows = 0, kMajorRows = 1, kMinorRows = 2 };

/// A square of results, of which transposed operands are loaded by lines (Squares.cpp).
struct SquareLoops {
  int vectorLoop, rowLoop;
  mlir::Value lastLine; ///< lines behind it do not exist; null: all do
};

/// A loop of the nests in hand.
struct LoopVariable {
  int level = 0;             ///< depth from which its counter is known
  unsigned rowSet = kNoRows; ///< what it is of the block's rows
  bool isVector = false;
  llvm::SmallVector<mlir::Value, 8>
      index; ///< by row for row loops; else one (vector loop: of the first lane)
};

/// An array's values that an earlier nest left in registers.
struct RegisterArray {
  int level = 0;
  unsigned onRows = kNoRows;
  bool onVector = false;
  llvm::SmallVector<mlir::Value, 8> values; ///< by instance, as far as it depends on it
};

/// Arrays that are read at the same positions, side by side (GatherRows.cpp).
struct TableRows {
  VectorRows rows;
  llvm::SmallVector<int, 8> arrays;
};

/// How a reduction's terms meet its accumulator: which values of the body are wanted, and whether
/// two of them are the factors of a product that is added by one fused multiply-add (one rounding
/// less than the two ops).
struct JoinPlan {
  llvm::SmallVector<mlir::Value, 2> targets;
  bool partial = false; ///< in float32 (KernelNest::partialTerm)
  bool isProduct = false;
};

class BodyEmitter {
public:
  BodyEmitter(LoopStack &stack, const KernelModel &kernel, const LoopTarget &target)
      : stack(stack), kernel(kernel), target(target) {}

  //===--- the block in hand: set by the strategies -----------------------===//
  llvm::SmallVector<LoopVariable, 8> loops;
  int lanes = 1, rows = 1, vectors = 1;
  int minorRows = 1; ///< rows of the minor row loop
  /// By vector; empty for whole vectors. By row, if it is the rows' only vector that has one.
  llvm::SmallVector<mlir::Value, 8> masks;
  bool masksAreOfRows = false;
  /// Masked vectors of results are stored in pieces (storeFirstLanes).
  bool storesPieces = false;
  /// Instead of a mask, for code that is run for whole vectors and for the last one: the number of
  /// lanes that are left, and whether that is all of them.
  mlir::Value lanesLeft, isWhole;
  llvm::SmallVector<mlir::Value, 8>
      rowExists; ///< by row; empty if all do: other rows are not stored
  llvm::DenseMap<int, RegisterArray> registers;
  /// Of nests that are emitted one after the other on one block: elements of the kernel's inputs
  /// that several of them read are loaded once. Not what any nest writes.
  struct CommonLoads {
    explicit CommonLoads(BodyEmitter &body);
    ~CommonLoads() {
      body.commonLoads.reset();
      body.tableLoads.clear();
    }
    CommonLoads(const CommonLoads &) = delete;
    CommonLoads &operator=(const CommonLoads &) = delete;

  private:
    BodyEmitter &body;
  };
  /// Values of nests' bodies, as vectors of the only vector of the block, that are not computed:
  /// earlier code has done it.
  llvm::DenseMap<mlir::Value, mlir::Value> given;
  /// Conditions of the nest's body that hold in the whole block.
  llvm::DenseSet<mlir::Value> always;
  std::optional<TableRows> tables;    ///< of inputs of the kernel
  std::optional<SquareLoops> squares; ///< of one vector and as many rows as it has lanes
  std::vector<ArrayPlace> memory;     ///< by array
  mlir::Value status;                 ///< memref<i32>, if there are checks

  /// The values of `targets` (of the nest's body) for each instance row * vectors + vector; of
  /// vector type if lanes > 1 and `asVectors`, else as they are.
  std::vector<llvm::SmallVector<mlir::Value, 8>>
  emit(const KernelNest &nest, llvm::ArrayRef<mlir::Value> targets, bool asVectors);
  /// The floats that the body computes and that differ from lane to lane; loads are not among them.
  llvm::DenseSet<mlir::Value> varyingFloats(const KernelNest &nest);
  /// Stores instances of the nest's result; the nest's parallel loops are the first ones.
  void store(const KernelNest &nest, llvm::ArrayRef<mlir::Value> values);

  /// Where the block's first row of a nest's result is in its buffer, for each vector.
  llvm::SmallVector<mlir::Value, 8> placesOfResult(const KernelNest &nest);
  /// Where the first lane of each row of the block is in the buffer of a nest's result, or of an
  /// operand.
  mlir::Value placeOfResult(const KernelNest &nest);
  mlir::Value placeOfOperand(const KernelNest &nest, int operand);
  llvm::SmallVector<mlir::Value, 8> placesOfOperand(const KernelNest &nest, int operand);

  /// Joins the term, of a block of one vector or scalar, to what is stored of the nest's result.
  void joinStored(const KernelNest &nest, mlir::Value term);

  /// Joins accumulator(s) and term(s) as the nest does, scalars or vectors.
  llvm::SmallVector<mlir::Value, 2> join(const KernelNest &nest, mlir::ValueRange accumulators,
                                         mlir::ValueRange terms, bool inOrder = true);
  JoinPlan planJoin(const KernelNest &nest, bool partial) const;
  llvm::SmallVector<mlir::Value, 2> join(const KernelNest &nest, const JoinPlan &plan,
                                         mlir::ValueRange accumulators, mlir::ValueRange terms);
  /// The neutral elements, as vectors if `width` > 1.
  llvm::SmallVector<mlir::Value, 2> neutral(const KernelNest &nest, int width);
  /// All lanes of accumulators joined.
  llvm::SmallVector<mlir::Value, 2> joinLanes(const KernelNest &nest, mlir::ValueRange vectors);
  /// The lanes of each accumulator joined, as the lanes of one vector; a power of two of them, of
  /// reductions with one value. Each vector has `parts` of them, one behind the other.
  mlir::Value joinLanesOfEach(const KernelNest &nest, mlir::ValueRange vectors, int64_t parts = 1);

  /// How well a loop would do as the vector loop: the number of vector instructions for memory,
  /// where a gather counts as many.
  double memoryCost(const KernelNest &nest, int loop) const;
  /// The loop along which a load's elements are neighbours, where they lie far apart along
  /// `vectorLoop` (a transposed operand); -1 if there is no such load.
  int crossedLoop(const KernelNest &nest, int vectorLoop) const;
  int crossedLoop(const KernelNest &nest, int operand, int vectorLoop) const;
  /// For each load of the nest, whether it moves along the loop.
  llvm::SmallVector<bool> loadsAlong(const KernelNest &nest, int loop) const;
  /// How many loads of the nest that move along `vectorLoop` do not along `rowLoop`.
  int reusedVectors(const KernelNest &nest, int vectorLoop, int rowLoop) const;
  /// How many quotients and rests of counters the body has that are shifts (BodyQuotients.cpp); 0
  /// if no load wants one along the vector loop.
  int numQuotients(const KernelNest &nest, int vectorLoop) const;
  /// Whether loads at positions that elements decide are made lane by lane, as a rule.
  bool prefersLanes() const;
  /// Whether a mask of the nest's loads depends on the loop.
  bool isInCondition(const KernelNest &nest, int loop) const;

private:
  struct Facts {
    int level = 0;
    unsigned onRows = kNoRows;
    bool onVector = false;
    bool linear = true; ///< in the vector loop: base + factor * lane
    int64_t factor = 0;
    int divisor = 0;    ///< of a counter that is linear: base + lane / divisor (BodyQuotients.cpp)
    bool small = false; ///< index arithmetic that cannot overflow
    bool natural = false, base = false; ///< which forms are needed
  };
  struct Address {
    mlir::Value base;
    Size factor;         ///< of a lane
    mlir::Value offsets; ///< vector of index, added to base + factor * lane; or null
  };

  void findFacts(const KernelNest &nest);
  void findNeeds(const KernelNest &nest, llvm::ArrayRef<mlir::Value> targets);
  Facts factsOf(mlir::Value value) const;
  Facts factsOfOp(mlir::Operation &op) const;
  Facts factsOfAccess(const MemoryAccess &access) const;
  MemoryAccess operandAccess(const KernelNest &nest, int operand) const;
  static MemoryAccess extractAccess(mlir::tensor::ExtractOp op);
  MemoryAccess guardedAccess(mlir::scf::IfOp op) const;
  bool isLaneComparison(mlir::arith::CmpIOp op) const;
  std::optional<int64_t> indexFactor(const KernelNest &nest, mlir::Value index, int loop) const;
  bool isHoistable(const KernelNest &nest, const MemoryAccess &access) const;

  void emitOp(mlir::Operation &op);
  void emitInput(const KernelNest &nest, int operand);
  mlir::Value anyFails(mlir::Value condition, bool isMasked);
  void emitCheck(mlir::Operation &op);
  mlir::Value emitBase(mlir::Operation &op, int row);
  mlir::Value makeNatural(mlir::Operation &op, int row, int vector);
  mlir::Value compareLanes(mlir::Operation &op, int row, int vector);
  mlir::Value clone(mlir::Operation &op, mlir::ValueRange operands, bool asVector);
  mlir::Value load(const MemoryAccess &access, const Facts &facts, int row, int vector);
  mlir::Value loadVector(mlir::VectorType type, mlir::Value buffer, mlir::Value base, int factor,
                         mlir::Value mask, mlir::Value otherwise);
  mlir::Value wholeCondition(mlir::Value condition, int row, int vector);
  mlir::Value maskOf(int vector, int row = 0);
  mlir::Value allLanes();
  mlir::Value anyLane(mlir::Value condition);
  mlir::Value lanesWanted(mlir::Value condition, int row, int vector);
  mlir::scf::IfOp branchOnWhole(mlir::TypeRange results,
                                llvm::function_ref<mlir::Value(mlir::Value mask)> make);
  Address address(const MemoryAccess &access, int row, int vector);
  mlir::Value sumTerms(const MemoryAccess &access, int row, Size constant,
                       llvm::SmallVectorImpl<std::pair<int, mlir::Value>> &terms);

  void storeInterleaved(const MemoryAccess &access, llvm::ArrayRef<mlir::Value> values);
  Size topLevelSum(Size sum, Size stride, int64_t factor, LoopStack::Key key);
  mlir::Value loadStrided(mlir::VectorType type, mlir::Value buffer, mlir::Value base, int factor,
                          mlir::Value mask, mlir::Value otherwise);
  /// The mask of part `part` of a strided load, where `lanesOf` tells for each element whose lane
  /// it is; made once for each mask, where that is made.
  mlir::Value lanesOfMask(mlir::Value mask, int factor, int part, llvm::ArrayRef<int64_t> lanesOf);
  mlir::Value castToIndex(mlir::Value offsets);

  //===--- BodyBranches.cpp -------------------------------------------------===//
  bool mayJoinBranches(mlir::Operation &op, const Facts &of) const;
  void joinBranches(mlir::Operation *before, llvm::MutableArrayRef<mlir::Value> values);

  //===--- CommonLoads.cpp --------------------------------------------------===//
  mlir::Value loadOperand(const KernelNest &nest, int operand, const Facts &of, int row,
                          int vector);

  //===--- BodyGathers.cpp --------------------------------------------------===//
  bool mayLoadLanes(mlir::Value condition) const;
  using ValueList = llvm::SmallVector<mlir::Value, 8>;
  ValueList ifLaneIsLeftOut(mlir::Value condition, mlir::TypeRange types,
                            llvm::function_ref<ValueList()> make,
                            llvm::function_ref<ValueList()> makeAll);
  mlir::Value loadLanes(mlir::VectorType type, mlir::Value buffer, mlir::Value base,
                        mlir::ValueRange offsets);
  llvm::SmallVector<mlir::Value, 8> lanesOf(mlir::Value offsets);

  //===--- GatherRows.cpp ---------------------------------------------------===//
  struct TableLoad {
    mlir::Value offsets, condition; ///< condition: null for none
    ValueList columns;              ///< by table; 0 in lanes that are left out
  };
  mlir::Value loadFromTables(int array, mlir::VectorType type, mlir::Value offsets,
                             mlir::Value condition, int row, int vector);

  //===--- BodyQuotients.cpp ------------------------------------------------===//
  std::pair<int, int> quotientOfCounter(mlir::Operation &op, bool wantsRest) const;
  int divisorOf(mlir::Operation &op, bool wantsRest) const;
  int quotientOf(const MemoryAccess &access) const;
  mlir::Value restOfLanes(mlir::Type element, int divisor);
  mlir::Value elementsOfLanes(mlir::Value mask, int divisor);
  mlir::Value elementsWanted(mlir::Value condition, int row, int vector, int divisor);
  mlir::Value loadQuotients(const MemoryAccess &access, mlir::VectorType type, mlir::Value base,
                            int row, int vector, int divisor, mlir::Value otherwise);

  //===--- Squares.cpp ------------------------------------------------------===//
  bool isSquare(const KernelNest &nest, int operand) const;
  llvm::SmallVector<mlir::Value> loadSquare(const KernelNest &nest, int operand);

  /// The first row in which what belongs to these rows is the same as in `row`.
  int rowOf(unsigned onRows, int row) const;
  /// The rows that differ for what belongs to these.
  llvm::SmallVector<int, 8> rowsOf(unsigned onRows) const;

  /// The value of the body in an instance, as made; scalar or vector.
  mlir::Value get(mlir::Value value, int row, int vector);
  mlir::Value getBase(mlir::Value value, int row);
  mlir::Value getVector(mlir::Value value, int row, int vector);
  mlir::Value broadcast(mlir::Value scalar, int level, LoopStack::Key key);
  mlir::Value laneNumbers(mlir::Type element);
  mlir::VectorType vectorOf(mlir::Type element) const;

  LoopStack &stack;
  const KernelModel &kernel;
  const LoopTarget &target;
  llvm::DenseMap<mlir::Value, Facts> facts; ///< of the nest in hand
  /// By array and the operand's map, then by row and vector: CommonLoads.
  using LoadKey = std::pair<std::pair<int, const void *>, std::pair<int, int>>;
  std::optional<llvm::DenseMap<LoadKey, mlir::Value>> commonLoads;
  std::vector<TableLoad> tableLoads;
  llvm::DenseMap<std::pair<mlir::Value, std::pair<int, int>>, mlir::Value> lanesOfMasks;
};

} // namespace graphc
