//===- graphc/Ops.h - functions that build nodes ----------------*- C++ -*-===//
//
// One function per op of the registry (docs/Ops.md describes them, `graphc ops NAME` prints the
// same), and the few that are short for several ops. All take Operands: Variables, Tensors or C++
// numbers. None of them fails by itself: a mistake gives an Invalid Variable that carries the
// error and the caller's place (Variable.h).
//
// Shapes broadcast as F-019 says: only an extent that is statically 1 does. Axes may count from
// the end (-1 is the last).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graphc/Variable.h"

namespace graphc {

//===--- elementwise --------------------------------------------------------===//

#define GRAPHC_UNARY(NAME) Variable NAME(const Operand &x);
#define GRAPHC_BINARY(NAME) Variable NAME(const Operand &x, const Operand &y);
#define GRAPHC_TERNARY(NAME) Variable NAME(const Operand &x, const Operand &y, const Operand &z);

// Arithmetic. add and mul take any number of operands as a list, too.
GRAPHC_BINARY(add)
GRAPHC_BINARY(sub)
GRAPHC_BINARY(mul)
GRAPHC_BINARY(trueDiv)
GRAPHC_BINARY(intDiv)
GRAPHC_BINARY(mod)
GRAPHC_BINARY(pow)
GRAPHC_UNARY(neg)
GRAPHC_UNARY(abs)
GRAPHC_UNARY(sgn)
GRAPHC_UNARY(sqr)
GRAPHC_UNARY(sqrt)
GRAPHC_UNARY(rsqrt)
GRAPHC_UNARY(cbrt)
GRAPHC_UNARY(reciprocal)
GRAPHC_BINARY(maximum)
GRAPHC_BINARY(minimum)
GRAPHC_BINARY(copysign)
GRAPHC_BINARY(nextafter)
GRAPHC_BINARY(hypot)
GRAPHC_TERNARY(fma)
GRAPHC_UNARY(deg2rad)
GRAPHC_UNARY(rad2deg)
/// The value itself; `copy` never shares memory with its operand.
GRAPHC_UNARY(identity)
GRAPHC_UNARY(copy)
Variable add(std::initializer_list<Operand> terms);
Variable mul(std::initializer_list<Operand> factors);
/// x < low ? low : x > high ? high : x.
Variable clip(const Operand &x, const Operand &low, const Operand &high);
/// (intDiv(x, y), mod(x, y)).
std::pair<Variable, Variable> divmod(const Operand &x, const Operand &y);
/// condition ? x : y for each element; any dtype is a condition (not 0 is true, NaN is true).
Variable where(const Operand &condition, const Operand &x, const Operand &y);
/// y, broadcast to the shape that x and y have together.
Variable second(const Operand &x, const Operand &y);

// Complex numbers. Of a real x, conj and real are x, imag is 0, and angle is 0 or pi.
GRAPHC_UNARY(conj)
GRAPHC_UNARY(real)
GRAPHC_UNARY(imag)
GRAPHC_UNARY(angle)
/// re + i im: complex64 of operands that fit in float32, else complex128.
Variable complex(const Operand &re, const Operand &im);

// Comparisons give bool; signed against unsigned integers compare exactly.
GRAPHC_BINARY(eq)
GRAPHC_BINARY(neq)
GRAPHC_BINARY(lt)
GRAPHC_BINARY(le)
GRAPHC_BINARY(gt)
GRAPHC_BINARY(ge)
GRAPHC_UNARY(isnan)
GRAPHC_UNARY(isinf)
GRAPHC_UNARY(isfinite)
GRAPHC_UNARY(signbit)
struct IscloseOptions {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equalNan = false;
};
Variable isclose(const Operand &x, const Operand &y, IscloseOptions options = {});

// Logic on any dtype, bits of integers.
GRAPHC_BINARY(logicalAnd)
GRAPHC_BINARY(logicalOr)
GRAPHC_BINARY(logicalXor)
GRAPHC_UNARY(logicalNot)
GRAPHC_BINARY(bitwiseAnd)
GRAPHC_BINARY(bitwiseOr)
GRAPHC_BINARY(bitwiseXor)
GRAPHC_UNARY(invert)
GRAPHC_BINARY(leftShift)
GRAPHC_BINARY(rightShift)

// Rounding. `round` is roundHalfToEven.
GRAPHC_UNARY(floor)
GRAPHC_UNARY(ceil)
GRAPHC_UNARY(trunc)
GRAPHC_UNARY(round)
GRAPHC_UNARY(roundHalfToEven)
GRAPHC_UNARY(roundHalfAwayFromZero)
/// F-046. Complex to real is refused: take `real`.
Variable cast(const Operand &x, DType dtype);

// Exponentials, logarithms, trigonometry.
GRAPHC_UNARY(exp)
GRAPHC_UNARY(exp2)
GRAPHC_UNARY(expm1)
GRAPHC_UNARY(log)
GRAPHC_UNARY(log2)
GRAPHC_UNARY(log10)
GRAPHC_UNARY(log1p)
GRAPHC_UNARY(log1mexp)
GRAPHC_BINARY(logaddexp)
GRAPHC_UNARY(logit)
GRAPHC_BINARY(xlogy)
GRAPHC_BINARY(xlog1py)
GRAPHC_UNARY(sin)
GRAPHC_UNARY(cos)
GRAPHC_UNARY(tan)
GRAPHC_UNARY(arcsin)
GRAPHC_UNARY(arccos)
GRAPHC_UNARY(arctan)
/// The angle of the point (x, y); y comes first.
Variable arctan2(const Operand &y, const Operand &x);
GRAPHC_UNARY(sinh)
GRAPHC_UNARY(cosh)
GRAPHC_UNARY(tanh)
GRAPHC_UNARY(arcsinh)
GRAPHC_UNARY(arccosh)
GRAPHC_UNARY(arctanh)
GRAPHC_UNARY(sinc)
GRAPHC_UNARY(erf)
GRAPHC_UNARY(erfc)
GRAPHC_UNARY(erfcx)
GRAPHC_UNARY(ndtr)
GRAPHC_UNARY(logNdtr)

// Activations of neural networks.
GRAPHC_UNARY(sigmoid)
GRAPHC_UNARY(softplus)
GRAPHC_UNARY(relu)
GRAPHC_UNARY(selu)
GRAPHC_UNARY(softsign)
GRAPHC_UNARY(silu)
GRAPHC_UNARY(gelu)
GRAPHC_UNARY(geluTanh)
GRAPHC_UNARY(mish)
Variable elu(const Operand &x, double alpha = 1.0);
Variable leakyRelu(const Operand &x, double alpha = 0.01);
/// clip(slope * x + shift, 0, 1).
Variable hardSigmoid(const Operand &x, double slope = 0.2, double shift = 0.5);
/// clip(x, low, high).
Variable hardTanh(const Operand &x, double low = -1.0, double high = 1.0);

#undef GRAPHC_UNARY
#undef GRAPHC_BINARY
#undef GRAPHC_TERNARY

//===--- reductions ---------------------------------------------------------===//

/// One axis.
struct Axis {
  explicit constexpr Axis(int axis) : axis(axis) {}
  int axis;
};

/// The axes of a reduction: all by default, `Axes{0, 1}`, `Axis(0)`, or none (`Axes::none()`).
class Axes {
public:
  Axes() = default;
  Axes(Axis axis) : list_(IntList{axis.axis}) {}
  Axes(std::initializer_list<int> axes) : list_(IntList(axes.begin(), axes.end())) {}
  explicit Axes(const std::vector<int> &axes) : list_(IntList(axes.begin(), axes.end())) {}
  static Axes none() { return Axes(std::vector<int>{}); }

