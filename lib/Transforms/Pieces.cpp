//===- Transforms/Pieces.cpp - where a long body is cut -------------------===//
//
// The computed values of the bodies, in order, are steps; a cut stands between two of them. What is
// alive there must be written to memory and read again, so cuts stand where little is. Loads, index
// arithmetic and conditions are not steps: they are made again, from what they are made of.
//
//===----------------------------------------------------------------------===//
#include "Transforms/Pieces.h"

#include "Lowering/ScalarCall.h"

namespace graphc {
namespace {

using mlir::Value;

/// Instructions of a piece: some six iterations of it are in a processor's window.
constexpr int kPiece = 14;
/// Most values that are alive at a cut.
constexpr int kMostAlive = 3;
/// A body whose instructions depend on each other less than this keeps a processor busy as it is.
constexpr int kParallel = 4;
/// Instructions in a row that a function (exp, tanh) is, of the twenty that it counts as.
constexpr int kCallLatency = 10;

/// A value that is computed, or the end of a nest, where its result is stored.
struct StepOfBody {
  int nest;
  Value value;                         ///< null: the end
  llvm::SmallVector<Value, 4> sources; ///< computed values that it uses
  int instructions = 0;
};

class Cutter {
public:
  Cutter(const KernelModel &kernel, llvm::ArrayRef<int> nests,
         const llvm::DenseSet<Value> &computed, llvm::function_ref<bool(int array)> isInMemory)
      : kernel_(kernel), nests_(nests), computed_(computed), isInMemory_(isInMemory) {}

  std::vector<Piece> run() {
    for (int nest : nests_)
      visit(nest);
    if (total_ < 2 * kPiece || total_ >= kParallel * longest_)
      return {};
    findAlive();
    return assemble(chooseCuts());
  }

private:
  using Sources = llvm::SmallVector<Value, 4>;

  /// The computed values that `value` is made of; itself if it is computed.
  const Sources &sourcesOf(Value value) {
    static const Sources none;
    auto known = sources_.find(value);
    return known == sources_.end() ? none : known->second;
  }

  void visit(int number) {
    const KernelNest &nest = kernel_.nests[size_t(number)];
    for (int i = 0; i < int(nest.inputs.size()); ++i)
      if (auto result = results_.find(nest.inputs[size_t(i)]); result != results_.end())
        sources_[nest.body()->getArgument(unsigned(i))] = result->second;
    for (mlir::Operation &op : nest.body()->without_terminator()) {
      Sources sources;
      auto include = [&](Value operand) {
        for (Value source : sourcesOf(operand))
          if (!llvm::is_contained(sources, source))
            sources.push_back(source);
      };
      op.walk([&](mlir::Operation *inner) { // a masked load has regions
        llvm::for_each(inner->getOperands(), include);
      });
      if (op.getNumResults() != 1)
        continue;
      Value result = op.getResult(0);
      if (!computed_.contains(result)) {
        sources_[result] = std::move(sources);
        continue;
      }
      int instructions = instructionsOf(op), before = 0;
      for (Value source : sources) {
        before = std::max(before, latency_[source]);
        lastUse_[source] = int(steps_.size());
      }
      latency_[result] = before + std::min(instructions, kCallLatency);
      longest_ = std::max(longest_, latency_[result]);
      total_ += instructions;
      sources_[result] = {result};
      steps_.push_back({number, result, std::move(sources), instructions});
    }
    for (Value source : sourcesOf(nest.terms[0]))
      lastUse_[source] = int(steps_.size());
    steps_.push_back({number, Value(), sourcesOf(nest.terms[0])});
    if (!isInMemory_(nest.result)) {
      // Only the term itself can be handed on under the name of the result.
      if (computed_.contains(nest.terms[0]))
        results_[nest.result] = {nest.terms[0]};
      else
        mayCut_ = false;
    }
  }

  void findAlive() {
    alive_.assign(steps_.size() + 1, 0);
    for (int s = 0; s < int(steps_.size()); ++s)
      if (Value value = steps_[size_t(s)].value)
        for (int p = s + 1; p <= lastUse_[value]; ++p)
          ++alive_[size_t(p)];
  }

