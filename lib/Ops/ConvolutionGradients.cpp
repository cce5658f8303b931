//===- ConvolutionGradients.cpp - both gradients of convolutions -----------===//
//
// With c = convolution(x, kernel), linear in both:
//
//   convInputGradient(c, kernel)  for each phase of x (element modulo stride) the taps that reach
//   it
//                                 form a convolution of padded c. Where the taps are not known, or
//                                 the phases are many: of c with stride - 1 zeros between its
//                                 elements
//   convKernelGradient(x, c)      pads x, and joins it with c over batch and positions
//
//===----------------------------------------------------------------------===//
#include <numeric>

#include "Convolution.h"

namespace graphc {
namespace {

/// Channels per group of the operand and outputs per group.
struct Groups {
  int64_t count;
  Extent channels, outputs;
  bool isOne() const { return count == 1; }
};

/// {first} or {groups, perGroup}: so all indices stay affine.
void appendGrouped(Emitter &e, Extents &extents, const Groups &groups, Extent perGroup) {
  if (!groups.isOne())
    extents.push_back(e.size(groups.count));
  extents.push_back(perGroup);
}

ReduceOptions joinedIn(DType dtype, DType result) {
  return {.result = result, .accumulator = dtype};
}

/// The gradient with `stride` - 1 zeros between its elements, such that element j + tap * dilation
/// is what a tap of the reversed kernel multiplies for element j of the operand.
Array spacedGradient(Emitter &e, Array g, const Geometry &geometry, const Extents &front,
                     const Extents &spatial, const Extents &reach) {
  Extents shape = e.shape(g);
  for (int k = 0; k < geometry.axes; ++k) {
    Extent whole = spatial[size_t(k)] + reach[size_t(k)] - 1;
    bool hasTaps = e.constantValue(reach[size_t(k)]).value_or(0) >= 1;
    shape[size_t(k) + 2] = hasTaps ? whole : max(whole, e.size(0)); // of no taps, nothing is read
  }
  return e.define(shape, [&](Indices i) {
    Scalars at(i.begin(), i.end());
    Scalar inside;
    for (int k = 0; k < geometry.axes; ++k) {
      size_t axis = size_t(k) + 2;
      double stride = double(geometry.stride[size_t(k)]);
      Scalar distance = i[axis] + e.scalar(front[size_t(k)] - (reach[size_t(k)] - 1));
      Scalar position = stride == 1 ? distance : intDiv(distance, stride);
      Scalar here = distance >= 0.0 && position < e.scalar(e.dim(g, int(axis)));
      if (stride != 1)
        here = here && equalTo(position * stride, distance);
      inside = k ? inside && here : here;
      at[axis] = position;
    }
    return e.loadIf(inside, g, at, e.literal(e.dtype(g), 0));
  });
}

/// The gradient with zeros between its elements, joined with the reversed kernel.
Array gradientOfSpaced(Emitter &e, Array g, Array kernel, const Geometry &geometry,
                       const Groups &groups, const Extents &taps, const Extents &front,
                       const Extents &spatial, const Extents &reach, const ReduceOptions &options) {
  Array spaced = spacedGradient(e, g, geometry, front, spatial, reach);

  Extents parallel = {e.dim(g, 0)}, reduction = {groups.outputs};
  appendGrouped(e, parallel, groups, groups.channels);
  size_t firstSpatial = parallel.size();
  parallel.insert(parallel.end(), spatial.begin(), spatial.end());
  reduction.insert(reduction.end(), taps.begin(), taps.end());
  return e.reduce(
      Combine::Sum, parallel, reduction,
      [&](Indices i, Indices r) {
        Scalar output = groups.isOne() ? r[0] : i[1] * e.scalar(groups.outputs) + r[0];
        Scalars atG = {i[0], output}, atKernel = {output, i[firstSpatial - 1]};
        for (size_t k = 0; k < size_t(geometry.axes); ++k) {
          Scalar tap = r[k + 1];
          atG.push_back(i[firstSpatial + k] + tap * double(geometry.dilation[k]));
          atKernel.push_back(geometry.flip ? tap : e.scalar(taps[k] - 1) - tap);
        }
        return e.load(spaced, atG) * e.load(kernel, atKernel);
      },
      options);
}

/// A phase of one axis: every stride-th element of the operand, from element `phase` on, and the
/// taps that reach them.
struct Phase {
  int64_t phase;
  Extent extent;                          ///< elements
  int64_t count = 0, first = 0, step = 1; ///< taps first + n * step
  int64_t distance = 0;                   ///< of what two taps in a row multiply in the gradient
  int64_t start = 0; ///< what the last tap multiplies for the phase's element 0; perhaps negative
};

Phase phaseOf(Emitter &e, int64_t phase, int64_t stride, int64_t dilation, int64_t taps,
              int64_t front, Extent spatial) {
  Phase result{phase, floorDiv(spatial + (stride - 1 - phase), e.size(stride))};
  result.step = stride / std::gcd(stride, dilation);
  result.distance = result.step * dilation / stride;
  for (int64_t tap = 0; tap < std::min(taps, result.step) && !result.count; ++tap)
    if ((phase + front - tap * dilation) % stride == 0) {
      result.first = tap;
      result.count = (taps - 1 - tap) / result.step + 1;
    }
  int64_t last = result.first + (result.count - 1) * result.step;
  if (result.count)
    result.start = (phase + front - last * dilation) / stride;
  return result;
}

/// More phases than this are not worth their kernels.
constexpr int64_t kMostPhases = 8;

/// What every phase of an axis has, by axis; nothing where the taps are not known, where there is
/// one phase, or too many.
std::optional<std::vector<std::vector<Phase>>> phasesOf(Emitter &e, const Geometry &geometry,
                                                        const Extents &taps, const Extents &front,
                                                        const Extents &spatial) {
  std::vector<std::vector<Phase>> phases;
  int64_t count = 1;
  for (size_t k = 0; k < taps.size(); ++k) {
    auto numTaps = e.constantValue(taps[k]), before = e.constantValue(front[k]);
    if (!numTaps || !before || geometry.stride[k] > kMostPhases)
      return std::nullopt;
    count *= geometry.stride[k];
    std::vector<Phase> &ofAxis = phases.emplace_back();
    for (int64_t phase = 0; phase < geometry.stride[k]; ++phase)
      ofAxis.push_back(phaseOf(e, phase, geometry.stride[k], geometry.dilation[k], *numTaps,
                               *before, spatial[k]));
  }
  if (count == 1 || count > kMostPhases)
    return std::nullopt;
  return phases;
}

/// The part of the gradient that taps of these phases multiply, with zeros around it.
Array paddedPhase(Emitter &e, Array g, absl::Span<const Phase> phases) {
  Extents shape = e.shape(g);
  for (size_t k = 0; k < phases.size(); ++k)
    shape[k + 2] = phases[k].extent + (phases[k].count - 1) * phases[k].distance;
  return e.define(shape, [&](Indices i) {
    Scalars at(i.begin(), i.end());
    Scalar inside;
    for (size_t k = 0; k < phases.size(); ++k) {
      Scalar position = at[k + 2] + double(phases[k].start);
      Scalar here = position >= 0.0 && position < e.scalar(e.dim(g, int(k) + 2));
      inside = k ? inside && here : here;
      at[k + 2] = position;
    }
    return e.loadIf(inside, g, at, e.literal(e.dtype(g), 0));
  });
}

/// The gradient by phases: each is a convolution of g itself, of a part of the taps, where the way
/// above multiplies as many zeros as the strides leave.
Array gradientByPhases(Emitter &e, Array g, Array kernel, const Geometry &geometry,
                       const Groups &groups, const Extents &taps, const Extents &spatial,
                       const std::vector<std::vector<Phase>> &phases,
                       const ReduceOptions &options) {
  size_t axes = phases.size();
  Extents shape = {e.dim(g, 0)};
  appendGrouped(e, shape, groups, groups.channels);
  size_t firstSpatial = shape.size();
  std::vector<std::pair<std::vector<Phase>, Array>> parts;
  std::vector<size_t> number(axes, 0);
  for (bool more = true; more;) {
    std::vector<Phase> here;
    Extents parallel = shape, reduction = {groups.outputs};
    bool isReached = true;
    for (size_t k = 0; k < axes; ++k) {
      here.push_back(phases[k][number[k]]);
      parallel.push_back(here.back().extent);
      reduction.push_back(e.size(here.back().count));
      isReached &= here.back().count > 0;
    }
    if (isReached) {
      Array padded = paddedPhase(e, g, here);
      Array sums = e.reduce(
          Combine::Sum, parallel, reduction,
          [&](Indices i, Indices r) {
            Scalar output = groups.isOne() ? r[0] : i[1] * e.scalar(groups.outputs) + r[0];
            Scalars atG = {i[0], output}, atKernel = {output, i[firstSpatial - 1]};
            for (size_t k = 0; k < axes; ++k) {
              const Phase &phase = here[k];
              Scalar tap = e.index(phase.first + (phase.count - 1) * phase.step) -
                           r[k + 1] * double(phase.step);
              atG.push_back(i[firstSpatial + k] + r[k + 1] * double(phase.distance));
              atKernel.push_back(geometry.flip ? e.scalar(taps[k] - 1) - tap : tap);
            }
            return e.load(padded, atG) * e.load(kernel, atKernel);
          },
          options);
      parts.push_back({std::move(here), sums});
    }
    more = false;
    for (size_t k = axes; k-- > 0 && !more;) {
      more = ++number[k] < phases[k].size();
      if (!more)
        number[k] = 0;
    }
  }
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return e.define(shape, [&](Indices i) {
    Scalar value = e.literal(*options.result, 0);
    for (const auto &[here, sums] : parts) {
      Scalars at(i.begin(), i.end());
      Scalar isHere;
      bool hasCondition = false;
      for (size_t k = 0; k < axes; ++k) {
        double stride = double(geometry.stride[k]);
        if (stride == 1)
          continue;
        Scalar number = i[firstSpatial + k], quotient = intDiv(number, stride);
        Scalar matches = equalTo(number - quotient * stride, double(here[k].phase));
        isHere = hasCondition ? isHere && matches : matches;
        hasCondition = true;
        at[firstSpatial + k] = quotient;
      }
      value = e.loadIf(isHere, sums, at, value);
    }
    return value;
  });
}

} // namespace

/// Operands: g, kernel, and the shape of x, of which the spatial extents count.
Arrays inputGradientEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
  Array g = castArray(e, in[0], dtype), kernel = castArray(e, in[1], dtype);
  int axes = e.rank(g) - 2;
  Geometry geometry(attributes, axes);
  e.requireEqual(e.dim(g, 1), e.dim(kernel, 0),
                 "the gradient has {a} channels where the kernel has {b} outputs");
  Extent outputs = e.dim(kernel, 0);
  e.require(outputs, Predicate::LessEqual,
            floorDiv(outputs, e.size(geometry.groups)) * geometry.groups, ErrorKind::ShapeError,
            "the kernel's {a} outputs cannot be divided into " + std::to_string(geometry.groups) +
                " groups");
  Groups groups{geometry.groups, e.dim(kernel, 1), floorDiv(outputs, e.size(geometry.groups))};
  Extents front, spatial, reach, taps;
  for (int k = 0; k < axes; ++k) {
    reach.push_back(covered(e.dim(kernel, k + 2), geometry.dilation[k]));
    front.push_back(paddingOf(e, attributes, axes, k, reach.back()).first);
    spatial.push_back(e.element(in[2], k + 2));
    e.require(e.size(0), Predicate::LessEqual, spatial.back(), ErrorKind::ShapeError,
              "the extent {b} along axis " + std::to_string(k + 2) + " is negative");
    taps.push_back(e.dim(kernel, k + 2));
  }
  Array sums;
  if (auto phases = phasesOf(e, geometry, taps, front, spatial))
    sums = gradientByPhases(e, g, kernel, geometry, groups, taps, spatial, *phases,
                            joinedIn(dtype, result));
  else
    sums = gradientOfSpaced(e, g, kernel, geometry, groups, taps, front, spatial, reach,
                            joinedIn(dtype, result));
  if (groups.isOne())
    return {sums};
  Extents shape = {e.dim(g, 0), groups.channels * groups.count};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return {e.view(sums, shape)};
}

