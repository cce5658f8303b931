//===- Domains.cpp - the sets of operators that are known -------------------===//
#include "Import/Domains.h"

#include "Import/Translations.h"

namespace graphc {
namespace {

struct DomainEntry {
  std::string_view name;
  int newest;
};

constexpr DomainEntry kEntries[] = {
    {"", kNewestOpset}, {"ai.onnx.ml", 5}, {"ai.onnx.preview.training", 1}, {"com.microsoft", 1}};
static_assert(std::size(kEntries) == kDomains.size(), "an entry for each domain");

} // namespace

int newestVersion(Domain domain) { return kEntries[size_t(domain)].newest; }

std::optional<Domain> findDomain(std::string_view name) {
  if (name == "ai.onnx")
    return Domain::Onnx;
  for (Domain domain : kDomains)
    if (kEntries[size_t(domain)].name == name)
      return domain;
  return std::nullopt;
}

std::string operatorsOf(Domain domain) {
  if (domain == Domain::Onnx)
    return "ONNX's operators";
  return "the operators of " + std::string(kEntries[size_t(domain)].name);
}

} // namespace graphc
