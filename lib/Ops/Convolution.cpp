//===- Convolution.cpp - convolutions of any spatial rank ------------------===//
//
// A nest that pads the operand, and a contraction over channels and kernel positions. Its gradients
// (ConvolutionGradients.cpp) are such nests, too; each of the three is linear in both operands, and
// its gradients are the other two.
//
//===----------------------------------------------------------------------===//
#include "Convolution.h"
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"

namespace graphc {

Extent covered(Extent kernel, int64_t dilation) { return (kernel - 1) * dilation + 1; }

std::pair<Extent, Extent> paddingOf(Emitter &e, const Attributes &attributes, int axes, int k,
                                    Extent coveredExtent) {
  const std::string &border = attributes.string("border");
  if (border == "explicit") {
    IntList flat = perAxis(attributes, "padding", 2 * axes, 0);
    return {e.size(flat[size_t(k) * 2]), e.size(flat[size_t(k) * 2 + 1])};
  }
  Extent most = coveredExtent - 1;
  Extent both = border == "full" ? most : floorDiv(most, e.size(2));
  return {both, both};
}

namespace {

Arrays convEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
  Array x = castArray(e, in[0], dtype), kernel = castArray(e, in[1], dtype);
  int axes = e.rank(x) - 2;
  Geometry g(attributes, axes);

  Extent channels = e.dim(kernel, 1), outputs = e.dim(kernel, 0);
  e.requireEqual(e.dim(x, 1), channels * g.groups,
                 "the operand has {a} channels where kernel and groups say {b}");
  e.require(outputs, Predicate::LessEqual, floorDiv(outputs, e.size(g.groups)) * g.groups,
            ErrorKind::ShapeError,
            "the kernel's {a} outputs cannot be divided into " + std::to_string(g.groups) +
                " groups");

  Extents front, back, spatial, taps;
  for (int k = 0; k < axes; ++k) {
    Extent reach = covered(e.dim(kernel, k + 2), g.dilation[k]);
    auto [lo, hi] = paddingOf(e, attributes, axes, k, reach);
    Extent padded = e.dim(x, k + 2) + lo + hi;
    e.require(reach, Predicate::LessEqual, padded, ErrorKind::ShapeError,
              "the kernel covers {a} elements along axis " + std::to_string(k + 2) +
                  " where the padded operand has {b}");
    front.push_back(lo);
    back.push_back(hi);
    spatial.push_back(windowCount(padded, reach, g.stride[k]));
    taps.push_back(e.dim(kernel, k + 2));
  }
  Array padded = padTrailing(e, x, front, back, 0);

  // With groups the outputs are split in two axes, so that all indices stay affine.
  bool grouped = g.groups != 1;
  Extent perGroup = floorDiv(outputs, e.size(g.groups));
  Extents parallel = {e.dim(x, 0)}, reduction = {channels};
  if (grouped)
    parallel.push_back(e.size(g.groups));
  parallel.push_back(perGroup);
  size_t firstSpatial = parallel.size();
  parallel.insert(parallel.end(), spatial.begin(), spatial.end());
  reduction.insert(reduction.end(), taps.begin(), taps.end());