  /// Empty for all axes.
  const std::optional<IntList> &list() const { return list_; }

private:
  std::optional<IntList> list_;
};

struct ReductionOptions {
  Axes axes = {};
  /// Reduced axes stay with extent 1.
  bool keepDims = false;
  /// sum, prod and mean: the result's dtype, and the dtype in which terms are joined (F-012).
  std::optional<DType> dtype = std::nullopt;
  std::optional<DType> accDtype = std::nullopt;
  /// var and stddev: the divisor is n - ddof.
  double ddof = 0;
};

// A bare int is refused, since `max(x, 0)` usually means maximum(x, 0): write max(x, Axis(0)).
#define GRAPHC_REDUCTION(NAME)                                                                     \
  Variable NAME(const Operand &x, const Axes &axes = {});                                          \
  Variable NAME(const Operand &x, const ReductionOptions &options);                                \
  template <Number T> Variable NAME(const Variable &x, T isNoAxisUnlessWrittenAsAxis) = delete;
GRAPHC_REDUCTION(sum)
GRAPHC_REDUCTION(prod)
GRAPHC_REDUCTION(max)
GRAPHC_REDUCTION(min)
GRAPHC_REDUCTION(argmax)
GRAPHC_REDUCTION(argmin)
GRAPHC_REDUCTION(any)
GRAPHC_REDUCTION(all)
GRAPHC_REDUCTION(mean)
GRAPHC_REDUCTION(var)
GRAPHC_REDUCTION(stddev)
GRAPHC_REDUCTION(logsumexp)
/// Along one axis or several; softmax(x) is over the last axis, Axes() is over all elements.
Variable softmax(const Operand &x, const Axes &axes = Axis(-1));
Variable logSoftmax(const Operand &x, const Axes &axes = Axis(-1));
#undef GRAPHC_REDUCTION

//===--- products -----------------------------------------------------------===//

/// NumPy's dot: the last axis of x with the second-last of y; a 0-d operand multiplies.
Variable dot(const Operand &x, const Operand &y);
/// NumPy's matmul: matrices along the last two axes, leading axes broadcast (static 1s).
Variable matmul(const Operand &x, const Operand &y);
/// x[b, m, k] with y[b, k, n]; either may lack its m or n.
Variable batchedDot(const Operand &x, const Operand &y);
/// The matrix x[i] * y[j] of the flattened operands.
Variable outer(const Operand &x, const Operand &y);
/// The last `axes` axes of x with the first of y, or the listed pairs of axes.
Variable tensordot(const Operand &x, const Operand &y, int axes = 2);
Variable tensordot(const Operand &x, const Operand &y, const std::vector<int> &axesX,
                   const std::vector<int> &axesY);

/// Padding in front of and behind each spatial axis: `{1, 2}` (the same on both sides),
/// `{{0, 1}, {2, 2}}` (front, back), a single number for all axes, or one that follows from the
/// kernel: Full keeps every product, Half keeps the size for odd kernels.
class Padding {
public:
  enum class Kind { Explicit, Valid, Half, Full };
  Padding() = default;
  Padding(Kind kind) : kind_(kind) {}
  Padding(int everywhere) : kind_(Kind::Explicit), pairs_{{everywhere, everywhere}}, all_(true) {}
  Padding(std::initializer_list<int> perAxis);
  Padding(std::initializer_list<std::pair<int, int>> perAxis) : Padding(std::vector(perAxis)) {}
  explicit Padding(std::vector<std::pair<int, int>> perAxis)
      : kind_(Kind::Explicit), pairs_(std::move(perAxis)) {}

