//===- Results.cpp --------------------------------------------------------===//
#include <algorithm>

#include "API/CheckGraph.h"
#include "Support/Log.h"
#include "graphc/Function.h"

namespace graphc {

static const Tensor &noTensor(const std::string &why) {
  static const Tensor *const kNone = new Tensor();
  logWarning(why);
  return *kNone;
}

const Tensor &Results::operator[](size_t i) const & {
  return i < size() ? values_[i]
                    : noTensor("Results: there is no output " + std::to_string(i) + " of " +
                               std::to_string(size()));
}

const Tensor *Results::find(std::string_view name) const {
  size_t named = names_ ? std::min(size(), names_->size()) : 0;
  for (size_t i = 0; i < named; ++i)
    if ((*names_)[i] == name)
      return &values_[i];
  return nullptr;
}

std::string Results::unknown(std::string_view name) const {
  return "Results: no output is called '" + std::string(name) + "'; " +
         listedNames(names_ ? absl::MakeConstSpan(*names_) : absl::Span<const std::string>());
}

absl::StatusOr<Tensor> Results::at(std::string_view name) const {
  if (const Tensor *found = find(name))
    return *found;
  return makeError(ErrorKind::KeyError, unknown(name));
}

const Tensor &Results::operator[](std::string_view name) const & {
  const Tensor *found = find(name);
  return found ? *found : noTensor(unknown(name));
}

const Tensor &Results::only() const {
  return size() == 1 ? values_[0]
                     : noTensor("Results: item() is for one output, but there are " +
                                std::to_string(size()));
}

} // namespace graphc
