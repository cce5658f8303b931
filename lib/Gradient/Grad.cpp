//===- Grad.cpp - grad and pullback ----------------------------------------===//
#include "Backward.h"
#include "Graph/CalledAs.h"
#include "Graph/InnerGraph.h"
#include "Graph/Label.h"
#include "Graph/PlaceScope.h"
#include "Ops/Build.h"
#include "Ops/Derivatives.h"
#include "Ops/Registry.h"
#include "Results.h"
#include "Support/Log.h"
#include "Support/Text.h"

namespace graphc {

//===--- Results ----------------------------------------------------------------===//

std::string called(const Variable &v) {
  if (!v.name().empty())
    return std::string(v.name());
  if (v.hasOwner())
    return "the result of " + std::string(calledName(v.owner().op()));
  return leafLabel(v);
}

Variables failed(size_t count, const absl::Status &status) {
  return Variables(count, Variable::invalid(status));
}

Variable checkedLike(const Variable &given, const Variable &of, std::string_view what) {
  if (given.type().hasStaticShape() && given.type().shape() == of.type().shape())
    return given;
  return build(calledAs(builtin("specifyShapeLike"), what), {given, of});
}

std::string extentsMistake(const Variable &given, const Variable &of) {
  for (int axis = 0; axis < of.rank(); ++axis) {
    int64_t a = given.type().extent(axis), b = of.type().extent(axis);
    if (a != kDynamic && b != kDynamic && a != b)
      return " (" + std::to_string(a) + " and " + std::to_string(b) + " along axis " +
             std::to_string(axis) + ")";
  }
  return "";
}

Variable checkedAsOfUser(const Variable &given, const Variable &of, const Op &op,
                         std::string_view rule) {
  const OpDef &def = op.def();
  if ((given.type().hasStaticShape() && of.type().hasStaticShape()) || detail::recordOf(def) ||
      findOp(def.name) == &def || !def.destroyMap.empty())
    return given;
  std::string what = "the " + std::string(rule) + " of " + std::string(calledName(op));
  return checkedLike(given, of, internFileName(what));
}

Variable zerosFor(const Variable &v) {
  return second(v, Constant::adopt(Tensor(0.0).cast(gradientDType(v))));
}

namespace {

/// One call of grad.
struct Request {
  std::string_view function;
  const GradOptions &options;
  Place place;

  absl::Status error(ErrorKind kind, const std::string &what) const {
    return makeError(kind, std::string(function) + ": " + what, place);
  }

  /// What `starts` begin with, of the type of what it is the gradient of.
  absl::StatusOr<Variable> checked(const Variable &of, const Variable &gradient,
                                   const std::string &which) const;
  absl::StatusOr<Variable> result(Backward &walk, const Variable &wrt);
  /// ValueError where a Variable has a known gradient and another one to start from.
  absl::Status checkStarts(absl::Span<const Backward::Start> starts) const;
  /// The nodes between `v` and where its gradient became Null.
  std::string pathToNull(const Backward &walk, const Variable &v) const;
  absl::StatusOr<Variable> disconnected(const Backward &walk, const Variable &v);
  Variables run(std::vector<Backward::Start> starts, const Variables &wrt, const Variable *cost);

