//===- Pushforward.cpp - forward mode --------------------------------------===//
#include "Pushforward.h"

#include "Backward.h"
#include "CallDerivatives.h"
#include "ComplexDerivatives.h"
#include "Graph/AttributeReads.h"
#include "Graph/CalledAs.h"
#include "Graph/PartsOf.h"
#include "Graph/PlaceScope.h"
#include "Ops/Build.h"
#include "Ops/Derivatives.h"
#include "Results.h"
#include "Support/Log.h"
#include "Support/Text.h"
#include "Vectorize.h"

namespace graphc {

using PushedOr = absl::StatusOr<PushedForward>;

//===--- by two pullbacks -------------------------------------------------------===//

/// The pullback of `f` is linear in its cotangents, so that its own pullback with respect to them,
/// along the tangents, is the pushforward. `ends`: where the graph of `f` ends.
static PushedOr byTwoPullbacks(const Variables &f, const Variables &wrt, const Variables &tangents,
                               const Variables &ends) {
  Variables cotangents;
  std::vector<Backward::Start> starts;
  for (const Variable &v : f) {
    cotangents.push_back(Variable(gradientType(v)));
    starts.push_back({v, cotangents.back(), /*isFinal=*/false});
  }
  absl::StatusOr<Backward> first = Backward::run(std::move(starts), wrt, ends);
  if (!first.ok())
    return first.status();
  std::vector<Backward::Start> second;
  Variable null;
  std::string nullWithin;
  bool hasNull = false, isZero = false;
  for (size_t i = 0; i < wrt.size(); ++i) {
    Variable pulled = first->arrivedAt(wrt[i]);
    if (isDisconnected(pulled) || isDisconnected(tangents[i]))
      continue;
    if (isNull(pulled) || isNull(tangents[i])) {
      hasNull = true;
      null = isNull(pulled) ? pulled : tangents[i];
      nullWithin = isNull(pulled) ? first->originOfNull(wrt[i]) : "";
      break;
    }
    if (isPresent(pulled) && isPresent(tangents[i])) {
      second.push_back({pulled, withOnesOf(tangents[i], pulled), /*isFinal=*/false});
    } else {
      isZero = true;
    }
  }
  if (hasNull && f.size() > 1) {
    // The pullback is one for all of f: halves of it tell which of them are Null.
    const auto middle = f.begin() + ptrdiff_t(f.size() / 2);
    PushedForward all{Variables()};
    for (const auto &half : {Variables(f.begin(), middle), Variables(middle, f.end())}) {
      PushedOr part = byTwoPullbacks(half, wrt, tangents, ends);
      if (!part.ok())
        return part;
      all.tangents.insert(all.tangents.end(), part->tangents.begin(), part->tangents.end());
      all.nullWithin.insert(all.nullWithin.end(), part->nullWithin.begin(), part->nullWithin.end());
    }
    return all;
  }
  if (hasNull) {
    PushedForward nothing(Variables(f.size(), null));
    nothing.nullWithin.assign(f.size(), nullWithin);
    return nothing;
  }
  Variables ways = wrt;
  ways.insert(ways.end(), ends.begin(), ends.end());
  absl::StatusOr<Backward> back = Backward::run(std::move(second), cotangents, ways);
  if (!back.ok())
    return back.status();
  Variables results;
  Replacements shapes;
  for (size_t i = 0; i < f.size(); ++i) {
    results.push_back(back->arrivedAt(cotangents[i]));
    if (isZero && isDisconnected(results.back()))
      results.back() = zeroDerivative();
    // A cotangent may be left where its extents are asked for.
    shapes.emplace_back(cotangents[i], zerosFor(f[i]));
  }
  Variables tensors;
  for (const Variable &v : results)
    if (isPresent(v))
      tensors.push_back(v);
  absl::StatusOr<Variables> replaced = cloneReplace(tensors, shapes);
  if (!replaced.ok())
    return replaced.status();
  auto next = replaced->begin();
  for (Variable &v : results)
    if (isPresent(v))
      v = *next++;
  return PushedForward(std::move(results));
}

//===--- by the ops' rules ------------------------------------------------------===//

namespace {

class Forward {
public:
  absl::Status visit(const Apply &node);
  /// Adds to what is known of a Variable. `origin`: where one that is Null arose.
  void add(const Variable &v, const Variable &tangent, std::string origin = "");
  Variable at(const Variable &v) const {
    auto found = tangents_.find(v.node());
    return found == tangents_.end() ? Variable(Type::disconnected()) : found->second;
  }

  /// As PushedForward::nullWithin.
  std::string originOfNull(const Variable &v) const {
    auto found = origins_.find(v.node());
    return found == origins_.end() ? "" : found->second;
  }

private:
  using Choice = detail::Dependence::Choice;
  void passNull(const Apply &node, Variables &tangents, Choice &depends);

