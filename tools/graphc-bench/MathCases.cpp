//===- MathCases.cpp - one function over an array, beside SLEEF -----------===//
#include "Compare.h"
#include "HandMath.h"
#include "Inputs.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

// In the caches, so that it is the function that takes the time.
constexpr int64_t kElements = 65536;
static_assert(kElements % kMathGrain == 0);

struct MathCase {
  const char *name;
  double low, high; // of x; make_expected.py has the same
  Variable (*unary)(const Operand &);
};

// pow has its second operand in [-4, 4).
const MathCase kCases[] = {
    {"exp", -10, 10, exp},   {"expm1", -1, 1, expm1},   {"log", 0.01, 100, log},
    {"log1p", 0, 1, log1p},  {"sin", -10, 10, sin},     {"cos", -10, 10, cos},
    {"tan", -1.5, 1.5, tan}, {"sinh", -5, 5, sinh},     {"cosh", -5, 5, cosh},
    {"tanh", -3, 3, tanh},   {"arcsin", -1, 1, arcsin}, {"arctan", -10, 10, arctan},
    {"erf", -2, 2, erf},     {"pow", 0.1, 10, nullptr},
};

template <class T> MathLoop<T> loopOf(const HandMath &math) {
  if constexpr (sizeof(T) == sizeof(float))
    return math.f32;
  else
    return math.f64;
}

template <class T>
absl::StatusOr<Subject> mathOf(const std::string &name, const MathCase &row,
                               const Settings &settings) {
  DType dtype = DTypeOf<T>::value;
  Tensor x = makeInput(dtype, {kElements}, row.low, row.high, 60);
  Tensor y = makeInput(dtype, {kElements}, -4.0, 4.0, 61);
  Variable vx = tensor(dtype, {kDynamic}, "x"), vy = tensor(dtype, {kDynamic}, "y");
  MathLoop<T> loop = loopOf<T>(*findHandMath(row.name));
  auto loopOver = [=](void *const *results) {
    loop(static_cast<const T *>(x.data()), static_cast<const T *>(y.data()),
         static_cast<T *>(results[0]), kElements);
  };
  Settings single = settings;
  single.threads = 1;
  std::vector<Hand> sleef = {{"SLEEF", loopOver}};
  if (row.unary)
    return compare({name, {vx}, {row.unary(vx)}, {x}}, sleef, single);
  return compare({name, {vx, vy}, {pow(vx, vy)}, {x, y}}, sleef, single);
}

template <class T> Case caseOf(const MathCase &row, const char *dtype) {
  std::string name = absl::StrFormat("math_%s_%s", row.name, dtype);
  return {name,
          absl::StrFormat("%s of %d elements %s beside SLEEF", row.name, kElements, dtype),
          {},
          [name, &row](const Settings &s) { return mathOf<T>(name, row, s); },
          &groups::kFunctions};
}

} // namespace

void addMath(std::vector<Case> &cases) {
  for (const MathCase &row : kCases) {
    cases.push_back(caseOf<float>(row, "f32"));
    cases.push_back(caseOf<double>(row, "f64"));
  }
}

} // namespace graphc::bench
