//===- Import/Domains.h - the sets of operators that are known -----*- C++ -*-===//
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphc {

/// Operators have a name and a version in each.
enum class Domain : uint8_t { Onnx, MachineLearning, Training, Microsoft };

inline constexpr std::array kDomains = {Domain::Onnx, Domain::MachineLearning, Domain::Training,
                                        Domain::Microsoft};

/// Versions up to this one are known.
int newestVersion(Domain domain);
/// The domain that files call so, if it is known.
std::optional<Domain> findDomain(std::string_view name);
/// "ONNX's operators", "the operators of ai.onnx.ml".
std::string operatorsOf(Domain domain);

/// The version of each that a model was written for.
using Versions = std::array<int, kDomains.size()>;

} // namespace graphc
