//===- IndexFunctions.cpp - x[...], take, and Variable's methods -----------===//
#include "AdvancedIndexing.h"
#include "Build.h"
#include "Graph/CalledAs.h"
#include "IndexSpec.h"
#include "Indexing.h"
#include "graphc/Indexing.h"

namespace graphc {
namespace {

/// Collects the entries of x[...] as the attribute's numbers and the node's operands.
class IndexWriter {
public:
  /// `fixed`: operands before those that the index names.
  explicit IndexWriter(std::vector<Operand> fixed)
      : operands_(std::move(fixed)), firstTerm_(operands_.size()) {}

  void add(const Index &index) {
    IndexEntry entry;
    switch (index.kind()) {
    case Index::Kind::NewAxis:
      entry.kind = IndexEntry::Kind::NewAxis;
      break;
    case Index::Kind::Ellipsis:
      entry.kind = IndexEntry::Kind::Ellipsis;
      break;
    case Index::Kind::Position:
      entry.kind = IndexEntry::Kind::Position;
      entry.start = term(index.slice().start, /*mayBeEnd=*/false);
      break;
    case Index::Kind::Slice:
      entry.kind = IndexEntry::Kind::Slice;
      entry.start = term(index.slice().start, true);
      entry.stop = term(index.slice().stop, true);
      entry.step = term(index.slice().step, false);
      break;
    }
    index_.push_back(entry);
  }

  Variable build(std::string_view op) {
    return graphc::build(builtin(op, {{"index", formatIndex(index_)}}), operands_);
  }

private:
  IndexTerm term(const Operand &x, bool mayBeEnd) {
    Tensor number;
    if (x.isWeak())
      number = x.weakValue();
    else if (std::optional<Constant> c = Constant::from(x.variable()); c && c->rank() == 0)
      number = c->data();
    if (number.defined() && isInteger(number.dtype()) && number.dtype() != DType::UInt64) {
      int64_t value = number.item<int64_t>();
      return mayBeEnd && value == kEnd ? IndexTerm() : IndexTerm::number(value);
    }
    operands_.push_back(x);
    return IndexTerm::operand(int64_t(operands_.size() - firstTerm_) - 1);
  }

  std::vector<Operand> operands_;
  size_t firstTerm_;
  IndexSpec index_;
};

/// Where indices are all numbers and slices.
Variable indexed(std::string_view op, std::vector<Operand> fixed,
                 const std::vector<Index> &indices) {
  IndexWriter writer(std::move(fixed));
  for (const Index &index : indices)
    writer.add(index);
  return writer.build(op);
}

/// `y` as an operand beside x; a number takes x's dtype where that holds it.
Operand besides(const Operand &y, const Operand &x) {
  Variable v = asVariable(x);
  if (!y.isWeak() || !v.ok() || (isFloat(y.weakValue().dtype()) && !isFloat(v.dtype())))
    return y;
  return Operand(Constant::adopt(y.weakValue().cast(v.dtype()), {}, y.place()), y.place());
}

/// The op on x, `rest` behind it.
Variable taken(std::string_view op, std::string_view function, const Operand &x,
               const std::vector<Operand> &rest, const TakeOptions &options) {
  Variable v = asVariable(x);
  AttributeValue axis = NoneAttr();
  if (options.axis)
    axis = plainAxis(*options.axis, v);
  Attributes attributes = {{"axis", axis}, {"mode", takeModeName(options.mode)}};
  std::vector<Operand> operands = {Operand(v, x.place())};
  operands.insert(operands.end(), rest.begin(), rest.end());
  return build(calledAs(builtin(op, attributes), function), operands);
}

} // namespace

Variable subtensor(const Operand &x, const std::vector<Index> &indices) {
  if (hasArrays(indices))
    return subtensorAtArrays(x, indices);
  return indexed("subtensor", {x}, indices);
}

Variable setSubtensor(const Operand &x, const std::vector<Index> &indices, const Operand &y) {
  if (hasArrays(indices))
    return changedAtArrays(x, indices, besides(y, x), false);
  return indexed("setSubtensor", {x, besides(y, x)}, indices);
}

Variable incSubtensor(const Operand &x, const std::vector<Index> &indices, const Operand &y) {
  if (hasArrays(indices))
    return changedAtArrays(x, indices, besides(y, x), true);
  return indexed("incSubtensor", {x, besides(y, x)}, indices);
}

Variable take(const Operand &x, const Operand &indices, TakeOptions options) {
  return taken("take", "take", x, {indices}, options);
}

Variable incTake(const Operand &x, const Operand &indices, const Operand &y, TakeOptions options) {
  return taken("incTake", "incTake", x, {besides(y, x), indices}, options);
}

Variable setTake(const Operand &x, const Operand &indices, const Operand &y, TakeOptions options) {
  return taken("setTake", "setTake", x, {besides(y, x), indices}, options);
}

Variable gather(const Operand &x, const Operand &indices, int axis) {
  return taken("take", "gather", x, {indices}, {.axis = axis});
}

//===--- Variable's methods -----------------------------------------------------===//

/// The place of x[...] is that of its first entry, since operator[] takes no defaulted argument.
Variable Variable::operator[](const Index &index) const {
  return subtensor(Operand(*this, index.place()), {index});
}
Variable Variable::operator[](std::initializer_list<Index> indices) const {
  Place place = indices.size() ? indices.begin()->place() : this->place();
  return subtensor(Operand(*this, place), indices);
}

Variable Variable::T(Loc loc) const { return graphc::transpose(Operand(*this, loc)); }

#define GRAPHC_METHOD(NAME)                                                                        \
  Variable Variable::NAME(Loc loc) const { return graphc::NAME(Operand(*this, loc)); }             \
  Variable Variable::NAME(int axis, Loc loc) const {                                               \
    return graphc::NAME(Operand(*this, loc), Axis(axis));                                          \
  }
GRAPHC_METHOD(sum)
GRAPHC_METHOD(prod)
GRAPHC_METHOD(mean)
GRAPHC_METHOD(max)
GRAPHC_METHOD(min)
GRAPHC_METHOD(any)
GRAPHC_METHOD(all)
GRAPHC_METHOD(argmax)
GRAPHC_METHOD(argmin)

Variable Variable::reshape(std::initializer_list<int64_t> shape, Loc loc) const {
  return graphc::reshape(Operand(*this, loc),
                         ShapeList(absl::MakeConstSpan(shape.begin(), shape.size()), loc));
}
Variable Variable::transpose(std::initializer_list<int> axes, Loc loc) const {
  return graphc::transpose(Operand(*this, loc), axes);
}
Variable Variable::dimshuffle(std::initializer_list<int> order, Loc loc) const {
  return graphc::dimshuffle(Operand(*this, loc), order);
}
Variable Variable::astype(DType dtype, Loc loc) const {
  return graphc::cast(Operand(*this, loc), dtype);
}
Variable Variable::shape(Loc loc) const { return graphc::shape(Operand(*this, loc)); }
Variable Variable::flatten(Loc loc) const { return graphc::flatten(Operand(*this, loc)); }
Variable Variable::squeeze(int axis, Loc loc) const {
  return graphc::squeeze(Operand(*this, loc), Axis(axis));
}

} // namespace graphc
