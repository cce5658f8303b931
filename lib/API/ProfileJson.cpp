//===- ProfileJson.cpp - a record as JSON, and as a trace -----------------===//
#include <unistd.h>

#include "API/ProfileRecord.h"
#include "Support/JsonWriter.h"
#include "Support/Text.h"

namespace graphc {

using detail::ProfileRecord;

namespace {

template <class Row> void writeFigures(JsonWriter &json, const Row &row) {
  json.field("calls", row.runs);
  json.field("seconds", row.seconds);
  json.field("bytes_read", row.bytesRead);
  json.field("bytes_written", row.bytesWritten);
  json.field("flops", row.flops);
}

void writeNodes(JsonWriter &json, const std::vector<Profile::Node> &nodes) {
  json.key("nodes");
  json.beginArray();
  for (const Profile::Node &node : nodes) {
    json.beginObject();
    json.field("op", node.op);
    if (node.place.known())
      json.field("place", node.place.str());
    json.endObject();
  }
  json.endArray();
}

/// Trace events of one process.
class TraceWriter {
public:
  explicit TraceWriter(const ProfileRecord &record) : record_(record) {}
  std::string run();

private:
  using TimePoint = ProfileRecord::Clock::time_point;
  double microseconds(TimePoint time) const {
    return std::chrono::duration<double, std::micro>(time - record_.start).count();
  }
  /// One from `start` to `end`; the caller ends it.
  void begin(std::string_view name, std::string_view category, TimePoint start, TimePoint end,
             int64_t thread);
  void writeCall(const ProfileRecord::Call &call);

  const ProfileRecord &record_;
  JsonWriter json_;
};

void TraceWriter::begin(std::string_view name, std::string_view category, TimePoint start,
                        TimePoint end, int64_t thread) {
  json_.beginObject();
  json_.field("name", name);
  json_.field("cat", category);
  json_.field("ph", "X");
  json_.field("ts", microseconds(start));
  json_.field("dur", std::chrono::duration<double, std::micro>(end - start).count());
  json_.field("pid", int64_t(getpid()));
  json_.field("tid", thread);
  json_.key("args");
  json_.beginObject();
}

void TraceWriter::writeCall(const ProfileRecord::Call &call) {
  const ProfileRecord::Function &function = record_.functions[call.function];
  begin(function.name, "call", call.start, call.end, call.thread);
  json_.endObject();
  json_.endObject();
  for (const RunProfile::StepRun &run : call.steps) {
    const ProfileRecord::Step &step = function.steps[size_t(run.step)];
    begin(step.kernel, "step", run.start, run.end, call.thread);
    json_.field("bytes_read", run.cost.bytesRead);
    json_.field("bytes_written", run.cost.bytesWritten);
    json_.field("flops", run.cost.flops);
    writeNodes(json_, step.nodes);
    json_.endObject();
    json_.endObject();
  }
}

std::string TraceWriter::run() {
  json_.beginObject();
  json_.field("displayTimeUnit", "ns");
  json_.key("traceEvents");
  json_.beginArray();
  std::lock_guard lock(record_.mutex);
  for (const ProfileRecord::Function &function : record_.functions)
    for (const ProfileRecord::Stage &stage : function.stages) {
      begin(stage.name, "compile", stage.start, stage.end, stage.thread);
      json_.field("function", function.name);
      json_.field("made", stage.size);
      json_.endObject();
      json_.endObject();
    }
  for (const ProfileRecord::Call &call : record_.traced)
    writeCall(call);
  json_.endArray();
  json_.endObject();
  return json_.text() + "\n";
}

} // namespace

std::string Profile::json() const {
  Profile now = snapshotOf(*this);
  JsonWriter json;
  json.beginObject();
  json.field("title", title());
  json.field("machine_bytes_per_second", machineBandwidth());
  json.key("functions");
  json.beginArray();
  for (const FunctionSummary &f : now.functions()) {
    json.beginObject();
    json.field("name", f.name);
    json.field("calls", f.calls);
    json.field("seconds", f.seconds);
    json.field("intermediate_bytes", f.intermediateBytes);
    json.field("arena_bytes", f.arenaBytes);
    json.field("scratch_bytes", f.scratchBytes);
    json.field("result_bytes", f.resultBytes);
    json.endObject();
  }
  json.endArray();
  json.key("steps");
  json.beginArray();
  for (const Step &step : now.steps()) {
    json.beginObject();
    json.field("function", step.function);
    json.field("kernel", step.kernel);
    writeFigures(json, step);
    writeNodes(json, step.nodes);
    json.endObject();
  }
  json.endArray();
  json.key("ops");
  json.beginArray();
  for (const OpKind &kind : now.opKinds()) {
    json.beginObject();
    json.field("ops", kind.ops);
    json.field("steps", kind.steps);
    writeFigures(json, kind);
    json.endObject();
  }
  json.endArray();
  json.key("stages");
  json.beginArray();
  for (const Stage &stage : now.stages()) {
    json.beginObject();
    json.field("function", stage.function);
    json.field("stage", stage.stage);
    json.field("seconds", stage.seconds);
    json.field("made", stage.size);
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return json.text() + "\n";
}

std::string Profile::chromeTrace() const { return TraceWriter(*record_).run(); }

} // namespace graphc
