//===- Rewrites/OwnRewrites.cpp -------------------------------------------===//
#include "Rewrites/OwnRewrites.h"

#include <atomic>

namespace graphc {
namespace detail {

OwnRewrites::OwnRewrites(const OwnRewrites *before, const RewriteDatabase &added)
    : all_(builtinRewrites()), selections_(all_) {
  static std::atomic<uint64_t> last{0};
  serial_ = ++last;
  if (before) {
    own_ = before->own_;
    status_ = before->status_;
  }
  status_.Update(own_.addAll(added));
  status_.Update(all_.addAll(own_, {kTag}));
}

std::vector<std::string> OwnRewrites::names() const {
  std::vector<std::string> names;
  for (const RewriteDatabase::Entry &entry : own_.entries())
    names.push_back(entry.name);
  return names;
}

} // namespace detail

Mode Mode::withRewrites(const RewriteDatabase &rewrites) const {
  Mode mode = *this;
  if (rewrites.entries().empty())
    return mode;
  mode.own_ = std::make_shared<const detail::OwnRewrites>(own_.get(), rewrites);
  return mode;
}

} // namespace graphc
