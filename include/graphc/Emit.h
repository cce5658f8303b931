//===- graphc/Emit.h - the narrow waist: how an op says what it computes --*- C++ -*-===//
//
// An op's emission is index notation: each result is an array whose element at (i, j, ...) is a
// scalar expression of loads at index expressions, perhaps reduced over further loops:
//
//   transpose:  e.define({n, m}, [&](Indices i) { return e.load(x, {i[1], i[0]}); })
//   matmul:     e.reduce(Combine::Sum, {m, n}, {k},
//                        [&](Indices i, Indices r) {
//                          return e.load(a, {i[0], r[0]}) * e.load(b, {r[0], i[1]}); })
//
// One expression language serves bodies, indices and masks, so map, slices, pads, gathers,
// contractions and windows are all the same thing: a loop nest. The Emitter only records. Readers
// of the record: Eval (plain loops), Kernels (fusion by substitution, shared memory), Lowering
// (linalg), shape inference, FLOP and byte counts. A new op needs no change in any of them.
//
// Extents are symbolic: expressions of the operands' extents (and of elements of small integer
// operands), solved on the host before loops run. Requirements between extents become run-time
// shape errors that name the op, the user's place and the shapes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graphc/Attributes.h"
#include "graphc/DType.h"
#include "graphc/Host.h"
#include "graphc/Status.h"
#include "graphc/Tensor.h"
#include "graphc/Type.h"

namespace graphc {

//===--- the record -------------------------------------------------------===//

/// Scalar operations. Semantics are docs/Ops.md's for each dtype: integers wrap, division by zero
/// is 0, shifts beyond the width are defined, float comparisons follow IEEE, maximum and minimum
/// are those of IEEE 754-2019 (NaN if one is; +0 > -0). On Float16 and BFloat16 every operation
/// computes in float32 and rounds once. Unless said, operands and result share one dtype.
enum class ScalarOp {
  // leaves
  Constant, // payload: the bits of the value, zero-extended
  Index,    // payload: loop number in the nest; Int64
  Size,     // payload: number in the size table; Int64
  Load,     // payload: array << 32 | first of its indices in `indices`; args: mask or -1 (Bool),
            // value where the mask is false (-1 with no mask). Never touches memory where false.
  // arithmetic
  Add,
  Sub,
  Mul,
  Div, // floats only
  IntDiv,
  Mod,
  Pow,
  Neg,
  Abs,
  Sgn,
  Sqrt,
  Rsqrt,
  Cbrt,
  Maximum,
  Minimum,
  Fma,
  CopySign,
  NextAfter,
  Hypot,
  // comparisons: any dtype -> Bool; signed against unsigned 64 is never mixed here
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  IsNan,
  IsInf,
  SignBit,
  // logic on Bool, bitwise on integers
  And,
  Or,
  Xor,
  Not,
  Shl,
  Shr,
  // rounding of floats
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  RoundAway,
  // functions of one or two floats
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Log1mExp,
  Logit,
  LogAddExp,
  Sin,
  Cos,
  Tan,
  ArcSin,
  ArcCos,
  ArcTan,
  ArcTan2,
  Sinh,
  Cosh,
  Tanh,
  ArcSinh,
  ArcCosh,
  ArcTanh,
  Sinc,
  Erf,
  Erfc,
  Erfcx, // exp(x^2) erfc(x)
  Ndtr,  // the normal distribution function: erfc(-x/sqrt 2) / 2
  LogNdtr,
  Sigmoid,
  Softplus,
  Gelu,     // x/2 * erfc(-x/sqrt 2)
  GeluTanh, // the tanh approximation
  Silu,
  // others
  Select, // args: Bool condition, value, value
  Cast,   // from any dtype: F-046
};

/// "add", "sigmoid", ...
std::string_view scalarOpName(ScalarOp op);
/// Number of operands (0 for leaves).
int numScalarOperands(ScalarOp op);
/// Whether the result is a Bool whatever the operands are.
bool givesBool(ScalarOp op);

/// One node of a scalar expression; operands stand before their users.
struct ScalarNode {
  ScalarOp op : 8;
  DType dtype : 8;
  int32_t args[3] = {-1, -1, -1};
  uint64_t payload = 0;
  friend bool operator==(const ScalarNode &, const ScalarNode &) = default;

