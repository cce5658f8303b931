//===- ConvolutionGradients.cpp - convolutions' gradients by the operand ---===//
//
// With c = convolution(x, kernel), linear in both:
//
//   convInputGradient(c, kernel)
//     with strides     for each phase of x (element modulo stride) the taps that reach it form a
//                      convolution of padded c. Where pictures are small and outputs many, every
//                      tap is multiplied with every element of c first, and each element of a phase
//                      is a sum of those
//     without strides, or where the taps are not known or the phases many
//                      a convolution of c with stride - 1 zeros between its elements. Without
//                      strides, of one small picture and with mask registers, by taps, too
//
//===----------------------------------------------------------------------===//
#include <numeric>

#include "Convolution.h"
#include "Emit/EmitterState.h"
#include "Support/LineTiles.h"
#include "absl/algorithm/container.h"

namespace graphc {
namespace {

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

/// What every phase of an axis has, by axis; nothing where the taps are not known, or the phases
/// are too many.
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
  if (count > kMostPhases)
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

/// The sums of a phase: a convolution of g itself, of a part of the taps, where gradientOfSpaced
/// multiplies as many zeros as the strides leave. `shape`: the result's up to the spatial axes.
Array phaseOfPadded(Emitter &e, Array g, Array kernel, const Geometry &geometry,
                    const Groups &groups, const Extents &taps, const Extents &shape,
                    absl::Span<const Phase> here, const ReduceOptions &options) {
  Extents parallel = shape, reduction = {groups.outputs};
  for (const Phase &phase : here) {
    parallel.push_back(phase.extent);
    reduction.push_back(e.size(phase.count));
  }
  Array padded = paddedPhase(e, g, here);
  return e.reduce(
      Combine::Sum, parallel, reduction,
      [&](Indices i, Indices r) {
        Scalar output = groups.isOne() ? r[0] : i[1] * e.scalar(groups.outputs) + r[0];
        Scalars atG = {i[0], output}, atKernel = {output, i[shape.size() - 1]};
        for (size_t k = 0; k < here.size(); ++k) {
          const Phase &phase = here[k];
          Scalar tap =
              e.index(phase.first + (phase.count - 1) * phase.step) - r[k + 1] * double(phase.step);
          atG.push_back(i[shape.size() + k] + r[k + 1] * double(phase.distance));
          atKernel.push_back(geometry.flip ? e.scalar(taps[k] - 1) - tap : tap);
        }
        return e.load(padded, atG) * e.load(kernel, atKernel);
      },
      options);
}

/// Products of taps are made where there are so many outputs (each takes a sum of so many to make,
/// and a store and a load), and not more of them than a cache beyond the second level holds.
constexpr int64_t kLeastOutputs = 64, kMostProducts = 1 << 20;
/// And not more taps, whose loads are written out.
constexpr int64_t kMostTaps = 32;
/// Without strides the other way is one convolution, which copies the weights in reverse. Products
/// of taps are faster where one picture of so few elements does not pay for the copies, on
/// processors with mask registers: 7x7 and 3x3 elements 0.5 to 0.8 of the time, 9x9 and 10x10 0.77
/// to 0.92, 14x14 1.0 to 1.2, two and four pictures 1.05 to 1.3 (Zen 5). With AVX2 7x7 took 1.28.
/// What is done line by line is faster than both (Support/LineTiles.h).
constexpr int64_t kFewPositions = 100;

bool areProductsOfTapsFew(Emitter &e, Array g, const Groups &groups, const Extents &taps,
                          const Extents &spatial, bool isStrided, bool isConverted) {
  Extent numTaps = e.size(1), positions = e.size(1);
  for (size_t k = 0; k < taps.size(); ++k) {
    numTaps = numTaps * taps[k];
    positions = positions * e.dim(g, int(k) + 2);
  }
  auto valueOf = [&](Extent extent) { return e.constantValue(extent).value_or(0); };
  const bool isPlain = e.dtype(g) == DType::Float32 || e.dtype(g) == DType::Float64;
  if (!isStrided && e.state().leavesBordersOut && isPlain && !isConverted &&
      areDoneByLines({.line = valueOf(spatial.back()),
                      .taps = valueOf(taps.back()),
                      .terms = valueOf(groups.outputs * numTaps),
                      .outputs = valueOf(groups.channels),
                      .elementBytes = byteSize(e.dtype(g))}))
    return false;
  Extent count = e.dim(g, 0) * groups.count * groups.channels * positions;
  auto number = e.constantValue(numTaps), all = e.constantValue(count * numTaps);
  if (!isStrided && (e.constantValue(e.dim(g, 0)) != 1 ||
                     e.constantValue(positions).value_or(kFewPositions + 1) > kFewPositions))
    return false;
  return number && *number > 1 && *number <= kMostTaps && all && *all <= kMostProducts &&
         e.constantValue(groups.outputs).value_or(0) >= kLeastOutputs;
}

/// result[batch, (group,) channel, tap, …] = sum over the group's outputs of kernel * g: a product
/// of matrices of which both are as they lie in memory.
Array productsOfTaps(Emitter &e, Array g, Array kernel, const Groups &groups, const Extents &taps) {
  Extent batch = e.dim(g, 0), outputs = e.dim(g, 1), numTaps = e.size(1), positions = e.size(1);
  for (size_t k = 0; k < taps.size(); ++k) {
    numTaps = numTaps * taps[k];
    positions = positions * e.dim(g, int(k) + 2);
  }
  Array columns = e.view(g, {batch, outputs, positions});
  Array rows = e.view(kernel, {outputs, groups.channels * numTaps});
  Extents parallel = {batch};
  appendGrouped(e, parallel, groups, groups.channels * numTaps);
  parallel.push_back(positions);
  size_t row = parallel.size() - 2;
  Array products = e.reduce(
      Combine::Sum, parallel, {groups.outputs},
      [&](Indices i, Indices r) {
        Scalar output = groups.isOne() ? r[0] : i[1] * e.scalar(groups.outputs) + r[0];
        return e.load(columns, {i[0], output, i[row + 1]}) * e.load(rows, {output, i[row]});
      },
      joinedIn(e.dtype(g), e.dtype(g)));
  Extents shape = {batch};
  appendGrouped(e, shape, groups, groups.channels);
  shape.push_back(numTaps);
  for (size_t k = 0; k < taps.size(); ++k)
    shape.push_back(e.dim(g, int(k) + 2));
  return e.view(products, shape);
}

/// The sums of a phase, of productsOfTaps: as many loads as taps reach it.
Array phaseOfProducts(Emitter &e, Array products, const Geometry &geometry, const Extents &taps,
                      const Extents &shape, absl::Span<const Phase> here, DType result) {
  Extents extents = shape;
  int64_t count = 1;
  for (const Phase &phase : here) {
    extents.push_back(phase.extent);
    count *= phase.count;
  }
  return e.define(extents, [&](Indices i) {
    Scalar zero = e.literal(e.dtype(products), 0), sum;
    for (int64_t number = 0; number < count; ++number) {
      Scalars at(i.begin(), i.begin() + int64_t(shape.size()));
      Scalar inside;
      int64_t rest = number, step = 1, tapOfAll = 0; // the last axis counts fastest
      Scalars positions(here.size());
      for (size_t k = here.size(); k-- > 0;) {
        const Phase &phase = here[k];
        int64_t extent = *e.constantValue(taps[k]), n = rest % phase.count;
        int64_t tap = phase.first + n * phase.step;
        rest /= phase.count;
        tapOfAll += (geometry.flip ? extent - 1 - tap : tap) * step;
        step *= extent;
        positions[k] =
            i[shape.size() + k] + double(phase.start + (phase.count - 1 - n) * phase.distance);
      }
      at.push_back(e.index(tapOfAll));
      for (size_t k = 0; k < here.size(); ++k) {
        Scalar extent = e.scalar(e.dim(products, int(shape.size() + 1 + k)));
        Scalar isHere = positions[k] >= 0.0 && positions[k] < extent;
        inside = k ? inside && isHere : isHere;
        at.push_back(positions[k]);
      }
      Scalar term = e.loadIf(inside, products, at, zero);
      sum = number ? sum + term : term;
    }
    return cast(sum, result);
  });
}

/// All elements of the gradient, of the sums of each phase that taps reach.
Array joinPhases(Emitter &e, const Geometry &geometry, const Extents &shape, const Extents &spatial,
                 const std::vector<std::vector<Phase>> &phases, DType result,
                 const std::function<Array(absl::Span<const Phase> here)> &sumsOf) {
  size_t axes = phases.size(), firstSpatial = shape.size(), count = 1;
  std::vector<std::pair<std::vector<Phase>, Array>> parts;
  for (const std::vector<Phase> &ofAxis : phases)
    count *= ofAxis.size();
  for (size_t number = 0; number < count; ++number) {
    std::vector<Phase> here(axes);
    bool isReached = true;
    size_t rest = number;
    for (size_t k = axes; k-- > 0; rest /= phases[k].size()) {
      here[k] = phases[k][rest % phases[k].size()];
      isReached &= here[k].count > 0;
    }
    if (isReached)
      parts.push_back({here, sumsOf(here)});
  }
  if (count == 1 && !parts.empty())
    return parts[0].second;
  Extents whole = shape;
  whole.insert(whole.end(), spatial.begin(), spatial.end());
  return e.define(whole, [&](Indices i) {
    Scalar value = e.literal(result, 0);
    for (const auto &[here, sums] : parts) {
      Scalars at(i.begin(), i.end());
      Scalar isHere;
      bool hasCondition = false;
      for (size_t k = 0; k < axes; ++k) {
        double stride = double(geometry.stride[k]);
        if (stride == 1)
          continue;
        Scalar number = i[firstSpatial + k];
        Scalar matches = equalTo(mod(number, stride), double(here[k].phase));
        isHere = hasCondition ? isHere && matches : matches;
        hasCondition = true;
        at[firstSpatial + k] = intDiv(number, stride);
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
  Extents shape = {e.dim(g, 0)};
  appendGrouped(e, shape, groups, groups.channels);
  Array sums;
  std::optional<std::vector<std::vector<Phase>>> phases;
  const bool isConverted = e.dtype(in[0]) != result || e.dtype(in[1]) != result || dtype != result;
  const bool isStrided = absl::c_any_of(geometry.stride, [](int64_t stride) { return stride > 1; });
  if (isStrided || e.state().hasMaskRegisters)
    phases = phasesOf(e, geometry, taps, front, spatial);
  if (phases && areProductsOfTapsFew(e, g, groups, taps, spatial, isStrided, isConverted)) {
    Array products = productsOfTaps(e, g, kernel, groups, taps);
    sums = joinPhases(e, geometry, shape, spatial, *phases, result, [&](auto here) {
      return phaseOfProducts(e, products, geometry, taps, shape, here, result);
    });
  } else if (phases && isStrided) {
    sums = joinPhases(e, geometry, shape, spatial, *phases, result, [&](auto here) {
      return phaseOfPadded(e, g, kernel, geometry, groups, taps, shape, here,
                           joinedIn(dtype, result));
    });
  } else {
    sums = gradientOfSpaced(e, g, kernel, geometry, groups, taps, front, spatial, reach,
                            joinedIn(dtype, result));
  }
  if (groups.isOne())
    return {sums};
  Extents joined = {e.dim(g, 0), groups.channels * groups.count};
  joined.insert(joined.end(), spatial.begin(), spatial.end());
  return {e.view(sums, joined)};
}

} // namespace graphc
