//===- CallTraits.cpp - what functions of OpFromGraphs are told -----------===//
#include "CallTraits.h"

#include "NodeFromOperation.h"
#include "Ops/CallOp.h"
#include "Support/Text.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace graphc {

using detail::FrozenRule;
using detail::Inlining;
using detail::InnerGraph;
using detail::InnerTraits;

static constexpr llvm::StringLiteral kInline = "graph.inline", kCaptured = "graph.captured",
                                     kPullback = "graph.pullback",
                                     kPushforward = "graph.pushforward",
                                     kConnection = "graph.connection", kDestroys = "graph.destroys",
                                     kSlices = "graph.slices", kRule = "rule", kOf = "of",
                                     kReads = "reads", kNull = "null", kDefault = "default",
                                     kDisconnected = "disconnected";

//===--- writing ------------------------------------------------------------===//

static absl::StatusOr<mlir::Attribute>
toAttribute(mlir::Builder &b, const FrozenRule &rule,
            const std::function<std::string(const Op &)> &symbolOf, const std::string &name) {
  llvm::SmallVector<mlir::Attribute> entries;
  for (const FrozenRule::Entry &entry : rule.entries)
    switch (entry.kind) {
    case FrozenRule::Kind::Default:
      entries.push_back(b.getStringAttr(kDefault));
      break;
    case FrozenRule::Kind::Disconnected:
      entries.push_back(b.getStringAttr(kDisconnected));
      break;
    case FrozenRule::Kind::Null:
      entries.push_back(b.getDictionaryAttr(b.getNamedAttr(kNull, b.getStringAttr(entry.reason))));
      break;
    case FrozenRule::Kind::Graph:
      entries.push_back(b.getI64IntegerAttr(entry.output));
      break;
    }
  llvm::SmallVector<mlir::NamedAttribute> all = {b.getNamedAttr(kOf, b.getArrayAttr(entries))};
  if (rule.graph) {
    absl::StatusOr<Op> op = detail::callOp(rule.graph, name);
    if (!op.ok())
      return op.status();
    all.push_back(
        b.getNamedAttr(kRule, mlir::FlatSymbolRefAttr::get(b.getContext(), symbolOf(*op))));
    if (!rule.reads.empty()) {
      llvm::SmallVector<int64_t> reads(rule.reads.begin(), rule.reads.end());
      all.push_back(b.getNamedAttr(kReads, b.getI64ArrayAttr(reads)));
    }
  }
  return b.getDictionaryAttr(all);
}

absl::Status writeTraits(mlir::func::FuncOp function, const InnerGraph &inner,
                         const std::function<std::string(const Op &rule)> &symbolOf,
                         std::string_view name) {
  mlir::Builder b(function.getContext());
  const InnerTraits &traits = inner.traits();
  if (traits.inlining != Inlining::No)
    function->setAttr(kInline,
                      b.getStringAttr(traits.inlining == Inlining::Yes ? "yes" : "automatic"));
  if (traits.numCaptured > 0)
    function->setAttr(kCaptured, b.getI64IntegerAttr(traits.numCaptured));
  for (auto [rule, attribute, suffix] : {std::tuple(&traits.pullback, kPullback, "_LOp"),
                                         std::tuple(&traits.pushforward, kPushforward, "_rop")}) {
    if (rule->entries.empty())
      continue;
    absl::StatusOr<mlir::Attribute> made =
        toAttribute(b, *rule, symbolOf, std::string(name) + suffix);
    if (!made.ok())
      return made.status();
    function->setAttr(attribute, *made);
  }
  if (!traits.connection.empty()) {
    llvm::SmallVector<mlir::Attribute> rows;
    for (const std::vector<bool> &row : traits.connection) {
      llvm::SmallVector<bool> bits(row.begin(), row.end());
      rows.push_back(b.getBoolArrayAttr(bits));
    }
    function->setAttr(kConnection, b.getArrayAttr(rows));
  }
  if (traits.numSlices > 0)
    function->setAttr(kSlices, b.getI64IntegerAttr(traits.numSlices));
  if (!traits.destroyMap.empty()) {
    llvm::SmallVector<int64_t> inputs(traits.destroyMap.begin(), traits.destroyMap.end());
    function->setAttr(kDestroys, b.getI64ArrayAttr(inputs));
  }
  return absl::OkStatus();
}

