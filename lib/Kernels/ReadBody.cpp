//===- ReadBody.cpp - scalar expressions from text ------------------------===//
#include "Kernels/ReadBody.h"

#include "Kernels/Body.h"
#include "Runtime/LiteralText.h"
#include "Support/Text.h"

namespace graphc {
namespace {

using Kind = TextToken::Kind;

/// Brackets in brackets: more than people and graphc write, less than the stack holds.
constexpr int kMaxDepth = 200;
constexpr int64_t kMaxNumber = 1 << 20;
/// Elements along an axis of known extent: as much as processors can address.
constexpr int64_t kMaxExtent = int64_t(1) << 47;

std::optional<ScalarOp> parseOp(std::string_view name) {
  for (int op = int(ScalarOp::Load) + 1; op <= int(ScalarOp::Cast); ++op)
    if (scalarOpName(ScalarOp(op)) == name)
      return ScalarOp(op);
  return std::nullopt;
}

/// Whether the operation is defined for operands of the dtype.
bool takes(ScalarOp op, DType dtype) {
  switch (op) {
  case ScalarOp::Add:
  case ScalarOp::Mul:
  case ScalarOp::Abs:
  case ScalarOp::Maximum:
  case ScalarOp::Minimum:
  case ScalarOp::Eq:
  case ScalarOp::Ne:
  case ScalarOp::Lt:
  case ScalarOp::Le:
  case ScalarOp::Gt:
  case ScalarOp::Ge:
  case ScalarOp::Select:
  case ScalarOp::Cast:
    return true;
  case ScalarOp::And:
  case ScalarOp::Or:
  case ScalarOp::Xor:
  case ScalarOp::Not:
    return !isFloat(dtype);
  case ScalarOp::Shl:
  case ScalarOp::Shr:
    return isInteger(dtype);
  case ScalarOp::Sub:
  case ScalarOp::IntDiv:
  case ScalarOp::Mod:
  case ScalarOp::Pow:
  case ScalarOp::Neg:
  case ScalarOp::Sgn:
    return !isBool(dtype);
  default:
    return isFloat(dtype);
  }
}

} // namespace

//===--- sizes --------------------------------------------------------------===//

int32_t SizeNames::intern(const Kernel::Size &size) {
  auto [it, isNew] = numbers_.try_emplace({size.constant, size.value}, int32_t(sizes_.size()));
  if (isNew)
    sizes_.push_back(size);
  return it->second;
}

int32_t SizeNames::take(TextScanner &text) {
  if (text.token().kind == Kind::Number)
    return constant(text.number(0, kMaxExtent, "an extent"));
  return argument(text.numbered("n", kMaxNumber, "a size (n0 or a number)"));
}

//===--- nodes --------------------------------------------------------------===//

int32_t BodyReader::intern(const ScalarNode &n, Numbers indices) {
  auto [it, isNew] = numbers_.try_emplace(
      {n.op, n.dtype, n.args[0], n.args[1], n.args[2], n.payload, indices}, int32_t(nodes_.size()));
  if (isNew) {
    nodes_.push_back(n);
    indices_.push_back(std::move(indices));
  }
  return it->second;
}

DType BodyReader::dtypeOf(int32_t node) const {
  return node < 0 ? DType::Bool : nodes_[size_t(node)].dtype; // -1: after a mistake
}

int32_t BodyReader::resolve(const Operand &operand, DType dtype) {
  if (!text_.ok())
    return -1;
  std::string wanted(dtypeShortName(dtype));
  if (operand.node >= 0) {
    if (dtypeOf(operand.node) != dtype)
      text_.fail("expected a value of " + wanted + ", not of " +
                     std::string(dtypeShortName(dtypeOf(operand.node))),
                 operand.place);
    return operand.node;
  }
  std::optional<uint64_t> bits = parseLiteral(dtype, operand.literal);
  if (!bits) {
    text_.fail("'" + printable(operand.literal.substr(0, 40)) + "' is no value of " + wanted,
               operand.place);
    return -1;
  }
  return intern({ScalarOp::Constant, dtype, {-1, -1, -1}, *bits});
}

int32_t BodyReader::takeValue(DType dtype) { return resolve(takeOperand(0), dtype); }

int32_t BodyReader::takeAny(DType literal) {
  Operand operand = takeOperand(0);
  return resolve(operand, operand.node < 0 ? literal : dtypeOf(operand.node));
}

void BodyReader::define() {
  Place place = text_.token().place;
  std::string name = "v" + std::to_string(text_.numbered("v", kMaxNumber, "a value (v0)"));
  text_.expect("=");
  Operand value = takeOperand(0);
  if (value.node < 0)
    text_.fail("a constant that has a name must have a dtype: f32(2.0)", value.place);
  if (!names_.try_emplace(name, value.node).second)
    text_.fail("'" + name + "' is there twice", place);
}

BodyReader::Operand BodyReader::takeOperand(int depth) {
  Operand operand;
  operand.place = text_.token().place;
  if (depth > kMaxDepth) {
    text_.fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    return operand;
  }
  if (text_.token().kind == Kind::Number) {
    operand.literal = text_.take(Kind::Number, "a number");
    return operand;
  }
  if (text_.token().kind == Kind::Array)
    return takeLoad(-1, -1, depth);
  if (text_.accept("("))
    return takeMasked(depth);
  return takeWord(depth);
}

/// (condition ? %0[i0] : otherwise)
BodyReader::Operand BodyReader::takeMasked(int depth) {
  int32_t mask = resolve(takeOperand(depth + 1), DType::Bool);
  text_.expect("?");
  // The other value stands behind the load, whose indices come before it in the body all the same.
  Operand load = takeLoad(mask, -1, depth);
  text_.expect(":");
  Operand otherwise = takeOperand(depth + 1);
  if (load.node < 0)
    return load;
  ScalarNode node = nodes_[size_t(load.node)];
  node.args[1] = resolve(otherwise, node.dtype);
  text_.expect(")");
  load.node = intern(node, indices_[size_t(load.node)]);
  return load;
}

BodyReader::Operand BodyReader::takeLoad(int32_t mask, int32_t otherwise, int depth) {
  Operand load;
  load.place = text_.token().place;
  int32_t number = text_.array(int64_t(kernel_.arrays.size()));
  if (!text_.ok())
    return load;
  const Kernel::ArrayDecl &array = kernel_.arrays[size_t(number)];
  bool isOwn = array.role != Kernel::Role::Input;
  if (isOwn && !isStored_[size_t(number)])
    text_.fail("%" + std::to_string(number) + " is loaded before it is stored", load.place);
  Numbers indices;
  text_.expect("[");
  for (size_t axis = 0; axis < array.shape.size() && text_.ok(); ++axis) {
    if (axis > 0)
      text_.expect(",");
    Place place = text_.token().place;
    indices.push_back(resolve(takeOperand(depth + 1), DType::Int64));
    if (text_.ok())
      checkIndex(array, axis, indices.back(), place, isOwn, mask >= 0);
  }
  text_.expect("]");
  if (text_.ok())
    load.node = intern(
        {ScalarOp::Load, array.dtype, {mask, otherwise, -1}, uint64_t(uint32_t(number)) << 32},
        std::move(indices));
  return load;
}

/// Where loop and axis have known extents; and what nests of a kernel hand on stays in an iteration
/// of the loops that they share.
void BodyReader::checkIndex(const Kernel::ArrayDecl &array, size_t axis, int32_t index,
                            const Place &place, bool isOwn, bool isMasked) {
  const ScalarNode &n = nodes_[size_t(index)];
  auto size = [&](int32_t number) { return sizes_.sizes()[size_t(number)]; };
  if (isOwn && int64_t(axis) < kernel_.numShared && (n.op != ScalarOp::Index || n.payload != axis))
    return text_.fail("nests share the first " + std::to_string(kernel_.numShared) +
                          " loops: this index is i" + std::to_string(axis),
                      place);
  Kernel::Size extent = size(array.shape[axis]);
  if (!extent.constant || isMasked)
    return;
  bool isWrong = false;
  if (n.op == ScalarOp::Constant)
    isWrong = int64_t(n.payload) < 0 || int64_t(n.payload) >= extent.value;
  if (n.op == ScalarOp::Index) {
    Kernel::Size loop = size(nest_.extents[size_t(n.payload)]);
    isWrong = loop.constant && loop.value > extent.value;
  }
  if (isWrong)
    text_.fail("an index beyond the axis, which has " + std::to_string(extent.value) + " elements",
               place);
}

/// i0, n0, v5, true, inf, f32(2.0), size(8), add(...), cast.f32(...)
BodyReader::Operand BodyReader::takeWord(int depth) {
  Operand operand;
  operand.place = text_.token().place;
  std::string word = text_.token().text;
  if (auto name = names_.find(word); name != names_.end() && text_.at(word)) {
    text_.next();
    operand.node = name->second;
    return operand;
  }
  bool hasNumber = word.size() > 1 && word[1] >= '0' && word[1] <= '9';
  Place place = operand.place;
  TextToken token = text_.token();
  if (token.kind != Kind::Word) {
    text_.take(Kind::Word, "a value");
    return operand;
  }
  if (word == "true" || word == "false") {
    text_.next();
    operand.node = intern({ScalarOp::Constant, DType::Bool, {-1, -1, -1}, word == "true"});
    return operand;
  }
  if (word == "inf" || word == "nan") {
    operand.literal = text_.take(Kind::Word, "a number");
    return operand;
  }
  if (hasNumber && word[0] == 'n') {
    uint64_t number = uint64_t(sizes_.argument(text_.numbered("n", kMaxNumber, "a size (n0)")));
    operand.node = intern({ScalarOp::Size, DType::Int64, {-1, -1, -1}, number});
    return operand;
  }
  // i8 is a counter, i8(3) a constant.
  text_.next();
  if (std::optional<DType> dtype = parseDType(word); dtype && text_.accept("(")) {
    Operand value = takeOperand(depth + 1);
    text_.expect(")");
    operand.node = resolve(value, *dtype);
    return operand;
  }
  if (hasNumber && word[0] == 'i' && !text_.at("(")) {
    int64_t number = 0;
    for (char c : word.substr(1, 10))
      number = c >= '0' && c <= '9' ? number * 10 + (c - '0') : int64_t(nest_.extents.size());
    if (word.size() > 11 || number >= int64_t(nest_.extents.size()))
      text_.fail("there is no " + word.substr(0, 40), place);
    else
      operand.node = intern({ScalarOp::Index, DType::Int64, {-1, -1, -1}, uint64_t(number)});
    return operand;
  }
  if (word == "size" && text_.accept("(")) {
    uint64_t number = uint64_t(sizes_.constant(text_.number(0, kMaxExtent, "an extent")));
    text_.expect(")");
    operand.node = intern({ScalarOp::Size, DType::Int64, {-1, -1, -1}, number});
    return operand;
  }
  size_t dot = word.find('.');
  std::optional<ScalarOp> op = parseOp(word.substr(0, dot));
  std::optional<DType> cast = dot == word.npos ? std::nullopt : parseDType(word.substr(dot + 1));
  if (!op || (op == ScalarOp::Cast) != cast.has_value() || (dot != word.npos && !cast)) {
    text_.fail("'" + word.substr(0, 40) + "' is no value", place);
    return operand;
  }
  return takeOperation(*op, cast.value_or(DType::Bool), depth, place);
}

BodyReader::Operand BodyReader::takeOperation(ScalarOp op, DType cast, int depth,
                                              const Place &place) {
  std::vector<Operand> operands;
  text_.expect("(");
  int count = numScalarOperands(op);
  for (int k = 0; k < count && text_.ok(); ++k) {
    if (k > 0)
      text_.expect(",");
    operands.push_back(takeOperand(depth + 1));
  }
  text_.expect(")");
  Operand result;
  result.place = place;
  if (!text_.ok())
    return result;
  // Operands have one dtype, but for a condition: that of the first which says it.
  int first = op == ScalarOp::Select ? 1 : 0;
  DType dtype = DType::Bool;
  bool isKnown = false;
  for (int k = first; k < count && !isKnown; ++k)
    if (operands[size_t(k)].node >= 0) {
      isKnown = true;
      dtype = dtypeOf(operands[size_t(k)].node);
    }
  std::string name(scalarOpName(op));
  if (!isKnown)
    text_.fail(name + " of constants whose dtype is not said: f32(2.0)", place);
  else if (!takes(op, dtype))
    text_.fail(name + " is not defined for " + std::string(dtypeShortName(dtype)), place);
  ScalarNode node{op, dtype, {-1, -1, -1}, 0};
  if (op == ScalarOp::Cast)
    node.dtype = cast;
  else if (givesBool(op))
    node.dtype = DType::Bool;
  for (int k = 0; k < count && text_.ok(); ++k)
    node.args[k] = resolve(operands[size_t(k)], k < first ? DType::Bool : dtype);
  if (text_.ok())
    result.node = intern(node);
  return result;
}

void BodyReader::finish(absl::Span<int32_t *const> roots, Nest &nest) {
  std::vector<int32_t> order, stack;
  orderBody(
      nodes_, [&](int32_t node) { return absl::MakeConstSpan(indices_[size_t(node)]); }, roots,
      order, stack, nest.body, nest.indices);
}

} // namespace graphc
