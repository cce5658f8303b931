//===- SiteCases.cpp - one OpFromGraph at many sites ----------------------===//
//
// A graph of 50 ops on vectors of 100 numbers, applied n times in a chain: compiled once and called
// (the peer is the compilation of one site), or inlined; and its gradient, where each site is two
// applications: of the graph and of its pullback.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <memory>
#include <vector>

#include "Compare.h"
#include "HandLoops.h"
#include "HandModels.h"
#include "Inputs.h"
#include "absl/strings/str_format.h"
#include "graphc/graphc.h"

namespace graphc::bench {
namespace {

constexpr int64_t kExtent = 100;
enum class What { Call, Gradient, Inline };

double factor(int i, int64_t number) { return 1 + 0.001 * (12.5 - i) + double(number) * 0x1p-40; }

Variable vector(const char *name) { return tensor(DType::Float64, {kExtent}, name); }

/// `sites` applications in a chain. `number` makes another graph of it, so that nothing compiled
/// before serves it.
Variable chainOf(const Variable &x, const Variable &y, int64_t sites, What what, int64_t number) {
  Variable t = x;
  for (int i = 0; i < 25; ++i)
    t = t * factor(i, number) + y;
  OpFromGraph op({x, y}, {t}, {.inlined = what == What::Inline, .name = "cell"});
  Variable chain = x;
  for (int64_t i = 0; i < sites; ++i)
    chain = op(chain, y);
  return chain;
}

/// What the last function of a side gave.
struct Last {
  int64_t sites, number;
  What what;
  absl::StatusOr<Results> results;
};

/// At x = y = 1, where all elements are equal: the chain; or the derivatives of its sum by an
/// element of x and of y.
std::vector<double> byHand(const Last &last) {
  double value = 1, byX = 1, byY = 0;
  for (int64_t site = 0; site < last.sites; ++site)
    for (int i = 0; i < 25; ++i) {
      value = value * factor(i, last.number) + 1;
      byX *= factor(i, last.number);
      byY = byY * factor(i, last.number) + 1;
    }
  return last.what == What::Gradient ? std::vector{byX, byY} : std::vector{value};
}

absl::Status check(const Last &last) {
  if (!last.results.ok())
    return last.results.status();
  std::vector<double> wanted = byHand(last);
  if (last.results->size() != wanted.size())
    return makeError(ErrorKind::ValueError,
                     absl::StrFormat("%d results, not %d", last.results->size(), wanted.size()));
  // Sums and products of positive numbers, 50 roundings for each site.
  double bound = 2 * 50 * double(last.sites) * 0x1p-53;
  for (size_t k = 0; k < wanted.size(); ++k) {
    Tensor result = (*last.results)[k].contiguous();
    if (result.numElements() != kExtent)
      return makeError(ErrorKind::ValueError,
                       absl::StrFormat("result %d has %d elements", k, result.numElements()));
    for (double element : result.flat<double>())
      if (!(std::abs(element - wanted[k]) <= bound * wanted[k]))
        return makeError(ErrorKind::ValueError,
                         absl::StrFormat("result %d of %d sites is %.17g, not %.17g", k, last.sites,
                                         element, wanted[k]));
  }
  return absl::OkStatus();
}

/// Compiles it, to the first result.
absl::StatusOr<Results> compileAndCall(int64_t sites, What what, int64_t number) {
  Variable x = vector("x"), y = vector("y"), chain = chainOf(x, y, sites, what, number);
  FunctionOptions options;
  options.cache = false;
  absl::StatusOr<Function> f = what == What::Gradient
                                   ? function({x, y}, grad(sum(chain), {x, y}), options)
                                   : function({x, y}, chain, options);
  if (!f.ok())
    return f.status();
  Tensor ones = *Tensor::full(DType::Float64, {kExtent}, Tensor(1.0));
  return (*f)(ones, ones);
}

/// Results are kept, and looked at when nothing is measured; the first error stays.
Work compiling(int64_t sites, What what, const std::shared_ptr<Last> &last) {
  *last = {sites, sites << 20, what, absl::UnknownError("nothing was compiled")};
  auto next = std::make_shared<int64_t>(last->number);
  auto hasFailed = std::make_shared<bool>(false);
  return [=](int64_t count) {
    for (int64_t i = 0; i < count && !*hasFailed; ++i) {
      last->number = (*next)++;
      last->results = compileAndCall(sites, what, last->number);
      *hasFailed = !last->results.ok();
    }
  };
}

absl::StatusOr<Subject> compilation(int64_t sites, What what) {
  auto ours = std::make_shared<Last>(), theirs = std::make_shared<Last>();
  Subject subject;
  subject.ours = compiling(sites, what, ours);
  if (what != What::Inline)
    subject.rivals = {rivalOf("one site", compiling(1, what, theirs), /*isPeer=*/false)};
  subject.check = [=, hasRival = !subject.rivals.empty()] {
    absl::Status status = check(*ours);
    return status.ok() && hasRival ? check(*theirs) : status;
  };
  return subject;
}

absl::StatusOr<Subject> calling(int64_t sites, const Settings &settings) {
  Tensor x = makeInput(DType::Float64, {kExtent}, -1.0, 1.0, 50),
         y = makeInput(DType::Float64, {kExtent}, -1.0, 1.0, 51);
  Variable vx = vector("x"), vy = vector("y");
  Example example{
      absl::StrFormat("ofg_%d", sites), {vx, vy}, {chainOf(vx, vy, sites, What::Call, 0)}, {x, y}};
  example.cost = {.flops = 50.0 * double(sites * kExtent), .dtype = DType::Float64};
  example.formula = "ofg";
  example.numbers = {{"sites", sites}};
  auto byHand = [=](void *memory) {
    handSites(static_cast<const double *>(x.data()), static_cast<const double *>(y.data()),
              static_cast<double *>(memory), kExtent, sites);
  };
  return compare(std::move(example), byHand, settings);
}

/// Numbers through n sites of x + y, against as many calls of a C function.
absl::StatusOr<Subject> boundary(int64_t sites) {
  Variable x = dscalar("x"), y = dscalar("y"), sum = x;
  OpFromGraph op({x, y}, {x + y}, {.name = "plus"});
  for (int64_t i = 0; i < sites; ++i)
    sum = op(sum, y);
  absl::StatusOr<Function> f = function({x, y}, sum);
  if (!f.ok())
    return f.status();
  auto bound = f->bind<double(double, double)>();
  if (!bound.ok())
    return bound.status();
  static double (*const volatile plainAdd)(double, double) = handAdd;
  auto results = std::make_shared<std::pair<double, double>>();
  Subject subject;
  subject.ours = [=, bound = *std::move(bound)](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      results->first = bound(0.5, 0.25);
  };
  Work byHand = [=](int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      double value = 0.5;
      for (int64_t k = 0; k < sites; ++k)
        value = plainAdd(value, 0.25);
      results->second = value;
    }
  };
  subject.rivals = {rivalOf(kByHand, std::move(byHand), /*isPeer=*/false)};
  subject.check = [results]() -> absl::Status {
    if (results->first == results->second)
      return absl::OkStatus();
    return makeError(ErrorKind::ValueError,
                     absl::StrFormat("%g and %g", results->first, results->second));
  };
  return subject;
}

} // namespace

