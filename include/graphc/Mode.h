//===- graphc/Mode.h - how a function is compiled and run -------*- C++ -*-===//
#pragma once

#include "graphc/Compiler.h" // first of all

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc {

/// F-347: what mode "nanguard" looks for, in arguments and in what each node computes.
struct NanGuardOptions {
  bool nan = true;
  bool inf = true;
  /// Magnitudes above it are errors; infinite: none is.
  double big = 1e10;
};

/// F-196: a name that says how a function runs, and rewrites that it runs besides or not. A value:
/// `Mode("fast_run").excluding({"fusion"})` is another Mode.
///
/// "fast_run": compiled after the built-in rewrites (graphc/Rewrite.h) whose effects are
/// kDefaultEffects at most; "strict": after those that change no result; "fast_math": after all,
/// also those that may make a wrong answer of a right one (F-307). "fast_compile": compiled after
/// a few cheap ones. "interpreter": run by the reference evaluator, without the compiler.
/// "debug": compiled without rewrites, and every node computed again by the evaluator, on the
/// operands that compiled code gave it; a call fails with DebugMismatch at the first node whose
/// results differ by more than its op's bound, where a node leaves elements unwritten, computes
/// others when it runs again, or writes to what is not its own, and at the first rewrite that
/// would change a value. "nanguard": compiled after the rewrites of fast_run; a call fails with
/// NanGuard, at the place of the node, where one computes NaN, an infinity or a huge number
/// (NanGuardOptions). Both keep the results of all nodes at once.
class Mode {
public:
  Mode(const char *name = "fast_run") : name_(name) {}
  Mode(std::string name) : name_(std::move(name)) {}
  /// Mode "nanguard".
  static Mode nanGuard(const NanGuardOptions &options = {}) {
    Mode mode("nanguard");
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

  const std::string &name() const { return name_; }
  const std::vector<std::string> &included() const { return included_; }
  const std::vector<std::string> &excluded() const { return excluded_; }
  const std::vector<std::string> &required() const { return required_; }
  const NanGuardOptions &nanGuardOptions() const { return nanGuard_; }

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
};

} // namespace graphc
