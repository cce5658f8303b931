//===- Runtime/Type.cpp - types of variables ------------------------------===//
#include "graphc/Type.h"

#include <array>
#include <ostream>
#include <utility>

#include "Runtime/CheckDType.h"
#include "Support/Hash.h"
#include "absl/container/inlined_vector.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"

namespace graphc {

absl::Status checkDType(DType dtype) {
  return isDType(dtype) ? absl::OkStatus()
                        : makeError(ErrorKind::TypeError,
                                    "there is no dtype number " + std::to_string(int(dtype)));
}

struct Type::Rep {
  Kind kind = Kind::Tensor;
  DType dtype = DType::Float64;
  absl::InlinedVector<int64_t, 4> shape;
  uint64_t hash = 0;
  /// Of a Null type.
  std::string reason;
  /// Of an Invalid type.
  absl::Status status;
};

static uint64_t hashOf(const Type::Rep &rep) {
  uint64_t hash = hashBytes(rep.shape.data(), rep.shape.size() * sizeof(int64_t),
                            uint64_t(rep.kind) << 8 | uint64_t(rep.dtype));
  if (rep.kind == Type::Kind::Tensor)
    return hash;
  absl::string_view message = rep.status.message();
  return hashCombine(hashString(rep.reason, hash), hashBytes(message.data(), message.size()));
}

/// Records are filled where they stay: moving one costs more than it holds.
static std::shared_ptr<const Type::Rep> finish(std::shared_ptr<Type::Rep> rep) {
  rep->hash = hashOf(*rep);
  return rep;
}

static std::shared_ptr<const Type::Rep> makeInvalid(absl::Status why) {
  auto rep = std::make_shared<Type::Rep>();
  rep->kind = Type::Kind::Invalid;
  rep->status = std::move(why);
  return finish(std::move(rep));
}

/// Types of rank 0 are so many that all their handles share one record for each dtype.
static const std::shared_ptr<const Type::Rep> &scalarRep(DType dtype) {
  // Never destroyed: handles in other static objects may outlive any order of destruction.
  static const auto &reps = *[] {
    auto *made = new std::array<std::shared_ptr<const Type::Rep>, kNumDTypes>;
    for (int i = 0; i < kNumDTypes; ++i) {
      auto rep = std::make_shared<Type::Rep>();
      rep->dtype = DType(i);
      (*made)[size_t(i)] = finish(std::move(rep));
    }
    return made;
  }();
  return reps[size_t(dtype)];
}

static std::shared_ptr<const Type::Rep> makeTensorRep(DType dtype,
                                                      absl::Span<const int64_t> shape) {
  if (absl::Status status = checkDType(dtype); !status.ok())
    return makeInvalid(std::move(status));
  if (shape.empty())
    return scalarRep(dtype);
  size_t maximum = size_t(Tensor::kMaxRank) - isComplex(dtype); // an axis for the parts
  if (shape.size() > maximum)
    return makeInvalid(
        makeError(ErrorKind::ValueError, "a tensor type of rank " + std::to_string(shape.size()) +
                                             "; the maximum is " + std::to_string(maximum)));
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] < 0 && shape[axis] != kDynamic)
      return makeInvalid(
          makeError(ErrorKind::ValueError, "negative extent " + std::to_string(shape[axis]) +
                                               " along axis " + std::to_string(axis)));
  auto rep = std::make_shared<Type::Rep>();
  rep->dtype = dtype;
  rep->shape.assign(shape.begin(), shape.end());
  return finish(std::move(rep));
}

Type::Type() : rep_(scalarRep(DType::Float64)) {}

Type::Type(DType dtype, absl::Span<const int64_t> shape) : rep_(makeTensorRep(dtype, shape)) {}

Type Type::null(std::string reason) {
  auto rep = std::make_shared<Rep>();
  rep->kind = Kind::Null;
  rep->reason = std::move(reason);
  return Type(finish(std::move(rep)));
}

