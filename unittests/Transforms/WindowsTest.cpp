//===- unittests/Transforms/WindowsTest.cpp - products that windows fill --===//
//
// Convolutions of one to three axes, by compiled code, against sums in double precision; the bound
// is that of ProductsTest.cpp. Rows are outputs, so that eight and more of them make a product.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <numeric>

#include "KernelHarness.h"
#include "Targets.h"

#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

/// What follows the sums.
enum class Then {
  Nothing,
  Residual, ///< max(sum + r[all] + r[output], 0)
  Line,     ///< sum + a number that each line of pixels has
  Counter   ///< sum + the pixel's number in its line
};

struct Window {
  DType dtype = DType::Float32;
  int64_t batch = 1, outputs = 8, channels = 3;
  std::vector<int64_t> extents, window; ///< one to three axes
  int64_t stride = 1, dilation = 1, padding = 0;
  bool flips = false, isMasked = false; ///< padding by masks, not beforehand
  Then then = Then::Nothing;
  int64_t groups = 1;
  bool hasMoreTaps = false; ///< in the weights than are read
  bool isByChannel = false; ///< weights[group, channel, output, …], as gradients have them
  bool isPadded = false;    ///< with ones, by a nest of the same kernel, a group at a time
  bool isKnown = false;     ///< all extents but the groups' are the kernel's own
};

/// The dtype's elements as numbers.
std::vector<double> numbersOf(const Tensor &t) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < t.numElements(); ++i)
    switch (t.dtype()) {
    case DType::Float64:
      numbers.push_back(static_cast<const double *>(t.data())[i]);
      break;
    case DType::Float32:
      numbers.push_back(static_cast<const float *>(t.data())[i]);
      break;
    case DType::Float16:
      numbers.push_back(float(static_cast<const Half *>(t.data())[i]));
      break;
    case DType::BFloat16:
      numbers.push_back(float(static_cast<const BFloat16 *>(t.data())[i]));
      break;
    case DType::Int64:
      numbers.push_back(double(static_cast<const int64_t *>(t.data())[i]));
      break;
    default:
      numbers.push_back(static_cast<const int32_t *>(t.data())[i]);
    }
  return numbers;
}

double roundoff(DType dtype) {
  return dtype == DType::Float64    ? 0x1p-53
         : dtype == DType::Float32  ? 0x1p-24
         : dtype == DType::Float16  ? 0x1p-11
         : dtype == DType::BFloat16 ? 0x1p-8
                                    : 0;
}

/// Calls `visit` for each index of a shape, row-major.
void forEachIndex(const std::vector<int64_t> &shape,
                  const std::function<void(const std::vector<int64_t> &)> &visit) {
  std::vector<int64_t> index(shape.size(), 0);
  int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  for (int64_t n = 0; n < count; ++n) {
    visit(index);
    for (size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];)
      index[axis] = 0;
  }
}

int64_t placeOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &index) {
  int64_t place = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    place = place * shape[axis] + index[axis];
  return place;
}

