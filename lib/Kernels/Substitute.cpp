//===- Substitute.cpp - writing nests into the nests that load them -------===//
//
//   a[i] = exp(x[i]);  b[i, j] = a[i] + y[j]      (a is loaded once per i and j: computed)
//   t[i, j] = x[j, i]; b[i, j] = t[i, j] * 2      becomes  b[i, j] = x[j, i] * 2
//
// A producer's body is copied with its counters replaced by the load's indices. A load under a
// mask masks the loads of the copy that may be out of their arrays where the mask is false.
//
// What follows a product and is read under a mask stays with the product: its tile has the sums in
// registers, and what reads it only moves elements, line by line without masks
// (Transforms/Pads.cpp).
//
//   c = conv2d(x, w)                 c[i, j] = ...; y[i, j] = relu(c[i, j] + b)
//   y = relu(c + b)         becomes  p[i, j] = inside ? y[i - 1, j - 1] : 0
//   p = pad(y)
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstring>

#include "Emit/Scatter.h"
#include "Kernels/FusionState.h"

namespace graphc {
namespace {

/// What computing an element twice may cost (in additions): about what reading it costs.
constexpr double kCheap = 2;
/// What computing an operand of a contraction again and again may cost: a cast or a mask.
constexpr double kAlmostFree = 0.75;

uint64_t elementBits(const Tensor &scalar) {
  uint64_t bits = 0;
  std::memcpy(&bits, scalar.data(), size_t(byteSize(scalar.dtype())));
  return bits;
}

} // namespace

uint64_t Fusion::unitLoops(const Nest &nest) const {
  uint64_t loops = 0;
  for (size_t d = 0; d < nest.extents.size(); ++d)
    if (isUnit(nest.extents[d]))
      loops |= uint64_t(1) << d;
  return loops;
}

/// A contraction as the op recorded it.
bool Fusion::isProduct(const Nest &nest) const {
  auto rank = [&](int32_t array) {
    return int32_t(record_.emission.arrays[size_t(array)].shape.size());
  };
  return isContraction(nest, rank, unitLoops(nest));
}

/// Whether the nest widens bfloat16 for a product over one loop, as ops record it. Products of
/// pairs (Transforms/ProductPairs.cpp) read them in memory: what they are made of is not to be in
/// there.
bool Fusion::widensForProduct(const Nest &nest) const {
  if (!uses(Optimization::Pairs) || nest.combine != Combine::None)
    return false;
  const ScalarNode &cast = nest.body.back();
  if (cast.op != ScalarOp::Cast || nest.body[size_t(cast.args[0])].op != ScalarOp::Load ||
      nest.body[size_t(cast.args[0])].dtype != DType::BFloat16 || !isReadByProduct(nest.result))
    return false;
  const int32_t client = arrays_[size_t(nest.result)].client;
  const Nest &product = record_.emission.steps[size_t(client)].nest;
  return int32_t(product.extents.size()) - product.numParallel == 1;
}

/// Whether a map can be the epilogue of a contraction whose sums nothing else reads, and takes no
/// more memory than they.
bool Fusion::endsContraction(const FusedNest &map) const {
  const int32_t group = earliestGroup(map.nest, groupBehindSizes(map.nest));
  auto dtypeOf = [&](int32_t array) { return record_.emission.arrays[size_t(array)].dtype; };
  const bool takesSums = std::ranges::any_of(map.reads, [&](int32_t array) {
    const FusionArray &a = arrays_[size_t(array)];
    auto readsIt = [&](const FusedNest &waiting) {
      return std::ranges::find(waiting.reads, array) != waiting.reads.end();
    };
    return a.group == group && !a.wanted && a.clients == 0 &&
           (a.lastReader < 0 || a.lastReader == group) &&
           byteSize(dtypeOf(map.nest.result)) <= byteSize(dtypeOf(array)) &&
           std::ranges::count_if(waiting_, readsIt) == 1; // which is `map`
  });
  return takesSums && groups_[size_t(group)].contraction &&
         sharedLoops(groups_[size_t(group)], group, map) >= 0;
}

/// Whether a load takes the element of the loops' own number, in an array of just their extents.
bool Fusion::isOfLoops(const Nest &nest, const ScalarNode &load) const {
  const Numbers &shape = record_.emission.arrays[load.loadArray()].shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const ScalarNode &index = nest.body[nest.indices[load.loadFirstIndex() + axis]];
    if (!isUnit(shape[axis]) && (index.op != ScalarOp::Index || size_t(index.payload) != axis ||
                                 nest.extents[axis] != shape[axis]))
      return false;
  }
  return int32_t(shape.size()) == nest.numParallel;
}

