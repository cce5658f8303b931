//===- Graph/AttributeReads.h - attributes that rules ask for -------*- C++ -*-===//
//
// A rule (of types, emission, derivatives) that asks for an attribute which its op does not have,
// or has of another kind, gets an empty value: Attributes gives no Status. Whoever calls the rule
// asks afterwards whether that happened, and then fails.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace graphc {

/// What this thread asks attributes for while the object lives, but for what it asks for during
/// the life of one that was made after this one.
class AttributeReads {
public:
  AttributeReads() : innermost_(innermost()), around_(innermost_) { innermost_ = this; }
  ~AttributeReads() { innermost_ = around_; }
  AttributeReads(const AttributeReads &) = delete;
  AttributeReads &operator=(const AttributeReads &) = delete;

  /// Whether a value was not there.
  bool failed() const { return missing_ != nullptr; }
  /// Of the first one: "asks for an attribute axis that is an int, which ...".
  std::string mistake() const;

  /// That of this thread; null where none lives.
  static AttributeReads *&innermost();
  void note(std::string missing) {
    if (!missing_)
      missing_ = std::make_unique<std::string>(std::move(missing));
  }

private:
  // Each node is made within one: a look for the thread's, and no more.
  AttributeReads *&innermost_;
  AttributeReads *around_;
  std::unique_ptr<std::string> missing_;
};

} // namespace graphc
