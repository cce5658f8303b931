//===- Transforms/BodyMemory.cpp - loads and stores of bodies -------------===//
#include "Lowering/AffineIndex.h"
#include "Lowering/ScalarTypes.h"
#include "Transforms/BodyEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

namespace {
/// Tags of what is remembered for an access, beside BodyEmitter.cpp's forms.
enum class Part : uint64_t { Factor = 16, Term = 17, Sum = 18, Steps = 19 };
LoopStack::Key key(const void *access, Part part, int number, int row) {
  return {access, uint64_t(part) << 32 | uint64_t(row) << 16 | uint64_t(number)};
}
} // namespace

/// The sum of a constant and terms of several levels, each partial sum at the outermost level that
/// it may stand at.
Value BodyEmitter::sumTerms(const MemoryAccess &access, int row, Size constant,
                            llvm::SmallVectorImpl<std::pair<int, Value>> &terms) {
  // By level; there are few.
  for (size_t i = 1; i < terms.size(); ++i)
    for (size_t k = i; k > 0 && terms[k].first < terms[k - 1].first; --k)
      std::swap(terms[k], terms[k - 1]);
  Value sum;
  if (terms.empty() || constantSize(constant) != 0)
    sum = stack.value(constant);
  for (auto [i, term] : llvm::enumerate(terms)) {
    Value before = sum, next = term.second;
    sum = before ? stack.at(term.first, key(access.identity, Part::Sum, int(i), row),
                            [&] { return arith::AddIOp::create(stack.builder(), before, next); })
                 : next;
  }
  return sum;
}

BodyEmitter::Address BodyEmitter::address(const MemoryAccess &access, int row, int v) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  const ArrayPlace &array = memory[size_t(access.array)];
  Address result;
  result.factor = b.getIndexAttr(0);
  Size constant = b.getIndexAttr(0);
  int64_t displacement = 0; // of iterations that are written out: part of the loads
  llvm::SmallVector<std::pair<int, Value>> terms;

  if (access.map) {
    // The factor of each loop in the address.
    llvm::SmallVector<Size, 8> factors(access.map.getNumDims(), b.getIndexAttr(0));
    for (auto [axis, expr] : llvm::enumerate(access.map.getResults())) {
      llvm::SmallVector<int64_t, 8> steps = affineFactors(expr, access.map.getNumDims());
      for (unsigned d = 0; d < access.map.getNumDims(); ++d)
        if (steps[d])
          factors[d] = topLevelSum(factors[d], array.strides[axis], steps[d],
                                   key(access.identity, Part::Factor, int(axis * 64 + d), 0));
      if (steps.back())
        constant = topLevelSum(constant, array.strides[axis], steps.back(),
                               key(access.identity, Part::Factor, int(axis * 64 + 63), 1));
    }
    for (unsigned d = 0; d < factors.size(); ++d) {
      if (constantSize(factors[d]) == 0)
        continue;
      const LoopVariable &loop = loops[d];
      if (loop.isVector)
        result.factor = factors[d];
      Value counter = loop.index[loop.rowSet ? size_t(row) : 0];
      auto number = mlir::getConstantIntValue(counter), step = constantSize(factors[d]);
      if (loop.rowSet == kMinorRows && number && step) {
        displacement += *number * *step;
        continue;
      }
      int termRow = rowOf(loop.rowSet, row);
      terms.push_back(
          {loop.level, stack.at(loop.level, key(access.identity, Part::Term, int(d), termRow),
                                [&] { return stack.value(stack.multiply(counter, factors[d])); })});
    }
  } else {
    int divisor = quotientOf(access);
    for (auto [axis, index] : llvm::enumerate(access.indices)) {
      Facts of = factsOf(index);
      Size stride = array.strides[axis];
      if (of.onVector && !of.linear && !divisor) {
        Value part = getVector(index, row, v);
        if (constantSize(stride) != 1)
          part = arith::MulIOp::create(
              b, part, vector::BroadcastOp::create(b, part.getType(), stack.value(stride)));
        result.offsets = result.offsets ? arith::AddIOp::create(b, result.offsets, part) : part;
        continue;
      }
      if (of.factor)
        result.factor = topLevelSum(result.factor, stride, of.factor,
                                    key(access.identity, Part::Factor, int(axis), 0));
      Value base = getBase(index, row);
      int termRow = rowOf(of.onRows, row);
      terms.push_back(
          {of.level, stack.at(of.level, key(access.identity, Part::Term, int(axis), termRow),
                              [&] { return stack.value(stack.multiply(base, stride)); })});
    }
  }
  if (array.origin)
    terms.push_back({array.originLevel, stack.value(array.origin)});
  result.base = sumTerms(access, row, constant, terms);
  if (displacement)
    result.base = stack.value(stack.add(result.base, b.getIndexAttr(displacement)));
  if (int divisor = v ? quotientOf(access) : 0)
    result.base = stack.value(stack.add(result.base, b.getIndexAttr(int64_t(v) * lanes / divisor)));
  if (v && constantSize(result.factor) != 0) {
    Size step = stack.multiply(result.factor, b.getIndexAttr(int64_t(v) * lanes));
    result.base = stack.value(stack.add(result.base, step));
  }
  return result;
}