/// Decides which of the waiting arrays that `nest` loads are written into it; the others get
/// memory.
void Fusion::chooseSubstitutions(const Nest &nest, int copies) {
  const Emission &e = record_.emission;
  // Loops that do not make anything be computed again.
  uint64_t units = unitLoops(nest);
  const std::optional<Scatter> scatter = scatterOf(nest);
  if (scatter)
    units |= uint64_t(1) << scatter->loop;
  struct Candidate {
    int32_t array;
    int loads = 0;
    bool eachOnce = true;
    bool hasBorder = false; // around it, or other arrays beside it
    uint64_t loops = 0;     // that its indices count along
  };
  std::vector<Candidate> candidates;
  ArraySet reads;
  int ops = 0;
  for (const ScalarNode &n : nest.body) {
    ops += n.op > ScalarOp::Load ? copies : 0;
    if (n.op != ScalarOp::Load)
      continue;
    int32_t array = resolve(n.loadArray());
    insert(reads, array);
    if (arrays_[array].waiting < 0)
      continue;
    auto it = std::find_if(candidates.begin(), candidates.end(),
                           [&](const Candidate &c) { return c.array == array; });
    if (it == candidates.end())
      it = candidates.insert(it, {array});
    ++it->loads;
    int32_t rank = int32_t(e.arrays[n.loadArray()].shape.size());
    it->eachOnce &= loadsEachOnce(nest, n, rank, units);
    it->hasBorder |= n.args[0] >= 0 && !isOfLoops(nest, n);
    it->loops |= loopsOfLoad(nest, n, rank);
  }
  if (candidates.empty())
    return;

  const bool contraction = isProduct(nest), isWidening = widensForProduct(nest);
  // The small ones first: what does not fit any more is the largest.
  auto opsOf = [&](const Candidate &c) { return waiting_[arrays_[c.array].waiting].ops; };
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate &a, const Candidate &b) {
    return std::pair(opsOf(a), a.array) < std::pair(opsOf(b), b.array);
  });
  for (const Candidate &c : candidates) {
    const FusedNest &producer = waiting_[arrays_[c.array].waiting];
    bool isOnce = c.eachOnce || (producer.cost > kCheap && producer.ops + ops <= kMaxOps / 2 &&
                                 isSharedByRows(nest, c.loops));
    bool again = !isOnce || c.loads > 1 || arrays_[c.array].clients > 1;
    double cost = producer.cost * c.loads;
    int added = producer.ops * c.loads * copies;
    bool worth = !again || cost <= (contraction && !c.eachOnce ? kAlmostFree : kCheap);
    worth &= !isWidening || producer.ops == 0;
    worth &= !c.hasBorder || !endsContraction(producer);
    worth |= contraction && c.loads == 1 && canReadUnpadded(nest, c.array, producer);
    if (!worth || ops + added > kMaxOps || readTooMany(producer.reads, reads)) {
      materialize(c.array);
      continue;
    }
    ops += added;
    for (int32_t read : producer.reads)
      insert(reads, read);
  }
}