  Kind kind() const { return kind_; }
  /// front0, back0, front1, ... of `axes` axes.
  IntList flat(int axes) const;

private:
  Kind kind_ = Kind::Valid;
  std::vector<std::pair<int, int>> pairs_;
  bool all_ = false;
};

struct ConvOptions {
  /// Per spatial axis; empty means 1.
  std::vector<int> stride = {};
  Padding padding = {};
  std::vector<int> dilation = {};
  int groups = 1;
  /// True: convolution, the kernel is reversed. False: correlation, as neural networks have it.
  bool filterFlip = true;
};
/// x: [batch, channels, spatial...], kernel: [outputs, channels / groups, spatial...].
Variable conv1d(const Operand &x, const Operand &kernel, const ConvOptions &options = {});
Variable conv2d(const Operand &x, const Operand &kernel, const ConvOptions &options = {});
Variable conv3d(const Operand &x, const Operand &kernel, const ConvOptions &options = {});

enum class PoolMode { Max, Sum, AverageIncPad, AverageExcPad };
struct PoolOptions {
  /// Empty means the window.
  std::vector<int> stride = {};
  Padding padding = {};
  PoolMode mode = PoolMode::Max;
  /// True: only windows that lie in the padded input. False: the last one may stick out.
  bool ignoreBorder = true;
};
/// Pools the last window.size() axes.
Variable pool(const Operand &x, const std::vector<int> &window, const PoolOptions &options = {});

//===--- shapes ---------------------------------------------------------------===//

/// A shape: numbers, 0-d integer Variables, or one 1-d integer Variable of known length.
class ShapeList {
public:
  ShapeList(std::initializer_list<Operand> extents);
  ShapeList(absl::Span<const int64_t> extents, Place place = std::source_location::current());
  ShapeList(const std::vector<int64_t> &extents, Place place = std::source_location::current())
      : ShapeList(absl::MakeConstSpan(extents), place) {}
  /// A 1-d integer Variable.
  ShapeList(const Variable &extents, std::source_location loc = std::source_location::current())
      : operand_(extents, loc) {}
  const Operand &operand() const { return operand_; }

private:
  Operand operand_;
};

/// The extents as an int64 vector; `shape(x, axis)` one of them, 0-d.
Variable shape(const Operand &x);
Variable shape(const Operand &x, int axis);
/// Number of elements: int64.
Variable size(const Operand &x);
/// Row-major; one extent may be -1.
Variable reshape(const Operand &x, const ShapeList &shape);
/// Axis order[i] of x becomes axis i; -1 inserts an axis of extent 1, axes that are statically 1
/// may be left out.
Variable dimshuffle(const Operand &x, const std::vector<int> &order);
/// All axes reversed, or permuted.
Variable transpose(const Operand &x);
Variable transpose(const Operand &x, const std::vector<int> &axes);
Variable swapaxes(const Operand &x, int axis1, int axis2);
Variable moveaxis(const Operand &x, const std::vector<int> &source,
                  const std::vector<int> &destination);
/// `axes` are positions in the result.
Variable expandDims(const Operand &x, const Axes &axes);
/// All axes that are statically 1, or the given ones, which must be 1.
Variable squeeze(const Operand &x, const Axes &axes = {});
/// The first ndim - 1 axes stay, the rest is joined to one.
Variable flatten(const Operand &x, int ndim = 1);
/// Leading axes of extent 1 until the rank is `rank`.
Variable atleastNd(const Operand &x, int rank);
/// x, with extents checked at run time and known from here on; kDynamic is any.
Variable specifyShape(const Operand &x, const std::vector<int64_t> &shape);
/// x, whose shape is checked at run time to be that of `like`, of the same rank (ShapeError).
Variable specifyShapeLike(const Operand &x, const Operand &like);
Variable broadcastTo(const Operand &x, const ShapeList &shape);
Variable concatenate(const std::vector<Operand> &parts, int axis = 0);
Variable concatenate(std::initializer_list<Operand> parts, int axis = 0);
Variable concatenate(const Variables &parts, int axis = 0);
/// Along a new axis.
Variable stack(const std::vector<Operand> &parts, int axis = 0);
Variable stack(std::initializer_list<Operand> parts, int axis = 0);
Variable stack(const Variables &parts, int axis = 0);
/// Pieces of these sizes, which must add up.
Variables split(const Operand &x, const std::vector<int64_t> &sizes, int axis = 0);
/// `pieces` pieces; sizes is an integer vector of that length.
Variables split(const Operand &x, const Operand &sizes, int pieces, int axis = 0);

enum class PadMode {
  Constant,
  Edge,
  Reflect,
  Symmetric,
  Wrap,
  LinearRamp,
  Mean,
  Maximum,
  Minimum,
};
struct PadOptions {
  PadMode mode = PadMode::Constant;
  /// What Constant puts there, and where LinearRamp ends; cast to x's dtype, 0 if not given.
  std::optional<Operand> value = std::nullopt;
};
/// (front, back) for each axis, >= 0; may be wider than x.
Variable pad(const Operand &x, const std::vector<std::pair<int, int>> &widths,
             const PadOptions &options = {});

//===--- indexing ---------------------------------------------------------------===//

/// A Slice's start or stop: not given, i.e. from or to the very end.
inline constexpr int64_t kEnd = INT64_MAX;

/// start:stop:step as in Python, numbers or 0-d integer Variables; start and stop may be kEnd.
struct Slice {
  Slice() = default;
  Slice(Operand start, Operand stop, Operand step = 1)
      : start(std::move(start)), stop(std::move(stop)), step(std::move(step)) {}
  Operand start = kEnd, stop = kEnd, step = 1;
};

struct NewAxis {};
struct Ellipsis {};
/// An axis of extent 1 in x[{...}].
inline constexpr NewAxis newaxis;
/// As many full slices as fit.
inline constexpr Ellipsis ellipsis;

/// One entry of x[{...}]: a number or 0-d integer Variable, a Slice, newaxis or ellipsis; or an
/// array of integers, or a mask, a bool array of the shape of as many axes as it has, which stands
/// for the arrays of `nonzero`. As NumPy has it, arrays, and numbers beside them, broadcast to each
/// other (IndexError), and their axes stand where the arrays stood, or in front where something was
/// between those.
class Index {
public:
  enum class Kind { Position, Slice, NewAxis, Ellipsis };
  Index(Slice slice, std::source_location loc = std::source_location::current())
      : kind_(Kind::Slice), slice_(std::move(slice)), place_(loc) {}
  Index(NewAxis, std::source_location loc = std::source_location::current())
      : kind_(Kind::NewAxis), place_(loc) {}
  Index(Ellipsis, std::source_location loc = std::source_location::current())
      : kind_(Kind::Ellipsis), place_(loc) {}
  Index(const Variable &position, std::source_location loc = std::source_location::current())
      : kind_(Kind::Position), place_(loc) {
    slice_.start = Operand(position, loc);
  }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T position, std::source_location loc = std::source_location::current())
      : kind_(Kind::Position), place_(loc) {
    slice_.start = Operand(position, loc);
  }

