//===- DistributionOps.cpp - what ops that draw share -----------------------===//
#include <limits>
#include <memory>
#include <utility>

#include "Build.h"
#include "Derivatives.h"
#include "Distributions.h"
#include "Families.h"
#include "Support/BroadcastHint.h"
#include "absl/strings/ascii.h"

namespace graphc {
namespace {

int rowRankOf(const Distribution &d, size_t parameter) {
  return d.rowRanks.empty() ? 0 : d.rowRanks[parameter];
}

//===--- types ----------------------------------------------------------------------===//

TypesOr drawTypes(const Distribution &d, const TypeRequest &request) {
  if (request.type(kState).dtype() != DType::Int64 || request.type(kState).rank() != 1)
    return makeError(ErrorKind::TypeError,
                     "the state must be an int64 vector (key and position), not " +
                         request.type(kState).text());
  absl::StatusOr<int> rank = vectorLength(request, kSize);
  if (!rank.ok())
    return rank.status();
  DType drawn = request.attributes().dtype("dtype");
  if (d.drawsIntegers ? !isInteger(drawn) : !isFloat(drawn))
    return makeError(ErrorKind::TypeError,
                     "it draws " + std::string(d.drawsIntegers ? "integers" : "floats") + ", not " +
                         std::string(dtypeName(drawn)));
  for (size_t i = kParameters; i < request.size(); ++i) {
    const std::string &name = d.parameters[i - kParameters];
    if (d.takesCount && i + 1 == request.size())
      if (absl::Status status = requireIntegers(request, i, 0); !status.ok())
        return status;
    if (d.takesIntegers && !isInteger(request.type(i).dtype()))
      return makeError(ErrorKind::TypeError, "the parameter " + name +
                                                 " must be of integers, not " +
                                                 request.type(i).text());
    int rowRank = rowRankOf(d, i - kParameters), ownRank = request.type(i).rank() - rowRank;
    if (ownRank < 0)
      return makeError(ErrorKind::TypeError, "the parameter " + name + " must have at least rank " +
                                                 std::to_string(rowRank) + ", not " +
                                                 request.type(i).text());
    if (*rank > 0 && ownRank > *rank)
      return makeError(ErrorKind::ShapeError,
                       "the parameter " + name + " has rank " + std::to_string(ownRank) +
                           ", more than a size of " + std::to_string(*rank) + " extents");
  }
  return inferShapes(request, {DType::Int64, drawn});
}

//===--- emission -------------------------------------------------------------------===//

Scalar loadBroadcast(Emitter &e, Array x, Indices i) {
  Scalars at;
  for (int axis = 0, shift = int(i.size()) - e.rank(x); axis < e.rank(x); ++axis)
    at.push_back(e.broadcasts(x, axis) ? e.index(0) : i[size_t(axis) + size_t(shift)]);
  return e.load(x, at);
}

/// The row-major number of an element.
Scalar numberOf(Emitter &e, const Extents &shape, Indices i) {
  Scalar number = e.index(0);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    number = number * e.scalar(shape[axis]) + i[axis];
  return number;
}

/// Each element by a body, in one nest.
Array drawnByKernel(const Distribution &d, Emitter &e, Array state, const Extents &shape,
                    const Arrays &in) {
  DType drawn = e.resultType(1).dtype(), compute = computeDTypeOfDraw(drawn);
  DType taken = !d.takesIntegers ? compute : drawn == DType::UInt64 ? DType::UInt64 : DType::Int64;
  return e.define(shape, [&](Indices i) {
    Scalars parameters;
    for (Array parameter : in)
      parameters.push_back(cast(loadBroadcast(e, parameter, i), taken));
    for (const Requirement &requirement : d.requirements)
      e.check(requirement.holds(parameters), ErrorKind::ValueError, requirement.message);
    RandomBits bits(e, state, numberOf(e, shape, i), compute, drawn);
    return cast(d.body(bits, parameters), drawn);
  });
}

/// Elements or rows by a routine, of parameters that nests of their own shapes have checked.
Array drawnByRoutine(const Distribution &d, Emitter &e, Array state, const Extents &shape,
                     const Arrays &in) {
  Arrays inputs = {state};
  std::vector<int64_t> ranks = {bool(d.rowLength)};
  for (size_t k = 0; k < in.size(); ++k) {
    ranks.push_back(k < d.rowRanks.size() ? d.rowRanks[k] : 0);
    inputs.push_back(e.define(e.shape(in[k]), [&](Indices i) {
      Scalar x = cast(e.load(in[k], i), DType::Float64);
      for (const Requirement &requirement : d.requirements)
        if (requirement.parameter == int(k))
          e.check(requirement.holds(Scalars(in.size(), x)), ErrorKind::ValueError,
                  requirement.message);
      return x;
    }));
  }
  Extents drawn = shape;
  if (d.rowLength)
    drawn.push_back(d.rowLength(e, in));
  DType dtype = d.drawsIntegers ? DType::Int64 : DType::Float64;
  Array made = e.routine(*d.routine, std::move(ranks), inputs, {{dtype, drawn}})[0];
  return castArray(e, made, e.resultType(1).dtype());
}

Arrays drawEmission(const Distribution &d, Emitter &e, const Arrays &in) {
  Array state = in[kState];
  e.requireEqual(e.dim(state, 0), e.size(2),
                 "the state has {a} elements: it must have {b}, key and position");
  Arrays parameters(in.begin() + kParameters, in.end());
  Extents shape = drawShape(e, d, in[kSize], parameters);
  Array draw = d.routine ? drawnByRoutine(d, e, state, shape, parameters)
                         : drawnByKernel(d, e, state, shape, parameters);
  Extent count = e.numElements(draw);
  Array next = e.define({e.size(2)}, [&](Indices i) {
    Scalar isPosition = equalTo(i[0], 1.0);
    return e.load(state, i) + select(isPosition, e.scalar(count), e.index(0));
  });
  return {next, draw};
}

//===--- derivatives ----------------------------------------------------------------===//

bool isReparameterized(const Distribution &d, const Op &op) {
  return d.hasDerivatives() && op.attributes().boolean("reparameterized");
}

Variable noDerivative(const Distribution &d) {
  return Variable(Type::null(
      "it is not implemented: " + d.name + " draws random numbers" +
      (d.hasDerivatives() ? "; ask for its reparameterised form (DrawOptions::reparameterized)"
                          : "")));
}

Variables drawPullback(const Distribution &d, const Op &op, Inputs in, Outputs out, Gradients g) {
  Variables gradients(in.size(), Variable(Type::disconnected()));
  if (isDisconnected(g[1]))
    return gradients;
  Variables own; // of the parameters, of the draw's shape
  if (isReparameterized(d, op)) {
    own = d.partials ? d.partials(in, out[1]) : d.rows.pullback(in, g[1]);
    for (size_t k = 0; d.partials && k < own.size(); ++k)
      own[k] = g[1] * own[k];
  }
  for (size_t i = kParameters; i < in.size(); ++i)
    gradients[i] = own.empty() ? noDerivative(d) : unbroadcast(own[i - kParameters], in[i]);
  return gradients;
}

Variables drawPushforward(const Distribution &d, const Op &op, Inputs in, Outputs out, Tangents t) {
  const bool isSmooth = isReparameterized(d, op);
  Variables partials;
  if (isSmooth && d.partials)
    partials = d.partials(in, out[1]);
  std::vector<size_t> operands;
  for (size_t i = kParameters; i < in.size(); ++i)
    operands.push_back(i);
  Variable tangent = sumOverTangents(t, operands, [&](size_t i) {
    if (!isSmooth)
      return noDerivative(d);
    Variable along = inDType(t[i], out[1].dtype());
    if (d.partials)
      return along * partials[i - kParameters];
    // A parameter of all rows moves each of them.
    return second(out[1], inDType(d.rows.pushforward(in, i - kParameters, along), out[1].dtype()));
  });
  return {Variable(Type::disconnected()), tangent};
}

} // namespace

//===--- requirements -----------------------------------------------------------------===//

static Requirement requirement(size_t i, std::string_view name, std::string_view what,
                               std::function<Scalar(Scalar)> holds) {
  return {[i, holds](const Scalars &p) { return holds(p[i]); },
          "the parameter " + std::string(name) + " must be " + std::string(what), int(i)};
}

// NaN fails each comparison.
static Scalar isBelowInfinity(Scalar x) { return x < std::numeric_limits<double>::infinity(); }
Requirement isFinite(size_t i, std::string_view name) {
  return requirement(i, name, "finite", [](Scalar x) { return isBelowInfinity(abs(x)); });
}
Requirement isPositive(size_t i, std::string_view name) {
  return requirement(i, name, "positive and finite",
                     [](Scalar x) { return x > 0.0 && isBelowInfinity(x); });
}
Requirement isNotNegative(size_t i, std::string_view name) {
  return requirement(i, name, "at least 0 and finite",
                     [](Scalar x) { return x >= 0.0 && isBelowInfinity(x); });
}
Requirement isProbability(size_t i, std::string_view name) {
  return requirement(i, name, "a probability, in [0, 1]",
                     [](Scalar x) { return x >= 0.0 && x <= 1.0; });
}
Requirement isPositiveProbability(size_t i, std::string_view name) {
  return requirement(i, name, "a probability above 0, in (0, 1]",
                     [](Scalar x) { return x > 0.0 && x <= 1.0; });
}

Requirement isCount(size_t i, std::string_view name) {
  return requirement(i, name, "a whole number from 0 to 2^53", [](Scalar x) {
    return x >= 0.0 && x <= 0x1p53 && equalTo(apply(ScalarOp::Floor, {x}), x);
  });
}

//===--- shapes ---------------------------------------------------------------------------===//

Extents drawShape(Emitter &e, const Distribution &d, Array size, const Arrays &parameters) {
  auto ownRank = [&](size_t k) { return e.rank(parameters[k]) - rowRankOf(d, k); };
  int rank = int(*e.constantValue(e.dim(size, 0)));
  if (rank == 0) {
    Arrays own; // of the parameters' shapes without rows
    for (size_t k = 0; k < parameters.size(); ++k) {
      Extents shape = e.shape(parameters[k]);
      shape.resize(size_t(ownRank(k)));
      bool hasRows = rowRankOf(d, k) > 0;
      own.push_back(hasRows ? e.define(shape, [&](Indices) { return e.index(0); }) : parameters[k]);
    }
    return e.broadcastShape(own);
  }
  Extents shape;
  for (int axis = 0; axis < rank; ++axis) {
    Extent extent = e.element(size, axis);
    e.require(e.size(0), Predicate::LessEqual, extent, ErrorKind::ValueError,
              "extent {b} along axis " + std::to_string(axis) + " of the size is negative");
    shape.push_back(extent);
  }
  for (size_t k = 0; k < parameters.size(); ++k)
    for (int axis = 0, shift = rank - ownRank(k); axis < ownRank(k); ++axis)
      if (!e.broadcasts(parameters[k], axis))
        e.requireEqual(e.dim(parameters[k], axis), shape[size_t(axis) + size_t(shift)],
                       "a parameter has extent {a} where the size has {b}" +
                           std::string(kBroadcastHint));
  return shape;
}

//===--- the op -------------------------------------------------------------------------===//

DType computeDTypeOfDraw(DType drawn) {
  return drawn == DType::Float64 || isInteger(drawn) ? DType::Float64 : DType::Float32;
}

Variable drawAgain(std::string_view distribution, Inputs in, const Variable &draw,
                   const std::vector<double> &parameters) {
  std::vector<Operand> operands = {in[kState], shape(draw)};
  for (double parameter : parameters)
    operands.emplace_back(constant(Tensor(parameter).cast(draw.dtype())));
  return build(builtin(drawOpName(distribution), {{"dtype", draw.dtype()}}), operands);
}

std::string drawOpName(std::string_view distribution) {
  std::string name = "random" + std::string(distribution);
  name[6] = absl::ascii_toupper(static_cast<unsigned char>(name[6]));
  return name;
}

OpDef distributionOp(Distribution distribution) {
  auto d = std::make_shared<const Distribution>(std::move(distribution));
  OpDef def;
  def.name = drawOpName(d->name);
  def.doc = d->doc;
  def.operands = {{"state", "int64 vector: key and position"},
                  {"size", "int64 vector: the shape; empty: what the parameters broadcast to"}};
  for (const std::string &parameter : d->parameters)
    def.operands.push_back({parameter});
  def.numResults = 2;
  def.defaultResult = 1;
  def.attributes = {{"dtype", AttributeKind::DType,
                     d->drawsIntegers ? DType::Int64 : DType::Float64, false, "of the draw"}};
  if (d->hasDerivatives())
    def.attributes.push_back({"reparameterized", AttributeKind::Bool, false, false,
                              "true: differentiable by the parameters, the bits being given"});
  def.type = [d](const TypeRequest &request) { return drawTypes(*d, request); };
  def.emit = [d](Emitter &e, const Arrays &in, const Attributes &) {
    return drawEmission(*d, e, in);
  };
  def.pullback = [d](const Op &op, Inputs in, Outputs out, Gradients g) {
    return drawPullback(*d, op, in, out, g);
  };
  def.pushforward = [d](const Op &op, Inputs in, Outputs out, Tangents t) {
    return drawPushforward(*d, op, in, out, t);
  };
  def.connection.assign(def.operands.size(), {false, true});
  def.connection[kState] = def.connection[kSize] = {false, false};
  def.foldable = false; // F-303
  def.section = section(kRandom);
  def.example = drawOpName(d->example);
  return def;
}

std::vector<OpDef> distributionOps() {
  std::vector<OpDef> ops;
  for (auto family : {&locationScaleDistributions, &positiveDistributions, &discreteDistributions,
                      &sampledDistributions, &rowDistributions})
    for (Distribution &d : family())
      ops.push_back(distributionOp(std::move(d)));
  return ops;
}

} // namespace graphc
