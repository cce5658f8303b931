//===- RowsOfEnd.cpp --------------------------------------------------------===//
#include "RowsOfEnd.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "Build.h"
#include "graphc/Ops.h"

namespace graphc {

std::optional<IndexSpec> indexFromEnd(const Apply &node) {
  absl::StatusOr<IndexSpec> index =
      parseIndex(std::get<std::string>(*node.op().attributes().find("index")));
  if (!index.ok() || index->empty())
    return std::nullopt;
  IndexEntry &entry = index->front();
  const int64_t length = node.input(0).type().extent(0);
  if (entry.kind == IndexEntry::Kind::Slice) {
    if (entry.step.isAbsent())
      entry.step = IndexTerm::number(1);
    if (entry.step.kind != IndexTerm::Kind::Number || entry.step.value == 0)
      return std::nullopt;
  } else if (entry.kind != IndexEntry::Kind::Position) {
    return std::nullopt;
  }
  if (length == kDynamic)
    return *std::move(index);
  for (IndexTerm *term : {&entry.start, &entry.stop}) {
    if (term->kind != IndexTerm::Kind::Number || term->value < 0)
      continue;
    if (term->value < length)
      term->value -= length;
    else if (term == &entry.stop && entry.step.value > 0)
      *term = {};
    else
      return std::nullopt;
  }
  return *std::move(index);
}

std::optional<int64_t> rowsOfEnd(const IndexEntry &entry) {
  if (entry.kind == IndexEntry::Kind::Slice) {
    if (entry.step.value < 0) // from the end to behind `stop`
      return (entry.start.isAbsent() || entry.start.isBelowZero()) && entry.stop.isBelowZero() &&
                     entry.stop.value < -1
                 ? std::optional(-1 - entry.stop.value)
                 : std::nullopt;
    if (!entry.stop.isAbsent() && !entry.stop.isBelowZero())
      return std::nullopt;
  }
  return entry.start.isBelowZero() ? std::optional(-entry.start.value) : std::nullopt;
}

namespace {

/// The array of whose shape zeros are made, as subtensor's pullback does.
std::optional<Variable> zerosOf(const Variable &v) {
  const Apply node = v.hasOwner() ? v.owner() : Apply();
  if (!node || node.op().name() != "second")
    return std::nullopt;
  std::optional<Constant> value = Constant::from(node.input(1));
  if (!value)
    return std::nullopt;
  const Tensor &given = value->data();
  const Tensor parts = isComplex(given.dtype()) ? given.realView() : given;
  const Tensor numbers = parts.cast(DType::Float64).contiguous();
  const bool isZero = std::ranges::all_of(numbers.flat<double>(), [](double x) { return x == 0; });
  return isZero ? std::optional(node.input(0)) : std::nullopt;
}

/// A gradient that was added to zeros, as that of a part is.
class OfPart {
public:
  /// `depth`: of parts of parts, of which a few are looked at.
  explicit OfPart(const Variable &gradient, int depth = 0)
      : node_(gradient.hasOwner() && gradient.rank() > 0 ? gradient.owner() : Apply()) {
    if (!node_ || node_.op().name() != "incSubtensor")
      return;
    all_ = zerosOf(node_.input(0));
    index_ = indexFromEnd(node_);
    if (!all_ || !index_)
      return;
    const IndexEntry &first = index_->front();
    const std::optional<int64_t> read = rowsOfEnd(first);
    if (!read)
      return;
    rowsRead_ = count_ = *read;
    // All of the end, of which the gradient may be zero in front of an end of its own.
    if (first.kind == IndexEntry::Kind::Slice && first.step.is(1) && first.stop.isAbsent() &&
        index_->size() == 1 && node_.input(1).rank() == gradient.rank() && depth < kDeepestPart) {
      within_ = std::make_unique<OfPart>(node_.input(1), depth + 1);
      if (within_->count() > 0)
        count_ = std::min(count_, within_->count());
    }
  }

  /// How many rows of the end are not zero; 0 where others may be.
  int64_t count() const { return count_; }

  /// The last `most` rows, which are no fewer.
  Variable rows(int64_t most) const {
    if (count_ < rowsRead_ && most <= rowsRead_)
      return within_->rows(most);
    // Counted from the end, the index is the same of so many rows.
    const Apply zeros = node_.input(0).owner();
    std::vector<Operand> operands = {
        build(zeros.op(), {Variable((*all_)[{Slice(-most, kEnd)}]), zeros.input(1)})};
    for (int k = 1; k < node_.numInputs(); ++k)
      operands.emplace_back(node_.input(k));
    return build(builtin("incSubtensor", {{"index", formatIndex(*index_)}}), operands);
  }

private:
  static constexpr int kDeepestPart = 8;

  Apply node_;
  std::unique_ptr<OfPart> within_;
  std::optional<Variable> all_;
  std::optional<IndexSpec> index_;
  int64_t count_ = 0, rowsRead_ = 0;
};

/// The terms of a sum; none where one of them is none of the end. Terms may stand in many sums, of
/// which there may be exponentially many ways to them: so many are looked at.
std::vector<OfPart> termsOf(const Variable &gradient) {
  constexpr int kMostLooks = 128;
  std::vector<Variable> pending = {gradient};
  std::vector<OfPart> terms;
  for (int looks = 0; !pending.empty(); ++looks) {
    const Variable term = pending.back();
    pending.pop_back();
    const Apply node = term.hasOwner() ? term.owner() : Apply();
    if (looks == kMostLooks || term.rank() != gradient.rank())
      return {};
    if (node && node.op().name() == "add") {
      for (int k = node.numInputs(); k-- > 0;)
        pending.push_back(node.input(k));
    } else if (terms.emplace_back(term).count() == 0) {
      return {};
    }
  }
  return terms;
}

} // namespace

std::optional<GradientOfEnd> gradientOfEnd(const Variable &gradient) {
  const std::vector<OfPart> terms = termsOf(gradient);
  if (terms.empty())
    return std::nullopt;
  int64_t count = 0;
  for (const OfPart &term : terms)
    count = std::max(count, term.count());
  Variable sum = terms[0].rows(count);
  for (size_t k = 1; k < terms.size(); ++k)
    sum = sum + terms[k].rows(count);
  return GradientOfEnd{count, sum};
}

} // namespace graphc