/// The body of `producer` in the body that is being built, its counters replaced.
int32_t Fusion::substitute(const FusedNest &producer, absl::Span<const int32_t> indices,
                           int32_t mask, int32_t otherwise) {
  const Nest &nest = producer.nest;
  bool rootIsPlainLoad = nest.body[nest.root].op == ScalarOp::Load;
  std::vector<int32_t> loadIndices;
  auto index = [&](int32_t loop) { return indices[size_t(loop)]; };
  // Where the mask does not hold, what is loaded is not used.
  auto mayLoadAnywhere = [&](int32_t array) {
    Numbers shape = properShape(array);
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (!builder_.isWithin(loadIndices[axis], shape[axis]))
        return false;
    return true;
  };
  builder_.copy(nest.body, innerMap_, index, [&](const ScalarNode &n, int32_t id) {
    loadIndices.clear();
    for (int32_t axis = 0, rank = rankOf(n.loadArray()); axis < rank; ++axis)
      loadIndices.push_back(innerMap_[nest.indices[n.loadFirstIndex() + axis]]);
    int32_t innerMask = n.args[0], innerOtherwise = n.args[1];
    if (mask >= 0 && innerMask < 0 && !(rootIsPlainLoad && id == nest.root) &&
        mayLoadAnywhere(n.loadArray()))
      return builder_.load(n.dtype, n.loadArray(), loadIndices);
    if (mask >= 0 && innerMask < 0)
      // Where the load is the whole value, one mask does.
      innerOtherwise =
          rootIsPlainLoad && id == nest.root ? otherwise : builder_.constant(n.dtype, 0);
    return builder_.load(n.dtype, n.loadArray(), loadIndices, builder_.logicalAnd(mask, innerMask),
                         innerOtherwise);
  });
  int32_t root = innerMap_[nest.root];
  if (mask < 0 || (rootIsPlainLoad && nest.body[nest.root].args[0] < 0))
    return root;
  return builder_.select(nest.body[nest.root].dtype, mask, root, otherwise);
}

/// Of a load whose operands are those of the body that is being built.
int32_t Fusion::rewriteLoad(const Nest &nest, const ScalarNode &load) {
  const Emission &e = record_.emission;
  int32_t original = load.loadArray(), array = resolve(original);
  int32_t mask = load.args[0], otherwise = load.args[1];
  const Tensor &constant = e.arrays[array].constant;
  if (constant.defined() && constant.numElements() == 1) {
    int32_t value = builder_.constant(load.dtype, elementBits(constant));
    return mask < 0 ? value : builder_.select(load.dtype, mask, value, otherwise);
  }
  indices_.clear();
  for (size_t axis = 0; axis < e.arrays[original].shape.size(); ++axis)
    if (!(arrays_[original].unitAxes >> axis & 1))
      indices_.push_back(map_[nest.indices[load.loadFirstIndex() + axis]]);
  if (int32_t waiting = arrays_[array].waiting; waiting >= 0) {
    std::optional<int64_t> holds = mask >= 0 ? builder_.constantValue(mask) : 1;
    if (holds)
      return *holds ? substitute(waiting_[waiting], indices_, -1, -1) : otherwise;
    return substitute(waiting_[waiting], indices_, mask, otherwise);
  }
  return builder_.load(load.dtype, array, indices_, mask, otherwise);
}