/// Operands: x, g, and the shape of the kernel, of which the spatial extents count.
Arrays kernelGradientEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
  Array x = castArray(e, in[0], dtype), g = castArray(e, in[1], dtype);
  int axes = e.rank(x) - 2;
  Geometry geometry(attributes, axes);
  Extent numGroups = e.size(geometry.groups);
  Groups groups{geometry.groups, floorDiv(e.dim(x, 1), numGroups),
                floorDiv(e.dim(g, 1), numGroups)};
  e.requireEqual(e.dim(x, 0), e.dim(g, 0),
                 "the batches of operand and gradient differ: {a} and {b}");
  for (auto [what, array, perGroup] :
       {std::tuple{"operand", x, groups.channels}, {"gradient", g, groups.outputs}})
    e.requireEqual(e.dim(array, 1), perGroup * groups.count,
                   "the " + std::string(what) + "'s {a} channels cannot be divided into " +
                       std::to_string(groups.count) + " groups");
  Extents front, back, positions, taps;
  for (int k = 0; k < axes; ++k) {
    Extent tapsHere = e.element(in[2], k + 2);
    e.require(e.size(0), Predicate::LessEqual, tapsHere, ErrorKind::ShapeError,
              "the extent {b} along axis " + std::to_string(k + 2) + " is negative");
    Extent reach = covered(tapsHere, geometry.dilation[k]);
    auto [lo, hi] = paddingOf(e, attributes, axes, k, reach);
    Extent padded = e.dim(x, k + 2) + lo + hi;
    e.requireEqual(e.dim(g, k + 2), windowCount(padded, reach, geometry.stride[k]),
                   "the gradient has {a} elements along axis " + std::to_string(k + 2) +
                       " where the convolution has {b}");
    front.push_back(lo);
    back.push_back(hi);
    taps.push_back(tapsHere);
    positions.push_back(e.dim(g, k + 2));
  }
  Array padded = padTrailing(e, x, front, back, 0);

  Extents parallel, reduction = {e.dim(x, 0)};
  appendGrouped(e, parallel, groups, groups.outputs);
  parallel.push_back(groups.channels);
  size_t firstTap = parallel.size();
  parallel.insert(parallel.end(), taps.begin(), taps.end());
  reduction.insert(reduction.end(), positions.begin(), positions.end());
  Array sums = e.reduce(
      Combine::Sum, parallel, reduction,
      [&](Indices i, Indices r) {
        Scalar output = i[firstTap - 2], channel = i[firstTap - 1];
        if (!groups.isOne()) {
          output = i[0] * e.scalar(groups.outputs) + output;
          channel = i[0] * e.scalar(groups.channels) + channel;
        }
        Scalars atX = {r[0], channel}, atG = {r[0], output};
        for (size_t k = 0; k < size_t(axes); ++k) {
          Scalar tap = i[firstTap + k];
          if (geometry.flip)
            tap = e.scalar(taps[k] - 1) - tap;
          atX.push_back(r[k + 1] * double(geometry.stride[k]) + tap * double(geometry.dilation[k]));
          atG.push_back(r[k + 1]);
        }
        return e.load(padded, atX) * e.load(g, atG);
      },
      joinedIn(dtype, result));
  if (groups.isOne())
    return {sums};
  Extents shape = {e.dim(g, 1), groups.channels};
  shape.insert(shape.end(), taps.begin(), taps.end());
  return {e.view(sums, shape)};
}

} // namespace graphc
