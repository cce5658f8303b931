#include "ComplexCases.h"

#include "Ops/Registry.h"
#include "graphc/Fourier.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using V = const Variables &;
using Call = std::function<Variable(const Variables &)>;

Variable both(const Variable &z) { return stack({real(z), imag(z)}); }

/// A complex number of two operands, or one.
Variable numberOf(V x) {
  if (x.size() == 1 || isComplex(x[0].dtype()))
    return x[0];
  return complex(x[0], x[1]);
}

std::vector<OpCase> ofNumbers(const Call &call) {
  std::vector<OpCase> cases;
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{3, 5}, {0, 4}, {}, {37}}) {
    cases.push_back({{shape}, call});
    cases.push_back({{shape, shape}, call});
  }
  return cases;
}

/// Along each axis, of powers of small numbers and others.
std::vector<OpCase> alongAxes(size_t operands, const std::function<Variable(V, int)> &call) {
  std::vector<OpCase> cases;
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{6}, {7}, {1}, {3, 4, 5}, {2, 37}})
    for (int axis = 0; axis < int(shape.size()); ++axis)
      cases.push_back(
          {std::vector<std::vector<int64_t>>(operands, shape), [=](V x) { return call(x, axis); }});
  return cases;
}

/// All results of an op on parts.
Variable allOf(const char *op, const Attributes &attributes, V operands) {
  for (const Variable &v : operands)
    if (!v.ok())
      return v;
  Variables all = Op::create(*findOp(op), attributes)
                      ->callAll(std::vector<Operand>(operands.begin(), operands.end()), Place());
  return all.size() > 1 && all[0].ok() ? stack(all) : all[0];
}

} // namespace

std::map<std::string, std::vector<OpCase>> complexCases() {
  std::vector<OpCase> transforms[2];
  for (FourierNorm norm : {FourierNorm::Backward, FourierNorm::Ortho, FourierNorm::Forward})
    for (size_t operands : {1, 2})
      for (bool inverse : {false, true})
        for (OpCase &c : alongAxes(operands, [=](V x, int axis) {
               FourierOptions options{.axis = axis, .norm = norm};
               return both(inverse ? ifft(numberOf(x), options) : fft(numberOf(x), options));
             }))
          transforms[inverse].push_back(std::move(c));
  auto half = [](V x, int axis) { return both(rfft(x[0], {.axis = axis})); };
  auto whole = [](V x, int axis) {
    return irfft(numberOf(x), {.n = shape(x[0], axis) * 2 - 1, .axis = axis});
  };
  auto wholeEven = [](V x, int axis) { return irfft(numberOf(x), {.axis = axis}); };
  std::vector<OpCase> inverses = alongAxes(2, whole);
  for (OpCase &c : alongAxes(2, wholeEven))
    if (c.shapes[0] != std::vector<int64_t>{1})
      inverses.push_back(std::move(c));
  return {
      {"conj", ofNumbers([](V x) { return both(conj(numberOf(x))); })},
      {"real", ofNumbers([](V x) { return real(numberOf(x)); })},
      {"imag", ofNumbers([](V x) { return imag(numberOf(x)); })},
      {"angle", ofNumbers([](V x) { return angle(numberOf(x)); })},
      {"complex",
       {{{{3, 5}, {3, 5}}, [](V x) { return both(complex(x[0], x[1])); }},
        {{{4, 1}, {5}}, [](V x) { return both(complex(x[0], x[1])); }},
        {{{}, {0, 2}}, [](V x) { return both(complex(x[0], x[1])); }}}},
      {"fft", transforms[0]},
      {"ifft", transforms[1]},
      {"rfft", alongAxes(1, half)},
      {"irfft", inverses},
      {"fitAxis", alongAxes(1,
                            [](V x, int axis) {
                              return concatenate({fitAxis(x[0], 4, axis), fitAxis(x[0], 9, axis)},
                                                 axis);
                            })},
      {"dft", alongAxes(2,
                        [](V x, int axis) {
                          return allOf("dft", {{"axis", int64_t(axis)}, {"inverse", true}}, x);
                        })},
      {"rdft",
       alongAxes(1, [](V x, int axis) { return allOf("rdft", {{"axis", int64_t(axis)}}, x); })},
      {"irdft", alongAxes(2,
                          [](V x, int axis) {
                            return allOf("irdft", {{"axis", int64_t(axis)}},
                                         {x[0], x[1], shape(x[0], axis) * 2 - 1});
                          })},
      {"complexRecurrence", alongAxes(4,
                                      [](V x, int axis) {
                                        return allOf("complexRecurrence", {{"axis", int64_t(axis)}},
                                                     x);
                                      })},
  };
}

} // namespace graphc