/// sum + stride * factor, made at the function's top: strides are sizes.
Size BodyEmitter::topLevelSum(Size sum, Size stride, int64_t factor, LoopStack::Key key) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  if (constantSize(sum) && constantSize(stride))
    return stack.add(sum, stack.multiply(stride, b.getIndexAttr(factor)));
  if (factor == 1 && constantSize(sum) == 0)
    return stride;
  return stack.at(0, key, [&] {
    return stack.value(stack.add(sum, stack.multiply(stride, b.getIndexAttr(factor))));
  });
}

Value BodyEmitter::load(const MemoryAccess &access, const Facts &facts, int row, int v) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  mlir::Type element = kernel.arrays[size_t(access.array)].element;
  bool varies = facts.onVector && lanes > 1;
  auto toScalar = [&](Value loaded) { return fromMemory(b, loaded, element); };
  Value buffer = memory[size_t(access.array)].buffer;
  if (!varies) {
    if (!access.condition) {
      Value at = address(access, row, 0).base;
      return toScalar(memref::LoadOp::create(b, buffer, at));
    }
    Value at = address(access, row, v).base;
    auto branch = scf::IfOp::create(
        b, get(access.condition, row, v),
        [&](mlir::OpBuilder &builder, mlir::Location loc) {
          scf::YieldOp::create(builder, loc,
                               toScalar(memref::LoadOp::create(builder, loc, buffer, at)));
        },
        [&](mlir::OpBuilder &builder, mlir::Location loc) {
          scf::YieldOp::create(builder, loc, get(access.otherwise, row, v));
        });
    return branch.getResult(0);
  }

  Value otherwise, mask, branch;
  mlir::VectorType type = vectorOf(memoryType(element));
  if (int divisor = quotientOf(access)) {
    if (access.condition)
      otherwise = toMemory(b, getVector(access.otherwise, row, v));
    Value base = address(access, row, v).base;
    return toScalar(loadQuotients(access, type, base, row, v, divisor, otherwise));
  }
  bool isMasked = bool(access.condition);
  if (isMasked)
    otherwise = toMemory(b, getVector(access.otherwise, row, v));
  if (isMasked) {
    // What a condition says for the whole vector is a branch, and the address of a load that is
    // left out is not even looked at: on processors of AMD a masked load of a page that is not
    // there takes hundreds of cycles, and a gather of nothing as long as any other.
    branch = wholeCondition(access.condition, row, v);
    isMasked = factsOf(access.condition).onVector;
  }
  Value condition = isMasked ? getVector(access.condition, row, v) : Value();
  Address at = address(access, row, v);
  auto factor = constantSize(at.factor);
  Value offsets = at.offsets;
  bool isUniform = !offsets && factor == 0 && !isMasked; // varies by its register neighbours only
  bool isStrided = !offsets && factor && *factor >= 1 && *factor <= kMaxStride;
  const bool isByLanes =
      !isUniform && !isStrided && mayLoadLanes(condition ? access.condition : Value());
  if (!isByLanes && (isMasked || (!isUniform && !(isStrided && isWhole))))
    mask = lanesWanted(condition, row, v);
  if (!isUniform && !isStrided) {
    if (factor != 0) {
      Value steps = stack.at(0, key(access.identity, Part::Steps, lanes, 0), [&]() -> Value {
        Value numbers = laneNumbers(b.getIndexType());
        if (factor == 1)
          return numbers;
        return arith::MulIOp::create(
            b, numbers, vector::BroadcastOp::create(b, numbers.getType(), stack.value(at.factor)));
      });
      offsets = offsets ? arith::AddIOp::create(b, castToIndex(offsets), steps) : steps;
    }
    if (!offsets)
      offsets = arith::ConstantOp::create(b, b.getZeroAttr(vectorOf(b.getIndexType())));
    offsets = castToIndex(offsets);
  }
  auto load = [&]() -> Value {
    if (isUniform)
      return vector::BroadcastOp::create(b, type, memref::LoadOp::create(b, buffer, at.base));
    if (isStrided) {
      auto make = [&](Value lanesToLoad) -> Value {
        return loadVector(type, buffer, at.base, int(*factor), lanesToLoad,
                          isMasked ? otherwise : Value());
      };
      if (isWhole && !isMasked)
        return branchOnWhole(type, make).getResult(0);
      return make(mask);
    }
    Value left = isMasked ? otherwise : Value(arith::ConstantOp::create(b, b.getZeroAttr(type)));
    auto gather = [&](Value lanesToLoad) -> Value {
      return vector::GatherOp::create(b, type, buffer, at.base, offsets,
                                      lanesToLoad ? lanesToLoad : allLanes(), left);
    };
    if (!isByLanes)
      return gather(mask);
    // Offsets are all of the address.
    if (!branch && !access.map && factor == 0 && mlir::getConstantIntValue(at.base) == 0 &&
        tables && llvm::is_contained(tables->arrays, access.array)) {
      Value column = loadFromTables(access.array, type, offsets, condition, row, v);
      return isMasked && !mlir::matchPattern(otherwise, mlir::m_PosZeroFloat())
                 ? Value(arith::SelectOp::create(b, condition, column, otherwise))
                 : column;
    }
    ValueList lanesOffsets = lanesOf(offsets);
    return ifLaneIsLeftOut(
        condition, type, [&] { return ValueList{gather(lanesWanted(condition, row, v))}; },
        [&] { return ValueList{loadLanes(type, buffer, at.base, lanesOffsets)}; })[0];
  };
  if (!branch)
    return toScalar(load());
  auto op = scf::IfOp::create(b, type, branch, /*withElseRegion=*/true);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(op.thenBlock());
    scf::YieldOp::create(b, load());
    b.setInsertionPointToEnd(op.elseBlock());
    scf::YieldOp::create(b, otherwise);
  }
  return toScalar(op.getResult(0));
}