  /// Of the walk; made for the first Variable that is disconnected.
  std::optional<Endings> endings = std::nullopt;
};

absl::StatusOr<Variable> Request::checked(const Variable &of, const Variable &gradient,
                                          const std::string &which) const {
  if (!of.ok())
    return of.status();
  if (!gradient.ok())
    return gradient.status();
  if (!gradient.type().isTensor())
    return gradient;
  if (!(isFloat(gradient.dtype()) || (isComplex(gradient.dtype()) && isComplex(of.dtype()))))
    return error(ErrorKind::TypeError, which + " is " + gradient.type().brief() +
                                           ": a gradient is a float array; cast it");
  if (gradient.rank() != of.rank())
    return error(ErrorKind::ValueError, which + " is " + gradient.type().brief() + ", but " +
                                            called(of) + " is " + of.type().brief() +
                                            ": their ranks must be equal");
  PlaceScope scope(place);
  Variable checked =
      checkedLike(inDType(gradient, gradientDType(of)), of,
                  function == "grad" ? "known gradient of grad" : "cotangent of pullback");
  return checked.ok() ? absl::StatusOr<Variable>(checked) : checked.status();
}

std::string Request::pathToNull(const Backward &walk, const Variable &v) const {
  constexpr size_t kMostListed = 12;
  std::vector<std::string> nodes;
  const Arrived *arrived = walk.at(v);
  while (arrived && arrived->nullFrom && nodes.size() <= kMostListed) {
    std::string name = calledAt(arrived->nullFrom);
    nodes.push_back(arrived->nullWithin.empty() ? name : nested(name, arrived->nullWithin));
    arrived = walk.beforeNull(*arrived);
  }
  if (nodes.empty())
    return "";
  if (nodes.size() > kMostListed)
    nodes.back() = "...";
  return "\n  on the way from it to the cost: " + join(nodes, ", ");
}

absl::StatusOr<Variable> Request::disconnected(const Backward &walk, const Variable &v) {
  if (options.disconnectedInputs != DisconnectedInputs::Ignore) {
    if (!endings)
      endings.emplace(walk.order(), [&](const Variable &output) {
        const Arrived *arrived = walk.at(output);
        return arrived && arrived->isConnected;
      });
    std::string text = "the cost does not depend on " + called(v) + ", with respect to which it " +
                       "is differentiated: " + endings->why(v);
    if (options.disconnectedInputs == DisconnectedInputs::Raise)
      return error(ErrorKind::DisconnectedInput,
                   text + "\n  to get zeros set disconnectedInputs to Ignore or Warn");
    logWarning(std::string(function) + ": " + text);
  }
  switch (options.returnDisconnected) {
  case ReturnDisconnected::Zero:
    return zerosFor(v);
  case ReturnDisconnected::None:
    return Variable::invalid(
        error(ErrorKind::DisconnectedInput, "there is no gradient with respect to " + called(v) +
                                                ": the cost does not depend on it"));
  case ReturnDisconnected::Disconnected:
    return Variable(Type::disconnected());
  }
  return Variable();
}

absl::StatusOr<Variable> Request::result(Backward &walk, const Variable &wrt) {
  const Arrived *arrived = walk.at(wrt);
  if (arrived && arrived->null) {
    if (options.nullGradients == NullGradients::Return)
      return Variable(Type::null(*arrived->null));
    return error(ErrorKind::NullGradient, "the gradient with respect to " + called(wrt) +
                                              " is not defined: " + *arrived->null +
                                              pathToNull(walk, wrt));
  }
  if (!arrived || !arrived->isConnected)
    return disconnected(walk, wrt);
  if (std::optional<Variable> sum = walk.sum(wrt))
    return sum->ok() ? absl::StatusOr<Variable>(*sum) : sum->status();
  return zerosFor(wrt);
}

absl::Status Request::checkStarts(absl::Span<const Backward::Start> starts) const {
  absl::flat_hash_map<const detail::VariableNode *, int> numOf;
  for (const Backward::Start &start : starts)
    ++numOf[start.of.node()];
  for (const Backward::Start &start : starts)
    if (start.isFinal && numOf[start.of.node()] > 1)
      return error(ErrorKind::ValueError, "beside the known gradient of " + called(start.of) +
                                              " there is another one to start from");
  return absl::OkStatus();
}

Variables Request::run(std::vector<Backward::Start> starts, const Variables &wrt,
                       const Variable *cost) {
  PlaceScope scope(place);
  for (const Variables *list : {&wrt, &options.considerConstant})
    for (const Variable &v : *list)
      if (!v.ok())
        return failed(wrt.size(), v.status());
  if (absl::Status status = checkStarts(starts); !status.ok())
    return failed(wrt.size(), status);
  absl::StatusOr<Backward> walk = Backward::run(std::move(starts), wrt, options.considerConstant);
  if (!walk.ok())
    return failed(wrt.size(), walk.status());
  Variables results;
  for (const Variable &v : wrt) {
    absl::StatusOr<Variable> result = this->result(*walk, v);
    if (!result.ok())
      return failed(wrt.size(), result.status());
    if (options.addNames && cost && !cost->name().empty() && !v.name().empty() &&
        result->hasOwner() && result->name().empty())
      result->setName("(d" + std::string(cost->name()) + "/d" + std::string(v.name()) + ")");
    results.push_back(*std::move(result));
  }
  return results;
}

absl::StatusOr<std::vector<Backward::Start>> knownStarts(const Request &request) {
  std::vector<Backward::Start> starts;
  for (const auto &[of, gradient] : request.options.knownGrads) {
    absl::StatusOr<Variable> checked =
        request.checked(of, gradient, "the known gradient of " + called(of));
    if (!checked.ok())
      return checked.status();
    starts.push_back({of, *checked, /*isFinal=*/true});
  }
  return starts;
}

} // namespace

//===--- grad -------------------------------------------------------------------===//

Variables grad(const Variable &cost, const Variables &wrt, const GradOptions &options,
               std::source_location loc) {
  Request request{"grad", options, PlaceScope::of(loc)};
  if (!cost.ok())
    return failed(wrt.size(), cost.status());
  if (cost.type().kind() == Type::Kind::Null)
    return failed(wrt.size(), request.error(ErrorKind::ValueError,
                                            "the cost is not defined: " + cost.type().reason()));
  if (!cost.type().isTensor() || cost.rank() != 0)
    return failed(wrt.size(),
                  request.error(ErrorKind::TypeError,
                                "the cost, " + called(cost) + ", is " + cost.type().brief() +
                                    ": a cost has rank 0; take its sum or mean, or use "
                                    "pullback or jacobian"));
  if (isComplex(cost.dtype()))
    return failed(wrt.size(),
                  request.error(ErrorKind::TypeError,
                                "the cost, " + called(cost) + ", is " + cost.type().brief() +
                                    ": a cost is real; take abs or real of it"));
  absl::StatusOr<std::vector<Backward::Start>> starts = knownStarts(request);
  if (!starts.ok())
    return failed(wrt.size(), starts.status());
  bool isKnown = false;
  for (const Backward::Start &start : *starts)
    isKnown |= start.of == cost;
  if (!isKnown)
    starts->push_back(
        {cost, Constant::adopt(Tensor(1.0).cast(gradientDType(cost))), /*isFinal=*/false});
  return request.run(*std::move(starts), wrt, &cost);
}

Variable grad(const Variable &cost, const Variable &wrt, const GradOptions &options,
              std::source_location loc) {
  return grad(cost, Variables{wrt}, options, loc)[0];
}

Variables grad(const Replacements &knownGrads, const Variables &wrt, GradOptions options,
               std::source_location loc) {
  options.knownGrads.insert(options.knownGrads.end(), knownGrads.begin(), knownGrads.end());
  Request request{"grad", options, PlaceScope::of(loc)};
  if (options.knownGrads.empty())
    return failed(wrt.size(), request.error(ErrorKind::ValueError,
                                            "there is neither a cost nor a known gradient"));
  absl::StatusOr<std::vector<Backward::Start>> starts = knownStarts(request);
  if (!starts.ok())
    return failed(wrt.size(), starts.status());
  return request.run(*std::move(starts), wrt, nullptr);
}

//===--- pullback ---------------------------------------------------------------===//

static Variables pullbackFrom(const Variables &f, const Variables &wrt, const Variables &cotangents,
                              const GradOptions &options, std::source_location loc,
                              bool haveShapes) {
  Request request{"pullback", options, PlaceScope::of(loc)};
  if (f.size() != cotangents.size())
    return failed(wrt.size(), request.error(ErrorKind::ValueError,
                                            counted(cotangents.size(), "cotangent") + " for " +
                                                counted(f.size(), "Variable")));
  absl::StatusOr<std::vector<Backward::Start>> starts = knownStarts(request);
  for (size_t i = 0; starts.ok() && i < f.size(); ++i) {
    absl::StatusOr<Variable> checked =
        haveShapes ? cotangents[i]
                   : request.checked(f[i], cotangents[i], "cotangent " + std::to_string(i));
    if (checked.ok())
      starts->push_back({f[i], *checked, /*isFinal=*/false}); // f may depend on each other
    else
      starts = checked.status();
  }
  if (!starts.ok())
    return failed(wrt.size(), starts.status());
  return request.run(*std::move(starts), wrt, nullptr);
}

Variables pullback(const Variables &f, const Variables &wrt, const Variables &cotangents,
                   const GradOptions &options, std::source_location loc) {
  return pullbackFrom(f, wrt, cotangents, options, loc, /*haveShapes=*/false);
}

Variables pullbackAsShaped(const Variables &f, const Variables &wrt, const Variables &cotangents,
                           const GradOptions &options, std::source_location loc) {
  return pullbackFrom(f, wrt, cotangents, options, loc, /*haveShapes=*/true);
}

Variable pullback(const Variable &f, const Variable &wrt, const Variable &cotangent,
                  const GradOptions &options, std::source_location loc) {
  return pullback(Variables{f}, Variables{wrt}, Variables{cotangent}, options, loc)[0];
}

Variable considerConstant(const Operand &x) { return zeroGrad(x); }

} // namespace graphc
