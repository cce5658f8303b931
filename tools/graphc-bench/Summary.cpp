//===- Summary.cpp --------------------------------------------------------===//
#include "Summary.h"

#include <algorithm>

namespace graphc::bench {
namespace {

struct Row {
  const Measurement *measurement;
  const Beside *beside;
};

Ratios ratiosOf(std::string peer, const std::vector<Row> &rows) {
  Ratios result;
  result.peer = std::move(peer);
  result.rows = int(rows.size());
  std::vector<double> medians;
  for (const Row &row : rows) {
    const Median &ratio = row.beside->ratio;
    medians.push_back(ratio.value);
    if (ratio.value > result.greatest) {
      result.greatest = ratio.value;
      result.row = row.measurement->name;
    }
    result.greatestLow = std::max(result.greatestLow, ratio.low);
    result.behind += ratio.low > kBehind;
  }
  result.mean = geometricMean(medians);
  return result;
}

Summary summaryOf(const Group &group, const std::vector<const Measurement *> &measurements) {
  std::vector<Row> best;
  std::vector<std::pair<std::string, std::vector<Row>>> peers;
  for (const Measurement *m : measurements) {
    best.push_back({m, m->bestPeer()});
    for (const Beside &rival : m->rivals) {
      if (!rival.isPeer)
        continue;
      auto found =
          std::ranges::find(peers, rival.name, [](const auto &peer) { return peer.first; });
      if (found == peers.end())
        found = peers.insert(peers.end(), {rival.name, {}});
      found->second.push_back({m, &rival});
    }
  }
  Summary summary{&group, ratiosOf("", best), {}};
  for (const auto &[name, rows] : peers)
    summary.peers.push_back(ratiosOf(name, rows));
  return summary;
}

} // namespace

const Ratios *Summary::beside(std::string_view peer) const {
  if (peer.empty())
    return &best;
  auto found = std::ranges::find(peers, peer, &Ratios::peer);
  return found == peers.end() ? nullptr : &*found;
}

std::optional<bool> Summary::reached() const {
  if (group->bars.empty())
    return std::nullopt;
  bool isReached = true;
  for (const Bar &bar : group->bars) {
    const Ratios *ratios = beside(bar.peer);
    if (!ratios)
      return std::nullopt;
    isReached &= ratios->mean <= bar.mean && !(bar.each && ratios->greatestLow > *bar.each);
  }
  return isReached;
}

std::vector<Summary> summariesOf(const std::vector<Measurement> &measurements) {
  using Rows = std::vector<const Measurement *>;
  std::vector<std::pair<const Group *, Rows>> groups;
  Rows all, atLimit;
  for (const Measurement &m : measurements) {
    if (!m.group || !m.bestPeer())
      continue;
    if (m.limit && m.limit->isReached()) {
      atLimit.push_back(&m);
      continue;
    }
    all.push_back(&m);
    auto found = std::ranges::find(groups, m.group, [](const auto &group) { return group.first; });
    if (found == groups.end())
      found = groups.insert(groups.end(), {m.group, {}});
    found->second.push_back(&m);
  }
  std::vector<Summary> summaries;
  for (const auto &[group, rows] : groups)
    summaries.push_back(summaryOf(*group, rows));
  if (groups.size() > 1)
    summaries.push_back(summaryOf(groups::kAll, all));
  if (!atLimit.empty())
    summaries.push_back(summaryOf(groups::kAtLimit, atLimit));
  return summaries;
}

} // namespace graphc::bench
