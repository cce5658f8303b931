//===- ReadBody.h - scalar expressions from text ------------------*- C++ -*-===//
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "Kernels/Kernel.h"
#include "Support/TextScanner.h"

namespace graphc {

/// The sizes that a kernel's text names, in the order in which they are met. An argument's number
/// is the text's (n3) until the kernel is complete.
class SizeNames {
public:
  int32_t constant(int64_t value) { return intern({true, value}); }
  int32_t argument(int64_t number) { return intern({false, number}); }
  /// `n3` or `8`.
  int32_t take(TextScanner &text);
  const std::vector<Kernel::Size> &sizes() const { return sizes_; }

private:
  int32_t intern(const Kernel::Size &size);

  std::vector<Kernel::Size> sizes_;
  std::map<std::pair<bool, int64_t>, int32_t> numbers_;
};

/// Reads the expressions of one nest. Equal expressions are one node.
class BodyReader {
public:
  /// `kernel` has its arrays; `isStored` says which outputs and locals earlier nests have stored.
  BodyReader(TextScanner &text, const Kernel &kernel, SizeNames &sizes, const Nest &nest,
             const std::vector<bool> &isStored)
      : text_(text), kernel_(kernel), sizes_(sizes), nest_(nest), isStored_(isStored) {}

  /// v5 = ...
  void define();
  /// An expression of that dtype. Numbers of nodes are this reader's until `finish`.
  int32_t takeValue(DType dtype);
  /// One of any dtype; a bare constant is of dtype `literal`.
  int32_t takeAny(DType literal);
  DType dtypeOf(int32_t node) const;
  /// Writes the body as BodyBuilder::finish does.
  void finish(absl::Span<int32_t *const> roots, Nest &nest);

private:
  /// A node, or a constant whose dtype is not known yet.
  struct Operand {
    int32_t node = -1;
    std::string literal;
    Place place;
  };
  Operand takeOperand(int depth);
  Operand takeWord(int depth);
  Operand takeOperation(ScalarOp op, DType cast, int depth, const Place &place);
  Operand takeMasked(int depth);
  Operand takeLoad(int32_t mask, int32_t otherwise, int depth);
  void checkIndex(const Kernel::ArrayDecl &array, size_t axis, int32_t index, const Place &place,
                  bool isOwn, bool isMasked);
  /// The operand's node; a mistake where it is of another dtype.
  int32_t resolve(const Operand &operand, DType dtype);
  int32_t intern(const ScalarNode &node, Numbers indices = {});

  TextScanner &text_;
  const Kernel &kernel_;
  SizeNames &sizes_;
  const Nest &nest_;
  const std::vector<bool> &isStored_;
  std::vector<ScalarNode> nodes_;
  std::vector<Numbers> indices_; // of each node that is a load
  std::map<std::tuple<ScalarOp, DType, int32_t, int32_t, int32_t, uint64_t, Numbers>, int32_t>
      numbers_;
  std::map<std::string, int32_t> names_; // v5
};

} // namespace graphc
