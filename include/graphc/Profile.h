//===- graphc/Profile.h - what calls took, moved and computed ---*- C++ -*-===//
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphc/Status.h"

namespace graphc {

namespace detail {
struct ProfileRecord;
} // namespace detail

struct ProfileSettings {
  /// F-348: of each function that writes to the record the first call is not counted: it plans
  /// shapes, asks for memory and fills caches.
  bool ignoreFirstCall = false;
};

/// A record that functions write what they do to: FunctionOptions::profile gives it to them,
/// Function::profile tells which one a Function has. A handle: copies are the same record, which
/// lives as long as one of them or a Function that writes to it. Thread-safe: readers see calls
/// that are over, each whole.
class Profile {
public:
  /// An empty record.
  explicit Profile(std::string title = {}, ProfileSettings settings = {});
  // A move copies: there is no Profile without a record.
  Profile(const Profile &) = default;
  Profile &operator=(const Profile &) = default;

  const std::string &title() const;
  const ProfileSettings &settings() const;

  /// A function that writes to it; one for each that was compiled or copied, and for each subset of
  /// outputs that was asked for. Memory is that of the calls which needed most, in bytes.
  struct FunctionSummary {
    /// FunctionOptions::name, or "function 0" with its number in the record.
    std::string name;
    int64_t calls = 0;
    /// From a call's beginning to its end, without the conversion of arguments.
    double seconds = 0;
    /// Of these, what the steps took.
    double stepSeconds = 0;
    /// What its compilation took: the sum of its stages.
    double compileSeconds = 0;
    /// All arrays between the steps, as if each had memory of its own (whole cache lines, but in
    /// mode interpreter); and the memory that they share in fact (0 in mode interpreter).
    int64_t intermediateBytes = 0;
    int64_t arenaBytes = 0;
    /// What kernels asked for, for one thread.
    int64_t scratchBytes = 0;
    /// Fresh results.
    int64_t resultBytes = 0;
  };
  std::vector<FunctionSummary> functions() const;

  struct Node {
    std::string op;
    Place place;
  };
  /// A step of calls: a kernel of one or more nodes, a host call, a copy; in mode interpreter a
  /// node. Figures are sums over all calls.
  struct Step {
    size_t function = 0; // in functions()
    /// The kernel's symbol, "host call", "copy", or "interpreter"; "bodies" of a loop or branch,
    /// whose own steps are "bodies/...", with the sums over all their runs.
    std::string kernel;
    /// What it computes, in order; none for a copy, and where the program comes from a file.
    std::vector<Node> nodes;
    int64_t runs = 0;
    double seconds = 0;
    /// Of the caller's, constant and intermediate arrays: each counts once per run, with all of its
    /// elements, or with as many as the loops load if these are fewer. What a host call touches is
    /// not known: all of its arrays.
    int64_t bytesRead = 0;
    int64_t bytesWritten = 0;
    /// Operations on floats in the kernel as it is, after rewriting and fusion: each is one, but a
    /// fused multiply-add two; so is each term that a reduction joins (a sum of n has n). Casts,
    /// choices and comparisons are none, nor is what a host call does.
    int64_t flops = 0;
  };
  /// By function, in the order in which calls run them.
  std::vector<Step> steps() const;

  /// All steps that compute nodes of the same ops. What one kernel computes was measured together
  /// and stands together: "exp+mul".
  struct OpKind {
    /// The different ops, sorted, with "+" between them; the kernel where nodes are not known.
    std::string ops;
    int64_t steps = 0;
    int64_t runs = 0;
    double seconds = 0;
    int64_t bytesRead = 0;
    int64_t bytesWritten = 0;
    int64_t flops = 0;
  };
  /// Longest first.
  std::vector<OpKind> opKinds() const;
  /// The same by sections of docs/Ops.md, "Elementwise arithmetic": what one kernel computes of
  /// several stands together, too. Of a program's own ops: "user's ops".
  std::vector<OpKind> opClasses() const;

  /// A stage of compilation, as StageReport has it: "rewritten" is rewriting, "kernels" fusion,
  /// "code" code generation and linking.
  struct Stage {
    size_t function = 0; // in functions()
    std::string stage;
    double seconds = 0;
    std::string size;
  };
  std::vector<Stage> stages() const;

  /// All of it for people: tables of steps and of kinds of op, longest first, of stages and of
  /// memory. Bandwidth stands beside machineBandwidth(), which the first table of a process
  /// measures.
  std::string text() const;
  /// The same as a JSON object; docs/Debugging.md tells its fields.
  std::string json() const;
  /// Stages, and the last kTracedCalls calls with their steps, in Chrome's trace event format (JSON
  /// array format's object form; times in microseconds since the record was made).
  std::string chromeTrace() const;
  static constexpr size_t kTracedCalls = 64;
  /// Steps of these calls at most; of more, the last ones' are kept.
  static constexpr size_t kTracedSteps = 50000;

  friend bool operator==(const Profile &a, const Profile &b) { return a.record_ == b.record_; }

  /// For the library.
  const std::shared_ptr<detail::ProfileRecord> &record() const { return record_; }

private:
  std::shared_ptr<detail::ProfileRecord> record_;
};

/// F-197: whether a function is profiled, and into which record.
class ProfileOption {
public:
  /// As Config::profile says.
  ProfileOption() = default;
  /// A record of each function's own, or none.
  template <std::same_as<bool> B> ProfileOption(B on) : on_(on) {}
  /// The same, with that title.
  ProfileOption(std::string title) : on_(true), title_(std::move(title)) {}
  template <size_t N> ProfileOption(const char (&title)[N]) : ProfileOption(std::string(title)) {}
  /// Accumulates into it.
  ProfileOption(const Profile &profile) : on_(true), profile_(profile) {}

  /// The record of a function that is made now; nothing if it has none.
  std::optional<Profile> open() const;

private:
  std::optional<bool> on_;
  std::string title_;
  std::optional<Profile> profile_;
};

/// Bytes per second that one thread reads and writes when it copies what is in no cache: 64 MiB,
/// measured in some 20 milliseconds when it is asked for first, and kept. Thread-safe.
double machineBandwidth();

} // namespace graphc
