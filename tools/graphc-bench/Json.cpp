//===- Json.cpp - everything known of a run -------------------------------===//
#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "Report.h"
#include "Runtime/ThreadPool.h"
#include "Summary.h"

namespace graphc::bench {
namespace {

using nlohmann::json;

json jsonOf(const Median &m) { return {{"median", m.value}, {"low", m.low}, {"high", m.high}}; }

json jsonOf(const Side &side) {
  json result = jsonOf(side.time);
  result["least"] = side.least;
  return result;
}

json jsonOf(const Target &target) {
  json result = json::object();
  if (target.ratio)
    result["ratio"] = *target.ratio;
  if (target.extraNanoseconds)
    result["extra_ns"] = *target.extraNanoseconds;
  if (target.extraOfPeer > 0)
    result["extra_of_peer"] = target.extraOfPeer;
  if (target.milliseconds)
    result["ms"] = *target.milliseconds;
  return result;
}

json jsonOf(const Measurement &m) {
  json result = {{"name", m.name}, {"about", m.about}, {"target", jsonOf(m.target)}};
  if (m.nodes) {
    result["nodes"] = m.nodes;
    for (const auto &[phase, nanoseconds] : m.perNode)
      result["ns_per_node"][phase] = nanoseconds;
    return result;
  }
  if (m.group)
    result["group"] = m.group->name;
  result["rounds"] = m.rounds;
  result["count"] = m.count;
  result["ns"] = jsonOf(m.ours);
  result["rivals"] = json::array();
  for (const Beside &rival : m.rivals)
    result["rivals"].push_back({{"name", rival.name},
                                {"ns", jsonOf(rival.side)},
                                {"ratio", jsonOf(rival.ratio)},
                                {"extra_ns", jsonOf(rival.extra)},
                                {"is_peer", rival.isPeer}});
  if (const Beside *best = m.best())
    result["beside"] = best->name;
  if (m.compileSeconds > 0)
    result["compile_ns"] = m.compileSeconds * 1e9;
  if (m.cost.flops > 0)
    result["flops"] = m.cost.flops;
  if (m.cost.read + m.cost.written > 0)
    result["bytes"] = {{"read", m.cost.read}, {"written", m.cost.written}};
  if (m.limit)
    result["limit"] = {
        {"of", m.limit->of}, {"share", m.limit->share}, {"is_reached", m.limit->isReached()}};
  if (std::optional<bool> reached = m.reached())
    result["reached"] = *reached;
  return result;
}

json jsonOf(const Ratios &ratios) {
  return {{"rows", ratios.rows},         {"mean", ratios.mean},
          {"greatest", ratios.greatest}, {"greatest_of", ratios.row},
          {"behind", ratios.behind},     {"greatest_low", ratios.greatestLow}};
}

json jsonOf(const Summary &summary) {
  json result = {{"name", summary.group->name},
                 {"beside", jsonOf(summary.best)},
                 {"peers", json::object()},
                 {"target", json::array()}};
  for (const Ratios &ratios : summary.peers)
    result["peers"][ratios.peer] = jsonOf(ratios);
  for (const Bar &bar : summary.group->bars) {
    json target = {{"peer", bar.peer}, {"mean", bar.mean}};
    if (bar.each)
      target["each"] = *bar.each;
    result["target"].push_back(target);
  }
  if (std::optional<bool> reached = summary.reached())
    result["reached"] = *reached;
  return result;
}

json jsonOf(const Machine &machine) {
  json bandwidths = json::array();
  for (const Bandwidth &b : machine.bandwidths)
    bandwidths.push_back({{"name", b.name},
                          {"bytes", b.bytes},
                          {"read_per_second", b.read},
                          {"mixed_per_second", b.mixed}});
  return {{"f32_per_second", machine.f32},
          {"f64_per_second", machine.f64},
          {"bf16_per_second", machine.bf16},
          {"bandwidths", bandwidths}};
}

} // namespace

std::string jsonOf(const Report &report) {
  const benchmark::CPUInfo &cpu = benchmark::CPUInfo::Get();
  json caches = json::array(), systems = json::object(), cases = json::array(),
       groups = json::array();
  for (const benchmark::CPUInfo::CacheInfo &cache : cpu.caches)
    caches.push_back({{"type", cache.type},
                      {"level", cache.level},
                      {"bytes", cache.size},
                      {"shared_by", cache.num_sharing}});
  for (const Report::System &system : report.systems)
    systems[system.name] = {{"version", system.version}, {"missing", system.missing}};
  for (const Measurement &m : report.measurements)
    cases.push_back(jsonOf(m));
  for (const Summary &summary : summariesOf(report.measurements))
    groups.push_back(jsonOf(summary));
  json result = {{"version", 2},
                 {"context",
                  {{"cpus", cpu.num_cpus},
                   {"usable_cpus", usableThreads()},
                   {"mhz", cpu.cycles_per_second / 1e6},
                   {"caches", caches},
                   {"load", cpu.load_avg},
                   {"threads", report.settings.threads},
                   {"quick", report.settings.quick},
                   {"peaks", jsonOf(report.machine)},
                   {"systems", systems}}},
                 {"cases", cases},
                 {"groups", groups}};
  return result.dump(1) + "\n";
}

} // namespace graphc::bench