  ReduceOptions options;
  options.result = result;
  options.accumulator = dtype;
  Array sums = e.reduce(
      Combine::Sum, parallel, reduction,
      [&](Indices i, Indices r) {
        Scalar channel = grouped ? i[1] * e.scalar(channels) + r[0] : r[0];
        Scalar output = grouped ? i[1] * e.scalar(perGroup) + i[2] : i[1];
        Scalars atX = {i[0], channel}, atKernel = {output, r[0]};
        for (int k = 0; k < axes; ++k) {
          Scalar tap = r[k + 1];
          atX.push_back(i[firstSpatial + k] * double(g.stride[k]) + tap * double(g.dilation[k]));
          atKernel.push_back(g.flip ? e.scalar(taps[k] - 1) - tap : tap);
        }
        return e.load(padded, atX) * e.load(kernel, atKernel);
      },
      options);
  if (!grouped)
    return {sums};
  Extents shape = {e.dim(x, 0), outputs};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return {e.view(sums, shape)};
}

//===--- definitions --------------------------------------------------------------===//

absl::Status checkGeometry(const TypeRequest &request, int axes) {
  const Attributes &a = request.attributes();
  for (auto [name, count, least] :
       {std::tuple{"stride", axes, 1}, {"dilation", axes, 1}, {"padding", 2 * axes, 0}})
    if (absl::Status s = checkPerAxis(a, name, count, least); !s.ok())
      return s;
  if (a.integer("groups") < 1)
    return makeError(ErrorKind::ValueError,
                     "groups must be at least 1, not " + std::to_string(a.integer("groups")));
  const std::string &border = a.string("border");
  if (border != "explicit" && border != "half" && border != "full")
    return makeError(ErrorKind::ValueError,
                     "border is \"explicit\", \"half\" or \"full\", not \"" + border + "\"");
  if (isBool(promote(request.type(0).dtype(), request.type(1).dtype())))
    return makeError(ErrorKind::TypeError, "bool operands are refused; cast them first");
  return absl::OkStatus();
}

TypeRule convType(int axes) {
  return [axes](const TypeRequest &request) -> TypesOr {
    for (size_t i : {0, 1})
      if (request.type(i).rank() != axes + 2)
        return makeError(ErrorKind::ShapeError, std::string(i == 0 ? "the operand" : "the kernel") +
                                                    " must have rank " + std::to_string(axes + 2) +
                                                    ", not " +
                                                    std::to_string(request.type(i).rank()));
    if (absl::Status s = checkGeometry(request, axes); !s.ok())
      return s;
    return inferShapes(request, {promoteAll(request)});
  };
}

/// Two arrays of one rank, and a shape of that length.
TypesOr gradientType(const TypeRequest &request) {
  int rank = request.type(0).rank();
  if (rank < 3 || request.type(1).rank() != rank)
    return makeError(ErrorKind::ShapeError, "the operands must have one rank, at least 3, not " +
                                                std::to_string(rank) + " and " +
                                                std::to_string(request.type(1).rank()));
  if (absl::Status s = requireIntegers(request, 2, 1); !s.ok())
    return s;
  if (request.type(2).extent(0) != rank)
    return makeError(ErrorKind::TypeError,
                     "the shape must be known to have " + std::to_string(rank) + " extents");
  if (absl::Status s = checkGeometry(request, rank - 2); !s.ok())
    return s;
  return inferShapes(request, {promote(request.type(0).dtype(), request.type(1).dtype())});
}

//===--- derivatives --------------------------------------------------------------===//

Variable convolved(const Op &op, const Variable &x, const Variable &kernel) {
  return build(builtin("conv" + std::to_string(x.rank() - 2) + "d", op.attributes()), {x, kernel});
}
Variable inputGradient(const Op &op, const Variable &g, const Variable &kernel, const Variable &x) {
  return build(builtin("convInputGradient", op.attributes()), {g, kernel, shape(x)});
}
Variable kernelGradient(const Op &op, const Variable &x, const Variable &g,
                        const Variable &kernel) {
  return build(builtin("convKernelGradient", op.attributes()), {x, g, shape(kernel)});
}

Variables convPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {inputGradient(op, g[0], in[1], in[0]), kernelGradient(op, in[0], g[0], in[1])};
}
Variables inputGradientPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {convolved(op, g[0], in[1]), kernelGradient(op, g[0], in[0], in[1]),
          Variable(Type::disconnected())};
}
Variables kernelGradientPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {inputGradient(op, in[1], g[0], in[0]), convolved(op, in[0], g[0]),
          Variable(Type::disconnected())};
}

std::vector<AttributeSpec> convAttributes() {
  return {{.name = "stride",
           .kind = AttributeKind::Ints,
           .defaultValue = IntList{},
           .doc = "per spatial axis; []: 1"},
          {.name = "padding",
           .kind = AttributeKind::Ints,
           .defaultValue = IntList{},
           .doc = "front and back of each spatial axis; []: 0"},
          {.name = "border",
           .kind = AttributeKind::String,
           .defaultValue = std::string("explicit"),
           .doc = "\"explicit\": `padding`; \"half\" and \"full\": (k - 1) * dilation "
                  "/ 2, or all of it, on both sides"},
          {.name = "dilation",
           .kind = AttributeKind::Ints,
           .defaultValue = IntList{},
           .doc = "per spatial axis; []: 1"},
          {.name = "groups", .kind = AttributeKind::Int, .defaultValue = int64_t(1)},
          {.name = "filterFlip", .kind = AttributeKind::Bool, .defaultValue = true}};
}