std::vector<int64_t> joined(std::vector<int64_t> first, const std::vector<int64_t> &others) {
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// x[batch, group, channel, …], weights[group, output, channel, …], result and r[batch, group,
/// output, …]. `hasKnownWindow`: the window's and the channels' extents are the kernel's own.
void check(const Window &p, bool hasKnownWindow = true,
           const TargetDescription &target = hostTarget()) {
  size_t axes = p.extents.size();
  std::vector<int64_t> resultShape = {p.batch, p.groups, p.outputs};
  for (size_t k = 0; k < axes; ++k)
    resultShape.push_back(
        (p.extents[k] + 2 * p.padding - (p.window[k] - 1) * p.dilation - 1) / p.stride + 1);
  std::vector<int64_t> inside = p.extents;
  if (!p.isMasked && !p.isPadded)
    for (int64_t &extent : inside)
      extent += 2 * p.padding;
  std::vector<int64_t> xShape = joined({p.batch, p.groups, p.channels}, inside);
  std::vector<int64_t> wShape = joined({p.groups, p.outputs, p.channels}, p.window);
  if (p.hasMoreTaps)
    for (size_t k = 0; k < axes; ++k)
      ++wShape[k + 3];
  size_t outputAxis = p.isByChannel ? 2 : 1, channelAxis = 3 - outputAxis;
  if (p.isByChannel)
    std::swap(wShape[1], wShape[2]);
  std::string what = std::string(dtypeName(p.dtype)) + " " + std::to_string(p.batch) + " x " +
                     std::to_string(p.groups) + " x " + std::to_string(p.channels) + " -> " +
                     std::to_string(p.outputs) + ", stride " + std::to_string(p.stride) +
                     " dilation " + std::to_string(p.dilation) + " then " +
                     std::to_string(int(p.then)) + " for " + target.name + ":";
  for (size_t k = 0; k < axes; ++k)
    what += " " + std::to_string(p.extents[k]) + "/" + std::to_string(p.window[k]);
  SCOPED_TRACE(what);

  bool isHalf = p.dtype == DType::Float16 || p.dtype == DType::BFloat16;
  DType sum = isHalf ? DType::Float32 : p.dtype;
  auto unknown = [&](size_t rank) { return Type(p.dtype, std::vector<int64_t>(rank, kDynamic)); };
  Type weights = unknown(wShape.size());
  if (hasKnownWindow) {
    std::vector<int64_t> known = wShape;
    known[0] = kDynamic;
    if (!p.isKnown)
      known[outputAxis] = kDynamic;
    weights = Type(p.dtype, known);
  }
  auto typeOf = [&](std::vector<int64_t> shape) {
    shape[1] = kDynamic;
    return p.isKnown ? Type(p.dtype, shape) : unknown(shape.size());
  };
  Emitter e;
  Array x = e.operand(typeOf(xShape)), w = e.operand(weights), r = e.operand(typeOf(resultShape));
  // Equal extents are one size: loads along them are operands with maps, as in kernels of graphs.
  int output = int(outputAxis), channel = int(channelAxis);
  for (auto [a, b] : {std::pair{e.dim(x, 0), e.dim(r, 0)},
                      {e.dim(x, 1), e.dim(r, 1)},
                      {e.dim(w, 0), e.dim(r, 1)},
                      {e.dim(w, output), e.dim(r, 2)},
                      {e.dim(x, 2), e.dim(w, channel)}})
    e.requireEqual(a, b, "extents");
  Extents parallel, reduction = {e.dim(w, channel)};
  for (size_t k = 0; k < resultShape.size(); ++k)
    parallel.push_back(e.dim(r, int(k)));
  for (size_t k = 0; k < axes; ++k)
    reduction.push_back(p.hasMoreTaps ? e.size(p.window[k]) : e.dim(w, int(k) + 3));
  ReduceOptions options;
  options.result = p.dtype;
  options.accumulator = sum;
  Array padded = x;
  if (p.isPadded) {
    Extents shape = e.shape(x);
    for (size_t axis = 3; axis < shape.size(); ++axis)
      shape[axis] = shape[axis] + 2 * p.padding;
    padded = e.define(shape, [&](Indices i) {
      Scalars at(i.begin(), i.end());
      Scalar exists;
      for (size_t axis = 3; axis < shape.size(); ++axis) {
        at[axis] = at[axis] - double(p.padding);
        Scalar here = at[axis] >= 0.0 && at[axis] < e.scalar(e.dim(x, int(axis)));
        exists = axis > 3 ? exists && here : here;
      }
      return e.loadIf(exists, x, at, e.literal(p.dtype, 1));
    });
  }
  Array sums = e.reduce(
      Combine::Sum, parallel, reduction,
      [&](Indices i, Indices k) {
        Scalars atX = {i[0], i[1], k[0]}, atW = {i[1], i[2], k[0]};
        if (p.isByChannel)
          std::swap(atW[1], atW[2]);
        Scalar exists;
        for (size_t axis = 0; axis < axes; ++axis) {
          Scalar tap = k[axis + 1];
          Scalar at = i[axis + 3] * double(p.stride) + tap * double(p.dilation);
          if (p.isMasked) {
            at = at - double(p.padding);
            Scalar here = at >= 0.0 && at < e.scalar(e.dim(x, int(axis) + 3));
            exists = axis ? exists && here : here;
          }
          atX.push_back(at);
          Scalar last =
              hasKnownWindow ? e.index(p.window[axis] - 1) : e.scalar(reduction[axis + 1]) - 1;
          atW.push_back(p.flips ? last - tap : tap);
        }
        Scalar factor =
            p.isMasked ? e.loadIf(exists, x, atX, e.literal(p.dtype, 0)) : e.load(padded, atX);
        Scalar weight = e.load(w, atW);
        return isHalf ? cast(factor, sum) * cast(weight, sum) : factor * weight;
      },
      options);
  Array y = sums;
  if (p.then != Then::Nothing)
    y = e.define(parallel, [&](Indices i) -> Scalar {
      Scalars at(i.begin(), i.end()), ofOutput(at.size(), e.index(0)), ofLine = at;
      ofOutput[2] = i[2];
      ofLine.back() = e.index(0);
      Scalar value = e.load(sums, at);
      if (p.then == Then::Line)
        return value + e.load(r, ofLine);
      if (p.then == Then::Counter)
        return value + cast(i[at.size() - 1], p.dtype);
      return maximum(value + e.load(r, at) + e.load(r, ofOutput), e.literal(p.dtype, 0));
    });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  TestKernel test = makeKernel(*emission, {x, w, r}, {y}, {xShape, wShape, resultShape},
                               p.isPadded ? 2 : int(parallel.size()));
  std::vector<Tensor> in = {randomTensor(p.dtype, xShape, 1), randomTensor(p.dtype, wShape, 2),
                            randomTensor(p.dtype, resultShape, 3)};
  CompiledRun run = runKernel(test, in, target);
  ASSERT_EQ(run.outputs.size(), 1u);

  std::vector<double> xs = numbersOf(in[0]), ws = numbersOf(in[1]), rs = numbersOf(in[2]),
                      got = numbersOf(run.outputs[0]);
  std::vector<int64_t> taps = joined({p.channels}, p.window);
  double u = roundoff(sum), rounding = roundoff(p.dtype);
  // Of many terms, some results are looked at: of all residues, so of all places in a tile.
  int64_t numTerms =
      std::accumulate(taps.begin(), taps.end(), int64_t(got.size()), std::multiplies<>());
  int64_t every = numTerms > 4'000'000 ? 97 : 1, number = 0;
  forEachIndex(resultShape, [&](const std::vector<int64_t> &i) {
    if (number++ % every)
      return;
    double value = 0, size = 0, terms = 1;
    forEachIndex(taps, [&](const std::vector<int64_t> &k) {
      std::vector<int64_t> atX = {i[0], i[1], k[0]}, atW = {i[1], i[2], k[0]};
      if (p.isByChannel)
        std::swap(atW[1], atW[2]);
      bool isInside = true;
      for (size_t axis = 0; axis < axes; ++axis) {
        int64_t at = i[axis + 3] * p.stride + k[axis + 1] * p.dilation;
        if (p.isMasked || p.isPadded)
          at -= p.padding;
        isInside &= at >= 0 && at < xShape[axis + 3];
        atX.push_back(at);
        atW.push_back(p.flips ? p.window[axis] - 1 - k[axis + 1] : k[axis + 1]);
      }
      if (!isInside && !p.isPadded)
        return;
      double term =
          (isInside ? xs[size_t(placeOf(xShape, atX))] : 1) * ws[size_t(placeOf(wShape, atW))];
      value += term;
      size += std::fabs(term);
      ++terms;
    });
    double bound = terms * u / (1 - terms * u) * size + terms * 0x1p-53 * size;
    auto roundTo = [&](double next) {
      value = next;
      bound += rounding * (std::fabs(next) + bound);
    };
    roundTo(value);
    size_t at = size_t(placeOf(resultShape, i));
    std::vector<int64_t> ofOutput(i.size(), 0), ofLine = i;
    ofOutput[2] = i[2];
    ofLine.back() = 0;
    if (p.then == Then::Line)
      roundTo(value + rs[size_t(placeOf(resultShape, ofLine))]);
    if (p.then == Then::Counter)
      roundTo(value + double(i.back()));
    if (p.then == Then::Residual) {
      roundTo(value + rs[at]);
      roundTo(value + rs[size_t(placeOf(resultShape, ofOutput))]);
      value = std::max(value, 0.0);
    }
    ASSERT_LE(std::fabs(got[at] - value), rounding == 0 ? 0 : bound) << "element " << at;
  });
}

constexpr DType kDTypes[] = {DType::Float32,  DType::Float64, DType::Float16,
                             DType::BFloat16, DType::Int32,   DType::Int64};

TEST(WindowShapes, OfEachDType) {
  for (DType dtype : kDTypes)
    for (bool flips : {false, true}) {
      check({.dtype = dtype,
             .outputs = 19,
             .channels = 5,
             .extents = {9, 11},
             .window = {3, 2},
             .flips = flips,
             .then = Then::Residual});
      check({.dtype = dtype,
             .batch = 2,
             .outputs = 9,
             .extents = {37},
             .window = {4},
             .padding = 2,
             .flips = flips,
             .isMasked = true},
            /*hasKnownWindow=*/false);
    }
}

/// Lines shorter and longer than vectors and panels, panels that end within a line.
TEST(WindowShapes, OfLinesFrom1To70) {
  for (int64_t width = 1; width <= 70; ++width)
    check({.batch = width % 2 + 1,
           .outputs = 8 + width % 9,
           .channels = width % 4 + 1,
           .extents = {width % 7 + 1, width},
           .window = {3, 3},
           .padding = 1,
           .isMasked = width % 3 == 0,
           .then = Then(width % 4)});
}

TEST(WindowShapes, OfOneToThreeAxes) {
  for (int64_t stride : {1, 2, 3, 5})
    for (int64_t dilation : {1, 3})
      for (bool isMasked : {false, true}) {
        check({.outputs = 17,
               .channels = 6,
               .extents = {43},
               .window = {5},
               .stride = stride,
               .dilation = dilation,
               .padding = 3,
               .isMasked = isMasked});
        check({.outputs = 12,
               .extents = {13, 22},
               .window = {2, 3},
               .stride = stride,
               .dilation = dilation,
               .padding = 2,
               .isMasked = isMasked,
               .then = Then::Residual});
        check({.batch = 2,
               .outputs = 8,
               .channels = 2,
               .extents = {8, 9, 10},
               .window = {2, 3, 2},
               .stride = stride,
               .dilation = dilation,
               .padding = 1,
               .isMasked = isMasked,
               .then = Then::Residual});
      }
}

TEST(WindowShapes, AtTheEdges) {
  // No batch, no channels, no outputs, no result.
  check({.batch = 0, .extents = {6, 6}, .window = {3, 3}});
  check({.channels = 0, .extents = {6, 6}, .window = {3, 3}, .then = Then::Residual}, false);
  check({.outputs = 0, .extents = {6, 6}, .window = {3, 3}});
  check({.extents = {2, 6}, .window = {3, 3}});
  check({.extents = {6, 2}, .window = {3, 3}});
  // One pixel, a window larger than what is not padding, strides larger than the window.
  check({.outputs = 33, .channels = 40, .extents = {1, 1}, .window = {1, 1}});
  check({.outputs = 33,
         .channels = 4,
         .extents = {1, 2},
         .window = {5, 5},
         .padding = 2,
         .isMasked = true});
  check({.outputs = 20, .extents = {20, 21}, .window = {2, 2}, .stride = 7});
  check({.outputs = 20, .extents = {9, 9}, .window = {3, 3}, .padding = 7, .isMasked = true});
}

TEST(WindowShapes, InGroups) {
  for (DType dtype : {DType::Float32, DType::BFloat16})
    check({.dtype = dtype,
           .batch = 2,
           .outputs = 10,
           .channels = 4,
           .extents = {9, 10},
           .window = {3, 3},
           .padding = 1,
           .isMasked = true,
           .then = Then::Residual,
           .groups = 3});
}

/// Rows of weights that are in pieces: they are copied.
TEST(WindowShapes, OfWeightsByChannel) {
  for (DType dtype : kDTypes)
    for (bool flips : {false, true})
      for (bool hasKnownWindow : {false, true})
        check({.dtype = dtype,
               .outputs = 30,
               .channels = 21,
               .extents = {9, 13},
               .window = {3, 2},
               .flips = flips,
               .then = Then::Residual,
               .isByChannel = true},
              hasKnownWindow);
  check({.outputs = 220,
         .channels = 40,
         .extents = {24, 25},
         .window = {3, 7},
         .flips = true,
         .isByChannel = true});
}

/// Rows of weights with gaps, of which nothing may be read.
TEST(WindowShapes, OfSomeTaps) {
  for (bool flips : {false, true})
    check({.outputs = 20,
           .channels = 11,
           .extents = {9, 13},
           .window = {3, 2},
           .flips = flips,
           .hasMoreTaps = true});
}

/// Whole panels that the first tile of rows fills on its way: vectors have parts of one line to
/// eight, whose length is the kernel's own or not.
TEST(WindowShapes, FilledByTiles) {
  for (bool isKnown : {false, true})
    for (int64_t width : {2, 3, 5, 6, 7, 8, 14, 15, 16, 17, 28, 32, 33, 56}) {
      int64_t stride = width % 4 < 2 ? 1 : 2;
      check({.dtype = width < 14 ? kDTypes[width % 6] : DType::Float32,
             .outputs = 14 + width,
             .channels = 3,
             .extents = {(90 / width) * stride + 3, (width - 1) * stride + 3},
             .window = {3, 3},
             .stride = stride,
             .flips = width % 3 == 0,
             .then = Then::Residual,
             .isKnown = isKnown});
    }
}

/// With a stride of 2, parts of lines are permutations of elements that the line has, where
/// lines are up to half a vector, or one and more; tiles fill them on their way or not.
TEST(WindowShapes, OfStridedLines) {
  for (DType dtype : {DType::Float32, DType::Float64})
    for (int64_t length = 1; length <= 40; ++length)
      for (bool isKnown : {false, true})
        check({.dtype = dtype,
               .batch = length % 3 == 0 ? 3 : 1,
               .outputs = 10 + length % 3 * 10,
               .channels = 2,
               .extents = {(90 / length) * 2 + 3, 2 * length + length % 2},
               .window = {3, 2 + length % 2},
               .stride = 2,
               .flips = length % 5 == 0,
               .then = Then::Residual,
               .isKnown = isKnown});
}

/// Small pictures, whose pixels are the columns of one product: panels have parts of one picture to
/// many, and end within one.
TEST(WindowShapes, OfSeveralPictures) {
  for (bool isMasked : {false, true})
    for (int64_t batch : {2, 3, 8, 15})
      for (auto [height, width] :
           {std::pair(1, 1), {1, 2}, {3, 1}, {2, 3}, {3, 5}, {7, 7}, {5, 16}})
        check({.dtype = height == 3 ? kDTypes[batch % 6] : DType::Float32,
               .batch = batch,
               .outputs = 13 + batch,
               .channels = 3,
               .extents = {height, width},
               .window = {3, 3},
               .padding = 1,
               .isMasked = isMasked,
               .then = Then((batch + width) % 4),
               .groups = height == 2 ? 2 : 1,
               .isKnown = true});
  check({.batch = 5,
         .outputs = 20,
         .channels = 2,
         .extents = {5, 7, 9},
         .window = {2, 3, 2},
         .stride = 2,
         .padding = 1,
         .then = Then::Residual,
         .isKnown = true});
}

/// Lines with a border that masks leave out are tiles, of 5 to 14 pixels, where there are mask
/// registers: outputs that fill vectors or not, pixels that strides and dilation leave
/// without some window positions, weights that are one run or pieces.
TEST(WindowShapes, LineByLine) {
  for (DType dtype : {DType::Float32, DType::Float64})
    for (int64_t width = 4; width <= 16; ++width)
      for (auto [stride, dilation, padding] :
           {std::tuple(1, 1, 1), {1, 2, 2}, {2, 1, 1}, {1, 1, 3}})
        check({.dtype = dtype,
               .batch = width % 3 + 1,
               .outputs = 30 + width * 5 % 37,
               .channels = width % 4 + 2,
               .extents = {width % 7 + 5, width * stride},
               .window = {3, 2 + width % 2 * 2},
               .stride = stride,
               .dilation = dilation,
               .padding = padding,
               .flips = width % 4 < 2,
               .isMasked = true,
               .then = Then((width + padding) % 4),
               .groups = width % 5 == 0 ? 2 : 1,
               .isByChannel = width % 3 == 0,
               .isKnown = true});
  // Several tiles to a line, of which the last one begins within another, or not.
  for (int64_t width : {27, 28, 29, 41})
    for (int64_t stride : {1, 2})
      check({.batch = 2,
             .outputs = 40,
             .channels = 3,
             .extents = {3, width * stride},
             .window = {2, 3},
             .stride = stride,
             .padding = 1,
             .flips = width == 28,
             .isMasked = true,
             .then = Then::Residual,
             .isKnown = true});
  // One axis, three, and weights of which some are not read.
  for (bool flips : {false, true}) {
    check({.outputs = 64,
           .channels = 20,
           .extents = {13},
           .window = {3},
           .padding = 1,
           .flips = flips,
           .isMasked = true,
           .isKnown = true});
    check({.outputs = 40,
           .channels = 3,
           .extents = {4, 5, 9},
           .window = {3, 2, 3},
           .padding = 1,
           .flips = flips,
           .isMasked = true,
           .then = Then::Residual,
           .isKnown = true});
    check({.outputs = 40,
           .channels = 3,
           .extents = {8, 9},
           .window = {3, 3},
           .padding = 1,
           .flips = flips,
           .isMasked = true,
           .hasMoreTaps = true,
           .isKnown = true});
  }
}

/// Panels of three vectors, and what is left of them.
TEST(WindowShapes, OfThreeVectors) {
  for (auto [height, width] :
       {std::pair(7, 7), {6, 8}, {5, 10}, {3, 16}, {4, 13}, {3, 17}, {2, 24}})
    for (int64_t outputs : {8, 9, 10, 27, 50})
      check({.outputs = outputs,
             .channels = outputs == 50 ? 60 : 3,
             .extents = {height + 2, width + 2},
             .window = {3, 3},
             .then = Then((outputs + width) % 4),
             .isKnown = true});
}

/// Lines that are columns by themselves and shorter than a vector: there is no whole panel.
TEST(WindowShapes, OfSingleShortLines) {
  for (int64_t width = 8; width < 16; ++width)
    check({.outputs = 30,
           .extents = {5, width + 2},
           .window = {3, 3},
           .then = Then::Counter,
           .isKnown = true});
}

/// Several blocks of rows, of panels, and sums longer than any cache line's neighbourhood.
TEST(WindowShapes, OfManyBlocks) {
  check({.outputs = 230,
         .channels = 130,
         .extents = {21, 19},
         .window = {3, 3},
         .padding = 1,
         .isMasked = true,
         .then = Then::Residual});
  check({.outputs = 150, .channels = 1024, .extents = {27, 29}, .window = {1, 1}, .stride = 2});
  check({.dtype = DType::Float64,
         .outputs = 40,
         .channels = 500,
         .extents = {15, 60},
         .window = {3, 3}},
        false);
  check({.dtype = DType::BFloat16,
         .outputs = 250,
         .channels = 70,
         .extents = {33, 35},
         .window = {3, 3}});
}

/// Fewer outputs to a group than make a product: window positions are written out.
TEST(WindowShapes, OfFewOutputs) {
  for (int64_t width = 1; width <= 40; ++width)
    check({.batch = width % 2 + 1,
           .outputs = width % 3 + 1,
           .channels = width % 4 == 0 ? 2 : 1,
           .extents = {width % 9 + 1, width},
           .window = {3, 3},
           .stride = width % 5 == 0 ? 2 : 1,
           .padding = 1,
           .isMasked = width % 4 == 1,
           .then = Then(width / 4 % 4),
           .groups = width % 5 + 1,
           .isPadded = width % 4 > 1,
           .isKnown = width % 7 > 0});
  for (int64_t stride : {1, 2, 3, 4, 5})
    for (int64_t dilation : {1, 2})
      for (bool isPadded : {false, true})
        for (bool flips : {false, true}) {
          check({.outputs = 1,
                 .channels = 1,
                 .extents = {70},
                 .window = {5},
                 .stride = stride,
                 .dilation = dilation,
                 .padding = 3,
                 .flips = flips,
                 .groups = 3,
                 .isPadded = isPadded,
                 .isKnown = true});
          check({.batch = 2,
                 .outputs = 1,
                 .channels = 1,
                 .extents = {15, 21},
                 .window = {7, 5},
                 .stride = stride,
                 .dilation = dilation,
                 .padding = 2,
                 .flips = flips,
                 .then = Then::Residual,
                 .groups = 2,
                 .isPadded = isPadded,
                 .isKnown = true});
          check({.outputs = 1,
                 .channels = 1,
                 .extents = {9, 11, 19},
                 .window = {3, 2, 3},
                 .stride = stride,
                 .dilation = dilation,
                 .padding = 2,
                 .flips = flips,
                 .then = Then::Residual,
                 .groups = 4,
                 .isPadded = isPadded,
                 .isKnown = true});
        }
  // No padding at all, more of it than a vector, pictures without lines or columns.
  check({.outputs = 1,
         .channels = 1,
         .extents = {9, 30},
         .window = {3, 3},
         .isPadded = true,
         .isKnown = true});
  check({.outputs = 1,
         .channels = 1,
         .extents = {3, 2},
         .window = {3, 3},
         .padding = 20,
         .groups = 3,
         .isPadded = true,
         .isKnown = true});
  for (const std::vector<int64_t> &extents : {std::vector<int64_t>{0, 20}, {20, 0}, {0, 0}})
    check({.outputs = 1,
           .channels = 1,
           .extents = extents,
           .window = {3, 3},
           .padding = 2,
           .groups = 2,
           .isPadded = true,
           .isKnown = true});
}

TEST(WindowShapes, OfFewOutputsOnOtherProcessors) {
  for (const TargetDescription &target : runnableTargets()) {
    for (DType dtype : kDTypes)
      for (int64_t stride : {1, 2, 3})
        check({.dtype = dtype,
               .outputs = 1,
               .channels = 1,
               .extents = {10, 27},
               .window = {3, 3},
               .stride = stride,
               .padding = 1,
               .then = Then::Residual,
               .groups = 3,
               .isPadded = true,
               .isKnown = true},
              true, target);
  }
}

TEST(WindowShapes, OfOtherProcessors) {
  for (const TargetDescription &target : runnableTargets()) {
    for (DType dtype : kDTypes)
      check({.dtype = dtype,
             .outputs = 21,
             .channels = 7,
             .extents = {17, 13},
             .window = {3, 3},
             .stride = 2,
             .padding = 1,
             .isMasked = true,
             .then = Then::Residual},
            true, target);
  }
}

/// Panels of parts of lines, by the first tile and before; of lines shorter than a vector, and of
/// strided ones that are many vectors; of several pictures.
TEST(WindowShapes, PartsOfLinesOnOtherProcessors) {
  for (const TargetDescription &target : runnableTargets())
    for (DType dtype : {DType::Float32, DType::BFloat16})
      for (bool isKnown : {false, true})
        for (int64_t stride : {1, 2})
          for (int64_t length : {5, 9, 30, 170})
            check({.dtype = dtype,
                   .batch = 3,
                   .outputs = 29,
                   .channels = 5,
                   .extents = {length < 100 ? 11 : 5, length},
                   .window = {3, 3},
                   .stride = stride,
                   .then = Then::Residual,
                   .isKnown = isKnown},
                  true, target);
}

} // namespace
} // namespace graphc::testing
