//===- RecurrentActivations.cpp - the activations of RNN, GRU and LSTM -----===//
#include <algorithm>

#include "Import/Recurrent.h"

namespace graphc {
namespace {

Variable scaled(OnnxNode &n, const Variable &x, double factor, double shift) {
  return add(n.at(mul(n.at(x), n.scalar(factor, x.dtype()))), n.scalar(shift, x.dtype()));
}

struct Kind {
  std::string_view name;
  Variable (*apply)(OnnxNode &n, const Variable &x, double alpha, double beta);
  /// Which numbers of the node's lists it takes, and what they are where the lists end.
  int parameters = 0;
  double alpha = 0, beta = 0;
};

template <Variable (*f)(const Operand &)>
Variable plain(OnnxNode &n, const Variable &x, double, double) {
  return f(n.at(x));
}

constexpr Kind kKinds[] = {
    {"affine",
     [](OnnxNode &n, const Variable &x, double a, double b) { return scaled(n, x, a, b); }, 2, 1,
     0},
    {"elu", [](OnnxNode &n, const Variable &x, double a, double) { return elu(n.at(x), a); }, 1, 1},
    {"hardsigmoid",
     [](OnnxNode &n, const Variable &x, double a, double b) { return hardSigmoid(n.at(x), a, b); },
     2, 0.2, 0.5},
    {"leakyrelu",
     [](OnnxNode &n, const Variable &x, double a, double) { return leakyRelu(n.at(x), a); }, 1,
     0.01},
    {"relu", plain<relu>},
    {"scaledtanh",
     [](OnnxNode &n, const Variable &x, double a, double b) {
       Variable inner = mul(n.at(x), n.scalar(b, x.dtype()));
       return mul(n.at(tanh(n.at(inner))), n.scalar(a, x.dtype()));
     },
     2, 1, 1},
    {"sigmoid", plain<sigmoid>},
    {"softplus", plain<softplus>},
    {"softsign", plain<softsign>},
    {"tanh", plain<tanh>},
    {"thresholdedrelu",
     [](OnnxNode &n, const Variable &x, double a, double) {
       Variable above = gt(n.at(x), n.scalar(a, x.dtype()));
       return where(n.at(above), x, n.scalar(0, x.dtype()));
     },
     1, 1},
};

} // namespace

std::vector<RecurrentActivation> recurrentActivations(OnnxNode &n,
                                                      const std::vector<std::string> &defaults,
                                                      size_t directions, size_t clipped) {
  std::vector<std::string> names = n.getStrings("activations");
  if (names.empty())
    for (size_t d = 0; d < directions; ++d)
      names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != defaults.size() * directions) {
    n.fail(ErrorKind::ValueError, "attribute activations has " + std::to_string(names.size()) +
                                      " names for " + std::to_string(directions) + " directions");
    return {};
  }
  std::vector<float> alphas = n.getFloats("activation_alpha").value_or(std::vector<float>()),
                     betas = n.getFloats("activation_beta").value_or(std::vector<float>());
  size_t nextAlpha = 0, nextBeta = 0;
  std::optional<double> bound;
  if (n.hasAttribute("clip"))
    bound = n.getFloat("clip", 0);
  std::vector<RecurrentActivation> list;
  for (const std::string &given : names) {
    std::string name = given;
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return char(std::tolower(c)); });
    const Kind *kind = std::ranges::find(kKinds, name, &Kind::name);
    if (kind == std::end(kKinds)) {
      n.unsupported("activation '" + given + "'");
      return {};
    }
    double alpha = kind->alpha, beta = kind->beta;
    if (kind->parameters > 0 && nextAlpha < alphas.size())
      alpha = alphas[nextAlpha++];
    if (kind->parameters > 1 && nextBeta < betas.size())
      beta = betas[nextBeta++];
    const bool isClipped = bound && list.size() % defaults.size() < clipped;
    list.push_back([&n, kind, alpha, beta, bound, isClipped](const Variable &x) {
      Variable inner =
          isClipped ? clip(n.at(x), n.scalar(-*bound, x.dtype()), n.scalar(*bound, x.dtype())) : x;
      return kind->apply(n, inner, alpha, beta);
    });
  }
  return list;
}

} // namespace graphc