Type Type::disconnected() {
  static const auto &rep = *new std::shared_ptr<const Rep>([] {
    auto made = std::make_shared<Rep>();
    made->kind = Kind::Disconnected;
    return finish(std::move(made));
  }());
  return Type(rep);
}

Type Type::invalid(absl::Status why) { return Type(makeInvalid(std::move(why))); }

Type TensorType::fromBroadcastable(DType dtype, absl::Span<const bool> flags) {
  absl::InlinedVector<int64_t, 8> shape;
  for (bool flag : flags)
    shape.push_back(flag ? 1 : kDynamic);
  return Type(dtype, shape);
}

const Type::Rep &Type::rep() const { return rep_ ? *rep_ : *scalarRep(DType::Float64); }
Type::Kind Type::kind() const { return rep().kind; }
DType Type::dtype() const { return rep().dtype; }
int Type::rank() const { return int(rep().shape.size()); }
absl::Span<const int64_t> Type::shape() const & { return rep().shape; }
const absl::Status &Type::status() const { return rep().status; }
const std::string &Type::reason() const { return rep().reason; }
uint64_t Type::hash() const { return rep().hash; }

bool Type::hasStaticShape() const {
  for (int64_t extent : shape())
    if (extent == kDynamic)
      return false;
  return true;
}

int64_t Type::numElements() const {
  bool dynamic = false;
  int64_t count = 1;
  for (int64_t extent : shape()) {
    if (extent == 0)
      return 0;
    // A type too large for any tensor is as good as unknown.
    dynamic |= extent == kDynamic || __builtin_mul_overflow(count, extent, &count);
  }
  return dynamic ? kDynamic : count;
}

Type Type::withDType(DType dtype) const { return Type(dtype, shape()); }

bool Type::isSuperOf(const Type &other) const {
  if (*this == other)
    return true;
  if (!isTensor() || !other.isTensor() || dtype() != other.dtype() || rank() != other.rank())
    return false;
  for (int axis = 0; axis < rank(); ++axis)
    if (extent(axis) != kDynamic && extent(axis) != other.extent(axis))
      return false;
  return true;
}

bool operator==(const Type &a, const Type &b) {
  const Type::Rep &x = a.rep(), &y = b.rep();
  if (&x == &y)
    return true;
  return x.hash == y.hash && x.kind == y.kind && x.dtype == y.dtype && x.shape == y.shape &&
         x.reason == y.reason && x.status == y.status;
}

static std::string joinExtents(const Type &type, std::string_view separator) {
  std::string text;
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (axis)
      text += separator;
    text += type.extent(axis) == kDynamic ? "?" : std::to_string(type.extent(axis));
  }
  return text;
}

/// What all three spellings say of a type that is no tensor's.
static std::string otherKind(const Type &type) {
  switch (type.kind()) {
  case Type::Kind::Null:
    return "Null(" + type.reason() + ")";
  case Type::Kind::Disconnected:
    return "Disconnected";
  default:
    return "Invalid(" +
           std::string(type.status().message().data(), type.status().message().size()) + ")";
  }
}

std::string Type::str() const {
  if (!isTensor())
    return otherKind(*this);
  static constexpr const char *kNames[] = {"Scalar", "Vector", "Matrix"};
  std::string text = rank() < 3 ? kNames[rank()] : "Tensor" + std::to_string(rank());
  text += "(" + std::string(dtypeName(dtype())) + ", shape=(" + joinExtents(*this, ", ");
  return text + (rank() == 1 ? ",))" : "))");
}

std::string Type::text() const {
  if (!isTensor())
    return otherKind(*this);
  return "tensor<" + joinExtents(*this, "x") + (rank() ? "x" : "") +
         std::string(dtypeShortName(dtype())) + ">";
}

std::string Type::brief() const {
  if (!isTensor())
    return otherKind(*this);
  std::string text(dtypeShortName(dtype()));
  return rank() ? text + "[" + joinExtents(*this, ",") + "]" : text;
}

std::ostream &operator<<(std::ostream &os, const Type &type) { return os << type.str(); }

} // namespace graphc