  Kind kind() const { return kind_; }
  /// Of a Position: `start` is it.
  const graphc::Slice &slice() const { return slice_; }
  Place place() const { return place_; }

private:
  Kind kind_;
  graphc::Slice slice_;
  Place place_;
};

/// x[indices]: a view where possible. IndexError for a position out of range (negative ones count
/// from the end), for too many indices, and for a mask of another shape; ValueError for step 0.
Variable subtensor(const Operand &x, const std::vector<Index> &indices);
/// x with `y` in place of x[indices], or added to it. y broadcasts to the shape of x[indices]
/// (ValueError), and x's dtype must hold its elements (TypeError). Of a position that arrays name
/// more than once the last element of y is set, in row-major order, and all are added.
Variable setSubtensor(const Operand &x, const std::vector<Index> &indices, const Operand &y);
Variable incSubtensor(const Operand &x, const std::vector<Index> &indices, const Operand &y);

enum class TakeMode { Raise, Clip, Wrap };
struct TakeOptions {
  /// None: of the flattened x.
  std::optional<int> axis = std::nullopt;
  /// What happens to indices out of range: IndexError (negative ones count from the end), the
  /// nearest end (negative ones are 0), or modulo.
  TakeMode mode = TakeMode::Raise;
};
/// x's slices at the integer `indices` along an axis.
Variable take(const Operand &x, const Operand &indices, TakeOptions options = {});
/// x with `y` added where take(x, indices, options) reads, in the order of the indices, as often as
/// a position is named. y has take's shape (ShapeError), and x's dtype must hold its elements
/// (TypeError).
Variable incTake(const Operand &x, const Operand &indices, const Operand &y,
                 TakeOptions options = {});
