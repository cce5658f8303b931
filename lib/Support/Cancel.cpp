//===- Support/Cancel.cpp -------------------------------------------------===//
#include "Support/Cancel.h"

#include "graphc/Status.h"

namespace graphc {

static const std::optional<Cancellation> kNobody;
static thread_local const std::optional<Cancellation> *scope = &kNobody;

CancelScope::CancelScope(const std::optional<Cancellation> &by) : by_(by), before_(scope) {
  scope = &by_;
}
CancelScope::~CancelScope() { scope = before_; }
const std::optional<Cancellation> &CancelScope::current() { return *scope; }

absl::Status checkCancelled() {
  if (!*scope || !(*scope)->isCancelled())
    return absl::OkStatus();
  return makeError(ErrorKind::Cancelled, "the compilation was cancelled");
}

} // namespace graphc
