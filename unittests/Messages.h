//===- Messages.h - whole errors as texts -----------------------*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "graphc/Status.h"

namespace graphc {

/// "KIND: MESSAGE", without the place.
inline std::string said(const absl::Status &status) {
  if (status.ok())
    return "OK";
  return std::string(errorKindName(errorKind(status))) + ": " +
         std::string(status.message().data(), status.message().size());
}

/// Its first line.
inline std::string firstLine(const absl::Status &status) {
  std::string text = said(status);
  return text.substr(0, text.find('\n'));
}

/// "KIND PLACE: MESSAGE", or "KIND MESSAGE" without a place.
inline std::string whole(const absl::Status &status) {
  if (status.ok())
    return "OK";
  std::optional<Place> place = errorPlace(status);
  return std::string(errorKindName(errorKind(status))) + " " +
         (place ? place->str() + ": " : std::string()) +
         std::string(status.message().data(), status.message().size());
}

struct ErrorCase {
  absl::Status status;
  std::string message;
};

/// Each error says exactly that, whatever its place.
inline void expectMessages(const std::vector<ErrorCase> &cases) {
  for (const ErrorCase &c : cases)
    EXPECT_EQ(said(c.status), c.message);
}

} // namespace graphc
