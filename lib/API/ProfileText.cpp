//===- ProfileText.cpp - a record as tables -------------------------------===//
#include <algorithm>
#include <tuple>

#include "API/ProfileRecord.h"
#include "Support/Text.h"
#include "Support/TextTable.h"
#include "absl/strings/str_format.h"

namespace graphc {
namespace {

std::string secondsText(double seconds) { return absl::StrFormat("%.9f", seconds); }

/// A rate in 1e9 per second; nothing where there is nothing to divide.
std::string rateText(double amount, double seconds) {
  return seconds > 0 && amount > 0 ? absl::StrFormat("%.2f", amount / seconds * 1e-9) : "";
}

std::string percentText(double part, double whole) {
  return whole > 0 ? absl::StrFormat("%.1f%%", part / whole * 100) : "";
}

/// The cells of a step or kind of op from its calls to its rate of operations.
template <class Row> std::vector<std::string> figures(const Row &row, double total) {
  double bytes = double(row.bytesRead + row.bytesWritten);
  return {std::to_string(row.runs),
          secondsText(row.seconds),
          percentText(row.seconds, total),
          absl::StrFormat("%.0f", bytes),
          rateText(bytes, row.seconds),
          row.seconds > 0 ? percentText(bytes / row.seconds, machineBandwidth()) : "",
          std::to_string(row.flops),
          rateText(double(row.flops), row.seconds)};
}

constexpr const char *kFigures[] = {"calls", "seconds", "share", "bytes",
                                    "GB/s",  "machine", "flops", "GFLOP/s"};

/// A table with `first`, the figures, and `last`, if any.
TextTable tableOf(std::string first, const char *last) {
  std::vector<std::string> head = {std::move(first)};
  head.insert(head.end(), std::begin(kFigures), std::end(kFigures));
  if (last)
    head.push_back(last);
  return TextTable(std::move(head));
}

/// With names that garble no line.
std::vector<Profile::FunctionSummary> namedFunctions(const Profile &profile) {
  std::vector<Profile::FunctionSummary> functions = profile.functions();
  for (Profile::FunctionSummary &f : functions)
    f.name = printable(f.name);
  return functions;
}

std::string nodesText(const std::vector<Profile::Node> &nodes) {
  return join(nodes, ", ", [](const Profile::Node &node) {
    return node.place.known() ? node.op + " at " + node.place.str() : node.op;
  });
}

std::string stepsText(const Profile &profile,
                      const std::vector<Profile::FunctionSummary> &functions, double total) {
  std::vector<Profile::Step> steps = profile.steps();
  std::sort(steps.begin(), steps.end(), [](const Profile::Step &a, const Profile::Step &b) {
    return std::tuple(-a.seconds, a.function, a.kernel) <
           std::tuple(-b.seconds, b.function, b.kernel);
  });
  TextTable table = tableOf("kernel", "computes");
  for (const Profile::Step &step : steps) {
    std::vector<std::string> row = {step.kernel};
    for (std::string &cell : figures(step, total))
      row.push_back(std::move(cell));
    std::string computes = nodesText(step.nodes);
    if (functions.size() > 1)
      computes = functions[step.function].name + ": " + computes;
    row.push_back(std::move(computes));
    table.add(std::move(row));
  }
  double within = 0;
  for (const Profile::FunctionSummary &function : functions)
    within += function.stepSeconds;
  double between = std::max(0.0, total - within);
  table.add({"(between)", "", secondsText(between), percentText(between, total)});
  return table.str();
}

std::string kindsText(std::string title, const std::vector<Profile::OpKind> &kinds, double total) {
  TextTable table = tableOf(std::move(title), nullptr);
  for (const Profile::OpKind &kind : kinds) {
    std::vector<std::string> row = {kind.ops};
    for (std::string &cell : figures(kind, total))
      row.push_back(std::move(cell));
    table.add(std::move(row));
  }
  return table.str();
}

std::string stagesText(const Profile &profile,
                       const std::vector<Profile::FunctionSummary> &functions) {
  TextTable table({"stage", "seconds", "made", "function"});
  for (const Profile::Stage &stage : profile.stages())
    table.add(
        {stage.stage, secondsText(stage.seconds), stage.size, functions[stage.function].name});
  return table.str();
}

std::string memoryText(const Profile &profile,
                       const std::vector<Profile::FunctionSummary> &functions) {
  TextTable table(
      {"bytes between steps", "after reuse", "scratch", "results", "allocations", "function"});
  for (size_t i = 0; i < functions.size(); ++i) {
    const Profile::FunctionSummary &f = functions[i];
    table.add({std::to_string(f.intermediateBytes), std::to_string(f.arenaBytes),
               std::to_string(f.scratchBytes), std::to_string(f.resultBytes),
               std::to_string(profile.record()->functions[i].allocations), f.name});
  }
  return table.str();
}

} // namespace

std::string Profile::text() const {
  Profile now = snapshotOf(*this);
  std::vector<FunctionSummary> all = namedFunctions(now);
  double total = 0;
  int64_t calls = 0;
  for (const FunctionSummary &f : all) {
    total += f.seconds;
    calls += f.calls;
  }
  std::string head = "profile" + (title().empty() ? "" : " '" + printable(title()) + "'") + ": " +
                     counted(size_t(calls), "call") + " of " + counted(all.size(), "function");
  if (calls == 0) // what was only compiled
    return head + "\n" + stagesText(now, all);
  head += absl::StrFormat(", %s s; memory copies %.2f GB/s\n", secondsText(total),
                          machineBandwidth() * 1e-9);
  return head + stepsText(now, all, total) + "\n" + kindsText("ops", now.opKinds(), total) + "\n" +
         kindsText("class", now.opClasses(), total) + "\n" + stagesText(now, all) + "\n" +
         memoryText(now, all);
}

} // namespace graphc
