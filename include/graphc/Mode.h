//===- graphc/Mode.h - how a function is compiled and run -------*- C++ -*-===//
#pragma once

#include "graphc/Compiler.h" // first of all

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace graphc {

class Apply;
class RewriteDatabase;
class Tensor;
struct BadOptimization;

namespace detail {
class OwnRewrites;
} // namespace detail

/// F-347: what mode "nanguard" looks for, in arguments and in what each node computes.
struct NanGuardOptions {
  bool nan = true;
  bool inf = true;
  /// Magnitudes above it are errors; infinite: none is.
  double big = 1e10;
};

/// F-346: how mode "debug" and `checkValues` (graphc/Rewrite.h) look at rewrites.
struct DebugOptions {
  /// What rounding may change, relative to the largest finite element of the result. NaN equals
  /// NaN, and infinities those of their sign.
  double float64 = 1e-7;
  double float32 = 1e-5;
  double half = 1e-2; // float16 and bfloat16
  /// False: results must keep their shape and dtype, whatever their values.
  bool comparesValues = true;
  /// F-344: told of the first step that goes wrong, by the thread of the call, before the call
  /// fails. Calls of several threads may tell at once. An exception of it is a RuntimeError.
  std::function<void(const BadOptimization &)> badOptimization = {};
};

/// F-349: a node that mode "monitor" runs. Valid during the callback.
struct MonitoredNode {
  /// Of the graph after rewriting; of an ifElse's branch only where it is taken.
  const Apply &node;
  /// Its number in an order in which the graph's nodes can run, the same in all calls. A loop is
  /// one node.
  size_t position;
  /// Undefined Tensors among the outputs are those that nobody needs. Memory is the function's: to
  /// be read, and copied if it is to stay.
  absl::Span<const Tensor> inputs, outputs;
};
/// Called by the thread of the call, in the order in which nodes run: never twice at once for one
/// call, but for several calls of several threads at once. An error is the call's, which ends
/// there; so is an exception, as a RuntimeError with what it says.
using MonitorCallback = std::function<absl::Status(const MonitoredNode &)>;
struct MonitorOptions {
  /// Before the node runs; `outputs` is empty.
  MonitorCallback before = {};
  /// After it; not where it fails.
  MonitorCallback after = {};
};

/// F-196: a name that says how a function runs, and rewrites that it runs besides or not. A value:
/// `Mode("fast_run").excluding({"fusion"})` is another Mode.
///
/// "fast_run": compiled after the built-in rewrites (graphc/Rewrite.h) whose effects are
/// kDefaultEffects at most; "strict": after those that change no result; "fast_math": after all,
/// also those that may make a wrong answer of a right one (F-307). "fast_compile": compiled after
/// a few cheap ones. "interpreter": run by the reference evaluator, without the compiler.
/// "debug": compiled without rewrites, and every node computed again by the evaluator, on the
/// operands that compiled code gave it, and so the graph after rewriting; a call fails with
/// DebugMismatch at the first node whose results differ by more than its op's bound, where a node
/// leaves elements unwritten, computes others when it runs again, or writes to what is not its own,
/// and at the first rewrite that would change a value. "nanguard": compiled after the rewrites of
/// fast_run; a call fails with NanGuard, at the place of the node, where one computes NaN, an
/// infinity or a huge number (NanGuardOptions). Both keep the results of all nodes at once.
/// "monitor", which `monitor` gives: run by the reference evaluator, node by node, after the
/// rewrites of fast_run, with callbacks of the program's.
class Mode {
public:
  Mode(const char *name = "fast_run") : name_(name) {}
  Mode(std::string name) : name_(std::move(name)) {}
  /// Mode "nanguard".
  static Mode nanGuard(const NanGuardOptions &options = {}) {
    return Mode("nanguard").withNanGuard(options);
  }
  /// Mode "debug".
  static Mode debug(DebugOptions options) {
    Mode mode("debug");
    mode.debug_ = std::make_shared<const DebugOptions>(std::move(options));
    return mode;
  }
  /// Mode "monitor".
  static Mode monitor(MonitorOptions options) {
    Mode mode("monitor");
    mode.monitor_ = std::make_shared<const MonitorOptions>(std::move(options));
    return mode;
  }
  Mode withNanGuard(const NanGuardOptions &options) const {
    Mode mode = *this;
    mode.nanGuard_ = options;
    return mode;
  }

  // Other Modes: those rewrites with one of the tags or names run, too; none of them runs; only
  // those with all of them run (F-297).
  Mode including(std::initializer_list<std::string_view> tags) const {
    return with(&Mode::included_, tags);
  }
  Mode excluding(std::initializer_list<std::string_view> tags) const {
    return with(&Mode::excluded_, tags);
  }
  Mode requiring(std::initializer_list<std::string_view> tags) const {
    return with(&Mode::required_, tags);
  }
  /// Another Mode, in which the entries of `rewrites`, a copy, run among the built-in ones, each at
  /// its position. Their names and tags, and the tag "own" that all of them have, are those that
  /// the functions above understand; no further tag is needed for them to run. A name that a
  /// rewrite has already is a ValueError of `function`. Their effects must be allowed by the mode.
  /// Several threads may run them at once, on different graphs.
  ///
  /// Code that was compiled with them is kept as what it computes, never under their names: no
  /// cache gives what other rules made, nor what these made before they were changed. Of functions
  /// of files (compileFile) no program is kept for other processes. Saved functions have the
  /// graph as it was before them, their names, and the code after them: see loadFunction.
  Mode withRewrites(const RewriteDatabase &rewrites) const;

  const std::string &name() const { return name_; }
  const std::vector<std::string> &included() const { return included_; }
  const std::vector<std::string> &excluded() const { return excluded_; }
  const std::vector<std::string> &required() const { return required_; }
  const NanGuardOptions &nanGuardOptions() const { return nanGuard_; }
  DebugOptions debugOptions() const { return debug_ ? *debug_ : DebugOptions(); }
  MonitorOptions monitorOptions() const { return monitor_ ? *monitor_ : MonitorOptions(); }

  /// For the library: null where there are no rewrites of the program's own.
  const std::shared_ptr<const detail::OwnRewrites> &ownRewrites() const { return own_; }

private:
  using Tags = std::vector<std::string>;
  Mode with(Tags Mode::*list, std::initializer_list<std::string_view> tags) const {
    Mode mode = *this;
    (mode.*list).insert((mode.*list).end(), tags.begin(), tags.end());
    return mode;
  }

  std::string name_;
  Tags included_, excluded_, required_;
  NanGuardOptions nanGuard_;
  std::shared_ptr<const DebugOptions> debug_;
  std::shared_ptr<const MonitorOptions> monitor_;
  std::shared_ptr<const detail::OwnRewrites> own_;
};

} // namespace graphc
