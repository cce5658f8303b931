//===- Opt.cpp - graphc opt -------------------------------------------------===//
#include <iostream>
#include <nlohmann/json.hpp>

#include "Graph/Module.h"
#include "Profiling.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/StageWatch.h"
#include "Support/StageFolder.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

struct OptVerb {
  Common common;
  std::vector<std::string> rewrites; ///< empty: the mode's
  std::vector<std::string> exclude;
  std::string mode = "fast_run", allow;
  /// "" for nothing, "text", "json".
  std::string explain;
  bool locations = false, bytecode = false;
  std::string out;
  int64_t stopAfter = -1;
};

nlohmann::json toJson(const RewriteStep &step) {
  nlohmann::json places = nlohmann::json::array();
  for (const Place &place : step.places)
    places.push_back({{"file", place.file}, {"line", place.line}, {"column", place.column}});
  return {{"rule", step.rule}, {"before", step.before}, {"after", step.after}, {"places", places}};
}

std::string toText(const RewriteStep &step) {
  std::string text = "// " + step.rule + ": " + step.before + "  ->  " + step.after;
  for (size_t i = 0; i < step.places.size(); ++i)
    text += (i ? ", " : "  at ") + step.places[i].str();
  return text + "\n";
}

absl::Status dump(StageFolder &stages, std::string_view stage, const GraphModule &module) {
  if (!stages.isOpen())
    return absl::OkStatus();
  absl::StatusOr<std::string> text = printGraph(module);
  return text.ok() ? stages.write(stage, *text) : text.status();
}

absl::Status opt(const OptVerb &verb) {
  verb.common.checkUsage();
  std::vector<Written> written;
  if (!verb.out.empty() && verb.out != "-")
    written.push_back({"-o " + verb.out, verb.out});
  addProfileFiles(verb.common.profiles, written);
  checkApart(written, {verb.common.file});
  Query query = modeQuery(verb.mode);
  if (!verb.rewrites.empty())
    query.include = verb.rewrites;
  query.exclude = verb.exclude;
  if (absl::Status status = checkRewriteNames(query, builtinRewrites()); !status.ok())
    return status;
  CompileWatch watch(verb.common);
  StageFolder stages(verb.common.dumpStages);
  absl::StatusOr<GraphModule> module = loadModule(verb.common, watch.observer());
  if (!module.ok())
    return module.status();
  if (absl::Status s = dump(stages, "graph", *module); !s.ok())
    return s;
  StageWatch rewriting(watch.observer(), "rewritten");
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module->inputs, module->outputs);
  if (!graph.ok())
    return graph.status();
  nlohmann::json steps = nlohmann::json::array();
  RewriteOptions options;
  options.allowed = verb.allow.empty()       ? modeEffects(verb.mode)
                    : verb.allow == "strict" ? kStrictEffects
                    : verb.allow == "all"    ? kAllEffects
                                             : kDefaultEffects;
  options.stopAfter = verb.stopAfter;
  if (!verb.explain.empty())
    options.explain = [&](const RewriteStep &step) {
      if (verb.explain == "json")
        steps.push_back(toJson(step));
      else
        std::cout << toText(step);
    };
  absl::StatusOr<RewriteReport> report = rewrite(*graph, options, query);
  if (!report.ok())
    return report.status();
  rewriting.done([&] { return counted(graph->numNodes(), "node"); });
  if (verb.explain == "json") {
    std::cout << steps.dump(1) << "\n";
    return watch.done();
  }
  GraphModule rewritten = withGraph(*module, *graph);
  if (absl::Status s = dump(stages, "rewritten", rewritten); !s.ok())
    return s;
  absl::StatusOr<std::string> text =
      printGraph(rewritten, {.locations = verb.locations, .bytecode = verb.bytecode});
  if (!text.ok())
    return text.status();
  if (absl::Status s = writeOutput(verb.out, *text); !s.ok())
    return s;
  return watch.done();
}

} // namespace

void addOpt(CLI::App &app, absl::Status &status) {
  auto verb = std::make_shared<OptVerb>();
  CLI::App *sub = app.add_subcommand("opt", "Print the graph after rewriting");
  verb->common.addFile(*sub);
  verb->common.addWatching(*sub, "reading and rewriting took and made");
  sub->add_option("--mode", verb->mode, "Rewrite as this mode does before it compiles")
      ->check(CLI::IsMember(modeNames([](const ModeRow &row) { return row.runs == RunBy::Code; })))
      ->capture_default_str();
  sub->add_option("--rewrites", verb->rewrites,
                  "Names or tags of rewrites, with commas between, instead of the mode's")
      ->delimiter(',');
  sub->add_option("--exclude", verb->exclude, "Names or tags of rewrites that do not run")
      ->delimiter(',');
  sub->add_option("--allow", verb->allow,
                  "What rewrites may change in results: strict, default or all; else as the mode")
      ->check(CLI::IsMember(std::vector<std::string>{"strict", "default", "all"}));
  sub->add_option("--explain", verb->explain,
                  "Print each step: which rule, before, after, the places (text or json; json "
                  "instead of the graph)")
      ->expected(0, 1)
      ->default_str("text")
      ->check(CLI::IsMember(std::vector<std::string>{"text", "json"}));
  sub->add_flag("--locations", verb->locations,
                "Print with each node the places that it comes from");
  sub->add_flag("--bytecode", verb->bytecode, "Write bytecode instead of text");
  sub->add_option("-o,--out", verb->out, "File to write; default: standard output");
  sub->add_option("--stop-after", verb->stopAfter, "End after this many steps")->check(atLeast(0));
  sub->callback([verb, &status] { status = opt(*verb); });
}

} // namespace graphc