Value BodyEmitter::allLanes() {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  return arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(vectorOf(b.getI1Type()), true));
}

/// The lanes of a vector of the block for which the condition (null: none) holds; null for all.
Value BodyEmitter::lanesWanted(Value condition, int row, int v) {
  Value mask = maskOf(v, row);
  return condition && mask ? Value(arith::AndIOp::create(stack.builder(), condition, mask))
         : condition       ? condition
                           : mask;
}

/// What a condition of the body asks of all lanes alike: the conjunction of its parts that do not
/// vary along the vector; null where there is none.
Value BodyEmitter::wholeCondition(Value condition, int row, int v) {
  if (!factsOf(condition).onVector)
    return get(condition, row, v);
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return {};
  Value left = wholeCondition(both.getLhs(), row, v), right = wholeCondition(both.getRhs(), row, v);
  return left && right ? Value(arith::AndIOp::create(stack.builder(), left, right))
                       : (left ? left : right);
}

/// The mask of a vector of the block; null for whole vectors.
Value BodyEmitter::maskOf(int v, int row) {
  if (!lanesLeft)
    return masks.empty() ? Value() : masks[size_t(masksAreOfRows ? row : v)];
  return vector::CreateMaskOp::create(stack.builder(), vectorOf(stack.builder().getI1Type()),
                                      lanesLeft);
}

