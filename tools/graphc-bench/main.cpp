//===- main.cpp - the graphc-bench command --------------------------------===//
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "History.h"
#include "OneDnn.h"
#include "OpenBlas.h"
#include "Report.h"
#include "Support/TextTable.h"
#include "Switches.h"
#include "Workers.h"
#include "graphc/Status.h"

namespace graphc::bench {
namespace {

/// The cases that the words ask for: a case's whole name means this case alone, other words all
/// cases whose name contains them; all cases where there is no word. None whose name contains one
/// of `without`.
std::vector<Case> wantedOf(const std::vector<Case> &all, const std::vector<std::string> &words,
                           const std::vector<std::string> &without) {
  auto isName = [&](const std::string &word) {
    return std::any_of(all.begin(), all.end(), [&](const Case &c) { return c.name == word; });
  };
  auto contains = [](const Case &one, const std::string &word) {
    return one.name.find(word) != word.npos;
  };
  auto wants = [&](const Case &one) {
    bool isAsked = words.empty();
    for (const std::string &word : words)
      isAsked |= isName(word) ? one.name == word : contains(one, word);
    for (const std::string &word : without)
      isAsked &= !contains(one, word);
    return isAsked;
  };
  std::vector<Case> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted), wants);
  return wanted;
}

/// Where the answers go.
struct Wanted {
  std::string jsonFile, compareFile;
  bool markdown = false, peers = false;
};

bool writeFile(const std::string &path, const std::string &text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return bool(file);
}

/// What the workers say of themselves, and the libraries of this process.
std::vector<Report::System> systemsOf(const Workers *workers) {
  std::vector<Report::System> systems;
  if (!workers)
    return systems;
  std::string oneDnn = oneDnnVersion();
  systems.push_back(
      {"OpenBLAS", openBlasVersion(), openBlasVersion().empty() ? "not installed" : ""});
  systems.push_back({"oneDNN", oneDnn, oneDnn.empty() ? "not installed" : ""});
  for (const std::unique_ptr<Worker> &worker : workers->all())
    systems.push_back({worker->name(), worker->version(), worker->missing()});
  return systems;
}

constexpr int kFailed = 1, kBadArguments = 2, kSlower = 3;

int run(const std::vector<Case> &cases, const Wanted &wanted, Settings settings) {
  if (cases.empty()) {
    std::cerr << (settings.switches ? "no case of such a name is for an optimization"
                                    : "no case has such a name")
              << "; see --list\n";
    return kBadArguments;
  }
  std::string before;
  if (!wanted.compareFile.empty()) {
    std::ifstream file(wanted.compareFile);
    before.assign(std::istreambuf_iterator<char>(file), {});
    // What is no such file is refused before anything is measured.
    absl::Status status = compareWith(before, wanted.compareFile, Report()).status();
    if (!file || !status.ok()) {
      std::cerr << (file ? std::string(status.message()) : "cannot read " + wanted.compareFile)
                << "\n";
      return kBadArguments;
    }
  }
  std::optional<Workers> workers;
  if (wanted.peers)
    settings.workers = &workers.emplace(settings.threads);
  Report report{settings, Machine::measured(settings), systemsOf(settings.workers), {}};
  int failures = 0;
  for (const Case &one : cases) {
    std::cerr << one.name << std::endl;
    absl::StatusOr<Measurement> m = measure(one, settings);
    if (m.ok()) {
      report.measurements.push_back(*std::move(m));
      continue;
    }
    ++failures;
    std::cerr << one.name << ": error: " << m.status().message() << "\n";
  }
  if (workers)
    failures += workers->numWrong();
  report.machine.raiseTo(Machine::measured(settings));
  for (Measurement &m : report.measurements) // the rates are the best of many: so is the time
    m.limit = report.machine.limitOf(m.cost, m.ours.least);
  std::cout << (wanted.markdown ? markdownOf(report) : tableOf(report));
  int slower = 0;
  if (!before.empty())
    if (absl::StatusOr<Comparison> c = compareWith(before, wanted.compareFile, report); c.ok()) {
      std::cout << "\nsince " << wanted.compareFile << ":\n" << c->text;
      slower = c->slower;
    }
  std::cout << std::flush;
  if (!std::cout) {
    std::cerr << "standard output cannot be written\n";
    return kFailed;
  }
  if (!wanted.jsonFile.empty() && !writeFile(wanted.jsonFile, jsonOf(report))) {
    std::cerr << "cannot write " << wanted.jsonFile << "\n";
    return kFailed;
  }
  return failures ? kFailed : slower ? kSlower : 0;
}

/// Threads of OpenBLAS spin for 26 ms after a call, and those of OpenMP for some, on a processor
/// that the next side would use. They are asked to spin for about as long as graphc's own, 50 us;
/// OpenMP reads that when its library is loaded, so the program starts anew.
void spinBriefly(char **arguments) {
  if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
    return;
  setenv("GOMP_SPINCOUNT", "3000", 1);
  setenv("OPENBLAS_THREAD_TIMEOUT", "17", 0); // 2^17 cycles
  execv("/proc/self/exe", arguments);
}

} // namespace
} // namespace graphc::bench

int main(int argc, char **argv) {
  using namespace graphc::bench;
  CLI::App app("Measures graphc beside loops written by hand: docs/Benchmarks.md");
  app.name("graphc-bench");
  Settings settings;
  std::vector<std::string> words, without;
  Wanted wanted;
  bool list = false;
  app.add_option("--filter", words,
                 "Only the cases of these names, or whose names contain the words");
  app.add_option("--without", without, "Not the cases whose names contain one of the words");
  app.add_option("--json", wanted.jsonFile, "Write all figures to this file");
  app.add_option("--compare", wanted.compareFile,
                 "Tell what became slower than in this file of an earlier --json; exit status 3");
  app.add_flag("--peers", wanted.peers,
               "Beside NumPy, PyTorch and ONNX Runtime, too (tools/install-deps --peers)");
  app.add_flag(
      "--switches", settings.switches,
      "Beside graphc with one optimization switched off each that the case is for, instead "
      "of others");
  app.add_flag("--markdown", wanted.markdown, "Print the tables in Markdown");
  app.add_option("--threads", settings.threads, "Threads of all sides")
      ->check(CLI::Range(1, 256))
      ->take_last()
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "Time for the repetitions of a case")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_flag("--quick", settings.quick, "Three repetitions: checks results, measures little");
  app.add_flag("--list", list, "Print the names of all cases");
  CLI11_PARSE(app, argc, argv);
  std::vector<Case> cases = wantedOf(allCases(), words, without);
  if (settings.switches)
    std::erase_if(cases, [&](const Case &one) { return !isForSwitch(one.name, settings.threads); });
  if (list) {
    graphc::TextTable table({"case", "what"});
    for (const Case &one : cases)
      table.add({one.name, one.about});
    std::cout << table.str() << std::flush;
    return std::cout ? 0 : 1;
  }
  if (settings.threads > 1)
    spinBriefly(argv);
  std::error_code ignored;
  settings.programs = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  chooseOpenBlasCore();
  // LAPACK's, which graphc calls; other sides' are set likewise.
  setenv("OPENBLAS_NUM_THREADS", std::to_string(settings.threads).c_str(), /*overwrite=*/0);
  return run(cases, wanted, settings);
}
