//===- Graph/Variable.cpp - Variable, Constant, Operand -------------------===//
#include "graphc/Variable.h"

#include "Graph/Literals.h"
#include "Graph/Nodes.h"
#include "graphc/Config.h"

namespace graphc {

using detail::asLeaf;
using detail::LeafNode;
using detail::makeLeaf;
using detail::VariableNode;

/// What default-constructed and moved-from Variables refer to.
static VariableNode *unset() {
  // Never destroyed: handles in other static objects may refer to it.
  static LeafNode *node = [] {
    auto *made = new LeafNode(
        Type::invalid(makeError(ErrorKind::ValueError, "a Variable is used before it was given a "
                                                       "value")),
        Place());
    made->immortal = 1;
    return made;
  }();
  return node;
}

//===--- Variable ---------------------------------------------------------===//

Variable::Variable() : node_(unset()) {}

Variable::Variable(Type type, std::string_view name, std::source_location loc)
    : node_(makeLeaf(std::move(type), name, loc)) {}

Variable Variable::invalid(absl::Status status) {
  Place place = errorPlace(status).value_or(Place());
  return Variable(makeLeaf(Type::invalid(std::move(status)), {}, place));
}

Variable::Variable(Variable &&other) noexcept : node_(std::exchange(other.node_, unset())) {}

const Type &Variable::type() const { return node_->type; }
bool Variable::hasOwner() const { return node_->owner != nullptr; }
Apply Variable::owner() const { return Apply::fromNode(node_->owner); }
int Variable::index() const { return int(node_->index); }
bool Variable::isConstant() const { return node_->constant; }

std::string_view Variable::name() const {
  return node_->extras ? std::string_view(node_->extras->name) : std::string_view();
}

Variable &Variable::setName(std::string_view name) {
  if (!node_->immortal)
    detail::extrasOf(node_->extras).name = name;
  return *this;
}

Place Variable::place() const { return node_->owner ? node_->owner->place : asLeaf(node_)->place; }

static const std::shared_ptr<void> &tagOf(const std::unique_ptr<detail::Extras> &extras) {
  static const std::shared_ptr<void> &none = *new std::shared_ptr<void>;
  return extras ? extras->tag : none;
}

const std::shared_ptr<void> &Variable::tag() const { return tagOf(node_->extras); }

void Variable::setTag(std::shared_ptr<void> tag) {
  if (!node_->immortal)
    detail::extrasOf(node_->extras).tag = std::move(tag);
}

const std::shared_ptr<void> &Apply::tag() const {
  static const std::unique_ptr<detail::Extras> none;
  return tagOf(node_ ? node_->extras : none);
}
void Apply::setTag(std::shared_ptr<void> tag) {
  if (node_)
    detail::extrasOf(node_->extras).tag = std::move(tag);
}

//===--- Constant ---------------------------------------------------------===//

/// `data` is row-major and nobody else's to write.
static VariableNode *makeConstant(Tensor data, std::string_view name, Place place) {
  if (!data.defined())
    return makeLeaf(
        Type::invalid(makeError(ErrorKind::ValueError, "a constant of an undefined Tensor", place)),
        name, place);
  LeafNode *node = makeLeaf(Type(data.dtype(), data.shape()), name, place);
  node->constant = 1;
  node->data = std::move(data);
  node->data.freeze(); // F-033
  return node;
}

/// Of a copy of `data`, if there was memory for it.
static VariableNode *constantOfCopy(const Tensor &data, Tensor copy, std::string_view name,
                                    Place place) {
  if (data.defined() && !copy.defined())
    return makeLeaf(Type::invalid(makeError(
                        ErrorKind::OutOfMemory,
                        "a constant: no memory for " + std::to_string(data.numBytes()) +
                            " bytes of a copy of " + Type(data.dtype(), data.shape()).brief() +
                            "; Constant::adopt copies no row-major Tensor",
                        place)),
                    name, place);
  return makeConstant(std::move(copy), name, place);
}

Constant::Constant(const Tensor &data, std::string_view name, std::source_location loc)
    : Variable(constantOfCopy(data, data.copy(), name, loc)) {}

Constant Constant::adopt(Tensor data, std::string_view name, Place place) {
  Tensor rowMajor = data.contiguous();
  return Constant(constantOfCopy(data, std::move(rowMajor), name, place));
}

std::optional<Constant> Constant::from(const Variable &v) {
  if (!v.isConstant())
    return std::nullopt;
  detail::retain(v.node());
  return Constant(v.node());
}

const Tensor &Constant::data() const { return asLeaf(node_)->data; }

Constant constant(const Tensor &data, std::source_location loc) { return Constant(data, {}, loc); }

Constant constant(bool value, std::source_location loc) {
  return Constant::adopt(Tensor(int64_t(value)).cast(DType::Bool), {}, loc);
}

/// F-029: numbers of any C++ type are int64, uint64 or float64.
static Tensor weakened(const Tensor &value) {
  return isFloat(value.dtype()) ? value.cast(DType::Float64) : value;
}

Constant detail::literalConstant(const Tensor &value, std::source_location loc) {
  // Without other operands the rule cannot fail.
  return Constant::adopt(*wrapLiteral(weakened(value), {}, Literals::Promote), {}, loc);
}

//===--- Operand ----------------------------------------------------------===//

Operand::Operand(const Tensor &t, std::source_location loc)
    : variable_(Constant(t, {}, loc)), place_(loc) {}

Operand::Operand(const Tensor &weak, Place place, bool) : weak_(weakened(weak)), place_(place) {}

//===--- named constructors -----------------------------------------------===//

Variable tensor(DType dtype, absl::Span<const int64_t> shape, std::string_view name,
                std::source_location loc) {
  return Variable(Type(dtype, shape), name, loc);
}

static constexpr int64_t kUnknown[] = {kDynamic, kDynamic, kDynamic, kDynamic,
                                       kDynamic, kDynamic, kDynamic};
static constexpr int64_t kRow[] = {1, kDynamic};
static constexpr int64_t kCol[] = {kDynamic, 1};

static absl::Span<const int64_t> unknown(size_t rank) { return {kUnknown, rank}; }

#define GRAPHC_CONSTRUCTOR(NAME, DTYPE, SHAPE)                                                     \
  Variable NAME(std::string_view name, std::source_location loc) {                                 \
    return tensor(DTYPE, SHAPE, name, loc);                                                        \
  }
#define GRAPHC_CONSTRUCTORS(PREFIX, DTYPE)                                                         \
  GRAPHC_CONSTRUCTOR(PREFIX##scalar, DTYPE, unknown(0))                                            \
  GRAPHC_CONSTRUCTOR(PREFIX##vector, DTYPE, unknown(1))                                            \
  GRAPHC_CONSTRUCTOR(PREFIX##matrix, DTYPE, unknown(2))                                            \
  GRAPHC_CONSTRUCTOR(PREFIX##row, DTYPE, kRow)                                                     \
  GRAPHC_CONSTRUCTOR(PREFIX##col, DTYPE, kCol)                                                     \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor3, DTYPE, unknown(3))                                           \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor4, DTYPE, unknown(4))                                           \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor5, DTYPE, unknown(5))                                           \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor6, DTYPE, unknown(6))                                           \
  GRAPHC_CONSTRUCTOR(PREFIX##tensor7, DTYPE, unknown(7))
GRAPHC_CONSTRUCTORS(, floatX())
GRAPHC_CONSTRUCTORS(b, DType::Int8)
GRAPHC_CONSTRUCTORS(w, DType::Int16)
GRAPHC_CONSTRUCTORS(i, DType::Int32)
GRAPHC_CONSTRUCTORS(l, DType::Int64)
GRAPHC_CONSTRUCTORS(f, DType::Float32)
GRAPHC_CONSTRUCTORS(d, DType::Float64)
GRAPHC_CONSTRUCTORS(c, DType::Complex64)
GRAPHC_CONSTRUCTORS(z, DType::Complex128)
#undef GRAPHC_CONSTRUCTORS
#undef GRAPHC_CONSTRUCTOR

} // namespace graphc
