//===- JIT/Session.h - objects to callable code -----------------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "Runtime/LoadedCode.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// Links relocatable objects (from ObjectCompiler, for hostTarget or a lesser target) into this
/// process, with ORC's JITLink. One for the process, made when first asked for and kept to its end.
class Session {
public:
  /// Thread-safe. Errors: Internal, if ORC cannot be set up.
  static absl::StatusOr<Session *> get();

  /// Links `objects` with one another and with runtimeSymbols(), and looks up the kernels `names`.
  /// Names need not differ between calls. Errors: Internal, naming a symbol that is missing or
  /// defined twice, or an object that is none. Thread-safe.
  absl::StatusOr<std::shared_ptr<const LoadedCode>>
  loadKernels(absl::Span<const std::string> objects, absl::Span<const std::string> names);

  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  static absl::StatusOr<Session *> make();
  std::unique_ptr<Impl> impl;
};

} // namespace graphc
