//===- Emitter.cpp - recording loop nests ---------------------------------===//
#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "EmitterState.h"
#include "Support/BroadcastHint.h"
#include "Support/Text.h"

namespace graphc {

//===--- state ------------------------------------------------------------===//

void Emitter::State::fail(std::string_view message) {
  if (mistake.ok())
    mistake = makeError(ErrorKind::Internal, "emission: " + std::string(message));
}

void Emitter::State::refuse(std::string_view message) {
  if (mistake.ok())
    mistake = makeError(ErrorKind::NotSupported, std::string(message));
}

const ArrayInfo &Emitter::State::array(Array a) {
  static const ArrayInfo &none = *new ArrayInfo{DType::Float64, {}, {}, -1, {}};
  if (a.id >= 0 && size_t(a.id) < record.arrays.size())
    return record.arrays[size_t(a.id)];
  fail("an array is used that was never made");
  return none;
}

int32_t Emitter::State::own(Extent e, int64_t otherwise) {
  bool isOwn = e.emitter() && &e.emitter()->state() == this && e.id() >= 0 &&
               size_t(e.id()) < sizes.nodes().size();
  if (isOwn)
    return sizes.canonical(e.id());
  fail("an extent is used that was never made here");
  return sizes.constant(otherwise);
}

Numbers Emitter::State::own(const Extents &extents) {
  Numbers numbers;
  for (Extent e : extents)
    numbers.push_back(own(e));
  return numbers;
}

int32_t Emitter::State::own(Scalar s) {
  bool isOwn = s.emitter() && &s.emitter()->state() == this && s.id() >= 0 &&
               size_t(s.id()) < nest.body.size();
  if (isOwn)
    return s.id();
  fail("a scalar is used that was never made in this body");
  return scalar({ScalarOp::Constant, s.dtype(), {-1, -1, -1}, 0});
}

void Emitter::State::requireFits(int32_t bytes, const Numbers &shape) {
  absl::InlinedVector<int64_t, 8> known;
  for (int32_t extent : shape)
    if (std::optional<int64_t> value = sizes.constantValue(extent))
      known.push_back(*value);
  if (known.size() == shape.size() && shapeBytes(bytes, known).ok())
    return;
  int32_t &fits = fitting[shape];
  if (fits >= bytes)
    return;
  fits = bytes;
  record.sizeChecks.push_back({Predicate::Fits, bytes, -1, ErrorKind::ValueError, "", node, shape});
}

int32_t Emitter::State::newArray(DType dtype, Numbers shape, int32_t step) {
  record.arrays.push_back({dtype, std::move(shape), {}, step, {}});
  uint32_t mask = 0;
  const Numbers &extents = record.arrays.back().shape;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    if (sizes.constantValue(extents[axis]) == 1)
      mask |= uint32_t(1) << axis;
  broadcastAxes.push_back(mask);
  if (step >= 0)
    requireFits(int32_t(byteSize(dtype)), extents);
  else // it is there
    fitting.try_emplace(extents, byteSize(dtype));
  return int32_t(record.arrays.size()) - 1;
}

int32_t Emitter::State::scalar(const ScalarNode &node) {
  auto [it, isNew] = bodyNumbers.try_emplace(node, int32_t(nest.body.size()));
  if (isNew)
    nest.body.push_back(node);
  return it->second;
}

void Emitter::State::dropUnusedLoads() {
  if (!mistake.ok()) // numbers may be of nothing, and nobody gets the record
    return;
  std::vector<bool> isUsed(nest.body.size());
  isUsed[size_t(nest.root)] = true;
  for (const ElementCheck &check : checks)
    isUsed[size_t(check.condition)] = true;
  std::vector<bool> isLoaded(record.arrays.size());
  for (size_t id = nest.body.size(); id-- > 0;) {
    if (!isUsed[id])
      continue;
    const ScalarNode &n = nest.body[id];
    for (int32_t arg : n.args)
      if (arg >= 0)
        isUsed[size_t(arg)] = true;
    if (n.op != ScalarOp::Load)
      continue;
    auto array = size_t(n.loadArray());
    isLoaded[array] = true;
    for (size_t axis = 0; axis < record.arrays[array].shape.size(); ++axis)
      isUsed[size_t(nest.indices[n.loadFirstIndex() + axis])] = true;
  }
  std::erase_if(loads, [&](int32_t array) { return !isLoaded[size_t(array)]; });
}

std::optional<int64_t> Emitter::State::intConstant(int32_t id) const {
  const ScalarNode &n = nest.body[id];
  if (n.op != ScalarOp::Constant || n.dtype != DType::Int64)
    return std::nullopt;
  return int64_t(n.payload);
}

int32_t Emitter::State::foldIndex(ScalarOp op, int32_t a, int32_t b) {
  std::optional<int64_t> ca = intConstant(a), cb = intConstant(b);
  switch (op) {
  case ScalarOp::Add:
    if (ca && cb)
      return literalInt(foldSize(SizeOp::Add, *ca, *cb));
    if (ca == 0)
      return b;
    if (cb == 0)
      return a;
    break;
  case ScalarOp::Sub:
    if (ca && cb)
      return literalInt(foldSize(SizeOp::Sub, *ca, *cb));
    if (cb == 0)
      return a;
    break;
  case ScalarOp::Mul:
    if (ca && cb)
      return literalInt(foldSize(SizeOp::Mul, *ca, *cb));
    if (ca == 1 || cb == 0)
      return b;
    if (cb == 1 || ca == 0)
      return a;
    break;
  case ScalarOp::IntDiv:
    if (ca && cb)
      return literalInt(foldSize(SizeOp::FloorDiv, *ca, *cb));
    if (cb == 1)
      return a;
    break;
  case ScalarOp::Mod:
    if (ca && cb)
      return literalInt(foldSize(SizeOp::Mod, *ca, *cb));
    if (cb == 1)
      return literalInt(0);
    break;
  default:
    break;
  }
  return -1;
}

/// Of an array of a complex one's pairs.
static Type typeOfPairs(const Type &type) {
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  shape.push_back(2);
  return Type(realDType(type.dtype()), shape);
}

//===--- driving ----------------------------------------------------------===//

Emitter::Emitter() : state_(std::make_unique<State>()) {}
Emitter::~Emitter() = default;

Array Emitter::operand(const Type &type) {
  State &s = *state_;
  if (isComplex(type.dtype()))
    return s.newComplex({.pairs = operand(typeOfPairs(type)).id});
  int32_t id = int32_t(s.record.arrays.size());
  Numbers shape;
  for (int axis = 0; axis < type.rank(); ++axis)
    shape.push_back(type.extent(axis) == kDynamic ? s.sizes.dim(id, axis)
                                                  : s.sizes.constant(type.extent(axis)));
  return {s.newArray(type.dtype(), std::move(shape), -1)};
}

Array Emitter::constant(const Tensor &data) {
  if (isComplex(data.dtype()))
    return state_->newComplex({.pairs = constant(data.realView()).id});
  Array a = operand(Type(data.dtype(), data.shape()));
  State &s = *state_;
  ArrayInfo &info = s.record.arrays[a.id];
  info.constant = data;
  bool integral = isInteger(data.dtype()) || isBool(data.dtype());
  if (!integral || data.numElements() > kMaxKnownElements || data.dtype() == DType::UInt64)
    return a;
  Tensor wide = data.cast(DType::Int64);
  wide = wide.contiguous();
  for (int64_t value : wide.flat<int64_t>())
    info.elements.push_back(s.sizes.constant(value));
  return a;
}

void Emitter::beginNode(int32_t node, absl::Span<const Type> resultTypes) {
  state_->node = node;
  state_->resultTypes.assign(resultTypes.begin(), resultTypes.end());
}

void Emitter::endNode(const Arrays &results) { state_->endNode(*this, results); }

void Emitter::State::endNode(Emitter &e, const Arrays &results) {
  State &s = *this;
  if (results.size() != s.resultTypes.size())
    return s.fail("there are " + counted(results.size(), "result") + " where the type rule says " +
                  std::to_string(s.resultTypes.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    const Type &type = s.resultTypes[i];
    Array a = results[i];
    ComplexArray *c = s.complexOf(a);
    if (!c && (a.id < 0 || size_t(a.id) >= s.record.arrays.size()))
      return s.fail("a result was never made");
    if (e.dtype(a) != type.dtype() || e.rank(a) != type.rank())
      return s.fail("a result is " + std::string(dtypeName(e.dtype(a))) + " of rank " +
                    std::to_string(e.rank(a)) + " where the type rule says " + type.text());
    for (int32_t part : c ? std::array{c->re, c->im, c->pairs} : std::array{a.id, -1, -1})
      if (part >= 0)
        s.setBroadcasts({part}, type);
  }
}

void Emitter::State::setBroadcasts(Array a, const Type &type) {
  uint32_t mask = 0;
  for (int axis = 0; axis < type.rank(); ++axis)
    if (type.broadcastable(axis))
      mask |= uint32_t(1) << (axis + hiddenAxes(a));
  // An operand handed through keeps what its own type says.
  if (record.arrays[size_t(a.id)].step >= 0)
    broadcastAxes[size_t(a.id)] = mask;
}

Arrays Emitter::within(absl::Span<const Type> resultTypes, const std::function<Arrays()> &emit) {
  State &s = *state_;
  std::vector<Type> outer = std::move(s.resultTypes);
  s.resultTypes.assign(resultTypes.begin(), resultTypes.end());
  Arrays results = emit();
  endNode(results);
  s.resultTypes = std::move(outer);
  return results;
}

const Emission &Emitter::emission() const { return state_->record; }
const std::vector<SizeNode> &Emitter::sizes() const { return state_->sizes.nodes(); }

absl::Status Emitter::status() const { return state_->mistake; }

absl::StatusOr<Emission> Emitter::finish() {
  State &s = *state_;
  absl::Status mistake = s.mistake;
  Emission record = std::move(s.record);
  // Sizes that were found equal later stand under one number from here on.
  auto settle = [&](Numbers &list) {
    for (int32_t &id : list)
      id = s.sizes.canonical(id);
  };
  for (ArrayInfo &a : record.arrays) {
    settle(a.shape);
    settle(a.elements);
  }
  for (SizeCheck &check : record.sizeChecks)
    settle(check.shape);
  for (Step &step : record.steps) {
    settle(step.nest.extents);
    settle(step.sizes);
    for (ScalarNode &n : step.nest.body)
      if (n.op == ScalarOp::Size)
        n.payload = uint64_t(s.sizes.canonical(int32_t(n.payload)));
  }
  record.sizes = s.sizes.take();
  state_ = std::make_unique<State>();
  if (!mistake.ok())
    return mistake;
  return record;
}

//===--- arrays ---------------------------------------------------------------===//

Array Emitter::define(const Extents &shape, const Body &body) {
  return reduce(Combine::None, shape, {},
                [&](Indices i, Indices) { return body ? body(i) : Scalar(); });
}

Numbers Emitter::State::withHidden(uint32_t levels, const Numbers &extents) const {
  Numbers all;
  for (size_t level = 0; level < mapCounts.size(); ++level)
    if (levels >> level & 1)
      all.push_back(mapCounts[level]);
  all.insert(all.end(), extents.begin(), extents.end());
  return all;
}

uint32_t Emitter::State::build(Emitter &emitter, const Extents &parallel, const Extents &reduction,
                               uint32_t levels, const ReduceBody &body, Scalar &root) {
  building = true;
  nestLevels = levels;
  nest = Nest();
  bodyNumbers.clear();
  loads.clear();
  checks.clear();
  nest.extents = withHidden(levels, own(parallel));
  nest.numParallel = int32_t(nest.extents.size());
  for (int32_t extent : own(reduction))
    nest.extents.push_back(extent);
  std::vector<Scalar> counters;
  for (uint64_t loop = 0; loop < nest.extents.size(); ++loop)
    counters.emplace_back(&emitter, scalar({ScalarOp::Index, DType::Int64, {-1, -1, -1}, loop}),
                          DType::Int64);
  Indices seen = Indices(counters).subspan(size_t(std::popcount(levels)));
  root = body ? body(seen.first(parallel.size()), seen.subspan(parallel.size())) : Scalar();
  building = false;
  uint32_t loaded = 0;
  for (int32_t a : loads)
    loaded |= this->levels({a});
  return loaded;
}

Array Emitter::reduce(Combine combine, const Extents &parallel, const Extents &reduction,
                      const ReduceBody &body, const ReduceOptions &options) {
  State &s = *state_;
  if (s.building) {
    s.fail("an array was defined inside the body of another");
    // The outer nest goes on.
    return {s.newArray(options.result.value_or(DType::Float64), s.own(parallel), -1)};
  }
  Scalar root;
  uint32_t levels = 0; // loops for all levels at first, then for those of what is loaded
  for (uint32_t all = (uint32_t(1) << s.mapCounts.size()) - 1;; all = levels)
    if (levels = s.build(*this, parallel, reduction, all, body, root); levels == all)
      break;
  if (root.emitter() != this)
    s.fail("a body gave no scalar");
  s.nest.root = s.own(root);

  s.nest.combine = combine;
  DType result = root.dtype();
  if (options.result)
    result = *options.result;
  else if (isArg(combine))
    result = DType::Int64;
  DType accumulator = root.dtype();
  if (options.accumulator)
    accumulator = *options.accumulator;
  else if (hasAccumulator(combine)) // F-012
    accumulator = root.dtype() == DType::Float32                            ? DType::Float64
                  : isFloat(root.dtype()) && root.dtype() != DType::Float64 ? DType::Float32
                                                                            : root.dtype();
  s.nest.accumulator = accumulator;
  if (combine == Combine::None && result != root.dtype())
    s.fail("a body without reduction gives " + std::string(dtypeName(root.dtype())) +
           " where its array is " + std::string(dtypeName(result)));

  int32_t stepNumber = int32_t(s.record.steps.size());
  Numbers shape(s.nest.extents.begin(), s.nest.extents.begin() + s.nest.numParallel);
  int32_t array = s.newArray(result, std::move(shape), stepNumber);
  s.setLevels(array, levels);
  s.nest.result = array;
  s.dropUnusedLoads();
  for (ElementCheck &check : s.checks) {
    check.step = stepNumber;
    s.record.elementChecks.push_back(std::move(check));
  }
  if (!levels)
    s.record.arrays[array].elements = deriveElements(s.nest, result, s);
  Step step{Step::Kind::Loops,
            std::move(s.nest),
            Numbers(s.loads.begin(), s.loads.end()),
            {array},
            {},
            s.node};
  s.record.steps.push_back(std::move(step));
  return {array};
}

Extents Emitter::broadcastShape(const Arrays &in) {
  int resultRank = 0;
  for (Array a : in)
    resultRank = std::max(resultRank, rank(a));
  Extents shape;
  for (int axis = 0; axis < resultRank; ++axis) {
    Extent extent = size(1);
    bool known = false;
    for (Array a : in) {
      int own = axis - (resultRank - rank(a));
      if (own < 0 || broadcasts(a, own))
        continue;
      Extent other = dim(a, own);
      // What is one size already needs no message.
      if (known && other.id() != extent.id())
        requireEqual(extent, other,
                     "extents differ along axis " + std::to_string(axis) + ": {a} and {b}" +
                         std::string(kBroadcastHint));
      else if (!known)
        extent = other;
      known = true;
    }
    shape.push_back(extent);
  }
  return shape;
}

Array Emitter::map(const Arrays &in, const std::function<Scalar(const Scalars &)> &body) {
  Extents shape = broadcastShape(in);
  int resultRank = int(shape.size());
  return define(shape, [&](Indices i) {
    Scalars operands, indices;
    operands.reserve(in.size());
    for (Array a : in) {
      indices.clear();
      for (int own = 0; own < rank(a); ++own)
        indices.push_back(broadcasts(a, own) ? index(0) : i[own + resultRank - rank(a)]);
      operands.push_back(load(a, indices));
    }
    return body ? body(operands) : Scalar();
  });
}

Array Emitter::reduceAxes(Combine combine, Array x, absl::Span<const int> axes, bool keepDims,
                          const ReduceOptions &options) {
  std::vector<int> position(rank(x), -1); // in `axes`
  Extents reduction, parallel, kept;
  for (size_t k = 0; k < axes.size(); ++k) {
    if (axes[k] < 0 || axes[k] >= rank(x)) {
      state_->fail("there is no axis " + std::to_string(axes[k]) + " of " +
                   std::to_string(rank(x)));
      return x;
    }
    position[axes[k]] = int(k);
    reduction.push_back(dim(x, axes[k]));
  }
  for (int axis = 0; axis < rank(x); ++axis) {
    if (position[axis] < 0)
      parallel.push_back(dim(x, axis));
    if (position[axis] < 0 || keepDims)
      kept.push_back(position[axis] < 0 ? dim(x, axis) : size(1));
  }
  Array result = reduce(
      combine, parallel, reduction,
      [&](Indices i, Indices r) {
        std::vector<Scalar> indices;
        int next = 0;
        for (int axis = 0; axis < rank(x); ++axis)
          indices.push_back(position[axis] < 0 ? i[next++] : r[position[axis]]);
        return load(x, indices);
      },
      options);
  return keepDims ? view(result, kept) : result;
}

Array Emitter::view(Array a, const Extents &shape) {
  State &s = *state_;
  if (s.complexOf(a)) {
    auto [re, im] = parts(a);
    return complex(view(re, shape), view(im, shape));
  }
  uint32_t levels = s.levels(a);
  int32_t array =
      s.newArray(dtype(a), s.withHidden(levels, s.own(shape)), int32_t(s.record.steps.size()));
  s.setLevels(array, levels);
  if (!levels)
    s.record.arrays[array].elements = s.array(a).elements;
  s.record.steps.push_back({Step::Kind::View, {}, {a.id}, {array}, {}, s.node});
  return {array};
}

//===--- mapping -----------------------------------------------------------===//

Emitter::Mapped Emitter::mapped(Extent count, const Arrays &along,
                                const std::function<Arrays(const Arrays &)> &emit) {
  State &s = *state_;
  size_t level = s.mapCounts.size(); // below 32: what comes out has an axis of each
  Arrays slices;
  auto sliceOf = [&](Array a) {
    // Another name for it, since it may be used as a whole, too.
    Array slice = view(a, shape(a));
    s.setLevels(slice.id, s.levels(slice) | uint32_t(1) << level);
    return slice;
  };
  for (Array a : along) {
    if (rank(a) == 0)
      s.fail("an array of rank 0 has no axis to map over");
    auto [re, im] = parts(a);
    slices.push_back(s.complexOf(a) ? complex(sliceOf(re), sliceOf(im)) : sliceOf(a));
  }
  s.mapCounts.push_back(s.own(count));
  Mapped mapped{emit(slices), {}};
  // The parts of what is computed, which may be of different levels.
  std::vector<std::pair<Array, Array>> made;
  for (Array a : mapped.results)
    made.push_back(parts(a));
  s.mapCounts.pop_back();
  auto isMapped = [&](Array a) { return s.levels(a) >> level & 1; };
  auto leave = [&](Array a) {
    if (s.levels(a))
      s.levelsOf[size_t(a.id)] &= ~(uint32_t(1) << level);
  };
  for (size_t i = 0; i < made.size(); ++i) {
    auto [re, im] = made[i];
    bool isComplexOne = s.complexOf(mapped.results[i]);
    bool reMapped = isMapped(re), imMapped = isComplexOne && isMapped(im);
    mapped.isMapped.push_back(reMapped || imMapped);
    leave(re);
    if (!isComplexOne)
      continue;
    leave(im);
    auto repeated = [&](Array once) {
      Extents extents = shape(once);
      extents.insert(extents.begin(), count);
      return define(extents, [&](Indices at) { return load(once, at.subspan(1)); });
    };
    if (reMapped != imMapped)
      (reMapped ? im : re) = repeated(reMapped ? im : re);
    mapped.results[i] = complex(re, im);
  }
  return mapped;
}

} // namespace graphc
