//===- SampledDistributions.cpp - elements that routines draw ----------------===//
#include "Distributions.h"

namespace graphc {
namespace {

std::vector<Distribution> floats() {
  return {
      {.name = "gamma",
       .doc = "Gamma with a shape and a scale, of mean shape * scale.\nMarsaglia and Tsang 2000.",
       .parameters = {"shape", "scale"},
       .requirements = {isPositive(0, "shape"), isNotNegative(1, "scale")},
       .partials = gammaPartials,
       .example = "gamma([1, 0], [2], 2.0, 1.0) = [1.52417175, 1.32116421]",
       .routine = &kDrawGamma},
      {.name = "invgamma",
       .doc = "scale / g of a gamma variable g of the shape.",
       .parameters = {"shape", "scale"},
       .requirements = {isPositive(0, "shape"), isNotNegative(1, "scale")},
       .partials = invgammaPartials,
       .example = "invgamma([1, 0], [2], 2.0, 1.0) = [0.656094041, 0.756908182]",
       .routine = &kDrawInvgamma},
      {.name = "chisquare",
       .doc = "Chi squared with df degrees of freedom, which need not be whole.",
       .parameters = {"df"},
       .requirements = {isPositive(0, "df")},
       .partials = chisquarePartials,
       .example = "chisquare([1, 0], [2], 3.0) = [2.09627075, 1.76377207]",
       .routine = &kDrawChisquare},
      {.name = "beta",
       .doc = "Beta: g / (g + h) of gamma variables of shapes a and b, also where both underflow.",
       .parameters = {"a", "b"},
       .requirements = {isPositive(0, "a"), isPositive(1, "b")},
       .partials = betaPartials,
       .example = "beta([1, 0], [2], 2.0, 3.0) = [0.57784559, 0.231007944]",
       .routine = &kDrawBeta},
      {.name = "studentT",
       .doc = "loc + scale t of Student's t with df degrees of freedom.",
       .parameters = {"df", "loc", "scale"},
       .requirements = {isPositive(0, "df"), isFinite(1, "loc"), isNotNegative(2, "scale")},
       .partials = studentTPartials,
       .example = "studentT([1, 0], [2], 3.0, 0.0, 1.0) = [-0.321335276, -0.362464055]",
       .routine = &kDrawStudentT},
      {.name = "vonmises",
       .doc = "Von Mises on the circle, in [-pi, pi]; kappa 0 is uniform.\nBest and Fisher 1979; "
              "a normal variable for kappa > 10^6.",
       .parameters = {"mean", "kappa"},
       .requirements = {isFinite(0, "mean"), isNotNegative(1, "kappa")},
       .partials = vonmisesPartials,
       .example = "vonmises([1, 0], [2], 0.0, 1.0) = [-0.414127515, -2.7487034]",
       .routine = &kDrawVonmises},
      {.name = "wald",
       .doc = "Wald's (inverse Gaussian) distribution.\nMichael, Schucany and Haas 1976.",
       .parameters = {"mean", "scale"},
       .requirements = {isPositive(0, "mean"), isPositive(1, "scale")},
       .example = "wald([1, 0], [2], 1.0, 2.0) = [0.922781859, 1.22594931]",
       .routine = &kDrawWald},
      {.name = "truncnormal",
       .doc = "A normal variable that lies in [low, high]; these may be infinite.\nRobert 1995: "
              "no slower in tails. ValueError unless low < high.",
       .parameters = {"mean", "sd", "low", "high"},
       .requirements = {isFinite(0, "mean"), isPositive(1, "sd")},
       .partials = truncnormalPartials,
       .example = "truncnormal([1, 0], [2], 0.0, 1.0, 0.5, 2.0) = [0.58688784, 0.605050998]",
       .routine = &kDrawTruncnormal},
  };
}

std::vector<Distribution> integers() {
  return {
      {.name = "poisson",
       .doc = "Poisson with a rate, which is the mean.\nHörmann's transformed rejection (1993); "
              "inversion for rates below 10.",
       .parameters = {"rate"},
       .drawsIntegers = true,
       .requirements = {isNotNegative(0, "rate")},
       .example = "poisson([1, 0], [2], 4.0) = [7, 6]",
       .routine = &kDrawPoisson},
      {.name = "binomial",
       .doc = "How many of n trials succeed, each with probability p.\nHörmann's transformed "
              "rejection (1993); inversion for means below 10.",
       .parameters = {"n", "p"},
       .drawsIntegers = true,
       .requirements = {isCount(0, "n"), isProbability(1, "p")},
       .example = "binomial([1, 0], [2], 10, 0.5) = [7, 7]",
       .routine = &kDrawBinomial},
      {.name = "negativeBinomial",
       .doc = "How many trials fail before n succeed, each with probability p; n need not be "
              "whole.\nPoisson with a gamma variable as its rate.",
       .parameters = {"n", "p"},
       .drawsIntegers = true,
       .requirements = {isPositive(0, "n"), isPositiveProbability(1, "p")},
       .example = "negativeBinomial([1, 0], [2], 3.0, 0.5) = [2, 2]",
       .routine = &kDrawNegativeBinomial},
      {.name = "hypergeometric",
       .doc = "How many of `draws` elements are good, taken without putting back.\nUp to 2^26 "
              "elements inversion from the mode: time as the standard deviation; of more elements "
              "rejection, in a time that does not grow.",
       .parameters = {"good", "bad", "draws"},
       .drawsIntegers = true,
       .requirements = {isCount(0, "good"), isCount(1, "bad"), isCount(2, "draws")},
       .example = "hypergeometric([1, 0], [2], 5, 10, 6) = [1, 1]",
       .routine = &kDrawHypergeometric},
      {.name = "betabinom",
       .doc = "Binomial with a beta variable as the probability.",
       .parameters = {"n", "a", "b"},
       .drawsIntegers = true,
       .requirements = {isCount(0, "n"), isPositive(1, "a"), isPositive(2, "b")},
       .example = "betabinom([1, 0], [2], 10, 2.0, 3.0) = [4, 3]",
       .routine = &kDrawBetabinom},
  };
}

} // namespace

std::vector<Distribution> sampledDistributions() {
  std::vector<Distribution> all = floats();
  for (Distribution &d : integers())
    all.push_back(std::move(d));
  return all;
}

} // namespace graphc