  absl::flat_hash_map<const detail::VariableNode *, Variable> tangents_;
  absl::flat_hash_map<const detail::VariableNode *, std::string> origins_;
};

void Forward::add(const Variable &v, const Variable &tangent, std::string origin) {
  if (isDisconnected(tangent))
    return;
  auto [found, isNew] = tangents_.try_emplace(v.node(), tangent);
  Variable &sum = found->second;
  if (isNull(tangent) && (isNew || !isNull(sum)) && !origin.empty())
    origins_.emplace(v.node(), std::move(origin));
  if (isNew || isNull(sum))
    return;
  if (isNull(tangent) || isZeroDerivative(sum))
    sum = tangent;
  else if (!isZeroDerivative(tangent))
    sum = sum + tangent;
}

absl::Status refuse(const Apply &node, ErrorKind kind, const std::string &what) {
  return makeError(kind, "the pushforward of " + calledText(node.op()) + " " + what, node.place());
}

absl::Status Forward::visit(const Apply &node) {
  const Op &op = node.op();
  const Variables in = node.inputs(), out = node.outputs();
  PlaceScope scope(node.place());
  Variables tangents;
  bool anyNull = false;
  for (const Variable &v : in) {
    tangents.push_back(at(v));
    anyNull |= isNull(tangents.back());
  }
  auto depends =
      dependentOutputs(node, [&](int i) { return !isDisconnected(tangents[size_t(i)]); });
  if (anyNull)
    passNull(node, tangents, depends);
  bool anyFloat = false;
  for (size_t o = 0; o < out.size(); ++o) {
    if (depends[o] && !isDifferentiable(out[o].dtype())) { // F-272: rules need not know of integers
      add(out[o], zeroDerivative());
      depends[o] = false;
    }
    anyFloat |= depends[o];
  }
  if (!anyFloat)
    return absl::OkStatus();
  AttributeReads reads;
  PushedOr pushed = absl::UnknownError("");
  if (worksByParts(node))
    pushed = pushComplex(node, operandsOf(node), tangents);
  else if (op.def().pushforward)
    pushed = PushedForward(op.def().pushforward(op, operandsOf(node), out, tangents));
  else if (op.def().inner)
    pushed = pushCall(node, tangents);
  else if (op.def().vectorized)
    pushed = pushVectorized(*op.def().vectorized, in, tangents);
  else if (pushed = byTwoPullbacks(out, in, tangents, in); pushed.ok())
    pushed->nullWithin.assign(out.size(), ""); // it is this node
  if (reads.failed())
    return refuse(node, ErrorKind::Internal, reads.mistake());
  if (!pushed.ok())
    return pushed.status();
  if (pushed->tangents.size() != out.size())
    return refuse(node, ErrorKind::ValueError,
                  "gives " + counted(pushed->tangents.size(), "tangent") + " for " +
                      counted(out.size(), "result"));
  for (size_t o = 0; o < out.size(); ++o) {
    Variable t = pushed->tangents[o];
    if (!t.ok())
      return withPlace(t.status(), node.place());
    if (!depends[o])
      continue;
    if (isDisconnected(t))
      t = zeroDerivative();
    if (isPresent(t)) {
      if (isComplex(t.dtype()) && !isComplex(out[o].dtype()))
        t = real(t);
      if (t.rank() > out[o].rank() || !isDifferentiable(t.dtype()) ||
          (t.rank() < out[o].rank() && op.def().elements != Elements::Elementwise))
        return refuse(node, ErrorKind::TypeError,
                      "gives " + t.type().brief() + " for result " + std::to_string(o) + ", " +
                          out[o].type().brief() + ": a tangent is a float array of the same rank");
      if (t.dtype() != out[o].dtype())
        t = cast(t, out[o].dtype());
      if (t.rank() == out[o].rank())
        t = withOnesOf(t, out[o]);
      bool isNarrow = t.rank() < out[o].rank();
      for (int axis = 0; !isNarrow && axis < t.rank(); ++axis)
        isNarrow = t.type().broadcastable(axis) && !out[o].type().broadcastable(axis);
      if (isNarrow)
        t = second(out[o], t);
      if (std::string mistake = extentsMistake(t, out[o]); !mistake.empty())
        return refuse(node, ErrorKind::ShapeError,
                      "gives " + t.type().brief() + " for result " + std::to_string(o) + ", " +
                          out[o].type().brief() + mistake + ": a tangent has its result's extents");
      t = checkedAsOfUser(t, out[o], op, "pushforward");
    }
    std::string origin;
    if (isNull(t)) {
      const std::string &within = pushed->nullWithin[o];
      origin = within.empty() ? calledAt(node) : nested(calledAt(node), within);
    }
    add(out[o], t, std::move(origin));
  }
  return absl::OkStatus();
}

/// What is Null goes on to the results that depend on it and to no others (F-276); neither the
/// node's rule nor what else is to be done sees it: it counts as disconnected then, and those
/// results as settled.
void Forward::passNull(const Apply &node, Variables &tangents, Choice &depends) {
  const detail::Dependence dependence =
      dependenceOf(node.op(), node.numInputs(), node.numOutputs());
  for (int o = 0; o < node.numOutputs(); ++o) {
    const Variable output = node.output(o);
    for (int i = 0; i < node.numInputs() && depends[size_t(o)] && isDifferentiable(output.dtype());
         ++i)
      if (isNull(tangents[size_t(i)]) && dependence.has(i, o)) {
        add(output, tangents[size_t(i)], originOfNull(node.input(i)));
        depends[size_t(o)] = false;
      }
  }
  for (Variable &t : tangents)
    if (isNull(t))
      t = Variable(Type::disconnected());
}

} // namespace

PushedOr pushedForward(const Variables &f, const Variables &wrt, const Variables &tangents) {
  Forward walk;
  for (size_t i = 0; i < wrt.size(); ++i)
    walk.add(wrt[i], tangents[i]);
  for (const Apply &node : ioToposort({}, f))
    if (absl::Status status = walk.visit(node); !status.ok())
      return status;
  PushedForward results{Variables()};
  for (const Variable &v : f) {
    results.tangents.push_back(walk.at(v));
    results.nullWithin.push_back(walk.originOfNull(v));
  }
  return results;
}

//===--- pushforward ------------------------------------------------------------===//

Variables pushforward(const Variables &f, const Variables &wrt, const Variables &tangents,
                      const PushforwardOptions &options, std::source_location loc) {
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return failed(f.size(), makeError(kind, "pushforward: " + what, loc));
  };
  if (wrt.size() != tangents.size())
    return fail(ErrorKind::ValueError,
                counted(tangents.size(), "tangent") + " for " + counted(wrt.size(), "Variable"));
  for (const Variables *list : {&f, &wrt, &tangents})
    for (const Variable &v : *list)
      if (!v.ok())
        return failed(f.size(), v.status());
  PlaceScope scope(loc);
  Variables directions;
  for (size_t i = 0; i < wrt.size(); ++i) {
    const Variable &t = tangents[i];
    if (t.type().isTensor() &&
        !(isFloat(t.dtype()) || (isComplex(t.dtype()) && isComplex(wrt[i].dtype()))))
      return fail(ErrorKind::TypeError, "tangent " + std::to_string(i) + " is " + t.type().brief() +
                                            ": a tangent is a float array; cast it");
    if (t.type().isTensor() && t.rank() != wrt[i].rank())
      return fail(ErrorKind::ValueError, "tangent " + std::to_string(i) + " is " +
                                             t.type().brief() + ", but " + called(wrt[i]) + " is " +
                                             wrt[i].type().brief() + ": their ranks must be equal");
    DType dtype = gradientDType(wrt[i]);
    directions.push_back(
        t.type().isTensor() ? checkedLike(inDType(t, dtype), wrt[i], "tangent of pushforward") : t);
    if (!directions.back().ok())
      return failed(f.size(), directions.back().status());
  }
  PushedOr pushed = options.useOpPushforward ? pushedForward(f, wrt, directions)
                                             : byTwoPullbacks(f, wrt, directions, {});
  if (!pushed.ok())
    return failed(f.size(), pushed.status());
  for (size_t i = 0; i < f.size(); ++i) {
    Variable &result = pushed->tangents[i];
    if (isNull(result)) {
      const std::string &origin = pushed->nullWithin[i];
      if (options.nullGradients == NullGradients::Raise)
        return fail(ErrorKind::NullGradient, "the tangent of " + called(f[i]) +
                                                 " is not defined: " + result.type().reason() +
                                                 (origin.empty() ? "" : "\n  on the way to it: ") +
                                                 origin);
    } else if (isDisconnected(result)) {
      std::string text = called(f[i]) +
                         " does not depend on what it is differentiated with respect "
                         "to";
      if (options.disconnectedInputs == DisconnectedInputs::Raise)
        return fail(ErrorKind::DisconnectedInput,
                    text + "\n  to get zeros set disconnectedInputs to Ignore or Warn");
      if (options.disconnectedInputs == DisconnectedInputs::Warn)
        logWarning("pushforward: " + text);
      result = zerosFor(f[i]);
    } else if (isZeroDerivative(result) && (f[i].rank() != 0 || result.isConstant())) {
      result = zerosFor(f[i]);
    }
  }
  return std::move(pushed->tangents);
}

Variable pushforward(const Variable &f, const Variable &wrt, const Variable &tangent,
                     const PushforwardOptions &options, std::source_location loc) {
  return pushforward(Variables{f}, Variables{wrt}, Variables{tangent}, options, loc)[0];
}

} // namespace graphc
