//===- Report.cpp ---------------------------------------------------------===//
#include "Report.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "Runtime/ThreadPool.h"
#include "Support/TextTable.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

std::string timeText(double nanoseconds) {
  double size = std::fabs(nanoseconds);
  if (size < 1e3)
    return absl::StrFormat("%.1f ns", nanoseconds);
  if (size < 1e6)
    return absl::StrFormat("%.1f us", nanoseconds / 1e3);
  return absl::StrFormat("%.3f ms", nanoseconds / 1e6);
}

std::string targetText(const Target &target) {
  if (target.ratio)
    return absl::StrFormat("<= %.2f", *target.ratio);
  if (target.extraNanoseconds)
    return absl::StrFormat("+%.0f ns", *target.extraNanoseconds) +
           (target.extraOfPeer > 0 ? absl::StrFormat(" +%g%%", target.extraOfPeer * 100) : "");
  if (target.milliseconds)
    return absl::StrFormat("%g ms", *target.milliseconds);
  return "";
}

nlohmann::json jsonOf(const Median &m) {
  return {{"median", m.value}, {"low", m.low}, {"high", m.high}};
}

nlohmann::json jsonOf(const Side &side) {
  nlohmann::json json = jsonOf(side.time);
  json["least"] = side.least;
  return json;
}

nlohmann::json jsonOf(const Target &target) {
  nlohmann::json json = nlohmann::json::object();
  if (target.ratio)
    json["ratio"] = *target.ratio;
  if (target.extraNanoseconds)
    json["extra_ns"] = *target.extraNanoseconds;
  if (target.extraOfPeer > 0)
    json["extra_of_peer"] = target.extraOfPeer;
  if (target.milliseconds)
    json["ms"] = *target.milliseconds;
  return json;
}

nlohmann::json jsonOf(const Measurement &m) {
  nlohmann::json json = {{"name", m.name}, {"about", m.about}, {"target", jsonOf(m.target)}};
  if (m.nodes) {
    json["nodes"] = m.nodes;
    for (const auto &[phase, nanoseconds] : m.perNode)
      json["ns_per_node"][phase] = nanoseconds;
    return json;
  }
  json["pairs"] = m.pairs;
  json["count"] = m.count;
  json["ours_ns"] = jsonOf(m.ours);
  if (m.peer) {
    json["peer_ns"] = jsonOf(*m.peer);
    json["ratio"] = jsonOf(*m.ratio);
    json["extra_ns"] = jsonOf(*m.extra);
  }
  if (std::optional<bool> reached = m.reached())
    json["reached"] = *reached;
  return json;
}

} // namespace

std::string tableOf(const std::vector<Measurement> &measurements) {
  TextTable table(
      {"case", "graphc", "by hand", "ratio", "95 %", "extra", "target", "reached", "what"});
  std::vector<const Measurement *> large;
  for (const Measurement &m : measurements) {
    if (m.nodes) {
      large.push_back(&m);
      continue;
    }
    std::vector<std::string> row = {m.name, timeText(m.ours.time.value)};
    if (m.peer) {
      row.push_back(timeText(m.peer->time.value));
      row.push_back(absl::StrFormat("%.3f", m.ratio->value));
      row.push_back(absl::StrFormat("%.3f-%.3f", m.ratio->low, m.ratio->high));
      row.push_back(timeText(m.extra->value));
    } else {
      row.insert(row.end(), 4, "");
      row[4] = timeText(m.ours.time.low) + "-" + timeText(m.ours.time.high);
    }
    row.push_back(targetText(m.target));
    std::optional<bool> reached = m.reached();
    row.emplace_back(!reached ? "" : *reached ? "yes" : "no");
    row.push_back(m.about);
    table.add(std::move(row));
  }
  std::string text = large.size() < measurements.size() ? table.str() : "";
  if (large.empty())
    return text;
  std::vector<std::string> head = {"ns per node"};
  for (const auto &[phase, nanoseconds] : large[0]->perNode)
    head.push_back(phase);
  TextTable nodes(std::move(head));
  for (const Measurement *m : large) {
    std::vector<std::string> row = {m->name};
    for (const auto &[phase, nanoseconds] : m->perNode)
      row.push_back(absl::StrFormat("%.1f", nanoseconds));
    nodes.add(std::move(row));
  }
  return text + (text.empty() ? "" : "\n") + nodes.str();
}

std::string jsonOf(const std::vector<Measurement> &measurements, const Settings &settings) {
  const benchmark::CPUInfo &cpu = benchmark::CPUInfo::Get();
  nlohmann::json caches = nlohmann::json::array();
  for (const benchmark::CPUInfo::CacheInfo &cache : cpu.caches)
    caches.push_back({{"type", cache.type},
                      {"level", cache.level},
                      {"bytes", cache.size},
                      {"shared_by", cache.num_sharing}});
  nlohmann::json json = {{"context",
                          {{"cpus", cpu.num_cpus},
                           {"usable_cpus", usableThreads()},
                           {"mhz", cpu.cycles_per_second / 1e6},
                           {"caches", caches},
                           {"load", cpu.load_avg},
                           {"threads", settings.threads},
                           {"quick", settings.quick}}},
                         {"cases", nlohmann::json::array()}};
  for (const Measurement &m : measurements)
    json["cases"].push_back(jsonOf(m));
  return json.dump(1) + "\n";
}

} // namespace graphc::bench
