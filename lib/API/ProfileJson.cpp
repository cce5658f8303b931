//===- ProfileJson.cpp - a record as JSON, and as a trace -----------------===//
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "API/ProfileRecord.h"

namespace graphc {

using detail::ProfileRecord;
using Json = nlohmann::ordered_json;

namespace {

/// On one line. What is no UTF-8 becomes U+FFFD.
std::string textOf(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json jsonOf(const std::vector<Profile::Node> &nodes) {
  Json list = Json::array();
  for (const Profile::Node &node : nodes) {
    Json &json = list.emplace_back(Json{{"op", node.op}});
    if (node.place.known())
      json["place"] = node.place.str();
  }
  return list;
}

template <class Row> void addFigures(Json &json, const Row &row) {
  json["calls"] = row.runs;
  json["seconds"] = row.seconds;
  json["bytes_read"] = row.bytesRead;
  json["bytes_written"] = row.bytesWritten;
  json["flops"] = row.flops;
}

/// Events of Chrome's trace format: complete ones, in microseconds since the record was made.
class Trace {
public:
  explicit Trace(const ProfileRecord &record) : record_(record) {}
  Json run() const;

private:
  using TimePoint = ProfileRecord::Clock::time_point;
  Json event(const std::string &name, const char *category, TimePoint start, TimePoint end,
             int64_t thread, Json arguments) const {
    using Microseconds = std::chrono::duration<double, std::micro>;
    return {{"name", name},
            {"cat", category},
            {"ph", "X"},
            {"ts", Microseconds(start - record_.start).count()},
            {"dur", Microseconds(end - start).count()},
            {"pid", getpid()},
            {"tid", thread},
            {"args", std::move(arguments)}};
  }

  const ProfileRecord &record_;
};

Json Trace::run() const {
  Json events = Json::array();
  std::lock_guard lock(record_.mutex);
  for (const ProfileRecord::Function &function : record_.functions)
    for (const ProfileRecord::Stage &stage : function.stages)
      events.push_back(event(stage.name, "compile", stage.start, stage.end, stage.thread,
                             {{"function", function.name}, {"made", stage.size}}));
  for (const ProfileRecord::Call &call : record_.traced) {
    const ProfileRecord::Function &function = record_.functions[call.function];
    events.push_back(
        event(function.name, "call", call.start, call.end, call.thread, Json::object()));
    for (const RunProfile::StepRun &run : call.steps) {
      const ProfileRecord::Step &step = function.steps[size_t(run.step)];
      events.push_back(event(step.kernel, "step", run.start, run.end, call.thread,
                             {{"bytes_read", run.cost.bytesRead},
                              {"bytes_written", run.cost.bytesWritten},
                              {"flops", run.cost.flops},
                              {"nodes", jsonOf(step.nodes)}}));
    }
  }
  return {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
}

} // namespace

std::string Profile::json() const {
  Profile now = snapshotOf(*this);
  Json functions = Json::array(), steps = Json::array(), ops = Json::array(),
       classes = Json::array(), stages = Json::array();
  std::vector<FunctionSummary> summaries = now.functions();
  for (size_t i = 0; i < summaries.size(); ++i) {
    const FunctionSummary &f = summaries[i];
    functions.push_back({{"name", f.name},
                         {"calls", f.calls},
                         {"seconds", f.seconds},
                         {"step_seconds", f.stepSeconds},
                         {"compile_seconds", f.compileSeconds},
                         {"intermediate_bytes", f.intermediateBytes},
                         {"arena_bytes", f.arenaBytes},
                         {"scratch_bytes", f.scratchBytes},
                         {"result_bytes", f.resultBytes},
                         {"allocations", now.record()->functions[i].allocations}});
  }
  for (const Step &step : now.steps()) {
    Json &json = steps.emplace_back(Json{{"function", step.function}, {"kernel", step.kernel}});
    addFigures(json, step);
    json["nodes"] = jsonOf(step.nodes);
  }
  for (const OpKind &kind : now.opKinds())
    addFigures(ops.emplace_back(Json{{"ops", kind.ops}, {"steps", kind.steps}}), kind);
  for (const OpKind &kind : now.opClasses())
    addFigures(classes.emplace_back(Json{{"class", kind.ops}, {"steps", kind.steps}}), kind);
  for (const Stage &stage : now.stages())
    stages.push_back({{"function", stage.function},
                      {"stage", stage.stage},
                      {"seconds", stage.seconds},
                      {"made", stage.size}});
  return textOf({{"title", title()},
                 {"machine_bytes_per_second", machineBandwidth()},
                 {"functions", std::move(functions)},
                 {"steps", std::move(steps)},
                 {"ops", std::move(ops)},
                 {"classes", std::move(classes)},
                 {"stages", std::move(stages)}});
}

std::string Profile::chromeTrace() const { return textOf(Trace(*record_).run()); }

} // namespace graphc