void addSites(std::vector<Case> &cases) {
  for (int64_t sites : {10, 100, 1000})
    for (What what : {What::Call, What::Gradient})
      cases.push_back({absl::StrFormat("ofg%s_%d", what == What::Call ? "" : "_grad", sites),
                       absl::StrFormat("compile %d sites of one op of 50%s, over one site", sites,
                                       what == What::Call ? "" : ", and its gradient"),
                       {.extraNanoseconds = 5000.0 * double(sites), .extraOfPeer = 0.25},
                       [=](const Settings &) { return compilation(sites, what); }});
  cases.push_back({"ofg_inline_1000",
                   "compile 1000 sites of one op of 50, inlined",
                   {.milliseconds = 1000},
                   [](const Settings &) { return compilation(1000, What::Inline); }});
  for (int64_t sites : {1, 10, 100, 1000})
    cases.push_back({absl::StrFormat("ofg_call_%d", sites),
                     absl::StrFormat("call the function of %d sites", sites),
                     sites == 1000 ? Target{.milliseconds = 0.2} : Target{},
                     [=](const Settings &s) { return calling(sites, s); }, &groups::kSites});
  cases.push_back({"ofg_boundary_1000",
                   "1000 sites of x + y on numbers, over as many C calls",
                   {.extraNanoseconds = 20.0 * 1000},
                   [](const Settings &) { return boundary(1000); }});
}

} // namespace graphc::bench
