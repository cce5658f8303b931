//===- main.cpp - the graphc-bench command --------------------------------===//
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "Report.h"
#include "Support/TextTable.h"
#include "graphc/Status.h"

namespace graphc::bench {
namespace {

std::vector<Case> allCases() {
  std::vector<Case> cases;
  addElementwise(cases);
  addRows(cases);
  addMath(cases);
  addProducts(cases);
  addCalls(cases);
  addTraining(cases);
  addCompilation(cases);
  addSites(cases);
  addRewriting(cases);
  addGradients(cases);
  addLargeGraphs(cases);
  return cases;
}

/// The cases that the words ask for: a case's whole name means this case alone, other words all
/// cases whose name contains them; all cases where there is no word.
std::vector<Case> wantedOf(const std::vector<Case> &all, const std::vector<std::string> &words) {
  auto isName = [&](const std::string &word) {
    return std::any_of(all.begin(), all.end(), [&](const Case &c) { return c.name == word; });
  };
  auto wants = [&](const Case &one) {
    return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string &word) {
             return isName(word) ? one.name == word : one.name.find(word) != word.npos;
           });
  };
  std::vector<Case> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted), wants);
  return wanted;
}

int run(const std::vector<Case> &cases, const std::string &jsonFile, const Settings &settings) {
  if (cases.empty()) {
    std::cerr << "no case has such a name; see --list\n";
    return 2;
  }
  std::vector<Measurement> measurements;
  int failures = 0;
  for (const Case &one : cases) {
    std::cerr << one.name << std::endl;
    absl::StatusOr<Measurement> m = measure(one, settings);
    if (m.ok()) {
      measurements.push_back(*std::move(m));
      continue;
    }
    ++failures;
    std::cerr << one.name << ": error: " << m.status().message() << "\n";
  }
  std::cout << tableOf(measurements) << std::flush;
  if (!std::cout) {
    std::cerr << "standard output cannot be written\n";
    return 1;
  }
  if (!jsonFile.empty()) {
    std::ofstream file(jsonFile);
    file << jsonOf(measurements, settings);
    file.close();
    if (!file) {
      std::cerr << "cannot write " << jsonFile << "\n";
      return 1;
    }
  }
  return failures ? 1 : 0;
}

} // namespace
} // namespace graphc::bench

int main(int argc, char **argv) {
  using namespace graphc::bench;
  CLI::App app("Measures graphc beside loops written by hand: docs/Benchmarks.md");
  app.name("graphc-bench");
  Settings settings;
  std::vector<std::string> words;
  std::string jsonFile;
  bool list = false;
  app.add_option("--filter", words,
                 "Only the cases of these names, or whose names contain the words");
  app.add_option("--json", jsonFile, "Write all figures to this file");
  app.add_option("--threads", settings.threads, "Threads of both sides")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "Time for the repetitions of a case")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_flag("--quick", settings.quick, "Three repetitions: checks results, measures little");
  app.add_flag("--list", list, "Print the names of all cases");
  CLI11_PARSE(app, argc, argv);
  std::vector<Case> wanted = wantedOf(allCases(), words);
  if (list) {
    graphc::TextTable table({"case", "what"});
    for (const Case &one : wanted)
      table.add({one.name, one.about});
    std::cout << table.str() << std::flush;
    return std::cout ? 0 : 1;
  }
  std::error_code ignored;
  settings.programs = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return run(wanted, jsonFile, settings);
}
