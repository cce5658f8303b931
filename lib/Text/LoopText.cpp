//===- LoopText.cpp ---------------------------------------------------------===//
#include "LoopText.h"

#include "GraphDialect.h"
#include "NodeFromOperation.h"
#include "Runtime/LoopErrors.h"
#include "Support/Text.h"
#include "mlir/IR/Builders.h"

namespace graphc {

static constexpr llvm::StringLiteral kSequences = "sequences", kStates = "states",
                                     kMapped = "mapped", kSteps = "steps", kUntil = "until",
                                     kBackwards = "backwards",
                                     kStacksBackwards = "stacks_backwards",
                                     kTruncation = "truncation", kLast = "last", kRows = "rows",
                                     kNames = "names", kRewritten = "rewritten",
                                     kResultNames = "result_names";

void writeLoop(const Loop &loop, mlir::OperationState &state) {
  mlir::Builder b(state.getContext());
  auto taps = [&](const std::vector<std::vector<int>> &lists) {
    llvm::SmallVector<mlir::Attribute> all;
    for (const std::vector<int> &list : lists)
      all.push_back(b.getI64ArrayAttr(llvm::SmallVector<int64_t>(list.begin(), list.end())));
    return b.getArrayAttr(all);
  };
  state.addAttribute(kSequences, taps(loop.sequences));
  state.addAttribute(kStates, taps(loop.states));
  if (loop.numMapped > 0)
    state.addAttribute(kMapped, b.getI64IntegerAttr(loop.numMapped));
  if (loop.truncation >= 0)
    state.addAttribute(kTruncation, b.getI64IntegerAttr(loop.truncation));
  for (auto [isSo, name] :
       {std::pair(loop.hasSteps, kSteps), std::pair(loop.hasUntil, kUntil),
        std::pair(loop.goesBackwards, kBackwards),
        std::pair(loop.stacksBackwards, kStacksBackwards), std::pair(loop.isRewritten, kRewritten)})
    if (isSo)
      state.addAttribute(name, b.getUnitAttr());
  if (llvm::is_contained(loop.keepsLast, true))
    state.addAttribute(kLast, b.getBoolArrayAttr(llvm::SmallVector<bool>(loop.keepsLast.begin(),
                                                                         loop.keepsLast.end())));
  if (loop.hasRows()) {
    llvm::SmallVector<int64_t> rows(loop.stateRows.begin(), loop.stateRows.end());
    rows.append(loop.mappedRows.begin(), loop.mappedRows.end());
    state.addAttribute(kRows, b.getI64ArrayAttr(rows));
  }
  llvm::SmallVector<llvm::StringRef> names(loop.names.begin(), loop.names.end());
  if (llvm::any_of(names, [](llvm::StringRef name) { return !name.empty(); }))
    state.addAttribute(kNames, b.getStrArrayAttr(names));
  const size_t numResults = loop.states.size() + size_t(loop.numMapped);
  llvm::SmallVector<llvm::StringRef> results;
  bool isOther = false; // than numbers
  for (size_t k = 0; k < numResults; ++k) {
    results.push_back(loop.nameOf(k));
    isOther |= loop.nameOf(k) != nameOfResult({}, k, loop.states.size());
  }
  if (isOther)
    state.addAttribute(kResultNames, b.getStrArrayAttr(results));
}

namespace {

constexpr int64_t kMostTaps = 1 << 20; // a history of so many values at most

class LoopReader {
public:
  LoopReader(mlir::Operation *operation, const FrozenGraph &body, const Variables &operands)
      : operation_(operation), body_(body), operands_(operands) {}
  absl::StatusOr<Op> run();

private:
  absl::Status error(ErrorKind kind, const std::string &what) const {
    return makeError(kind, "scan: " + what, placeOf(operation_->getLoc()));
  }
  /// Whether the attribute is absent, or has a value of the loop's.
  bool take(mlir::NamedAttribute attribute);
  static bool takeTaps(mlir::Attribute value, bool areBelowZero,
                       std::vector<std::vector<int>> &lists);
  absl::Status takeRows();
  absl::Status unfit() const;
  absl::Status check() const;
  absl::Status checkType(const Variable &v, const Type &given, int lacks,
                         const std::string &what) const;

