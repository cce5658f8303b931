//===- ComplexDerivatives.cpp ---------------------------------------------===//
#include "ComplexDerivatives.h"

#include "Backward.h"
#include "Connection.h"
#include "Graph/PartsOf.h"
#include "Ops/Build.h"
#include "Ops/Derivatives.h"

namespace graphc {
namespace {

Variable conjugated(const Variable &v) {
  return isPresent(v) && isComplex(v.dtype()) ? conj(v) : v;
}

/// Whether the op's own rules are to be asked.
bool hasOwnRules(const OpDef &def) {
  return def.complex.derivatives != ComplexDerivatives::ByParts && def.pullback && def.pushforward;
}

/// Two derivatives of parts as one of a complex number, of the shape of `like`.
Variable joined(const Variable &re, const Variable &im, const Variable &like) {
  for (const Variable *part : {&re, &im})
    if (isNull(*part))
      return *part;
  if (!isPresent(re) && !isPresent(im))
    return isDisconnected(re) ? im : re;
  DType dtype = realDType(like.dtype());
  auto partOf = [&](const Variable &part) {
    return isPresent(part) ? inDType(part, dtype)
                           : second(real(like), constant(Tensor(0.0).cast(dtype)));
  };
  return complex(partOf(re), partOf(im));
}

/// A node taken apart: Variables of its own for the parts of each operand, so that derivatives with
/// respect to one are apart from those of another that is the same Variable.
struct TakenApart {
  std::vector<Parts> in, out;
  /// The parts that are differentiated with respect to, and where those of each operand begin.
  Variables of;
  std::vector<size_t> first;
  /// All parts of operands: walks end there.
  Variables ends;

  TakenApart(const Apply &node, const Variables &operands) {
    for (const Variable &v : operands) {
      first.push_back(of.size());
      if (isComplex(v.dtype())) {
        in.push_back({real(v), imag(v)});
        of.push_back(in.back().re);
        of.push_back(*in.back().im);
      } else if (isFloat(v.dtype()) && !v.isConstant()) {
        in.push_back({identity(v)});
        of.push_back(in.back().re);
      } else {
        in.push_back({v});
      }
      ends.push_back(in.back().re);
      if (in.back().im)
        ends.push_back(*in.back().im);
    }
    first.push_back(of.size());
    out = partsOf(node, in);
  }
  absl::Status status() const {
    for (const Parts &parts : out)
      for (const Variable *part : {&parts.re, parts.im ? &*parts.im : &parts.re})
        if (!part->ok())
          return part->status();
    return absl::OkStatus();
  }
};

absl::StatusOr<Variables> pullParts(const Apply &node, const Variables &in, const Variables &g) {
  TakenApart apart(node, in);
  if (absl::Status s = apart.status(); !s.ok())
    return s;
  std::vector<Backward::Start> starts;
  for (size_t o = 0; o < g.size(); ++o) {
    if (!isPresent(g[o]))
      continue;
    bool isPair = isComplex(g[o].dtype());
    starts.push_back({apart.out[o].re, isPair ? real(g[o]) : g[o], /*isFinal=*/false});
    if (apart.out[o].im)
      starts.push_back({*apart.out[o].im, imag(g[o]), /*isFinal=*/false});
  }
  absl::StatusOr<Backward> walk = Backward::run(std::move(starts), apart.of, apart.ends);
  if (!walk.ok())
    return walk.status();
  auto ever = neededInputs(node, [](int) { return true; });
  Variables results;
  for (size_t i = 0; i < in.size(); ++i) {
    Variable result(Type::disconnected());
    if (size_t at = apart.first[i]; isComplex(in[i].dtype()))
      result = joined(walk->arrivedAt(apart.of[at]), walk->arrivedAt(apart.of[at + 1]), in[i]);
    else if (at < apart.first[i + 1])
      result = walk->arrivedAt(apart.of[at]);
    results.push_back(isDisconnected(result) && ever[i] ? zeroDerivative() : result);
  }
  return results;
}

} // namespace

absl::StatusOr<Variables> pullComplex(const Apply &node, const Variables &in, const Variables &g) {
  const OpDef &def = node.op().def();
  if (!hasOwnRules(def))
    return pullParts(node, in, g);
  // Of the complex derivative f' the rule makes g f', and the gradient is g conj(f').
  bool isHolomorphic = def.complex.derivatives == ComplexDerivatives::Holomorphic;
  Variables given = g;
  for (Variable &v : given)
    if (isHolomorphic)
      v = conjugated(v);
  Variables terms = def.pullback(node.op(), in, node.outputs(), given);
  for (Variable &v : terms)
    if (isHolomorphic)
      v = conjugated(v);
  return terms;
}

absl::StatusOr<PushedForward> pushComplex(const Apply &node, const Variables &in,
                                          const Variables &tangents) {
  const OpDef &def = node.op().def();
  if (hasOwnRules(def))
    return PushedForward(def.pushforward(node.op(), in, node.outputs(), tangents));
  TakenApart apart(node, in);
  if (absl::Status s = apart.status(); !s.ok())
    return s;
  Variables given;
  for (size_t i = 0; i < in.size(); ++i) {
    const Variable &t = tangents[i];
    bool isPair = isComplex(in[i].dtype());
    for (size_t k = apart.first[i]; k < apart.first[i + 1]; ++k) {
      bool isSecond = k > apart.first[i];
      if (!isPair || !isPresent(t))
        given.push_back(t);
      else
        given.push_back(isSecond ? imag(t) : real(t));
    }
  }
  Variables parts;
  for (const Parts &result : apart.out) {
    parts.push_back(result.re);
    if (result.im)
      parts.push_back(*result.im);
  }
  absl::StatusOr<PushedForward> pushed = pushedForward(parts, apart.of, given);
  if (!pushed.ok())
    return pushed;
  PushedForward results{Variables()};
  size_t next = 0;
  for (size_t o = 0; o < apart.out.size(); ++o) {
    const Variable &re = pushed->tangents[next];
    if (!isComplex(node.output(int(o)).dtype()))
      results.tangents.push_back(re);
    else
      results.tangents.push_back(
          joined(re, apart.out[o].im ? pushed->tangents[next + 1] : zeroDerivative(),
                 node.output(int(o))));
    next += apart.out[o].im ? 2 : 1;
  }
  results.nullWithin.assign(results.tangents.size(), "");
  return results;
}

} // namespace graphc
