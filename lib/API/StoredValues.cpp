//===- StoredValues.cpp - f[key] ------------------------------------------===//
#include "API/CheckGraph.h"
#include "API/FunctionState.h"
#include "Support/Text.h"

namespace graphc {

absl::StatusOr<Tensor> StoredValue::get(BorrowOptions options) const {
  if (!status_.ok())
    return status_;
  if (!container_)
    return Tensor();
  absl::StatusOr<Tensor> value = container_->peek();
  if (!value.ok())
    return prefixError(value.status(), label_);
  Tensor result = options.borrow ? *value : value->copy();
  if (value->defined() && !result.defined())
    return makeError(ErrorKind::OutOfMemory, label_ + ": no memory for " +
                                                 std::to_string(value->numBytes()) +
                                                 " bytes of a copy of the value; borrow it");
  return result;
}

absl::Status StoredValue::set(const Tensor &value, BorrowOptions options) const {
  if (!status_.ok())
    return status_;
  if (!container_)
    return makeError(ErrorKind::TypeError,
                     label_ + " has no value of its own: every call gives it; make it a Param with "
                              "a value");
  return container_->assign(value, options.borrow, label_);
}

static std::string labelOf(const std::string &function, const std::string &what) {
  return (function.empty() ? "function" : function) + "[" + what + "]";
}

StoredValue Function::operator[](std::string_view key) const {
  StoredValue found;
  found.label_ = labelOf(name(), "\"" + std::string(key) + "\"");
  size_t matches = 0;
  std::vector<std::string> names;
  for (const Slot &slot : slots()) {
    names.push_back(slot.name);
    if (slot.name != key || key.empty())
      continue;
    if (slot.container && slot.container == found.container_) // the same value twice
      continue;
    ++matches;
    found.container_ = slot.container;
  }
  if (matches != 1)
    found.status_ = makeError(ErrorKind::TypeError,
                              found.label_ + ": " +
                                  (matches ? std::to_string(matches) +
                                                 " inputs have that name; take the position or the "
                                                 "Variable"
                                           : "there is no such input; " + listedNames(names)));
  return found;
}

StoredValue Function::operator[](const Variable &key) const {
  StoredValue found;
  found.label_ = labelOf(name(), key.name().empty() ? "a Variable" : std::string(key.name()));
  std::shared_ptr<detail::Container> container = detail::containerOf(key);
  for (const Slot &slot : slots())
    if (slot.variable == key || (container && slot.container == container)) {
      found.container_ = slot.container;
      return found;
    }
  found.status_ = makeError(ErrorKind::TypeError,
                            found.label_ + ": it is no input of the function, nor does that read "
                                           "or update it");
  return found;
}

StoredValue Function::operator[](size_t position) const {
  StoredValue found;
  found.label_ = labelOf(name(), std::to_string(position));
  if (position < slots().size())
    found.container_ = slots()[position].container;
  else
    found.status_ = makeError(ErrorKind::TypeError, found.label_ + ": there are " +
                                                        counted(slots().size(), "input") +
                                                        " and shared "
                                                        "variables");
  return found;
}

std::map<std::string, StoredValue> Function::finder() const {
  std::map<std::string, StoredValue> found;
  for (const Slot &slot : slots())
    if (StoredValue value = (*this)[slot.name]; value.status_.ok())
      found.emplace(slot.name, std::move(value));
  return found;
}

absl::StatusOr<Variable> Function::invFinder(const StoredValue &value) const {
  for (const Slot &slot : slots())
    if (slot.container && slot.container == value.container_)
      return slot.variable;
  return makeError(ErrorKind::TypeError,
                   "invFinder: " + (value.label_.empty() ? "the value" : value.label_) +
                       " is of no input or shared variable of the function");
}

} // namespace graphc