//===--- reading ------------------------------------------------------------===//

std::vector<std::string> rulesOf(mlir::func::FuncOp function) {
  std::vector<std::string> names;
  for (llvm::StringRef attribute : {kPullback, kPushforward})
    if (auto dictionary = function->getAttrOfType<mlir::DictionaryAttr>(attribute))
      if (auto rule = dictionary.getAs<mlir::FlatSymbolRefAttr>(kRule))
        names.push_back(rule.getValue().str());
  return names;
}

namespace {

class TraitsReader {
public:
  TraitsReader(mlir::func::FuncOp function, const std::function<const Op *(llvm::StringRef)> &opOf)
      : function_(function), opOf_(opOf) {}
  absl::StatusOr<InnerTraits> run();

private:
  absl::Status malformed(llvm::StringRef attribute, const std::string &what) const {
    return makeError(ErrorKind::ValueError,
                     "function @" + function_.getName().str() + ": " + attribute.str() + " " + what,
                     placeOf(function_.getLoc()));
  }
  absl::Status read(llvm::StringRef attribute, size_t numEntries, size_t numArguments,
                    FrozenRule &rule) const;

  mutable mlir::func::FuncOp function_; // a handle
  const std::function<const Op *(llvm::StringRef)> &opOf_;
};

absl::Status TraitsReader::read(llvm::StringRef attribute, size_t numEntries, size_t numArguments,
                                FrozenRule &rule) const {
  mlir::Attribute given = function_->getAttr(attribute);
  if (!given)
    return absl::OkStatus();
  auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(given);
  auto entries = dictionary ? dictionary.getAs<mlir::ArrayAttr>(kOf) : mlir::ArrayAttr();
  if (!entries || entries.size() != numEntries)
    return malformed(attribute,
                     "needs a list `of` with an entry for each of " + std::to_string(numEntries));
  if (mlir::Attribute reads = dictionary.get(kReads)) {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(reads);
    for (mlir::Attribute entry : list ? list.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
      auto input = llvm::dyn_cast<mlir::IntegerAttr>(entry);
      if (!input || input.getValue().slt(0) ||
          input.getValue().sge(int64_t(function_.getNumArguments())))
        list = {};
      else
        rule.reads.push_back(int32_t(input.getInt()));
    }
    if (!list)
      return malformed(attribute, "reads a list of inputs, by number");
  }
  numArguments += rule.reads.size();
  const Op *op = nullptr;
  if (auto name = dictionary.getAs<mlir::FlatSymbolRefAttr>(kRule)) {
    op = opOf_(name.getValue());
    if (!op || !op->def().inner || size_t(op->def().inner->graph().numInputs()) != numArguments)
      return malformed(attribute,
                       "needs a rule, a function of " + counted(numArguments, "argument"));
    rule.graph = op->def().inner;
  }
  for (mlir::Attribute entry : entries) {
    FrozenRule::Entry &made = rule.entries.emplace_back();
    if (auto text = llvm::dyn_cast<mlir::StringAttr>(entry);
        text && (text.getValue() == kDefault || text.getValue() == kDisconnected)) {
      made.kind =
          text.getValue() == kDefault ? FrozenRule::Kind::Default : FrozenRule::Kind::Disconnected;
    } else if (auto null = llvm::dyn_cast<mlir::DictionaryAttr>(entry);
               null && null.getAs<mlir::StringAttr>(kNull)) {
      made = {FrozenRule::Kind::Null, null.getAs<mlir::StringAttr>(kNull).str()};
    } else if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(entry);
               number && op && number.getValue().sge(0) &&
               number.getValue().slt(op->def().inner->graph().numOutputs())) {
      made.kind = FrozenRule::Kind::Graph;
      made.output = int32_t(number.getInt());
    } else {
      return malformed(attribute,
                       "has an entry that is neither \"default\", \"disconnected\", {null = "
                       "\"reason\"} nor the number of a result of the rule" +
                           std::string(op ? "" : ", which it does not name"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<InnerTraits> TraitsReader::run() {
  InnerTraits traits;
  constexpr llvm::StringLiteral kKnown[] = {kInline,     kCaptured, kPullback, kPushforward,
                                            kConnection, kDestroys, kSlices};
  for (mlir::NamedAttribute given : function_->getDiscardableAttrs())
    if (llvm::StringRef name = given.getName().strref();
        name.starts_with("graph.") && !llvm::is_contained(kKnown, name))
      return malformed(name, "is none of those that a called function has: " +
                                 llvm::join(llvm::ArrayRef<llvm::StringLiteral>(kKnown), ", "));
  size_t numInputs = function_.getNumArguments(), numOutputs = function_.getNumResults();
  if (mlir::Attribute given = function_->getAttr(kInline)) {
    auto text = llvm::dyn_cast<mlir::StringAttr>(given);
    llvm::StringRef value = text ? text.getValue() : "";
    if (value != "yes" && value != "automatic" && value != "no")
      return malformed(kInline, "is \"yes\", \"no\" or \"automatic\"");
    traits.inlining = value == "yes"         ? Inlining::Yes
                      : value == "automatic" ? Inlining::Automatic
                                             : Inlining::No;
  }
  if (mlir::Attribute given = function_->getAttr(kCaptured)) {
    auto number = llvm::dyn_cast<mlir::IntegerAttr>(given);
    if (!number || number.getValue().slt(0) || number.getValue().sgt(int64_t(numInputs)))
      return malformed(kCaptured, "is a number of inputs");
    traits.numCaptured = int(number.getInt());
  }
  size_t numExplicit = numInputs - size_t(traits.numCaptured);
  if (absl::Status s = read(kPullback, numExplicit, numExplicit + 2 * numOutputs, traits.pullback);
      !s.ok())
    return s;
  if (absl::Status s = read(kPushforward, numOutputs, 2 * numExplicit, traits.pushforward); !s.ok())
    return s;
  if (mlir::Attribute given = function_->getAttr(kConnection)) {
    auto rows = llvm::dyn_cast<mlir::ArrayAttr>(given);
    bool fits = rows && rows.size() == numExplicit;
    for (size_t i = 0; fits && i < numExplicit; ++i) {
      auto row = llvm::dyn_cast<mlir::ArrayAttr>(rows[unsigned(i)]);
      fits = row && row.size() == numOutputs;
      std::vector<bool> bits;
      for (size_t o = 0; fits && o < numOutputs; ++o) {
        auto bit = llvm::dyn_cast<mlir::BoolAttr>(row[unsigned(o)]);
        fits = bool(bit);
        bits.push_back(fits && bit.getValue());
      }
      traits.connection.push_back(std::move(bits));
    }
    if (!fits)
      return malformed(kConnection, "is a list of " + counted(numExplicit, "row") + " of " +
                                        counted(numOutputs, "boolean"));
  }
  if (mlir::Attribute given = function_->getAttr(kDestroys)) {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(given);
    bool fits = list && list.size() == numOutputs;
    for (size_t o = 0; fits && o < numOutputs; ++o) {
      auto input = llvm::dyn_cast<mlir::IntegerAttr>(list[unsigned(o)]);
      fits = input && input.getValue().sge(-1) && input.getValue().slt(int64_t(numInputs));
      traits.destroyMap.push_back(fits ? int(input.getInt()) : -1);
    }
    if (!fits)
      return malformed(kDestroys, "is a list of " + counted(numOutputs, "input") + ", -1 for none");
  }
  if (mlir::Attribute given = function_->getAttr(kSlices)) {
    auto number = llvm::dyn_cast<mlir::IntegerAttr>(given);
    if (!number || number.getValue().slt(1) || number.getValue().sgt(int64_t(numInputs)))
      return malformed(kSlices, "is a number of inputs, 1 at least");
    if (traits != InnerTraits())
      return malformed(kSlices, "goes with no other attribute");
    traits.numSlices = int(number.getInt());
  }
  return traits;
}

} // namespace

absl::StatusOr<InnerTraits> readTraits(mlir::func::FuncOp function,
                                       const std::function<const Op *(llvm::StringRef)> &opOf) {
  return TraitsReader(function, opOf).run();
}

} // namespace graphc