  int32_t loadArray() const { return int32_t(payload >> 32); }
  uint32_t loadFirstIndex() const { return uint32_t(payload); }
};
static_assert(sizeof(ScalarNode) == 24, "large graphs have millions");

/// How a nest's reduction loops join the values of its body. For empty loops the result is the
/// neutral element (F-366); ArgMax and ArgMin need at least one element.
enum class Combine {
  None, // no reduction loops
  Sum,
  Prod,
  Max,
  Min,
  And, // of Bool or integers
  Or,
  Xor,
  ArgMax, // result: Int64, the row-major position in the reduction loops; first of ties,
  ArgMin, // first NaN
};

/// "sum", "argmax", ...; "" for None.
std::string_view combineName(Combine combine);
/// Whether values are joined in `Nest::accumulator`, not in their own dtype: Sum and Prod.
bool hasAccumulator(Combine combine);
/// Whether the result is a position: ArgMax and ArgMin.
bool isArg(Combine combine);
/// What joins two values; of any but None, ArgMax and ArgMin.
ScalarOp joinOp(Combine combine);

/// A loop nest: `result[parallel indices] = combine over reduction indices of body`.
struct Nest {
  /// Extents of the loops, outermost first: numbers in the size table. The first `numParallel`
  /// are the axes of the result, the rest is reduced over.
  Numbers extents;
  int32_t numParallel = 0;
  Combine combine = Combine::None;
  /// Sum, Prod: the body's value is cast to this, joined in it, and cast to the result's dtype at
  /// the end.
  DType accumulator = DType::Float32;
  /// The array that it defines.
  int32_t result = -1;
  /// The body: a DAG in topological order.
  std::vector<ScalarNode> body;
  int32_t root = -1;
  /// Index expressions of loads (node numbers), array-rank many for each Load.
  Numbers indices;
};

/// A requirement on sizes, checked on the host before the step's loops run. That an array fits into
/// memory is recorded for the first array of each shape, be it computed or not.
struct SizeCheck {
  Predicate predicate;
  /// The two sizes; for Fits, `a` is the bytes of an element.
  int32_t a, b;
  ErrorKind kind;
  /// What is wrong, with `{a}` and `{b}` standing for the two values.
  std::string message;
  /// Number that the reader passed to `beginNode`, for the op, place and shapes of the message.
  int32_t node = -1;
  /// Fits: the shape.
  Numbers shape = {};
};

struct Callee;

/// One step of an emission.
struct Step {
  enum class Kind {
    Loops, // run `nest`
    View,  // `outputs[0]` is `inputs[0]` with another shape of as many elements; no code
    Host,  // call `host`
    Call,  // run the steps of `callee`; the readers of an op's emission see none
  };
  Kind kind;
  Nest nest;      // Loops
  Numbers inputs; // View, Host, Call; for Loops: the arrays that it loads, each once
  Numbers outputs;
  HostCall host;
  int32_t node = -1;
  /// Call: a graph that was fused by itself (lib/Kernels/Callee.h), and, by its size numbers, sizes
  /// of this emission.
  std::shared_ptr<const Callee> callee = {};
  Numbers sizes = {};
};

struct ArrayInfo {
  DType dtype;
  Numbers shape; // size numbers
  /// Element sizes where all are known as sizes: small integer arrays made from extents and
  /// constants. Empty otherwise (or for an empty array).
  Numbers elements;
  /// Step that defines it; -1 for operands and constants.
  int32_t step = -1;
  /// Data of a constant.
  Tensor constant;
};

/// A condition on elements that must hold for every iteration of a nest (an index in range).
/// Kernels return the failing one's number.
struct ElementCheck {
  int32_t step;
  /// Bool node in the nest's body that must be true.
  int32_t condition;
  ErrorKind kind;
  /// With `{index}` for the index and `{b}` for the extent, where there are any.
  std::string message;
  int32_t node = -1;
  /// Of an index: the size number of the axis' extent, and the array that holds it.
  int32_t extent = -1, indices = -1;
};

/// What an Emitter recorded.
struct Emission {
  std::vector<SizeNode> sizes;
  std::vector<ArrayInfo> arrays;
  std::vector<Step> steps;
  std::vector<SizeCheck> sizeChecks;
  std::vector<ElementCheck> elementChecks;
};

//===--- what op authors write --------------------------------------------===//

class Emitter;

/// An array inside an emission: an operand or a result.
struct Array {
  int32_t id = -1;
};
using Arrays = std::vector<Array>;

/// A size expression. Arithmetic is exact; it folds constants and equal subexpressions. What is
/// computed from a default-constructed one is such a one too; an Emitter that gets one, or another
/// Emitter's, takes it for 0 and notes the mistake. So it is with Scalars and Arrays.
class Extent {
public:
  Extent() = default;
  Extent(Emitter *emitter, int32_t id) : emitter_(emitter), id_(id) {}
  int32_t id() const { return id_; }
  Emitter *emitter() const { return emitter_; }

private:
  Emitter *emitter_ = nullptr;
  int32_t id_ = -1;
};
using Extents = std::vector<Extent>;

Extent operator+(Extent a, Extent b);
Extent operator-(Extent a, Extent b);
Extent operator*(Extent a, Extent b);
Extent operator+(Extent a, int64_t b);
Extent operator-(Extent a, int64_t b);
Extent operator*(Extent a, int64_t b);
Extent floorDiv(Extent a, Extent b);
Extent ceilDiv(Extent a, Extent b);
Extent mod(Extent a, Extent b);
Extent max(Extent a, Extent b);
Extent min(Extent a, Extent b);
Extent less(Extent a, Extent b);
Extent equal(Extent a, Extent b);
Extent select(Extent condition, Extent a, Extent b);

/// A scalar expression in the nest that is being built.
class Scalar {
public:
  Scalar() = default;
  Scalar(Emitter *emitter, int32_t id, DType dtype) : emitter_(emitter), id_(id), dtype_(dtype) {}
  int32_t id() const { return id_; }
  DType dtype() const { return dtype_; }
  Emitter *emitter() const { return emitter_; }

private:
  Emitter *emitter_ = nullptr;
  int32_t id_ = -1;
  DType dtype_ = DType::Float64;
};
using Scalars = std::vector<Scalar>;
/// The loop counters of a nest: Int64 scalars.
using Indices = absl::Span<const Scalar>;

/// Any scalar operation by name; operand dtypes must be as the op says.
Scalar apply(ScalarOp op, absl::Span<const Scalar> operands);
/// F-046. The same dtype gives the scalar itself.
Scalar cast(Scalar s, DType dtype);
Scalar select(Scalar condition, Scalar a, Scalar b);

// Operators and functions on scalars: both sides must have one dtype; a C++ number takes the
// scalar's dtype.
#define GRAPHC_SCALAR_BINARY(NAME)                                                                 \
  Scalar NAME(Scalar a, Scalar b);                                                                 \
  Scalar NAME(Scalar a, double b);                                                                 \
  Scalar NAME(double a, Scalar b);
GRAPHC_SCALAR_BINARY(operator+)
GRAPHC_SCALAR_BINARY(operator-)
GRAPHC_SCALAR_BINARY(operator*)
GRAPHC_SCALAR_BINARY(operator/)
GRAPHC_SCALAR_BINARY(operator<)
GRAPHC_SCALAR_BINARY(operator<=)
GRAPHC_SCALAR_BINARY(operator>)
GRAPHC_SCALAR_BINARY(operator>=)
GRAPHC_SCALAR_BINARY(equalTo)
GRAPHC_SCALAR_BINARY(notEqualTo)
GRAPHC_SCALAR_BINARY(maximum)
GRAPHC_SCALAR_BINARY(minimum)
GRAPHC_SCALAR_BINARY(intDiv)
GRAPHC_SCALAR_BINARY(mod)
#undef GRAPHC_SCALAR_BINARY
Scalar operator-(Scalar a);
Scalar operator!(Scalar a);
Scalar operator&&(Scalar a, Scalar b);
Scalar operator||(Scalar a, Scalar b);
Scalar abs(Scalar x);
Scalar sqrt(Scalar x);
Scalar exp(Scalar x);
Scalar log(Scalar x);
Scalar log1p(Scalar x);
Scalar expm1(Scalar x);
Scalar tanh(Scalar x);
Scalar erf(Scalar x);
Scalar sigmoid(Scalar x);
Scalar isNan(Scalar x);

/// Options of `Emitter::reduce`.
struct ReduceOptions {
  /// Dtype of the result; the body's by default (Int64 for ArgMax and ArgMin).
  std::optional<DType> result = std::nullopt;
  /// Dtype in which Sum and Prod join; by default F-012's for a sum of the body's dtype.
  std::optional<DType> accumulator = std::nullopt;
};

/// Records what ops compute. One Emitter may record a whole graph: the arrays of one op's results
/// are operands of the next. Not thread-safe. Mistakes in an op's emission (wrong dtypes, ranks,
/// axes, what belongs to no emission) are programming errors: they are kept as the first error of
/// `finish`.
class Emitter {
public:
  Emitter();
  ~Emitter();
  Emitter(const Emitter &) = delete;
  Emitter &operator=(const Emitter &) = delete;

