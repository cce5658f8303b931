//===- CheckKernel.cpp ----------------------------------------------------===//
#include "Kernels/CheckKernel.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

bool isBelow(int64_t number, size_t count) { return number >= 0 && size_t(number) < count; }

class KernelChecker {
public:
  explicit KernelChecker(const Kernel &kernel)
      : k_(kernel), isStored_(kernel.arrays.size(), false) {}

  /// What is wrong, or "".
  std::string run();

private:
  std::string checkTables() const;
  std::string checkNest(const Nest &nest, absl::Span<const int32_t> conditions);
  std::string checkNode(const Nest &nest, int32_t id);
  std::string checkLoad(const Nest &nest, int32_t id);
  std::string checkResult(const Nest &nest) const;
  /// An operand of node `user`, which is read then.
  std::string readBy(int32_t operand, int32_t user, std::string_view what);

  const Kernel &k_;
  std::vector<bool> isStored_; // by array
  std::vector<bool> isRead_;   // by node of the nest
};

std::string KernelChecker::checkTables() const {
  for (const Kernel::Size &size : k_.sizes)
    if (!size.constant && !isBelow(size.value, size_t(k_.numSizeArguments)))
      return absl::StrCat("a size is argument ", size.value, " of ", k_.numSizeArguments);
  for (size_t a = 0; a < k_.arrays.size(); ++a)
    for (int32_t size : k_.arrays[a].shape)
      if (!isBelow(size, k_.sizes.size()))
        return absl::StrCat("an extent of array ", a, " is size ", size, " of ", k_.sizes.size());
  if (k_.splitExtent >= 0 && !isBelow(k_.splitExtent, k_.sizes.size()))
    return absl::StrCat("the loop that is split has size ", k_.splitExtent, " of ",
                        k_.sizes.size());
  return "";
}

std::string KernelChecker::readBy(int32_t operand, int32_t user, std::string_view what) {
  if (!isBelow(operand, size_t(user)))
    return absl::StrCat(absl::string_view(what.data(), what.size()), " of node ", user, " is node ",
                        operand, ", which does not stand before it");
  isRead_[size_t(operand)] = true;
  return "";
}

std::string KernelChecker::checkLoad(const Nest &nest, int32_t id) {
  const ScalarNode &n = nest.body[size_t(id)];
  int32_t array = n.loadArray();
  if (!isBelow(array, k_.arrays.size()))
    return absl::StrCat("node ", id, " loads array ", array, " of ", k_.arrays.size());
  const Kernel::ArrayDecl &decl = k_.arrays[size_t(array)];
  if (decl.role != Kernel::Role::Input && !isStored_[size_t(array)])
    return absl::StrCat("node ", id, " loads array ", array, ", which is not stored yet");
  size_t first = n.loadFirstIndex(), rank = decl.shape.size();
  if (first > nest.indices.size() || nest.indices.size() - first < rank)
    return absl::StrCat("node ", id, " loads at fewer than ", rank, " indices");
  for (size_t axis = 0; axis < rank; ++axis) {
    int32_t index = nest.indices[first + axis];
    if (std::string wrong = readBy(index, id, "an index"); !wrong.empty())
      return wrong;
    if (nest.body[size_t(index)].dtype != DType::Int64)
      return absl::StrCat("an index of node ", id, " is no Int64");
  }
  return "";
}

std::string KernelChecker::checkNode(const Nest &nest, int32_t id) {
  const ScalarNode &n = nest.body[size_t(id)];
  for (int32_t arg : n.args)
    if (arg != -1)
      if (std::string wrong = readBy(arg, id, "an operand"); !wrong.empty())
        return wrong;
  if (n.op == ScalarOp::Index && n.payload >= nest.extents.size())
    return absl::StrCat("node ", id, " is the counter of loop ", n.payload, " of ",
                        nest.extents.size());
  if (n.op == ScalarOp::Size && n.payload >= k_.sizes.size())
    return absl::StrCat("node ", id, " is size ", n.payload, " of ", k_.sizes.size());
  return n.op == ScalarOp::Load ? checkLoad(nest, id) : "";
}

std::string KernelChecker::checkResult(const Nest &nest) const {
  if (!isBelow(nest.result, k_.arrays.size()))
    return absl::StrCat("it stores array ", nest.result, " of ", k_.arrays.size());
  const Kernel::ArrayDecl &decl = k_.arrays[size_t(nest.result)];
  if (decl.role == Kernel::Role::Input)
    return absl::StrCat("it stores array ", nest.result, ", an input");
  if (isStored_[size_t(nest.result)])
    return absl::StrCat("it stores array ", nest.result, " once more");
  auto parallel = absl::MakeConstSpan(nest.extents).first(size_t(nest.numParallel));
  if (absl::MakeConstSpan(decl.shape) != parallel)
    return absl::StrCat("its loops are not those of the shape of array ", nest.result);
  return "";
}

std::string KernelChecker::checkNest(const Nest &nest, absl::Span<const int32_t> conditions) {
  for (int32_t extent : nest.extents)
    if (!isBelow(extent, k_.sizes.size()))
      return absl::StrCat("a loop's extent is size ", extent, " of ", k_.sizes.size());
  if (nest.numParallel < 0 || size_t(nest.numParallel) > nest.extents.size() ||
      (nest.combine == Combine::None && size_t(nest.numParallel) < nest.extents.size()))
    return absl::StrCat(nest.numParallel, " of ", nest.extents.size(), " loops are parallel");
  isRead_.assign(nest.body.size(), false);
  for (int32_t id = 0; id < int32_t(nest.body.size()); ++id)
    if (std::string wrong = checkNode(nest, id); !wrong.empty())
      return wrong;
  auto end = int32_t(nest.body.size());
  if (std::string wrong = readBy(nest.root, end, "the value"); !wrong.empty())
    return wrong;
  for (int32_t condition : conditions)
    if (std::string wrong = readBy(condition, end, "a condition"); !wrong.empty())
      return wrong;
  if (auto unread = std::ranges::find(isRead_, false); unread != isRead_.end())
    return absl::StrCat("nothing reads node ", unread - isRead_.begin());
  return checkResult(nest);
}

std::string KernelChecker::run() {
  if (std::string wrong = checkTables(); !wrong.empty())
    return wrong;
  for (size_t i = 0; i < k_.nests.size(); ++i) {
    std::vector<int32_t> conditions;
    for (const Kernel::Check &check : k_.checks)
      if (check.nest == int32_t(i))
        conditions.push_back(check.condition);
    if (std::string wrong = checkNest(k_.nests[i], conditions); !wrong.empty())
      return absl::StrCat("nest ", i, ": ", wrong);
    isStored_[size_t(k_.nests[i].result)] = true;
  }
  for (size_t a = 0; a < k_.arrays.size(); ++a)
    if (k_.arrays[a].role != Kernel::Role::Input && !isStored_[a])
      return absl::StrCat("no nest stores array ", a);
  return "";
}

} // namespace

absl::Status checkKernel(const Kernel &kernel) {
  std::string wrong = KernelChecker(kernel).run();
  if (wrong.empty())
    return absl::OkStatus();
  return makeError(ErrorKind::Internal, "kernel " + kernel.symbol() + ": " + wrong);
}

} // namespace graphc
