//===- Report.cpp ---------------------------------------------------------===//
#include "Report.h"

#include <algorithm>
#include <cmath>

#include "Summary.h"
#include "Support/TextTable.h"
#include "Switches.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace graphc::bench {

std::string timeText(double nanoseconds) {
  double size = std::fabs(nanoseconds);
  if (size < 1e3)
    return absl::StrFormat("%.1f ns", nanoseconds);
  if (size < 1e6)
    return absl::StrFormat("%.1f us", nanoseconds / 1e3);
  if (size < 1e8)
    return absl::StrFormat("%.3f ms", nanoseconds / 1e6);
  return absl::StrFormat("%.0f ms", nanoseconds / 1e6);
}

namespace {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

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

const char *yesOrNo(std::optional<bool> answer) { return !answer ? "" : *answer ? "yes" : "no"; }

std::string limitText(const std::optional<Limit> &limit) {
  if (!limit)
    return "";
  return absl::StrFormat("%.0f %% of %s%s", limit->share * 100, limit->of,
                         limit->isReached() ? ", at the limit" : "");
}

/// Those by hand and the libraries first, then the systems that users would have instead.
Row rivalNames(const Report &report) {
  Row names = {kByHand, "SLEEF", "OpenBLAS", "oneDNN"}, used;
  auto add = [&](const std::string &name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (const Report::System &system : report.systems)
    add(system.name);
  for (const Measurement &m : report.measurements)
    for (const Beside &rival : m.rivals)
      add(rival.name);
  for (const std::string &name : names) {
    bool isAsked = std::any_of(report.systems.begin(), report.systems.end(),
                               [&](const Report::System &s) { return s.name == name; });
    for (const Measurement &m : report.measurements)
      isAsked |= std::any_of(m.rivals.begin(), m.rivals.end(),
                             [&](const Beside &rival) { return rival.name == name; });
    if (isAsked)
      used.push_back(name);
  }
  return used;
}

std::string cellOf(const Report &report, const Measurement &m, const std::string &name) {
  for (const Beside &rival : m.rivals)
    if (rival.name == name)
      return timeText(rival.side.time.value);
  for (const Report::System &system : report.systems)
    if (system.name == name && !system.missing.empty())
      return "not installed";
  return "";
}

/// What a page has no place for.
constexpr std::string_view kWideColumns[] = {"extra", "what"};

Rows rowsOf(const Report &report) {
  Row names = rivalNames(report), head = {"case", "graphc"};
  head.insert(head.end(), names.begin(), names.end());
  for (const char *column :
       {"beside", "ratio", "95 %", "extra", "target", "reached", "limit", "compile", "what"})
    head.emplace_back(column);
  Rows rows = {head};
  for (const Measurement &m : report.measurements) {
    if (m.nodes)
      continue;
    Row row = {m.name, timeText(m.ours.time.value)};
    for (const std::string &name : names)
      row.push_back(cellOf(report, m, name));
    if (const Beside *best = m.best()) {
      row.push_back(best->name);
      row.push_back(absl::StrFormat("%.3f", best->ratio.value));
      row.push_back(absl::StrFormat("%.3f-%.3f", best->ratio.low, best->ratio.high));
      row.push_back(timeText(best->extra.value));
    } else {
      row.insert(row.end(), 4, "");
      row[row.size() - 2] = timeText(m.ours.time.low) + "-" + timeText(m.ours.time.high);
    }
    row.push_back(targetText(m.target));
    row.emplace_back(yesOrNo(m.reached()));
    row.push_back(limitText(m.limit));
    row.push_back(m.compileSeconds > 0 ? timeText(m.compileSeconds * 1e9) : "");
    row.push_back(m.about);
    rows.push_back(std::move(row));
  }
  return rows.size() > 1 ? rows : Rows();
}

std::string barsText(const std::vector<Bar> &bars) {
  return absl::StrJoin(bars, ", ", [](std::string *out, const Bar &bar) {
    absl::StrAppend(out, bar.peer, bar.peer.empty() ? "" : " ",
                    absl::StrFormat("<= %.3f", bar.mean));
    if (bar.each)
      absl::StrAppend(out, absl::StrFormat(", each <= %.3f", *bar.each));
  });
}

/// Geometric means of groups; nothing of fewer than two rows.
Rows summaryRows(const Report &report) {
  std::vector<Summary> summaries = summariesOf(report.measurements);
  int rowsInAll = 0;
  for (const Summary &summary : summaries)
    rowsInAll += summary.best.rows;
  if (rowsInAll < 2)
    return {};
  Row peers = rivalNames(report);
  std::erase_if(peers, [&](const std::string &peer) {
    return std::ranges::none_of(summaries, [&](const Summary &s) { return s.beside(peer); });
  });
  Row head = {"geometric mean", "rows", "beside the best"};
  head.insert(head.end(), peers.begin(), peers.end());
  for (const char *column : {"greatest", "of", "behind", "target", "reached"})
    head.emplace_back(column);
  Rows rows = {head};
  for (const Summary &summary : summaries) {
    const Ratios &best = summary.best;
    Row row = {summary.group->name, absl::StrCat(best.rows), absl::StrFormat("%.3f", best.mean)};
    for (const std::string &peer : peers) {
      const Ratios *ratios = summary.beside(peer);
      row.push_back(!ratios ? "" : absl::StrFormat("%.3f", ratios->mean));
      if (ratios && ratios->rows < best.rows)
        absl::StrAppend(&row.back(), " of ", ratios->rows);
    }
    row.push_back(absl::StrFormat("%.3f", best.greatest));
    row.push_back(best.row);
    row.push_back(absl::StrCat(best.behind));
    row.push_back(barsText(summary.group->bars));
    row.emplace_back(yesOrNo(summary.reached()));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A line for each optimization and each case that it is for.
Rows switchRows(const Report &report) {
  Rows rows = {{"without", "case", "graphc", "without it", "ratio", "95 %", "what"}};
  for (const Switch &one : kSwitches)
    for (const Measurement &m : report.measurements)
      for (const Beside &rival : m.rivals)
        if (rival.name == one.name)
          rows.push_back(
              {rival.name, m.name, timeText(m.ours.time.value), timeText(rival.side.time.value),
               absl::StrFormat("%.3f", rival.ratio.value),
               absl::StrFormat("%.3f-%.3f", rival.ratio.low, rival.ratio.high), m.about});
  return rows;
}

/// Cases of the same phases stand in one table.
std::vector<Rows> nodeTables(const Report &report) {
  std::vector<Rows> tables;
  for (const Measurement &m : report.measurements) {
    if (!m.nodes)
      continue;
    Row head = {"ns per node"}, row = {m.name};
    for (const auto &[name, nanoseconds] : m.perNode) {
      head.push_back(name);
      row.push_back(absl::StrFormat("%.1f", nanoseconds));
    }
    if (tables.empty() || tables.back()[0] != head)
      tables.push_back({head});
    tables.back().push_back(row);
  }
  return tables;
}

std::string plainText(const Rows &rows) {
  TextTable table(rows[0]);
  for (size_t i = 1; i < rows.size(); ++i)
    table.add(rows[i]);
  return table.str();
}

std::string markdownText(const Rows &all) {
  std::string text;
  Rows rows(all.size());
  for (size_t column = 0; column < all[0].size(); ++column)
    if (std::ranges::find(kWideColumns, all[0][column]) == std::end(kWideColumns))
      for (size_t i = 0; i < all.size(); ++i)
        rows[i].push_back(all[i][column]);
  for (size_t i = 0; i < rows.size(); ++i) {
    absl::StrAppend(&text, "| ", absl::StrJoin(rows[i], " | "), " |\n");
    if (i == 0)
      absl::StrAppend(&text, "|", absl::StrJoin(Row(rows[0].size(), "---"), "|"), "|\n");
  }
  return text;
}

std::string joined(const Report &report, std::string (*textOf)(const Rows &)) {
  if (report.settings.switches)
    return textOf(switchRows(report));
  std::vector<Rows> tables = {rowsOf(report), summaryRows(report)};
  std::erase(tables, Rows());
  for (Rows &table : nodeTables(report))
    tables.push_back(std::move(table));
  return absl::StrJoin(tables, "\n", [&](std::string *out, const Rows &rows) {
    absl::StrAppend(out, textOf(rows));
  });
}

} // namespace

std::string tableOf(const Report &report) { return joined(report, plainText); }

std::string markdownOf(const Report &report) {
  const Machine &machine = report.machine;
  std::string text = absl::StrFormat(
      "Measured on %d thread%s; at most %.0f GFLOP/s in f32, %.0f in f64, %.0f in bf16",
      machine.threads, machine.threads == 1 ? "" : "s", machine.f32 * 1e-9, machine.f64 * 1e-9,
      machine.bf16 * 1e-9);
  for (const Bandwidth &b : machine.bandwidths)
    absl::StrAppend(&text,
                    absl::StrFormat("; %s: %.0f GB/s read, %.0f GB/s with every third written",
                                    b.name, b.read * 1e-9, b.mixed * 1e-9));
  absl::StrAppend(&text, ".\n\n");
  for (const Report::System &system : report.systems)
    absl::StrAppend(&text, "- ", system.name, ": ",
                    system.missing.empty() ? system.version : system.missing, "\n");
  return text + (report.systems.empty() ? "" : "\n") + joined(report, markdownText);
}

} // namespace graphc::bench