  mlir::Operation *operation_;
  const FrozenGraph &body_;
  const Variables &operands_;
  Loop loop_;
  std::vector<int64_t> rows_;            // by result, where they are given
  std::vector<std::string> resultNames_; // likewise
};

bool LoopReader::takeTaps(mlir::Attribute value, bool areBelowZero,
                          std::vector<std::vector<int>> &lists) {
  auto all = llvm::dyn_cast<mlir::ArrayAttr>(value);
  if (!all)
    return false;
  for (mlir::Attribute each : all) {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(each);
    if (!list || list.empty())
      return false;
    std::vector<int> &taps = lists.emplace_back();
    for (mlir::Attribute tap : list) {
      auto number = llvm::dyn_cast<mlir::IntegerAttr>(tap);
      if (!number || number.getValue().sgt(areBelowZero ? -1 : kMostTaps) ||
          number.getValue().slt(-kMostTaps))
        return false;
      taps.push_back(int(number.getInt()));
    }
  }
  return true;
}

bool LoopReader::take(mlir::NamedAttribute attribute) {
  const llvm::StringRef name = attribute.getName().strref();
  mlir::Attribute value = attribute.getValue();
  if (name == kCalleeAttr)
    return true;
  if (name == kSequences)
    return takeTaps(value, /*areBelowZero=*/false, loop_.sequences);
  if (name == kStates)
    return takeTaps(value, /*areBelowZero=*/true, loop_.states);
  for (auto [known, to] : {std::pair(kSteps, &loop_.hasSteps), std::pair(kUntil, &loop_.hasUntil),
                           std::pair(kBackwards, &loop_.goesBackwards),
                           std::pair(kStacksBackwards, &loop_.stacksBackwards),
                           std::pair(kRewritten, &loop_.isRewritten)})
    if (name == known)
      return *to = llvm::isa<mlir::UnitAttr>(value);
  if (name == kMapped || name == kTruncation) {
    auto number = llvm::dyn_cast<mlir::IntegerAttr>(value);
    if (!number || number.getValue().slt(0) || number.getValue().sgt(INT32_MAX))
      return false;
    if (name == kMapped)
      loop_.numMapped = int(number.getInt());
    else
      loop_.truncation = number.getInt();
    return true;
  }
  auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
  if (!list || (name != kLast && name != kNames && name != kRows && name != kResultNames))
    return false;
  for (mlir::Attribute each : list) {
    if (name == kRows) {
      auto number = llvm::dyn_cast<mlir::IntegerAttr>(each);
      if (!number || number.getValue().slt(0) || number.getValue().sgt(INT64_MAX))
        return false;
      rows_.push_back(number.getInt());
      continue;
    }
    auto isLast = llvm::dyn_cast<mlir::BoolAttr>(each);
    auto text = llvm::dyn_cast<mlir::StringAttr>(each);
    if (name == kLast ? !isLast : !text)
      return false;
    if (name == kLast)
      loop_.keepsLast.push_back(isLast.getValue());
    else
      (name == kNames ? loop_.names : resultNames_).push_back(text.str());
  }
  return true;
}

absl::Status LoopReader::checkType(const Variable &v, const Type &given, int lacks,
                                   const std::string &what) const {
  if (v.dtype() == given.dtype() && v.rank() + lacks == given.rank())
    return absl::OkStatus();
  return error(ErrorKind::TypeError, what + " of the body is " + v.type().brief() +
                                         ", which does not fit " + given.brief());
}

/// What `last`, `rows` and `result_names` say of results that there are.
absl::Status LoopReader::takeRows() {
  const size_t numStates = loop_.states.size(), numResults = numStates + size_t(loop_.numMapped);
  if (numResults > size_t(body_.numOutputs())) // a mere number of the text, for which rows follow
    return unfit();
  if (loop_.keepsLast.size() > numStates)
    return error(ErrorKind::ValueError, "last is of " + counted(loop_.keepsLast.size(), "state") +
                                            ", and there are " + std::to_string(numStates));
  loop_.keepsLast.resize(numStates);
  for (auto [name, size] :
       {std::pair(kRows, rows_.size()), std::pair(kResultNames, resultNames_.size())})
    if (size > numResults)
      return error(ErrorKind::ValueError, name.str() + " is of " + counted(size, "result") +
                                              ", and there are " + std::to_string(numResults));
  rows_.resize(numResults);
  resultNames_.resize(numResults);
  loop_.stateNames.assign(resultNames_.begin(), resultNames_.begin() + ptrdiff_t(numStates));
  loop_.mappedNames.assign(resultNames_.begin() + ptrdiff_t(numStates), resultNames_.end());
  for (size_t k = 0; k < numResults; ++k) {
    const bool isState = k < numStates;
    if (rows_[k] == 0)
      continue;
    if (isState ? loop_.keepsLast[k] || rows_[k] <= historyOf(loop_.states[k])
                : loop_.stacksBackwards)
      return error(ErrorKind::ValueError,
                   "rows of result " + std::to_string(k) + " are " + std::to_string(rows_[k]) +
                       ": of a state they must be more than its history has, and none where last "
                       "or stacks_backwards says otherwise");
  }
  loop_.stateRows.assign(rows_.begin(), rows_.begin() + ptrdiff_t(numStates));
  loop_.mappedRows.assign(rows_.begin() + ptrdiff_t(numStates), rows_.end());
  return absl::OkStatus();
}

absl::Status LoopReader::unfit() const {
  return error(ErrorKind::ValueError,
               "its body has " + counted(size_t(body_.numInputs()), "input") + " and " +
                   counted(size_t(body_.numOutputs()), "output") +
                   ", which are not those that its taps, its operands and its results need");
}

absl::Status LoopReader::check() const {
  size_t taps = 0;
  for (const auto *lists : {&loop_.sequences, &loop_.states})
    for (const std::vector<int> &list : *lists)
      taps += list.size();
  const size_t numResults = loop_.states.size() + size_t(loop_.numMapped);
  if (operands_.size() < loop_.firstConstant() || numResults == 0 ||
      size_t(body_.numInputs()) != taps + operands_.size() - loop_.firstConstant() ||
      size_t(body_.numOutputs()) != numResults + size_t(loop_.hasUntil) ||
      (loop_.sequences.empty() && !loop_.hasSteps))
    return unfit();
  if (loop_.stacksBackwards && loop_.hasUntil)
    return error(ErrorKind::ValueError, "stacks_backwards is not possible with until");
  const Variables inputs = body_.inputs(), outputs = body_.outputs();
  if (loop_.hasSteps && (operands_[0].dtype() != DType::Int64 || operands_[0].rank() != 0))
    return error(ErrorKind::TypeError,
                 "the number of steps is " + operands_[0].type().brief() + ", and must be i64");
  size_t input = 0, operand = loop_.firstSequence();
  auto checkInputs = [&](size_t count, int lacks) -> absl::Status {
    const Type given = operands_[operand++].type();
    for (size_t k = 0; k < count; ++k, ++input)
      if (absl::Status s = checkType(inputs[input], given, lacks, "input " + std::to_string(input));
          !s.ok())
        return s;
    return absl::OkStatus();
  };
  for (const std::vector<int> &list : loop_.sequences)
    if (absl::Status s = checkInputs(list.size(), 1); !s.ok())
      return s;
  for (size_t k = 0; k < loop_.states.size(); ++k) {
    const int lacks = hasHistoryAxis(loop_.states[k]);
    if (absl::Status s =
            checkType(outputs[k], operands_[operand].type(), lacks, "output " + std::to_string(k));
        !s.ok())
      return s;
    if (absl::Status s = checkInputs(loop_.states[k].size(), lacks); !s.ok())
      return s;
  }
  while (operand < operands_.size())
    if (absl::Status s = checkInputs(1, 0); !s.ok())
      return s;
  if (loop_.hasUntil)
    return checkType(outputs.back(), Type(DType::Bool, {}), 0,
                     "output " + std::to_string(outputs.size() - 1));
  return absl::OkStatus();
}

absl::StatusOr<Op> LoopReader::run() {
  for (mlir::NamedAttribute attribute : operation_->getAttrs())
    if (!take(attribute))
      return error(ErrorKind::ValueError, "attribute " + attribute.getName().str() +
                                              " is none of a loop's, or has a value that it "
                                              "cannot have");
  loop_.names.resize(loop_.sequences.size());
  if (absl::Status s = takeRows(); !s.ok())
    return s;
  if (absl::Status s = check(); !s.ok())
    return s;
  absl::StatusOr<Variables> made =
      makeLoop(loop_, body_.inputs(), body_.outputs(), operands_, placeOf(operation_->getLoc()));
  if (!made.ok())
    return made.status();
  return (*made)[0].owner().op();
}

} // namespace

absl::StatusOr<Op> readLoop(mlir::Operation *operation, const FrozenGraph &body,
                            const Variables &operands) {
  return LoopReader(operation, body, operands).run();
}

} // namespace graphc