  /// Positions, in order, in front of which the steps are cut.
  llvm::SmallVector<int> chooseCuts() const {
    llvm::SmallVector<int> cuts;
    int numSteps = int(steps_.size()), from = 0, left = total_;
    while (mayCut_ && left >= kPiece + kPiece / 2) {
      int size = 0, best = -1;
      for (int p = from + 1; p < numSteps; ++p) {
        size += steps_[size_t(p - 1)].instructions;
        if (left - size < kPiece / 2 || (best >= 0 && size > kPiece + kPiece / 2))
          break;
        if (size < kPiece / 2 || alive_[size_t(p)] > kMostAlive || !steps_[size_t(p)].value)
          continue;
        auto distance = [&](int at) { return std::abs(instructionsBetween(from, at) - kPiece); };
        if (best < 0 || alive_[size_t(p)] < alive_[size_t(best)] ||
            (alive_[size_t(p)] == alive_[size_t(best)] && distance(p) < distance(best)))
          best = p;
      }
      if (best < 0)
        break;
      cuts.push_back(best);
      left -= instructionsBetween(from, best);
      from = best;
    }
    return cuts;
  }
  int instructionsBetween(int from, int to) const {
    int sum = 0;
    for (int s = from; s < to; ++s)
      sum += steps_[size_t(s)].instructions;
    return sum;
  }

  std::vector<Piece> assemble(llvm::ArrayRef<int> cuts) {
    if (cuts.empty())
      return {};
    std::vector<Piece> pieces;
    for (size_t i = 0; i <= cuts.size(); ++i) {
      int from = i ? cuts[i - 1] : 0, to = i < cuts.size() ? cuts[i] : int(steps_.size());
      Piece &piece = pieces.emplace_back();
      for (int s = 0; s < from; ++s)
        if (Value value = steps_[size_t(s)].value; value && isUsed(value, from, to))
          piece.reads.push_back(value);
      for (int s = from; s < to; ++s) {
        const StepOfBody &step = steps_[size_t(s)];
        if (piece.parts.empty() || piece.parts.back().nest != step.nest)
          piece.parts.push_back({step.nest, {}});
        if (!step.value)
          piece.parts.back().ends = true;
        else if (lastUse_[step.value] >= to)
          piece.parts.back().targets.push_back(step.value);
      }
    }
    return pieces;
  }
  /// Whether a step of [from, to) uses the value.
  bool isUsed(Value value, int from, int to) {
    return lastUse_[value] >= from &&
           llvm::any_of(
               llvm::ArrayRef(steps_).slice(size_t(from), size_t(to - from)),
               [&](const StepOfBody &step) { return llvm::is_contained(step.sources, value); });
  }

  const KernelModel &kernel_;
  llvm::ArrayRef<int> nests_;
  const llvm::DenseSet<Value> &computed_;
  llvm::function_ref<bool(int array)> isInMemory_;
  std::vector<StepOfBody> steps_;
  llvm::DenseMap<Value, Sources> sources_;
  llvm::DenseMap<Value, int> lastUse_, latency_;
  llvm::DenseMap<int, Sources> results_; ///< of nests, by array
  std::vector<int> alive_;               ///< by position of a cut
  int total_ = 0, longest_ = 0;
  bool mayCut_ = true;
};

} // namespace

int instructionsOf(mlir::Operation &op) {
  constexpr int kFunction = 20, kNarrowing = 8; // of which bfloat16 needs seven, float16 one
  auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
  if (!call)
    return 1;
  std::optional<ScalarCall> known = parseScalarCall(call.getCallee());
  const bool isNarrowing = known && known->op == ScalarOp::Cast &&
                           known->operand == DType::Float32 &&
                           (known->result == DType::BFloat16 || known->result == DType::Float16);
  return isNarrowing ? kNarrowing : kFunction;
}

std::vector<Piece> cutBodies(const KernelModel &kernel, llvm::ArrayRef<int> nests,
                             const llvm::DenseSet<Value> &computed,
                             llvm::function_ref<bool(int array)> isInMemory) {
  return Cutter(kernel, nests, computed, isInMemory).run();
}

} // namespace graphc