  //===--- for those who drive an emission --------------------------------===//
  /// A fresh operand whose static extents are constants and whose others are its `Dim` sizes.
  Array operand(const Type &type);
  /// A constant; its integer elements, if at most kMaxKnownElements, are known as sizes.
  Array constant(const Tensor &data);
  /// Steps and checks recorded from now on belong to `node`, whose results have these types.
  void beginNode(int32_t node, absl::Span<const Type> resultTypes);
  /// The node's results: their number, dtypes and ranks must be those of `beginNode`. From now on
  /// the axes that their types say are 1 broadcast, and no others.
  void endNode(const Arrays &results);
  /// What has been recorded so far; its size table is `sizes()` until `finish` moves it in.
  const Emission &emission() const;
  const std::vector<SizeNode> &sizes() const;
  /// OK, or the first mistake so far: Internal, since an emission is code.
  absl::Status status() const;
  /// The record, or the first mistake. The Emitter is empty afterwards.
  absl::StatusOr<Emission> finish();
  static constexpr int64_t kMaxKnownElements = 64;

  //===--- sizes ------------------------------------------------------------===//
  const Type &resultType(int i) const;
  DType dtype(Array a) const;
  int rank(Array a) const;
  Extent size(int64_t value);
  Extent dim(Array a, int axis);
  Extents shape(Array a);
  /// Whether the axis broadcasts: it is statically 1 by the array's type (F-019).
  bool broadcasts(Array a, int axis) const;
  Extent numElements(Array a);
  /// The element at row-major position `index` of an integer array, as a size. Known on the host
  /// where it can be derived; otherwise it is read when the array has been computed.
  Extent element(Array a, Extent index);
  Extent element(Array a, int64_t index = 0) { return element(a, size(index)); }
  /// The constant value of a size, if it is one.
  std::optional<int64_t> constantValue(Extent e) const;
  /// The extents must satisfy the predicate, else the call fails with `kind` and `message`. From
  /// then on equal extents are one (they fuse and collapse as such).
  void require(Extent a, Predicate predicate, Extent b, ErrorKind kind, std::string_view message);
  void requireEqual(Extent a, Extent b, std::string_view message) {
    require(a, Predicate::Equal, b, ErrorKind::ShapeError, message);
  }

