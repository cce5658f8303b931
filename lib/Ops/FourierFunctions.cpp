//===- FourierFunctions.cpp -----------------------------------------------===//
#include "graphc/Fourier.h"

#include <algorithm>
#include <string>

#include "Build.h"
#include "CallScope.h"
#include "Derivatives.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

std::string nameOf(FourierNorm norm) {
  return norm == FourierNorm::Backward ? "backward"
         : norm == FourierNorm::Ortho  ? "ortho"
                                       : "forward";
}

Op transform(std::string_view name, const Variable &x, int axis, FourierNorm norm) {
  return builtin(name, {{"axis", plainAxis(axis, x)}, {"norm", nameOf(norm)}});
}

/// An op whose result has as many elements as its operand, or half of them.
Variable along(std::string_view name, const Operand &operand, const FourierOptions &options) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  if (options.n)
    x = fitAxis(Operand(x, operand.place()), *options.n, options.axis);
  return build(transform(name, x, options.axis, options.norm), {Operand(x, operand.place())});
}

/// The axes of a transform of several, and the length of each, if lengths are given.
struct SeveralAxes {
  Variable x;
  std::vector<int> axes;
  const FourierAxesOptions &options;

  SeveralAxes(std::string_view what, const Operand &operand, const FourierAxesOptions &options)
      : x(asVariable(operand)), axes(options.axes), options(options) {
    if (!x.ok())
      return;
    int count = options.lengths.empty() ? x.rank() : int(options.lengths.size());
    for (int axis = -count; options.axes.empty() && axis < 0; ++axis)
      axes.push_back(axis);
    if (!options.lengths.empty() && options.lengths.size() != axes.size())
      x = invalidAt(operand, ErrorKind::ValueError, what,
                    "there are " + std::to_string(options.lengths.size()) + " lengths for " +
                        std::to_string(axes.size()) + " axes");
    else if (axes.empty())
      x = invalidAt(operand, ErrorKind::ValueError, what, "there is no axis to transform along");
  }
  FourierOptions of(size_t i) const {
    FourierOptions one{.axis = axes[i], .norm = options.norm};
    if (!options.lengths.empty())
      one.n.emplace(options.lengths[i]);
    return one;
  }
};

Variable alongAll(std::string_view name, const Operand &operand,
                  const FourierAxesOptions &options) {
  CallScope scope(operand);
  SeveralAxes all(std::string(name) + "n", operand, options);
  Variable z = all.x;
  for (size_t i = all.axes.size(); z.ok() && i-- > 0;)
    z = along(name, Operand(z, operand.place()), all.of(i));
  return z;
}

/// k / (n spacing) in floatX.
Variable frequencies(const Variable &k, const Variable &n, const Operand &spacing) {
  const DType dtype = constant(0.0).dtype();
  return cast(k, dtype) / (cast(n, dtype) * inDType(asVariable(spacing), dtype));
}

Variable shifted(const Operand &operand, std::vector<int> axes, bool isBack) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (axes.empty())
    for (int axis = 0; axis < x.rank(); ++axis)
      axes.push_back(axis);
  for (int axis : axes) {
    if (!x.ok())
      return x;
    Variable half = intDiv(shape(x, axis), 2);
    x = roll(x, isBack ? -half : half, axis);
  }
  return x;
}

} // namespace

Variable fft(const Operand &x, const FourierOptions &options) { return along("fft", x, options); }
Variable ifft(const Operand &x, const FourierOptions &options) { return along("ifft", x, options); }
Variable rfft(const Operand &x, const FourierOptions &options) {
  CallScope scope(x);
  if (!x.isWeak() && isComplex(x.variable().dtype()))
    return invalidAt(x, ErrorKind::TypeError, "rfft",
                     "complex operands are refused: it takes real ones; fft takes complex ones");
  return along("rfft", x, options);
}

Variable irfft(const Operand &operand, const FourierOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  int64_t extent = x.type().extent(int(plainAxis(options.axis, x)));
  Variable n = options.n            ? asVariable(*options.n)
               : extent != kDynamic ? constant(2 * (extent - 1))
                                    : 2 * (shape(x, options.axis) - 1);
  std::optional<Constant> known = Constant::from(n);
  const bool isNone = known && known->data().numElements() == 1 && isInteger(n.dtype()) &&
                      known->data().item<int64_t>() < 1; // of which irfft tells itself
  if (options.n && !isNone)
    x = fitAxis(Operand(x, operand.place()), intDiv(n, 2) + 1, options.axis);
  return build(transform("irfft", x, options.axis, options.norm), {Operand(x, operand.place()), n});
}

Variable fftn(const Operand &x, const FourierAxesOptions &options) {
  return alongAll("fft", x, options);
}
Variable ifftn(const Operand &x, const FourierAxesOptions &options) {
  return alongAll("ifft", x, options);
}

Variable rfftn(const Operand &operand, const FourierAxesOptions &options) {
  CallScope scope(operand);
  SeveralAxes all("rfftn", operand, options);
  Variable z = all.x;
  for (size_t i = all.axes.size(); z.ok() && i-- > 0;)
    z = along(i + 1 == all.axes.size() ? "rfft" : "fft", Operand(z, operand.place()), all.of(i));
  return z;
}

Variable irfftn(const Operand &operand, const FourierAxesOptions &options) {
  CallScope scope(operand);
  SeveralAxes all("irfftn", operand, options);
  Variable z = all.x;
  for (size_t i = 0; z.ok() && i < all.axes.size(); ++i) {
    Operand one(z, operand.place());
    z = i + 1 == all.axes.size() ? irfft(one, all.of(i)) : along("ifft", one, all.of(i));
  }
  return z;
}

Variable fftfreq(const Operand &n, const Operand &spacing) {
  CallScope scope(n);
  Variable count = asVariable(n), k = arange(count);
  Variable isPositive = 2 * k < count;
  return frequencies(where(isPositive, k, k - count), count, spacing);
}

Variable rfftfreq(const Operand &n, const Operand &spacing) {
  CallScope scope(n);
  Variable count = asVariable(n);
  return frequencies(arange(intDiv(count, 2) + 1), count, spacing);
}

Variable fftshift(const Operand &x, std::vector<int> axes) {
  return shifted(x, std::move(axes), false);
}
Variable ifftshift(const Operand &x, std::vector<int> axes) {
  return shifted(x, std::move(axes), true);
}

Variable fitAxis(const Operand &x, const Operand &n, int axis) {
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  return build(builtin("fitAxis", {{"axis", plainAxis(axis, v)}}), {Operand(v, x.place()), n});
}

} // namespace graphc