/// take along `axis`.
Variable gather(const Operand &x, const Operand &indices, int axis = 0);

//===--- making arrays --------------------------------------------------------===//

/// start, start + step, ... before stop. The dtype is the operands' promotion if not given.
Variable arange(const Operand &stop);
Variable arange(const Operand &start, const Operand &stop, const Operand &step = 1,
                std::optional<DType> dtype = std::nullopt);
/// `value` everywhere, in its own dtype or `dtype`.
Variable full(const ShapeList &shape, const Operand &value,
              std::optional<DType> dtype = std::nullopt);
Variable zeros(const ShapeList &shape, DType dtype);
Variable ones(const ShapeList &shape, DType dtype);
Variable zerosLike(const Operand &x);
Variable onesLike(const Operand &x);
/// 1 where column - row == k, an n x m matrix (m = n if not given).
Variable eye(const Operand &n, const std::optional<Operand> &m = std::nullopt, const Operand &k = 0,
             DType dtype = DType::Float64);

//===--- gradient stops (F-286) -------------------------------------------===//
// Each is x itself when computed, and rewriting removes it: it says something to differentiation.

/// The gradient is zero; the cost still depends on x.
Variable zeroGrad(const Operand &x);
/// Counts as independent of x.
Variable disconnectedGrad(const Operand &x);
/// The gradient is not defined: a Null one.
Variable undefinedGrad(const Operand &x);
/// A gradient is clipped to [low, high] on its way to x.
Variable gradClip(const Operand &x, double low, double high);
/// A gradient is multiplied by `factor`.
Variable gradScale(const Operand &x, double factor);

} // namespace graphc
