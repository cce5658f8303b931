//===- EmitterState.h - what an Emitter holds ---------------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <vector>

#include "SizeTable.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Emit.h"

namespace graphc {

struct ScalarNodeHash {
  size_t operator()(const ScalarNode &n) const {
    uint64_t h = uint64_t(n.op) * 31 + uint64_t(n.dtype);
    for (uint64_t part : {uint64_t(uint32_t(n.args[0])), uint64_t(uint32_t(n.args[1])),
                          uint64_t(uint32_t(n.args[2])), n.payload})
      h = (h ^ part) * 0x9e3779b97f4a7c15 + (h >> 29);
    return h ^ (h >> 32);
  }
};

struct Emitter::State {
  Emission record;
  SizeTable sizes;
  /// Axes of an array that broadcast: statically 1 by its type (F-019). Bit per axis.
  std::vector<uint32_t> broadcastAxes;
  int32_t node = -1;
  /// Whether what is recorded is for a processor with mask registers (AVX-512): of two ways of
  /// computing the same, one may be faster there. No where nobody knows.
  bool hasMaskRegisters = false;
  /// Whether sums leave out the border that a map puts around what they read (Support/LineTiles.h).
  bool leavesBordersOut = false;
  /// Whether extents that are required to be equal become one.
  bool unifies = true;
  /// Shapes of which an array is known to fit into memory, with the bytes of its elements.
  absl::flat_hash_map<Numbers, int32_t> fitting;
  std::vector<Type> resultTypes;
  /// Within `mapped`, which may be within another one: the size of the axis of each level, the
  /// outermost first. Arrays have those axes first, in this order; emissions do not see them.
  std::vector<int32_t> mapCounts;
  /// By array: the levels whose axes it has, as bits.
  std::vector<uint32_t> levelsOf;
  /// The levels that the nest that is being built has loops for.
  uint32_t nestLevels = 0;
  /// The first mistake in an op's emission.
  absl::Status mistake;

  /// A complex array: two real ones, or one of pairs, or both; each is made when it is asked for
  /// first.
  struct ComplexArray {
    int32_t re = -1, im = -1;
    int32_t pairs = -1;
  };
  std::vector<ComplexArray> complexArrays;
  /// Arrays below -1 are complex.
  ComplexArray *complexOf(Array a) {
    return a.id < -1 && size_t(-2 - a.id) < complexArrays.size() ? &complexArrays[size_t(-2 - a.id)]
                                                                 : nullptr;
  }
  Array newComplex(const ComplexArray &parts) {
    complexArrays.push_back(parts);
    return {-1 - int32_t(complexArrays.size())};
  }
  /// A real array whose leading axes are those of `a`: the real part, or the pairs.
  Array realOf(Array a) {
    const ComplexArray *c = complexOf(a);
    return c ? Array{c->re >= 0 ? c->re : c->pairs} : a;
  }

  //===--- the nest that is being built --------------------------------------===//
  bool building = false;
  Nest nest;
  absl::flat_hash_map<ScalarNode, int32_t, ScalarNodeHash> bodyNumbers;
  std::vector<int32_t> loads; // arrays, each once, in order of first use
  std::vector<ElementCheck> checks;

  /// Internal: the emission of an op is wrong. The first mistake counts.
  void fail(std::string_view message);
  /// NotSupported: the user's graph asks for it.
  void refuse(std::string_view message);
  /// What is known of an array; of one that was never made, that it is a number, and a mistake.
  const ArrayInfo &array(Array a);
  /// The number of a size of this Emitter's, or that of `otherwise` and a mistake.
  int32_t own(Extent e, int64_t otherwise = 0);
  /// Their numbers.
  Numbers own(const Extents &extents);
  /// The number of a scalar of the nest that is being built, or that of a 0 of its dtype and a
  /// mistake.
  int32_t own(Scalar s);
  int32_t newArray(DType dtype, Numbers shape, int32_t step);
  uint32_t levels(Array a) {
    a = realOf(a);
    return a.id >= 0 && size_t(a.id) < levelsOf.size() ? levelsOf[size_t(a.id)] : 0;
  }
  void setLevels(int32_t array, uint32_t levels) {
    if (!levels)
      return;
    levelsOf.resize(std::max(levelsOf.size(), size_t(array) + 1));
    levelsOf[size_t(array)] = levels;
  }
  /// Leading axes that emissions do not see now.
  int hiddenAxes(Array a) { return std::popcount(levels(a)); }
  /// The hidden axes' sizes before these.
  Numbers withHidden(uint32_t levels, const Numbers &extents) const;
  /// Builds a nest, its extents and its body, with loops for these levels. Gives the levels of what
  /// it loads.
  uint32_t build(Emitter &emitter, const Extents &parallel, const Extents &reduction,
                 uint32_t levels, const Emitter::ReduceBody &body, Scalar &root);
  void endNode(Emitter &e, const Arrays &results);
  /// Which axes of what a node has computed broadcast.
  void setBroadcasts(Array a, const Type &type);
  /// Records the requirement that an array of elements of so many bytes fits into memory, unless it
  /// is known to.
  void requireFits(int32_t bytes, const Numbers &shape);
  /// Adds a node to the body, or finds the equal one that is there.
  int32_t scalar(const ScalarNode &node);
  int32_t literalInt(int64_t value) {
    return scalar({ScalarOp::Constant, DType::Int64, {-1, -1, -1}, uint64_t(value)});
  }
  /// Leaves in `loads` what the nest's result and checks depend on.
  void dropUnusedLoads();
  /// Int64 constant of the body, if `id` is one.
  std::optional<int64_t> intConstant(int32_t id) const;
  /// `op` on Int64 with neutral elements and constants folded, so that index expressions are as
  /// short as they can be; -1 if there is nothing to fold.
  int32_t foldIndex(ScalarOp op, int32_t a, int32_t b);
};

/// The elements of a small integer array made by `nest`, as sizes, where each can be derived from
/// extents, constants and known elements of other arrays; empty otherwise.
Numbers deriveElements(const Nest &nest, DType dtype, Emitter::State &state);

} // namespace graphc