/// Makes a branch on `isWhole` with `make` in both arms, without a mask and with it. The masked arm
/// makes its mask itself: whole vectors should not wait for one.
scf::IfOp BodyEmitter::branchOnWhole(mlir::TypeRange results,
                                     llvm::function_ref<Value(Value mask)> make) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  auto branch = scf::IfOp::create(b, results, isWhole, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  for (bool whole : {true, false}) {
    mlir::Block *arm = whole ? branch.thenBlock() : branch.elseBlock();
    if (results.empty())
      b.setInsertionPoint(arm->getTerminator());
    else
      b.setInsertionPointToEnd(arm);
    Value made = make(whole ? Value() : maskOf(0));
    if (!results.empty())
      scf::YieldOp::create(b, made);
  }
  return branch;
}

/// The elements base, base + factor, …: those of the mask, if there is one, and else `otherwise`
/// (null: any value).
Value BodyEmitter::loadVector(mlir::VectorType type, Value buffer, Value base, int factor,
                              Value mask, Value otherwise) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  if (factor > 1)
    return loadStrided(type, buffer, base, factor, mask, otherwise);
  if (!mask)
    return vector::LoadOp::create(b, type, buffer, base);
  if (!otherwise)
    otherwise = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, buffer, base, mask, otherwise);
}

Value BodyEmitter::lanesOfMask(Value mask, int factor, int part, llvm::ArrayRef<int64_t> lanesOf) {
  auto [known, isNew] = lanesOfMasks.try_emplace({mask, {factor, part}});
  if (!isNew)
    return known->second;
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(mask);
  auto type = mlir::cast<mlir::VectorType>(mask.getType());
  Value none = arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, false));
  return known->second = vector::ShuffleOp::create(b, mask, none, lanesOf);
}

/// Every `factor`-th element: the vectors that cover them and no element behind the last one, and
/// shuffles. With a mask only the elements in question are touched.
Value BodyEmitter::loadStrided(mlir::VectorType type, Value buffer, Value base, int factor,
                               Value mask, Value otherwise) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  int last = (lanes - 1) * factor;
  Value result, zero;
  llvm::SmallVector<int64_t, 16> places; // of the lanes in `result`
  if (mask)
    zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int first = 0, part = 0; first <= last; first += lanes, ++part) {
    int start = std::min(first, last - lanes + 1);
    llvm::SmallVector<int64_t, 16> lanesOfElements(size_t(lanes), lanes), elementsOfLanes = places;
    for (int i = 0; i < lanes; ++i) {
      int element = i * factor;
      bool isHere = element >= first && element < first + lanes;
      if (!part)
        elementsOfLanes.push_back(isHere ? element : 0);
      else if (isHere)
        elementsOfLanes[size_t(i)] = lanes + element - start;
      if (isHere)
        lanesOfElements[size_t(element - start)] = i;
    }
    Value at = start ? Value(arith::AddIOp::create(b, base, stack.constant(start))) : base;
    Value loaded;
    if (mask) {
      loaded = vector::MaskedLoadOp::create(b, type, buffer, at,
                                            lanesOfMask(mask, factor, part, lanesOfElements), zero);
    } else {
      loaded = vector::LoadOp::create(b, type, buffer, at);
    }
    places = elementsOfLanes;
    if (part) {
      loaded = vector::ShuffleOp::create(b, result, loaded, elementsOfLanes);
      places = llvm::to_vector<16>(llvm::seq<int64_t>(0, lanes));
    }
    result = loaded;
  }
  return otherwise && mask ? arith::SelectOp::create(b, mask, result, otherwise) : result;
}

Value BodyEmitter::castToIndex(Value offsets) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  if (mlir::getElementTypeOrSelf(offsets.getType()).isIndex())
    return offsets;
  return arith::IndexCastOp::create(b, vectorOf(b.getIndexType()), offsets);
}

/// Of the nest's result, where its parallel loops say.
static MemoryAccess resultAccess(const KernelNest &nest) {
  MemoryAccess access;
  access.array = nest.result;
  access.identity = &nest;
  access.map = leadingLoops(unsigned(nest.numLoops()), unsigned(nest.numParallel),
                            nest.body()->getParentOp()->getContext());
  return access;
}