  //===--- scalars inside a body ----------------------------------------------===//
  Scalar literal(DType dtype, double value);
  Scalar literalInt(DType dtype, int64_t value);
  Scalar scalar(Extent e);
  Scalar index(int64_t value) { return literalInt(DType::Int64, value); }
  Scalar load(Array a, absl::Span<const Scalar> indices);
  Scalar load(Array a, std::initializer_list<Scalar> indices) {
    return load(a, absl::MakeConstSpan(indices.begin(), indices.size()));
  }
  /// Loads only where `condition` holds; elsewhere the value is `otherwise`.
  Scalar loadIf(Scalar condition, Array a, absl::Span<const Scalar> indices, Scalar otherwise);
  /// The iteration fails with `kind` and `message` where the condition is false. Loads that
  /// depend on it should use `loadIf` with the same condition.
  void check(Scalar condition, ErrorKind kind, std::string_view message);
  /// The same for an element of `indices` that must be in [-extent, extent) of an axis: an
  /// IndexError that names it where the array is at hand.
  void checkIndex(Scalar inRange, int axis, Extent extent, Array indices);

  //===--- arrays ---------------------------------------------------------------===//
  using Body = std::function<Scalar(Indices i)>;
  using ReduceBody = std::function<Scalar(Indices i, Indices r)>;
  /// result[i...] = body(i).
  Array define(const Extents &shape, const Body &body);
  /// result[i...] = combine over r of body(i, r).
  Array reduce(Combine combine, const Extents &parallel, const Extents &reduction,
               const ReduceBody &body, const ReduceOptions &options = {});
  /// What the operands broadcast to: they are left-padded to a common rank; static 1s broadcast,
  /// other extents must be equal (F-019 to F-023; the requirement is recorded).
  Extents broadcastShape(const Arrays &in);
  /// Elementwise, over the operands' broadcastShape.
  Array map(const Arrays &in, const std::function<Scalar(const Scalars &)> &body);
  /// Joins `x` over `axes` (non-negative, ascending unless ArgMax/ArgMin give meaning to order).
  Array reduceAxes(Combine combine, Array x, absl::Span<const int> axes, bool keepDims,
                   const ReduceOptions &options = {});
  /// The same elements in row-major order with another shape (the requirement on the number of
  /// elements is the caller's to state).
  Array view(Array a, const Extents &shape);
  /// Host callback; result i has resultTypes' dtype and the given shape. `control`: see HostCall.
  Arrays hostCall(HostFunction host, const Arrays &in,
                  const std::vector<std::pair<DType, Extents>> &results,
                  std::shared_ptr<const ControlStep> control = {});
  /// The same by a routine, as HostCall says.
  Arrays routine(const Routine &routine, std::vector<int64_t> parameters, const Arrays &in,
                 const std::vector<std::pair<DType, Extents>> &results);

