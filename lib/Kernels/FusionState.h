//===- FusionState.h - what fusion knows of arrays and groups -----*- C++ -*-===//
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "Emit/SizeTable.h"
#include "Kernels/Body.h"
#include "Kernels/Callee.h"
#include "Kernels/Fuse.h"
#include "Kernels/NestLoops.h"
#include "absl/container/inlined_vector.h"

namespace graphc {

/// Scalar operations in one kernel; the time of LLVM grows with them.
constexpr int kMaxOps = 50;
/// Nests in one kernel.
constexpr int kMaxNests = 16;
/// A nest that reads kBroad arrays is not put where more than kMaxReads would be read: its result
/// costs little beside what it reads, processors prefetch some 16 streams, and the pieces of
/// a sum of a thousand terms are equal kernels, of which one is compiled.
constexpr size_t kBroad = 8, kMaxReads = 16;

/// Distinct arrays; few.
using ArraySet = absl::InlinedVector<int32_t, 4>;
void insert(ArraySet &set, int32_t array);
/// Whether a nest that reads `broad` is too much beside `others`.
bool readTooMany(const ArraySet &broad, const ArraySet &others);

/// A nest with arrays of the emission. Loops and axes with constant extent 1 are gone.
struct FusedNest {
  struct Check {
    int32_t condition; // node of the body
    int32_t failure;   // number of the ElementCheck
  };
  Nest nest;
  std::vector<Check> checks;
  int ops = 0;
  double cost = 0; // of one iteration; see costOfIteration
  ArraySet reads;
};

struct FusionGroup {
  std::vector<FusedNest> nests;
  /// Step of a host call or of a callee; -1 for kernels.
  int32_t otherStep = -1;
  int32_t numShared = 0;
  int ops = 0;
  ArraySet reads;
  bool contraction = false;
  /// One nest, which joins arrays that are parts of its result: it has no code.
  bool isInPlace = false;
  /// Nothing is left that reads its results: a loop over them turned out to have no steps. It has
  /// no code.
  bool isUnread = false;
};

struct FusionArray {
  /// Axes whose extent is the constant 1, a bit each.
  uint32_t unitAxes = 0;
  /// The array with the same axes but for unit ones that this is a view of, or that is computed in
  /// the same way and has memory; itself if none.
  int32_t alias = -1;
  /// The array whose memory this is (views); itself if none.
  int32_t base = -1;
  int32_t clients = 0;     // steps that load it
  int32_t lastClient = -1; // the one counted last
  int32_t client = -1;     // one of them: the only one where there is one
  int32_t group = -1;      // that computes it
  int32_t lastReader = -1; // group
  int32_t waiting = -1;    // number of its nest, while it waits to be substituted
  bool live = false;
  /// It must get memory.
  bool wanted = false;
  /// It is computed once: never written into what reads it (SeparateWindows.cpp).
  bool isHandedOn = false;
  /// The array whose part it is; -1: none (PartsInPlace.cpp).
  int32_t whole = -1;
  /// How many arrays its parts are within each other.
  int32_t nested = 0;
};

/// Sets `ops`, `cost` and `reads`.
void measure(FusedNest &nest);

/// The state of one fusion.
class Fusion {
public:
  explicit Fusion(GraphRecord record);
  absl::StatusOr<KernelGraph> run();
  /// As fuseCallee.
  absl::StatusOr<std::shared_ptr<const Callee>> runCallee(const std::string &name);

private:
  friend class ProgramBuilder;
  absl::Status makeGroups();
  bool uses(Optimization one) const {
    return record_.options.optimizations.has(Optimization::Fusion) &&
           record_.options.optimizations.has(one);
  }

  /// By step: whether an element check stands in it.
  std::vector<bool> stepsWithChecks() const;
  /// Puts steps in front of others: `earlier[s]` are those that step s is to come behind. What they
  /// compute are new arrays, which are handed on.
  void insertSteps(std::vector<std::vector<Step>> earlier);

  // TurnProducts.cpp: products along another loop
  bool isComputed(int32_t array) const;
  void turnProducts();
  struct Turn;
  std::optional<Turn> turnOf(const Nest &nest) const;
  std::optional<Turn> turnOfMap(int32_t array, int32_t axis) const;
  int32_t addArray(DType dtype, Numbers shape);
  Nest permutation(int32_t from, const Numbers &extents, const std::vector<int32_t> &order,
                   int32_t result);
  int32_t addTurned(const Step &step, const Turn &turn, std::vector<Step> &steps);
  std::vector<Step> turn(Step &step, const Turn &turn);

  // SeparateWindows.cpp: windows, axis by axis
  void separateWindows();
  int32_t separableLoop(const Nest &nest) const;
  Nest separate(Nest &nest, int32_t along);

  // Survey.cpp: what is used, and how often
  void findViews();
  void findUses();
  /// Whether anybody needs what the step computes, or it does more.
  bool isLive(const Step &step) const;
  void wantSize(int32_t size);

  // Unroll.cpp: reductions over few elements
  /// How often the nest's body is written out, so that no loop is left to reduce over; 1 where the
  /// loops stay.
  int copiesOf(const Nest &nest) const;
  /// `terms` joined as the nest's combine says, in the dtype of its result.
  int32_t joinTerms(const Nest &nest, absl::Span<const int32_t> terms);