OpDef gradientOp(OpDef def) {
  def.attributes = convAttributes();
  def.type = gradientType;
  def.pushforward = multilinear(2);
  def.connection = {{true}, {true}, {false}};
  def.maxUlp = {-1, -1};
  def.section = section(kDerivatives);
  return def;
}

OpDef convolution(int axes, std::string example) {
  std::string name = "conv" + std::to_string(axes) + "d";
  return {.name = name,
          .doc =
              "Convolution over " + std::to_string(axes) + (axes == 1 ? " axis" : " axes") +
              ": x [batch, channels, spatial...] with kernel [outputs, channels / groups, "
              "spatial...].\nWith filterFlip the kernel is reversed (convolution), else not "
              "(correlation, as neural networks have it). An axis of the result has (n + front + "
              "back - ((k - 1) * dilation + 1)) / stride + 1 elements. Channels that do not fit "
              "groups, or a kernel larger than the padded operand: ShapeError. An empty batch is "
              "allowed. Halves are joined in float32. What is beside the padding may be left out: "
              "infinite and NaN elements of the kernel make NaN there, or nothing.",
          .operands = {{"x"}, {"kernel"}},
          .attributes = convAttributes(),
          .type = convType(axes),
          .emit = convEmission,
          .pullback = convPullback,
          .pushforward = multilinear(2),
          .maxUlp = {-1, -1},
          .golden = {name},
          .section = section(kConvolution),
          .example = std::move(example)};
}

} // namespace

std::vector<OpDef> convolutionOps() {
  return {
      convolution(1, "conv1d([[[1, 2, 3, 4]]], [[[1, 10]]]) = [[[12, 23, 34]]]"),
      convolution(2, "conv2d([[[[1, 2], [3, 4]]]], [[[[1, 1]]]]) {stride = [1, 1]} = "
                     "[[[[3], [7]]]]"),
      convolution(3, "conv3d([[[[[1, 2]]]]], [[[[[10]]]]]) = [[[[[10, 20]]]]]"),
      gradientOp({.name = "convInputGradient",
                  .doc = "The gradient of a convolution with respect to its operand x, from that "
                         "of its result and the kernel; linear in both.\nAttributes as the "
                         "convolution's; of the shape of x the spatial extents count. Where "
                         "the kernel's extents are not known, or the strides' product is more than "
                         "8, it multiplies with zeros in between. Channels that do not fit: "
                         "ShapeError. What is beside the "
                         "border may be left out, as in the convolution.",
                  .operands = {{"g"}, {"kernel"}, {"shape", "that of x, of known length"}},
                  .emit = inputGradientEmission,
                  .pullback = inputGradientPullback,
                  .golden = {"conv1d_gradient0", "conv2d_gradient0", "conv3d_gradient0",
                             "conv1d_transpose", "conv2d_transpose", "conv3d_transpose"},
                  .example = "convInputGradient([[[1, 2]]], [[[1, 10]]], [1, 1, 3]) "
                             "{filterFlip = false} = [[[1, 12, 20]]]"}),
      gradientOp({.name = "convKernelGradient",
                  .doc = "The gradient of a convolution with respect to its kernel, from x and "
                         "that of its result; linear in both.\nAttributes as the convolution's; "
                         "of the kernel's shape the spatial extents count. A gradient of another "
                         "shape than the convolution's: ShapeError.",
                  .operands = {{"x"}, {"g"}, {"shape", "the kernel's, of known length"}},
                  .emit = kernelGradientEmission,
                  .pullback = kernelGradientPullback,
                  .golden = {"conv1d_gradient1", "conv2d_gradient1", "conv3d_gradient1"},
                  .example = "convKernelGradient([[[1, 2, 3]]], [[[1, 10]]], [1, 1, 2]) "
                             "{filterFlip = false} = [[[21, 32]]]"}),
  };
}

} // namespace graphc