/// A nest of the emission without unit loops and axes, waiting arrays substituted. What is reduced
/// over no elements keeps one loop, of none. The body stands there `copies` times (copiesOf).
FusedNest Fusion::rewrite(const Nest &nest, int copies, std::vector<FusedNest::Check> checks) {
  FusedNest result;
  Nest &out = result.nest;
  out.combine = nest.combine;
  out.accumulator = nest.accumulator;
  out.result = nest.result;
  loops_.assign(nest.extents.size(), -1);
  auto empty = std::find_if(nest.extents.begin() + nest.numParallel, nest.extents.end(),
                            [&](int32_t extent) { return isConstant(extent, 0); });
  for (size_t d = 0; d < nest.extents.size(); ++d) {
    bool isLeftOut = int32_t(d) >= nest.numParallel && empty != nest.extents.end() &&
                     empty != nest.extents.begin() + d;
    if (isUnit(nest.extents[d]) || isLeftOut || (copies > 1 && int32_t(d) >= nest.numParallel))
      continue;
    loops_[d] = int32_t(out.extents.size());
    out.extents.push_back(nest.extents[d]);
    out.numParallel += int32_t(d) < nest.numParallel;
  }
  // Nothing is reduced over: each term is written out.
  const bool isJoined =
      out.combine != Combine::None && int32_t(out.extents.size()) == out.numParallel;
  builder_.start(out.extents);
  std::vector<int64_t> point(nest.extents.size(), 0);
  auto index = [&](int32_t loop) {
    return loops_[loop] < 0 ? builder_.constant(DType::Int64, uint64_t(point[size_t(loop)]))
                            : builder_.index(loops_[loop]);
  };
  std::vector<int32_t> terms;
  for (int copy = 0; copy < copies; ++copy) {
    int64_t rest = copy;
    for (size_t d = nest.extents.size(); copies > 1 && d-- > size_t(nest.numParallel);) {
      int64_t extent = sizes_.nodes()[size_t(nest.extents[d])].value;
      point[d] = rest % extent;
      rest /= extent;
    }
    builder_.copy(nest.body, map_, index,
                  [&](const ScalarNode &n, int32_t) { return rewriteLoad(nest, n); });
    terms.push_back(map_[nest.root]);
  }
  out.root = isJoined ? joinTerms(nest, terms) : terms[0];
  if (isJoined)
    out.combine = Combine::None;
  std::vector<int32_t *> roots = {&out.root};
  for (FusedNest::Check &check : checks) {
    check.condition = map_[check.condition];
    roots.push_back(&check.condition);
  }
  result.checks = std::move(checks);
  builder_.finish(roots, out.body, out.indices);
  measure(result);
  return result;
}

void Fusion::visitLoops(int32_t number) {
  Emission &e = record_.emission;
  Step &step = e.steps[number];
  std::vector<FusedNest::Check> checks;
  for (; nextCheck_ < e.elementChecks.size() && e.elementChecks[nextCheck_].step <= number;
       ++nextCheck_)
    if (e.elementChecks[nextCheck_].step == number)
      checks.push_back({e.elementChecks[nextCheck_].condition, int32_t(nextCheck_)});
  int32_t array = step.nest.result;
  if (!arrays_[array].live && checks.empty())
    return;
  Nest nest = std::move(step.nest);
  const int copies = checks.empty() ? copiesOf(nest) : 1;
  const bool isInPlace = checks.empty() && placeParts(nest);
  chooseSubstitutions(nest, copies);
  FusedNest fused = rewrite(nest, copies, std::move(checks));
  // The last client has taken its copy.
  for (int32_t input : step.inputs) {
    FusionArray &a = arrays_[resolve(input)];
    if (a.lastClient == number)
      continue;
    a.lastClient = number;
    if (--a.clients > 0 || a.waiting < 0)
      continue;
    waiting_[a.waiting] = FusedNest();
    freeWaiting_.push_back(a.waiting);
    a.waiting = -1;
  }

  if (isInPlace)
    return placeJoin(std::move(fused));
  FusionArray &a = arrays_[array];
  bool waits = fused.nest.combine == Combine::None && fused.checks.empty() && !a.wanted &&
               !a.isHandedOn && (a.clients == 1 || fused.cost <= kCheap);
  if (!waits)
    return place(std::move(fused));
  if (freeWaiting_.empty()) {
    freeWaiting_.push_back(int32_t(waiting_.size()));
    waiting_.emplace_back();
  }
  a.waiting = freeWaiting_.back();
  freeWaiting_.pop_back();
  waiting_[a.waiting] = std::move(fused);
}

void Fusion::materialize(int32_t array) {
  FusionArray &a = arrays_[array];
  FusedNest nest = std::move(waiting_[a.waiting]);
  waiting_[a.waiting] = FusedNest();
  freeWaiting_.push_back(a.waiting);
  a.waiting = -1;
  place(std::move(nest));
}

} // namespace graphc