  // ShortAxis.cpp: values that a short axis shares
  std::vector<uint64_t> loopsOfLoads(const Nest &nest) const;
  /// Whether what the map `nest` loads along `loops` alone is computed once for all other loops,
  /// though it is written into the sum that reads the map.
  bool isSharedByRows(const Nest &nest, uint64_t loops) const;

  // Substitute.cpp: level 1
  /// Those with extent 1, a bit each.
  uint64_t unitLoops(const Nest &nest) const;
  bool isProduct(const Nest &nest) const;
  bool widensForProduct(const Nest &nest) const;
  bool endsContraction(const FusedNest &map) const;
  bool canReadUnpadded(const Nest &sum, int32_t padded, const FusedNest &pad) const;
  bool isOfLoops(const Nest &nest, const ScalarNode &load) const;
  void visitLoops(int32_t step);
  void chooseSubstitutions(const Nest &nest, int copies);
  FusedNest rewrite(const Nest &nest, int copies, std::vector<FusedNest::Check> checks);
  int32_t rewriteLoad(const Nest &nest, const ScalarNode &load);
  int32_t substitute(const FusedNest &producer, absl::Span<const int32_t> indices, int32_t mask,
                     int32_t otherwise);
  void materialize(int32_t array);

  // PartsInPlace.cpp: concatenations
  struct Join {
    int32_t array;
    int32_t begin; // size number: elements of the result before it
  };
  std::optional<std::vector<Join>> joinedArrays(const Nest &nest);
  bool gatherParts(std::vector<Join> &joined) const;
  bool isKnownFirst(int32_t size) const;
  bool mayBePart(int32_t array) const;
  bool endsKernel(const Nest &nest) const;
  bool isReadByProduct(int32_t array) const;
  bool placeParts(const Nest &nest);
  void placeJoin(FusedNest fused);

  // Group.cpp: level 2
  void place(FusedNest nest);
  int32_t groupBehindSizes(const Nest &nest) const;
  int32_t earliestGroup(const Nest &nest, int32_t behindSizes) const;
  bool isPlacedAlready(const FusedNest &nest, uint64_t hash);
  int32_t loopsAroundSquares(const Nest &nest) const;
  int32_t sharedLoops(const FusionGroup &group, int32_t number, const FusedNest &nest) const;
  bool isEpilogue(const FusionGroup &group, int32_t number, const Nest &map) const;
  /// Whether a sum over windows takes the group's only nest, which makes its pictures, one picture
  /// at a time.
  bool joinsPictures(const FusionGroup &group, const FusedNest &fused) const;
  void mergeLocals(FusionGroup &group);
  /// How many of the leading indices of a load are the nest's first loops, in order; `most` at
  /// most.
  int32_t sameIndices(const Nest &nest, const ScalarNode &load, int32_t most) const;

  // SmallFirst.cpp: what has few steps runs early
  std::vector<int32_t> smallOnesBehind(int32_t group, std::vector<int32_t> makers) const;
  void putInFront(int32_t group, absl::Span<const int32_t> moved);

  // SmallProducts.cpp: matrices times vectors of one kernel
  std::vector<int32_t> smallProductKey(const Nest &nest) const;

  // JoinProducts.cpp: products with rows between them
  void joinProducts();
  bool isMatrixProduct(const Nest &nest, int32_t rows) const;
  bool shareLoops(absl::Span<const int32_t> groups, int32_t shared) const;

  // Scatters.cpp
  bool isSameValue(const Nest &nest, int32_t value, const Nest &other, int32_t same,
                   std::vector<int32_t> &found) const;
  /// Whether the nest adds to the same places as the group's scatters, and reads nothing of them.
  bool joinsScatters(const FusionGroup &group, int32_t number, const FusedNest &fused) const;

  // Schedule.cpp
  std::vector<int32_t> schedule() const;

  int32_t resolve(int32_t array) const {
    while (arrays_[array].alias != array)
      array = arrays_[array].alias;
    return array;
  }
  /// Without unit axes.
  int32_t rankOf(int32_t array) const;
  Numbers properShape(int32_t array) const;
  bool isConstant(int32_t size, int64_t value) const {
    const SizeNode &n = sizes_.nodes()[size];
    return n.op == SizeOp::Constant && n.value == value;
  }
  bool isUnit(int32_t size) const { return isConstant(size, 1); }

  GraphRecord record_;
  SizeTable sizes_;
  BodyBuilder builder_;
  std::vector<FusionArray> arrays_;
  std::vector<FusionGroup> groups_;
  std::vector<FusedNest> waiting_;
  std::vector<int32_t> freeWaiting_;
  std::vector<bool> sizeWanted_;
  /// By array: read by another group, a view, a host call, the host or as an output.
  std::vector<bool> usedOutside_;
  size_t nextCheck_ = 0;
  /// Arrays with memory, by the hash of the nest that computes them.
  std::unordered_multimap<uint64_t, int32_t> placed_;
  /// By array: its parts in order, and the size numbers of where they begin, in elements.
  std::unordered_map<int32_t, std::vector<std::pair<int32_t, int32_t>>> parts_;
  bool isCallee_ = false;
  /// The last group that has a product with this smallProductKey.
  std::map<std::vector<int32_t>, int32_t> smallProducts_;
  // Reused between steps.
  std::vector<int32_t> map_, innerMap_, indices_, loops_;
};

} // namespace graphc
