//===- Support/Status.cpp - errors with a kind and a place ----------------===//
//
// Kind and place ride on an absl::Status as payloads whose text a person can read, since
// absl::Status prints payloads: `[graphc.kind='ShapeError'] [graphc.place='model.cpp:12:7']`.
//
//===----------------------------------------------------------------------===//
#include "graphc/Status.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "Support/Fork.h"
#include "Support/SystemError.h"

namespace graphc {
namespace {

constexpr char kKindUrl[] = "graphc.kind";
constexpr char kPlaceUrl[] = "graphc.place";

struct KindInfo {
  std::string_view name;
  /// As graphc/Status.h says.
  absl::StatusCode code;
};

/// In the order of ErrorKind.
constexpr std::array<KindInfo, 26> kKinds = {{
    {"None", absl::StatusCode::kUnknown},
    {"TypeError", absl::StatusCode::kInvalidArgument},
    {"ValueError", absl::StatusCode::kInvalidArgument},
    {"ShapeError", absl::StatusCode::kInvalidArgument},
    {"IndexError", absl::StatusCode::kOutOfRange},
    {"AxisError", absl::StatusCode::kOutOfRange},
    {"KeyError", absl::StatusCode::kOutOfRange},
    {"LinAlgError", absl::StatusCode::kAborted},
    {"MissingInput", absl::StatusCode::kInvalidArgument},
    {"UnusedInput", absl::StatusCode::kInvalidArgument},
    {"AlreadyThere", absl::StatusCode::kAlreadyExists},
    {"Inconsistency", absl::StatusCode::kFailedPrecondition},
    {"Cycle", absl::StatusCode::kFailedPrecondition},
    {"ReplacementDidNotRemove", absl::StatusCode::kFailedPrecondition},
    {"DisconnectedInput", absl::StatusCode::kInvalidArgument},
    {"NullGradient", absl::StatusCode::kInvalidArgument},
    {"MethodNotDefined", absl::StatusCode::kUnimplemented},
    {"NotImplemented", absl::StatusCode::kUnimplemented},
    {"NotSupported", absl::StatusCode::kUnimplemented},
    {"RuntimeError", absl::StatusCode::kAborted},
    {"DebugMismatch", absl::StatusCode::kInternal},
    {"NanGuard", absl::StatusCode::kAborted},
    {"OutOfMemory", absl::StatusCode::kResourceExhausted},
    {"Io", absl::StatusCode::kDataLoss},
    {"Internal", absl::StatusCode::kInternal},
    {"Cancelled", absl::StatusCode::kCancelled},
}};
static_assert(kKinds[size_t(ErrorKind::Cancelled)].name == "Cancelled");

/// Not from a std::string&&: the library, compiled by GCC, lacks that constructor under the name
/// that Clang gives it.
absl::Cord cord(std::string_view text) {
  return absl::Cord(absl::string_view(text.data(), text.size()));
}

/// Text of the payload at `url`, empty where there is none.
std::string payloadText(const absl::Status &status, const char *url) {
  absl::optional<absl::Cord> payload = status.GetPayload(url);
  return payload ? std::string(*payload) : std::string();
}

/// Splits ":NUMBER" off the end of `text`.
std::optional<uint32_t> takeNumber(std::string_view &text) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  std::string_view digits = text.substr(colon + 1);
  uint32_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

} // namespace

std::string_view errorKindName(ErrorKind kind) { return kKinds[size_t(kind)].name; }

std::string Place::str() const {
  if (!known())
    return "";
  if (line == 0)
    return file;
  return std::string(file) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

const char *internFileName(std::string_view name) {
  // Never destroyed: places may be printed while the process ends.
  static auto &mutex = *new ShortMutex;
  static auto &names = *new std::unordered_set<std::string>;
  std::lock_guard lock(mutex);
  return names.emplace(name).first->c_str();
}

static absl::Status ofKind(ErrorKind kind, absl::StatusCode code, std::string_view message) {
  absl::Status status(code, absl::string_view(message.data(), message.size()));
  status.SetPayload(kKindUrl, cord(errorKindName(kind)));
  return status;
}

absl::Status makeError(ErrorKind kind, std::string_view message, Place place) {
  absl::Status status = ofKind(kind, kKinds[size_t(kind)].code, message);
  if (place.known())
    status.SetPayload(kPlaceUrl, cord(place.str()));
  return status;
}

static absl::StatusCode ioCode(int errorNumber) {
  switch (errorNumber) {
  case ENOENT:
  case ENOTDIR:
    return absl::StatusCode::kNotFound;
  case EACCES:
  case EPERM:
  case EROFS:
    return absl::StatusCode::kPermissionDenied;
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
  case ENOMEM:
    return absl::StatusCode::kResourceExhausted;
  default:
    return absl::StatusCode::kUnavailable;
  }
}

absl::Status ioError(std::string_view message, int errorNumber) {
  return ofKind(ErrorKind::Io, ioCode(errorNumber), message);
}

absl::Status systemError(std::string_view context, int errorNumber) {
  return ioError(std::string(context) + ": " + std::strerror(errorNumber), errorNumber);
}

ErrorKind errorKind(const absl::Status &status) {
  if (status.ok())
    return ErrorKind::None;
  std::string name = payloadText(status, kKindUrl);
  for (size_t i = 1; i < kKinds.size(); ++i)
    if (kKinds[i].name == name)
      return ErrorKind(i);
  return ErrorKind::Internal;
}

std::optional<Place> errorPlace(const absl::Status &status) {
  std::string text = payloadText(status, kPlaceUrl);
  if (text.empty())
    return std::nullopt;
  std::string_view rest = text;
  std::optional<uint32_t> column = takeNumber(rest);
  std::optional<uint32_t> line = column ? takeNumber(rest) : std::nullopt;
  if (!line)
    return Place(internFileName(text), 0, 0);
  return Place(internFileName(rest), *line, *column);
}

std::string errorText(const absl::Status &status) {
  if (status.ok())
    return "OK";
  std::string text;
  if (std::optional<Place> place = errorPlace(status))
    text = place->str() + ": ";
  text += std::string(errorKindName(errorKind(status))) + ": ";
  return text.append(status.message().data(), status.message().size());
}

absl::Status prefixError(const absl::Status &status, std::string_view context) {
  if (status.ok())
    return status;
  std::string message(context);
  message += ": ";
  message.append(status.message().data(), status.message().size());
  absl::Status prefixed(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord &payload) { prefixed.SetPayload(url, payload); });
  return prefixed;
}

absl::Status withPlace(const absl::Status &status, Place place) {
  if (status.ok() || errorPlace(status))
    return status;
  if (!place.known())
    return status;
  absl::Status placed = status;
  placed.SetPayload(kKindUrl, cord(errorKindName(errorKind(status))));
  placed.SetPayload(kPlaceUrl, cord(place.str()));
  return placed;
}

} // namespace graphc