void BodyEmitter::joinStored(const KernelNest &nest, Value term) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  Value buffer = memory[size_t(nest.result)].buffer;
  Value at = address(resultAccess(nest), 0, 0).base;
  mlir::Type element = kernel.arrays[size_t(nest.result)].element;
  Value loaded = lanes > 1 ? loadVector(vectorOf(memoryType(element)), buffer, at, 1, maskOf(0), {})
                           : Value(memref::LoadOp::create(b, buffer, at));
  Value joined = join(nest, fromMemory(b, loaded, element), term)[0];
  if (auto sum = joined.getDefiningOp<arith::AddFOp>()) // one after the other
    sum.setFastmath(arith::FastMathFlags::none);
  store(nest, joined);
}

llvm::SmallVector<Value, 8> BodyEmitter::placesOfResult(const KernelNest &nest) {
  MemoryAccess access = resultAccess(nest);
  llvm::SmallVector<Value, 8> places;
  for (int v = 0; v < vectors; ++v)
    places.push_back(address(access, 0, v).base);
  return places;
}

Value BodyEmitter::placeOfResult(const KernelNest &nest) {
  return address(resultAccess(nest), 0, 0).base;
}

Value BodyEmitter::placeOfOperand(const KernelNest &nest, int operand) {
  return address(operandAccess(nest, operand), 0, 0).base;
}

llvm::SmallVector<Value, 8> BodyEmitter::placesOfOperand(const KernelNest &nest, int operand) {
  MemoryAccess access = operandAccess(nest, operand);
  llvm::SmallVector<Value, 8> places;
  for (int row = 0; row < rows; ++row)
    places.push_back(address(access, row, 0).base);
  return places;
}

void BodyEmitter::store(const KernelNest &nest, llvm::ArrayRef<Value> values) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  MemoryAccess access = resultAccess(nest);
  if (auto step = constantSize(address(access, 0, 0).factor); step && *step > 1 && lanes > 1)
    return storeInterleaved(access, values);
  Value buffer = memory[size_t(nest.result)].buffer;
  // Of a mask of the first lanes, their number; where pieces are stored instead of masked vectors.
  auto countOf = [&](Value mask) -> Value {
    auto made = mask ? mask.getDefiningOp<vector::CreateMaskOp>() : nullptr;
    return made && storesPieces ? made.getOperand(0) : Value();
  };
  // The pieces of all rows together: their branches are the same.
  if (lanes > 1 && rowExists.empty() && !masks.empty() && countOf(masks[0])) {
    for (int v = 0; v < vectors; ++v) {
      llvm::SmallVector<Value> places, stored;
      for (int row = 0; row < rows; ++row) {
        places.push_back(address(access, row, v).base);
        stored.push_back(toMemory(b, values[size_t(row) * size_t(vectors) + size_t(v)]));
      }
      storeFirstLanes(b, buffer, places, stored, countOf(masks[size_t(v)]));
    }
    return;
  }
  for (int row = 0; row < rows; ++row) {
    mlir::OpBuilder::InsertionGuard guard(b);
    if (!rowExists.empty() && rowExists[size_t(row)]) {
      for (int v = 0; v < vectors; ++v)
        address(access, row, v); // remembered values belong in front of the branch
      auto branch = scf::IfOp::create(b, rowExists[size_t(row)], /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    for (int v = 0; v < vectors; ++v) {
      Value value = toMemory(b, values[size_t(row) * size_t(vectors) + size_t(v)]);
      Value at = address(access, row, v).base;
      auto make = [&](Value mask) -> Value {
        if (Value count = countOf(mask))
          storeFirstLanes(b, buffer, at, value, count);
        else if (mask)
          vector::MaskedStoreOp::create(b, buffer, at, mask, value);
        else
          vector::StoreOp::create(b, value, buffer, at);
        return nullptr;
      };
      if (!mlir::isa<mlir::VectorType>(value.getType()))
        memref::StoreOp::create(b, value, buffer, at);
      else if (isWhole)
        branchOnWhole({}, make);
      else
        make(maskOf(v));
    }
  }
}

} // namespace graphc
