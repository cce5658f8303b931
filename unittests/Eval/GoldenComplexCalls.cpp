//===- GoldenComplexCalls.cpp - complex numbers and Fourier transforms -------===//
#include "GoldenCallTable.h"
#include "OpCases.h"
#include "Ops/Registry.h"
#include "graphc/Fourier.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using Json = nlohmann::json;

FourierNorm normOf(const Json &a) {
  std::string norm = a.value("norm", "backward");
  return norm == "ortho"     ? FourierNorm::Ortho
         : norm == "forward" ? FourierNorm::Forward
                             : FourierNorm::Backward;
}

FourierOptions oneAxis(const Json &a) {
  FourierOptions options{.axis = a.value("axis", -1), .norm = normOf(a)};
  if (a.contains("n"))
    options.n.emplace(a["n"].get<int64_t>());
  return options;
}

FourierAxesOptions axesOf(const Json &a) {
  FourierAxesOptions options{.axes = a.value("axes", std::vector<int>()), .norm = normOf(a)};
  for (int64_t n : a.value("s", std::vector<int64_t>()))
    options.lengths.emplace_back(n);
  return options;
}

/// Values, and columns, by real part and then by imaginary part.
Variables ordered(const Variables &parts) {
  Variable order = callBuiltin("argsortRows", {}, {stack({parts[0], parts[1]}, 1)});
  Variables result;
  for (const Variable &part : parts)
    result.push_back(take(part, order, {.axis = part.rank() - 1}));
  return result;
}

Variables orderedEig(const EigFactors &all) {
  Variables parts =
      ordered({real(all.values), imag(all.values), real(all.vectors), imag(all.vectors)});
  return {complex(parts[0], parts[1]), complex(parts[2], parts[3])};
}

Variables partsOf(std::string_view op, const Attributes &attributes, const Variables &in) {
  const OpDef *def = findOp(op);
  return Op::create(*def, attributes)->callAll(std::vector<Operand>(in.begin(), in.end()), Place());
}

} // namespace

const GoldenCallTable &complexCalls() {
  static const auto &table = *new GoldenCallTable{
      {"fft", GRAPHC_ONE(fft(in[0], oneAxis(a)))},
      {"ifft", GRAPHC_ONE(ifft(in[0], oneAxis(a)))},
      {"rfft", GRAPHC_ONE(rfft(in[0], oneAxis(a)))},
      {"irfft", GRAPHC_ONE(irfft(in[0], oneAxis(a)))},
      {"fftn", GRAPHC_ONE(fftn(in[0], axesOf(a)))},
      {"ifftn", GRAPHC_ONE(ifftn(in[0], axesOf(a)))},
      {"rfftn", GRAPHC_ONE(rfftn(in[0], axesOf(a)))},
      {"irfftn", GRAPHC_ONE(irfftn(in[0], axesOf(a)))},
      {"fftfreq", one([](const Json &a, const Variables &) {
         return fftfreq(a["n"].get<int64_t>(), a["d"].get<double>());
       })},
      {"rfftfreq", one([](const Json &a, const Variables &) {
         return rfftfreq(a["n"].get<int64_t>(), a["d"].get<double>());
       })},
      {"fftshift", GRAPHC_ONE(fftshift(in[0], a.value("axes", std::vector<int>())))},
      {"ifftshift", GRAPHC_ONE(ifftshift(in[0], a.value("axes", std::vector<int>())))},
      {"fit_axis", GRAPHC_ONE(fitAxis(in[0], a["n"].get<int64_t>()))},
      {"dft", GRAPHC_ALL(partsOf("dft", {{"inverse", a.value("inverse", false)}}, in))},
      {"rdft", GRAPHC_ALL(partsOf("rdft", {}, in))},
      {"irdft", GRAPHC_ALL(partsOf("irdft", {}, {in[0], in[1], constant(a["n"].get<int64_t>())}))},
      {"complex_recurrence", GRAPHC_ALL(partsOf("complexRecurrence", {{"axis", int64_t(1)}}, in))},
      {"eig", GRAPHC_ALL(orderedEig(eig(in[0])))},
      {"eigvals", GRAPHC_ALL(ordered({real(eigvals(in[0])), imag(eigvals(in[0]))}))},
  };
  return table;
}

} // namespace graphc
