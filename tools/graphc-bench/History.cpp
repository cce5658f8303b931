//===- History.cpp --------------------------------------------------------===//
#include "History.h"

#include <nlohmann/json.hpp>

#include "Support/TextTable.h"
#include "absl/strings/str_format.h"
#include "graphc/Status.h"

namespace graphc::bench {
namespace {

using nlohmann::json;

/// Ratios of rounds say more than times, which neighbours and the clock change.
constexpr double kRatioChange = 1.05, kTimeChange = 1.25;

Median medianFrom(const json &value) {
  return {value.at("median").get<double>(), value.at("low").get<double>(),
          value.at("high").get<double>()};
}

/// A figure of both runs.
struct Figure {
  std::string what;
  Median before, now;
  bool isRatio = false;

  bool isMore(const Median &a, const Median &b) const {
    return a.low > b.high && a.value > b.value * (isRatio ? kRatioChange : kTimeChange);
  }
  std::string text(const Median &m) const {
    return isRatio ? absl::StrFormat("%.3f", m.value) : timeText(m.value);
  }
};

std::vector<Figure> figuresOf(const json &before, const Measurement &now) {
  std::vector<Figure> figures;
  auto add = [&](std::string what, double old, double current) {
    figures.push_back({std::move(what), {old, old, old}, {current, current, current}});
  };
  if (now.nodes) {
    if (before.contains("ns_per_node"))
      for (const auto &[phase, nanoseconds] : now.perNode)
        if (before["ns_per_node"].contains(phase))
          add(phase + " per node", before["ns_per_node"][phase].get<double>(), nanoseconds);
    return figures;
  }
  std::string rival = before.value("beside", "");
  const Beside *current = nullptr;
  for (const Beside &beside : now.rivals)
    if (beside.name == rival)
      current = &beside;
  if (current) {
    for (const json &old : before.at("rivals"))
      if (old.at("name") == rival)
        figures.push_back({"ratio to " + rival, medianFrom(old.at("ratio")), current->ratio, true});
  } else if (before.contains("ns")) {
    figures.push_back({"time", medianFrom(before["ns"]), now.ours.time});
  }
  if (before.contains("compile_ns") && now.compileSeconds > 0)
    add("compile", before["compile_ns"].get<double>(), now.compileSeconds * 1e9);
  return figures;
}

Comparison compared(const json &before, const Report &now) {
  TextTable table({"case", "what", "before", "now", "change"});
  Comparison result;
  int faster = 0, equal = 0, unknown = 0;
  for (const Measurement &m : now.measurements) {
    const json *old = nullptr;
    for (const json &one : before.at("cases"))
      if (one.at("name") == m.name)
        old = &one;
    if (!old) {
      ++unknown;
      continue;
    }
    for (const Figure &figure : figuresOf(*old, m)) {
      bool isSlower = figure.isMore(figure.now, figure.before),
           isFaster = figure.isMore(figure.before, figure.now);
      if (!isSlower && !isFaster) {
        ++equal;
        continue;
      }
      ++(isSlower ? result.slower : faster);
      table.add({m.name, figure.what, figure.text(figure.before), figure.text(figure.now),
                 absl::StrFormat("%+.0f %% %s", (figure.now.value / figure.before.value - 1) * 100,
                                 isSlower ? "slower" : "faster")});
    }
  }
  if (result.slower + faster > 0)
    result.text = table.str();
  result.text +=
      absl::StrFormat("%d slower, %d faster, %d as before, %d cases not measured before\n",
                      result.slower, faster, equal, unknown);
  return result;
}

} // namespace

absl::StatusOr<Comparison> compareWith(std::string_view before, std::string_view name,
                                       const Report &now) {
  auto refuse = [&](const char *why) {
    return makeError(ErrorKind::ValueError, absl::StrFormat("%s: %s", name, why));
  };
  json file = json::parse(before, nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded())
    return refuse("not JSON");
  if (!file.is_object() || file.value("version", 0) != 2 || !file.contains("cases"))
    return refuse("not a file of graphc-bench --json");
  // Its library throws where a member is missing; the files are this program's own.
  try {
    return compared(file, now);
  } catch (const json::exception &) {
    return refuse("not a file of graphc-bench --json");
  }
}

} // namespace graphc::bench
