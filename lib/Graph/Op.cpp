//===- Graph/Op.cpp - ops, and the nodes that they make -------------------===//
#include <mutex>

#include "Graph/AttributeReads.h"
#include "Graph/Builtins.h"
#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Graph/Label.h"
#include "Graph/Literals.h"
#include "Graph/NodeHook.h"
#include "Graph/Nodes.h"
#include "Graph/PartsOf.h"
#include "Graph/PlaceScope.h"
#include "Support/Fork.h"
#include "Support/Hash.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "graphc/OpDef.h"

namespace graphc {

//===--- Op ---------------------------------------------------------------===//

struct Op::Rep {
  const OpDef *def;
  /// Of a user's definition.
  std::shared_ptr<const OpDef> keepAlive;
  Attributes attributes;
  uint64_t attributesHash;
  /// The function that a user called, if it has another name.
  std::string_view calledAs = {};

  static const Rep &of(const Op &op) { return op.rep(); }
  static Op made(Rep rep) { return Op(std::make_shared<const Rep>(std::move(rep))); }
};

/// What is wrong with attribute `spec.name = value`; turns an integer into a float where the
/// definition has a float.
static absl::Status checkAttribute(const OpDef &def, const AttributeSpec &spec,
                                   AttributeValue &value) {
  AttributeKind kind = kindOf(value);
  if (kind == spec.kind || (kind == AttributeKind::None && spec.acceptsNone))
    return absl::OkStatus();
  if (kind == AttributeKind::Int && spec.kind == AttributeKind::Float) {
    value = double(*std::get_if<int64_t>(&value));
    return absl::OkStatus();
  }
  return makeError(ErrorKind::TypeError, def.name + ": attribute " + spec.name + " = " +
                                             toString(value) + " is " +
                                             std::string(attributeKindName(kind)) + ", expected " +
                                             std::string(attributeKindName(spec.kind)));
}

/// The attributes in full: those given and the defaults of the others.
static absl::StatusOr<Attributes> complete(const OpDef &def, const Attributes &given) {
  Attributes all;
  for (const AttributeSpec &spec : def.attributes) {
    const AttributeValue *value = given.find(spec.name);
    if (!value && !spec.defaultValue)
      return makeError(ErrorKind::ValueError,
                       def.name + ": attribute " + spec.name + " must be given");
    AttributeValue chosen = value ? *value : *spec.defaultValue;
    if (absl::Status status = checkAttribute(def, spec, chosen); !status.ok())
      return status;
    all.set(spec.name, std::move(chosen));
  }
  std::vector<std::string> known;
  for (const AttributeSpec &spec : def.attributes)
    known.push_back(spec.name);
  for (const auto &[name, value] : given.entries())
    if (!all.has(name))
      return makeError(ErrorKind::ValueError,
                       def.name + ": there is no attribute " + name + didYouMean(name, known));
  return all;
}

/// An Op without attributes is one record for each definition, however often it is made.
static std::shared_ptr<const Op::Rep> sharedRep(const OpDef &def) {
  static auto &mutex = *new ShortMutex;
  static auto &reps = *new absl::flat_hash_map<const OpDef *, std::shared_ptr<const Op::Rep>>;
  std::lock_guard lock(mutex);
  std::shared_ptr<const Op::Rep> &rep = reps[&def];
  if (!rep)
    rep = std::make_shared<const Op::Rep>(Op::Rep{&def, nullptr, {}, Attributes().hash()});
  return rep;
}

const Op::Rep &Op::rep() const {
  if (rep_) // asked for some hundred times for each application that is compiled
    return *rep_;
  static const OpDef &noDef = *new OpDef();
  static const Rep &none = *new Rep{&noDef, nullptr, {}, Attributes().hash()};
  return none;
}

absl::StatusOr<Op> Op::create(const OpDef &def, const Attributes &attributes) {
  if (!def.attributes.empty() || !attributes.entries().empty())
    return create(std::shared_ptr<const OpDef>(std::shared_ptr<void>(), &def), attributes);
  if (absl::Status status = checkName(def); !status.ok())
    return status;
  return Op(sharedRep(def));
}

absl::StatusOr<Op> Op::create(std::shared_ptr<const OpDef> def, const Attributes &attributes) {
  if (!def)
    return makeError(ErrorKind::ValueError, "an Op without a definition: the pointer is null");
  if (absl::Status status = checkName(*def); !status.ok())
    return status;
  absl::StatusOr<Attributes> all = complete(*def, attributes);
  if (!all.ok())
    return all.status();
  const OpDef *record = def.get();
  uint64_t hash = all->hash();
  return Op(std::make_shared<const Rep>(Rep{record, std::move(def), *std::move(all), hash}));
}

const OpDef &Op::def() const { return *rep().def; }
std::string_view Op::name() const { return rep().def->name; }
const Attributes &Op::attributes() const { return rep().attributes; }
uint64_t Op::hash() const {
  const auto &record = detail::recordOf(def());
  uint64_t defined = record ? record->hash() : hashString(name());
  return hashCombine(defined, rep().attributesHash);
}

static bool isSameDefinition(const OpDef &a, const OpDef &b) {
  const auto &record = detail::recordOf(a);
  return &a == &b || (record && record == detail::recordOf(b));
}

bool operator==(const Op &a, const Op &b) {
  const Op::Rep &x = a.rep(), &y = b.rep();
  if (&x == &y)
    return true;
  return isSameDefinition(*x.def, *y.def) && x.attributesHash == y.attributesHash &&
         x.attributes == y.attributes;
}

static std::string withAttributes(std::string_view name, const Op &op) {
  std::string list;
  for (const AttributeSpec &spec : op.def().attributes) {
    const AttributeValue &value = *op.attributes().find(spec.name);
    if (spec.defaultValue && identical(value, *spec.defaultValue))
      continue;
    list += (list.empty() ? "" : ", ") + spec.name + " = " + toString(value);
  }
  return list.empty() ? std::string(name) : std::string(name) + "{" + list + "}";
}

std::string Op::str() const {
  return withAttributes(def().inner ? calledName(*this) : name(), *this);
}

Op calledAs(const Op &op, std::string_view function) {
  if (function == op.name())
    return op;
  Op::Rep rep = Op::Rep::of(op);
  rep.calledAs = function;
  return Op::Rep::made(std::move(rep));
}

std::string_view calledName(const Op &op) {
  std::string_view function = Op::Rep::of(op).calledAs;
  return function.empty() ? op.name() : function;
}

std::string calledText(const Op &op) { return withAttributes(calledName(op), op); }

std::string calledAt(const Apply &node) {
  std::string place = node.place().str();
  return std::string(calledName(node.op())) + (place.empty() ? "" : " at " + place);
}

std::string nested(std::string_view outer, std::string_view inner) {
  constexpr std::string_view kArrow = " > ";
  constexpr size_t kMostNames = 8;
  std::vector<std::string> path = {std::string(outer)};
  for (size_t end; (end = inner.find(kArrow)) != inner.npos;
       inner.remove_prefix(end + kArrow.size()))
    path.emplace_back(inner.substr(0, end));
  path.emplace_back(inner);
  if (path.size() > kMostNames) {
    path.erase(path.begin() + 1);
    path[1] = "...";
  }
  return join(path, kArrow);
}

const Tensor *TypeRequest::constant(size_t i) const {
  return inputs[i].isConstant() ? &detail::asLeaf(inputs[i].node())->data : nullptr;
}

//===--- makeNode ---------------------------------------------------------===//

/// "<op>: <what is wrong>", and a second line with the operands.
static absl::Status refuse(const Op &op, absl::Span<const Operand> operands, ErrorKind kind,
                           std::string_view what, Place place) {
  constexpr size_t kMaxListed = 16;
  size_t firstLine = std::min(what.find('\n'), what.size());
  std::string text(calledName(op));
  text += ": ";
  text += what.substr(0, firstLine);
  text += "\n  " + calledText(op) + "(";
  for (size_t i = 0; i < std::min(operands.size(), kMaxListed); ++i)
    text += (i ? ", " : "") + operandLabel(operands[i]);
  if (operands.size() > kMaxListed)
    text += ", ... (" + std::to_string(operands.size()) + " operands)";
  text += ")";
  text += what.substr(firstLine);
  return makeError(kind, text, place);
}

/// What is wrong with the number of operands, or "".
static std::string countMistake(const OpDef &def, size_t count) {
  size_t declared = def.operands.size();
  size_t least = def.variadic && def.minOperands >= 0 ? size_t(def.minOperands) : declared;
  if (def.variadic ? count >= least : count == declared)
    return "";
  return "expected " + std::string(def.variadic ? "at least " : "") + counted(least, "operand") +
         ", got " + std::to_string(count);
}

/// The operands as Variables, numbers wrapped.
static absl::StatusOr<Variables> wrapOperands(const OpDef &def,
                                              absl::Span<const Operand> operands) {
  absl::InlinedVector<DType, 8> dtypes;
  for (const Operand &operand : operands)
    if (!operand.isWeak())
      dtypes.push_back(operand.variable().dtype());
  Variables inputs;
  inputs.reserve(operands.size());
  for (const Operand &operand : operands) {
    if (!operand.isWeak()) {
      inputs.push_back(operand.variable());
      continue;
    }
    absl::StatusOr<Tensor> data = wrapLiteral(operand.weakValue(), dtypes, def.literals);
    if (!data.ok())
      return data.status();
    inputs.push_back(Constant::adopt(*std::move(data), {}, PlaceScope::of(operand.place())));
    auto &literal = detail::asLeaf(inputs.back().node())->literal;
    const Tensor &number = operand.weakValue();
    if (isComplex(number.dtype()))
      continue; // it keeps its dtype
    if (isFloat(number.dtype()))
      literal = number.item<double>();
    else if (number.dtype() == DType::UInt64)
      literal = number.item<uint64_t>();
    else
      literal = number.item<int64_t>();
  }
  return inputs;
}

/// Equal types share one record: the results' with the operands'.
static void shareTypes(std::vector<Type> &results, const Variables &inputs) {
  for (Type &result : results)
    for (const Variable &input : inputs)
      if (result == input.type()) {
        result = input.type();
        break;
      }
}

static absl::StatusOr<std::vector<Type>> typesOfResults(const Op &op, const Variables &inputs) {
  const OpDef &def = op.def();
  if (def.complex.isNative)
    return def.type({op, inputs});
  for (const Variable &input : inputs)
    if (isComplex(input.dtype()))
      return complexTypes(op, inputs);
  absl::StatusOr<std::vector<Type>> types = def.type({op, inputs});
  if (types.ok() && !def.complex.makesComplex)
    for (const Type &type : *types)
      if (isComplex(type.dtype()))
        return makeError(ErrorKind::TypeError, "of real operands it gives no " +
                                                   std::string(dtypeName(type.dtype())) +
                                                   " result: cast an operand or the result");
  return types;
}

absl::StatusOr<Apply> Op::makeNode(absl::Span<const Operand> operands, Place givenPlace) const {
  Place place = PlaceScope::of(givenPlace);
  if (!rep_)
    return makeError(ErrorKind::ValueError,
                     "an Op is used that is none: it was moved from, or is that of a null Apply",
                     place);
  for (const Operand &operand : operands)
    if (!operand.isWeak() && !operand.variable().ok())
      // An unset Variable has no place of its own.
      return operand.variable().node()->immortal ? withPlace(operand.variable().status(), place)
                                                 : operand.variable().status();
  auto fail = [&](ErrorKind kind, std::string_view what) {
    return refuse(*this, operands, kind, what, place);
  };
  auto failAs = [&](const absl::Status &status) {
    return fail(errorKind(status), {status.message().data(), status.message().size()});
  };
  if (std::string mistake = countMistake(def(), operands.size()); !mistake.empty())
    return fail(ErrorKind::ValueError, mistake);
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i].isWeak() && !operands[i].variable().type().isTensor())
      return fail(ErrorKind::TypeError, "operand " + std::to_string(i) + " is no tensor but " +
                                            operands[i].variable().type().str());
  absl::StatusOr<Variables> inputs = wrapOperands(def(), operands);
  if (!inputs.ok())
    return failAs(inputs.status());

  AttributeReads reads;
  absl::StatusOr<std::vector<Type>> types = typesOfResults(*this, *inputs);
  if (reads.failed())
    return fail(ErrorKind::Internal, "the type rule " + reads.mistake());
  if (!types.ok())
    return failAs(types.status());
  if (types->size() != size_t(def().numResults))
    return fail(ErrorKind::Internal, "the type rule gives " + counted(types->size(), "type") +
                                         " for " + counted(size_t(def().numResults), "result"));
  for (const Type &type : *types)
    if (type.kind() == Type::Kind::Invalid)
      return failAs(type.status());
  shareTypes(*types, *inputs);

  absl::InlinedVector<detail::VariableNode *, 8> nodes;
  for (const Variable &input : *inputs)
    nodes.push_back(input.node());
  Apply made(detail::makeApply(*this, nodes, *types, place));
  if (const NodeHook *hook = nodeHook())
    if (absl::Status status = (*hook)(made); !status.ok())
      return status;
  return made;
}

const NodeHook *&nodeHook() {
  static thread_local const NodeHook *hook = nullptr;
  return hook;
}

Variable Op::call(absl::Span<const Operand> operands, Place givenPlace) const {
  Place place = PlaceScope::of(givenPlace);
  absl::StatusOr<Apply> node = makeNode(operands, place);
  if (!node.ok())
    return Variable::invalid(node.status());
  int chosen = def().numResults == 1 ? 0 : def().defaultResult;
  if (chosen < 0)
    return Variable::invalid(
        refuse(*this, operands, ErrorKind::ValueError,
               "there are " + std::to_string(def().numResults) + " results; use callAll", place));
  return node->output(chosen);
}

Variables Op::callAll(absl::Span<const Operand> operands, Place place) const {
  absl::StatusOr<Apply> node = makeNode(operands, place);
  if (!node.ok())
    return Variables(size_t(def().numResults), Variable::invalid(node.status()));
  return node->outputs();
}

} // namespace graphc
