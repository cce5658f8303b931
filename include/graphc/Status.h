//===- graphc/Status.h - errors with a kind and a place ---------*- C++ -*-===//
//
// graphc reports errors as absl::Status. Two things ride along as payloads: the kind that the
// specification names (docs/Semantics.md) and the user's source line concerned.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Compiler.h" // first of all

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace graphc {

/// What went wrong, as docs/Semantics.md names it: what programs decide by. `None` belongs to an OK
/// status.
///
/// There are fewer codes of absl::Status than kinds, so most codes stand for several. For callers
/// who know the codes alone they keep apart what needs a different reaction:
///   INVALID_ARGUMENT     the program's graph, arguments or file says something wrong
///   OUT_OF_RANGE         there is no such position, axis or name
///   FAILED_PRECONDITION  the call is not allowed in the state that the object is in
///   UNIMPLEMENTED        graphc cannot do it
///   ABORTED              a computation failed on its data
///   RESOURCE_EXHAUSTED   no memory, or no room in a file system
///   CANCELLED            the program asked for it
///   INTERNAL             a mistake of graphc's, or of an op's definition
/// Io alone has several codes, by why a file cannot be read or written:
///   NOT_FOUND            there is no file of that name; no other error has this code
///   PERMISSION_DENIED    it may not be read or written; no other error has this code
///   DATA_LOSS            it was read, and is damaged or no file of the kind that was asked for
///   RESOURCE_EXHAUSTED   as above
///   UNAVAILABLE          anything else that the system says
enum class ErrorKind {
  None,
  TypeError,               // INVALID_ARGUMENT
  ValueError,              // INVALID_ARGUMENT
  ShapeError,              // INVALID_ARGUMENT
  IndexError,              // OUT_OF_RANGE
  AxisError,               // OUT_OF_RANGE
  KeyError,                // OUT_OF_RANGE
  LinAlgError,             // ABORTED
  MissingInput,            // INVALID_ARGUMENT
  UnusedInput,             // INVALID_ARGUMENT
  AlreadyThere,            // ALREADY_EXISTS
  Inconsistency,           // FAILED_PRECONDITION
  Cycle,                   // FAILED_PRECONDITION
  ReplacementDidNotRemove, // FAILED_PRECONDITION
  DisconnectedInput,       // INVALID_ARGUMENT
  NullGradient,            // INVALID_ARGUMENT
  MethodNotDefined,        // UNIMPLEMENTED
  NotImplemented,          // UNIMPLEMENTED
  NotSupported,            // UNIMPLEMENTED
  RuntimeError,            // ABORTED
  DebugMismatch,           // INTERNAL
  NanGuard,                // ABORTED
  OutOfMemory,             // RESOURCE_EXHAUSTED
  Io,                      // see above
  Internal,                // INTERNAL
  Cancelled,               // CANCELLED
};

/// "TypeError", "ShapeError", ...
std::string_view errorKindName(ErrorKind kind);

/// A line of the user's: of a C++ file (from std::source_location) or of a graph or ONNX file.
/// `file` points to a string that lives as long as the process (see internFileName). A place
/// without a file is unknown, and line 0 stands for the whole file. Cheap to copy.
struct Place {
  const char *file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;

  Place() = default;
  Place(const char *file, uint32_t line, uint32_t column)
      : file(file), line(line), column(column) {}
  Place(const std::source_location &loc)
      : file(loc.file_name()), line(loc.line()), column(loc.column()) {}

  bool known() const { return file != nullptr; }
  /// "file:line:column", "file" for a whole file, or "" where unknown.
  std::string str() const;
  friend bool operator==(const Place &, const Place &) = default;
};

/// Returns a copy of `name` that lives as long as the process; equal names give equal pointers.
/// Thread-safe.
const char *internFileName(std::string_view name);

/// Makes an error. `message` has no trailing period or newline; further lines are notes.
absl::Status makeError(ErrorKind kind, std::string_view message, Place place = {});

/// The kind that `makeError` put there; None for OK, Internal for a foreign error.
ErrorKind errorKind(const absl::Status &status);

/// The user's place that `makeError` put there, if known.
std::optional<Place> errorPlace(const absl::Status &status);

/// "FILE:LINE:COLUMN: KIND: MESSAGE", or without the place; "OK".
std::string errorText(const absl::Status &status);

/// The same error with `context` and ": " before its message; kind and place stay.
absl::Status prefixError(const absl::Status &status, std::string_view context);

/// The same error at `place`, unless it has a place already or `place` is unknown.
absl::Status withPlace(const absl::Status &status, Place place);

/// Receives warnings. The default prints "graphc: warning: ..." on stderr.
using LogSink = std::function<void(std::string_view message)>;
/// Replaces the process's sink (an empty one restores the default). Thread-safe.
void setLogSink(LogSink sink);

} // namespace graphc
