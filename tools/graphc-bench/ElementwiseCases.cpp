//===- ElementwiseCases.cpp - one loop over a million elements ------------===//
#include "Compare.h"
#include "Graphs.h"
#include "HandLoops.h"
#include "Inputs.h"

namespace graphc::bench {
namespace {

constexpr int64_t kElements = 1000000;

using Graph = Variable (*)(const Variable &x, const Variable &y);
using Loop = void (*)(const float *x, const float *y, float *o, int64_t begin, int64_t end);

absl::StatusOr<Subject> chainOf(const char *name, Graph graph, Loop loop,
                                const Settings &settings) {
  Tensor x = makeInput(DType::Float32, {kElements}, 0.1, 1.1, 1);
  Tensor y = makeInput(DType::Float32, {kElements}, -1.0, 1.0, 2);
  Variable vx = fvector("x"), vy = fvector("y");
  auto peer = [=](void *memory) {
    onThreads(kElements, settings, [&](int64_t begin, int64_t end) {
      loop(static_cast<const float *>(x.data()), static_cast<const float *>(y.data()),
           static_cast<float *>(memory), begin, end);
    });
  };
  constexpr double kArray = double(kElements) * sizeof(float);
  Example example{name, {vx, vy}, {graph(vx, vy)}, {x, y}};
  example.cost = {10.0 * double(kElements), 2 * kArray, kArray};
  return compare(std::move(example), peer, settings);
}

} // namespace

void addElementwise(std::vector<Case> &cases) {
  cases.push_back({"ew10",
                   "exp(-tanh(xy+x)^2)/sqrt(1+y^2), 10^6 f32",
                   {.ratio = 1.05},
                   [](const Settings &s) { return chainOf("ew10", ew10, handEw10, s); },
                   &groups::kMathChains});
  cases.push_back({"ew10cheap",
                   "ten cheap operations, 10^6 f32",
                   {.ratio = 1.05},
                   [](const Settings &s) {
                     auto graph = [](const Variable &x, const Variable &y) {
                       return ew10cheap(x, y);
                     };
                     return chainOf("ew10cheap", graph, handEw10cheap, s);
                   },
                   &groups::kRows});
}

} // namespace graphc::bench
