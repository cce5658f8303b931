//===- ConvolutionKernelGradient.cpp - by the kernel -----------------------===//
//
// With c = convolution(x, kernel), linear in both:
//
//   convKernelGradient(x, c)      pads x, and joins it with c over batch and positions; of a kernel
//                                 of one element with a stride, x is copied as far as it is met
//
//===----------------------------------------------------------------------===//
#include "Convolution.h"
#include "absl/algorithm/container.h"

namespace graphc {
namespace {

/// The positions of x that kernels of one element meet, side by side as one axis: [batch, channel,
/// position].
Array metPositions(Emitter &e, Array x, const Geometry &geometry, const Extents &positions) {
  Extents shape = {e.dim(x, 0), e.dim(x, 1)}, flat = shape;
  shape.insert(shape.end(), positions.begin(), positions.end());
  flat.push_back(e.size(1));
  for (Extent extent : positions)
    flat.back() = flat.back() * extent;
  Array met = e.define(shape, [&](Indices i) {
    Scalars at(i.begin(), i.end());
    for (size_t k = 0; k < positions.size(); ++k)
      at[k + 2] = at[k + 2] * double(geometry.stride[k]);
    return e.load(x, at);
  });
  return e.view(met, flat);
}

} // namespace

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

  // Of a kernel of one element that leaves some of x out, the rest is copied: then columns'
  // elements stand together.
  bool isOneTap = absl::c_all_of(taps, [&](Extent count) { return e.constantValue(count) == 1; });
  bool isStrided = absl::c_any_of(geometry.stride, [](int64_t stride) { return stride > 1; });
  bool isFlat = isOneTap && isStrided;
  if (isFlat) {
    padded = metPositions(e, padded, geometry, positions);
    g = e.view(g, {e.dim(g, 0), e.dim(g, 1), e.dim(padded, 2)});
    positions = {e.dim(padded, 2)};
  }

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
        if (isFlat)
          return e.load(padded, {r[0], channel, r[1]}) * e.load(g, {r[0], output, r[1]});
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