  //===--- complex numbers --------------------------------------------------===//
  // Loops know real numbers alone: a complex array is two real ones of its shape, and what loads
  // elements wants one of these. OpDef::complex says what ops make of parts; few emissions see
  // complex arrays: those of host calls, which get and give complex tensors.

  /// The real and the imaginary part; (a, no array) for a real one.
  std::pair<Array, Array> parts(Array a);
  /// Of two arrays of the same shape and dtype, Float32 or Float64.
  Array complex(Array re, Array im);
  /// As it lies in memory: a real array with one more axis at the end, of both parts. A real array
  /// is itself.
  Array interleaved(Array a);

  //===--- graphs within an op ----------------------------------------------===//
  /// Records what `emit` does as the node of an inner graph whose results have these types:
  /// `resultType` answers by them, and results are checked, meanwhile.
  Arrays within(absl::Span<const Type> resultTypes, const std::function<Arrays()> &emit);
  /// Records what `emit` does for each of `count` positions along the first axis of the arrays
  /// `along`, of which it is given, and sees, the slices. What depends on them has that axis in
  /// front as well; the rest is recorded once, and the result says which is which.
  struct Mapped {
    Arrays results;
    std::vector<bool> isMapped;
  };
  Mapped mapped(Extent count, const Arrays &along,
                const std::function<Arrays(const Arrays &slices)> &emit);

  /// For the library.
  struct State;
  State &state() { return *state_; }

private:
  std::unique_ptr<State> state_;
};

} // namespace graphc
