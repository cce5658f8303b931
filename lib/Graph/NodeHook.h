//===- Graph/NodeHook.h - who looks at new nodes ----------------*- C++ -*-===//
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "graphc/Variable.h"

namespace graphc {

/// Gets each node that an Op makes; an error is that of making it.
using NodeHook = std::function<absl::Status(const Apply &node)>;
/// This thread's; null for none.
const NodeHook *&nodeHook();

/// While it lives, this thread has that hook.
class NodeHookScope {
public:
  explicit NodeHookScope(const NodeHook *hook) : before_(nodeHook()) { nodeHook() = hook; }
  ~NodeHookScope() { nodeHook() = before_; }
  NodeHookScope(const NodeHookScope &) = delete;
  NodeHookScope &operator=(const NodeHookScope &) = delete;

private:
  const NodeHook *before_;
};

} // namespace graphc
