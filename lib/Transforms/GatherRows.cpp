//===- Transforms/GatherRows.cpp - tables that are read together ----------===//
//
// Several inputs of a kernel that are read at the same positions:
//
//   before                                  after
//
//                                           for %p: rows[%p, 0 to 3] = (x[%p], y[%p], z[%p], 0)
//   for %k step lanes:                      for %k step lanes:
//     %v = x[%at[0]], x[%at[1]], ...          %r = rows[%at[0], 0 to 3], rows[%at[1], 0 to 3], ...
//     %w = y[%at[0]], y[%at[1]], ...          %v, %w, %u = columns of %r
//     %u = z[%at[0]], z[%at[1]], ...
//
// A load of one number takes as long as that of a row, and to put loaded numbers together into a
// vector takes more shuffles than to transpose rows.
//
// `rows` lies on the stack. Where tables are too large for it, or are not read often, there is
// another branch, as before.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

/// A row is filled in the time in which so many are read.
static constexpr int64_t kReadsForRow = 4;
/// Positions of so many are compared, which are a few in most bodies.
static constexpr int kMostEqualOps = 64;

/// Finds the tables of a stream, and makes their rows in front of it.
void KernelEmitter::placeTables(const Pass &pass, int vectorLoop) {
  body->tables.reset();
  if (!uses(Optimization::GatherRows) || !uses(Optimization::CommonLoads) ||
      !body->prefersLanes() || pass.outer > 0)
    return;
  const KernelNest *first = nullptr;
  Value position;
  llvm::SmallVector<int, 8> arrays;
  for (int number : pass.nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    nest.body()->walk([&](mlir::tensor::ExtractOp load) {
      const int array = kernel.arrayOf.lookup(load.getTensor());
      const KernelArray &of = kernel.arrays[size_t(array)];
      if (of.role != KernelArray::Role::Input || load.getIndices().size() != 1 ||
          !dependsOnElements(load.getIndices()[0]) || llvm::is_contained(arrays, array))
        return;
      if (!first) {
        first = &nest;
        position = load.getIndices()[0];
      } else if (const KernelArray &table = kernel.arrays[size_t(arrays[0])];
                 of.element != table.element || of.shape[0] != table.shape[0] ||
                 !isSame(*first, position, nest, load.getIndices()[0])) {
        return;
      }
      if (int64_t(arrays.size()) < body->lanes)
        arrays.push_back(array);
    });
  }
  if (arrays.size() < 2)
    return;
  const KernelArray &table = kernel.arrays[size_t(arrays[0])];
  const Bounds range = bounds(*first, vectorLoop); // of a thread's part, which has rows of its own
  std::optional<VectorRows> rows =
      rowsOnStack(table.element, arrays.size(), table.shape[0],
                  stack->subtract(range.upper, range.lower), kReadsForRow);
  if (!rows)
    return;
  body->tables = TableRows{*rows, arrays};
  fillTables(*body->tables, table.shape[0]);
}

void KernelEmitter::fillTables(const TableRows &tables, Size places) {
  const VectorRows &rows = tables.rows;
  const int lanes = int(target.vectorBytes / memoryBytes(rows.type.getElementType()));
  Value zero = stack->constant(0),
        end = arith::SelectOp::create(b, rows.fit, stack->value(places), zero),
        main = floorToMultiple(end, lanes);
  auto fill = [&](Value begin, Value until, int step) {
    auto loop = stack->open(begin, until, stack->constant(step));
    Value place = loop.getInductionVar();
    auto type = mlir::VectorType::get({step}, rows.type.getElementType());
    llvm::SmallVector<Value, 8> columns, made;
    for (int array : tables.arrays) {
      Value buffer = body->memory[size_t(array)].buffer;
      columns.push_back(step > 1 ? Value(vector::LoadOp::create(b, type, buffer, place))
                                 : Value(memref::LoadOp::create(b, buffer, place)));
    }
    if (step > 1)
      made = rowsOfVectors(b, rows, columns);
    else
      made = {rowOfNumbers(b, rows, columns)};
    for (auto [lane, row] : llvm::enumerate(made))
      rows.store(*stack, stack->value(stack->add(place, b.getIndexAttr(int64_t(lane)))), row);
    stack->close();
    stack->dropAnchor();
  };
  fill(zero, main, lanes);
  fill(main, end, 1);
}

/// Whether values are made of the same ones in the same way; of at most so many `ops`.
static bool isEqual(Value one, Value other, int &ops) {
  if (one == other)
    return true;
  if (--ops < 0)
    return false;
  mlir::Operation *op = one ? one.getDefiningOp() : nullptr,
                  *otherOp = other ? other.getDefiningOp() : nullptr;
  return op && otherOp && mlir::isPure(op) && op->getNumRegions() == 0 &&
         op->getName() == otherOp->getName() && op->getNumResults() == 1 &&
         one.getType() == other.getType() &&
         op->getAttrDictionary() == otherOp->getAttrDictionary() &&
         op->getNumOperands() == otherOp->getNumOperands() &&
         llvm::all_of(llvm::zip(op->getOperands(), otherOp->getOperands()), [&](auto pair) {
           return isEqual(std::get<0>(pair), std::get<1>(pair), ops);
         });
}

/// A table's elements at `offsets`, by lanes: those of all tables are loaded when the first one is
/// asked for.
Value BodyEmitter::loadFromTables(int array, mlir::VectorType type, Value offsets, Value condition,
                                  int row, int v) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  const auto *table = llvm::find(tables->arrays, array);
  const auto number = size_t(table - tables->arrays.begin());
  for (TableLoad &known : tableLoads)
    if (int ops = kMostEqualOps; known.columns[0].getParentBlock() == b.getInsertionBlock() &&
                                 isEqual(known.offsets, offsets, ops) &&
                                 isEqual(known.condition, condition, ops))
      return known.columns[number];
  TableLoad load{offsets, condition, {}};
  const ValueList places = lanesOf(offsets);
  const llvm::SmallVector<mlir::Type> types(tables->arrays.size(), type);
  auto each = [&](llvm::function_ref<Value(Value buffer)> make) {
    ValueList columns;
    for (int of : tables->arrays)
      columns.push_back(make(memory[size_t(of)].buffer));
    return columns;
  };
  Value zero = stack.constant(0);
  load.columns = ifLaneIsLeftOut(
      condition, types,
      [&] {
        Value wanted = lanesWanted(condition, row, v);
        Value left = arith::ConstantOp::create(b, b.getZeroAttr(type));
        return each([&](Value buffer) -> Value {
          return vector::GatherOp::create(b, type, buffer, zero, offsets,
                                          wanted ? wanted : allLanes(), left);
        });
      },
      [&] {
        auto branch = scf::IfOp::create(b, types, tables->rows.fit, /*withElseRegion=*/true);
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(branch.thenBlock());
        ValueList rows;
        for (Value place : places)
          rows.push_back(tables->rows.load(stack, place));
        ValueList columns = vectorsOfRows(b, rows);
        columns.truncate(types.size());
        scf::YieldOp::create(b, columns);
        b.setInsertionPointToEnd(branch.elseBlock());
        scf::YieldOp::create(
            b, each([&](Value buffer) { return loadLanes(type, buffer, zero, places); }));
        return ValueList(branch.getResults());
      });
  tableLoads.push_back(load);
  return load.columns[number];
}

} // namespace graphc
