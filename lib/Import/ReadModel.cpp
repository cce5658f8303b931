//===- ReadModel.cpp - ONNX files as messages -------------------------------===//
#include "Import/ReadModel.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "Import/NestedMessages.h"
#include "Support/StageOfText.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

/// Graphs within each other, and messages of protobuf, three for each graph: of models that are
/// too deep more can be read, so that their error says it, on a stack of 256 KB too.
constexpr int kDeepestGraph = 32, kDeepestMessage = 1000;

bool nestDeeper(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, int levels) {
  auto isDeeper = [&](const onnx::GraphProto &graph) {
    return levels == 0 || nestDeeper(graph.node(), levels - 1);
  };
  for (const onnx::NodeProto &node : nodes)
    for (const onnx::AttributeProto &attribute : node.attribute())
      if ((attribute.has_g() && isDeeper(attribute.g())) ||
          std::ranges::any_of(attribute.graphs(), isDeeper))
        return true;
  return false;
}

absl::Status graphsTooDeep() {
  return makeError(ErrorKind::NotSupported,
                   "graphs are nested deeper than " + std::to_string(kDeepestGraph) +
                       " levels: make functions of the model of inner ones");
}

/// Of a model that could not be read: an error if that is since it nests too deep.
absl::Status checkNesting(FILE *file) {
  if (lseek(fileno(file), 0, SEEK_SET) != 0) // of a pipe nothing is there any more
    return absl::OkStatus();
  google::protobuf::io::FileInputStream stream(fileno(file));
  google::protobuf::io::CodedInputStream coded(&stream);
  Nesting nesting = nestingOf(coded, kDeepestMessage + 1);
  if (nesting.messages <= kDeepestMessage)
    return absl::OkStatus();
  if (nesting.graphs > kDeepestGraph)
    return graphsTooDeep();
  return makeError(ErrorKind::NotSupported, "messages are nested deeper than " +
                                                std::to_string(kDeepestMessage) +
                                                " levels, as types of sequences of sequences are");
}

} // namespace

absl::StatusOr<onnx::ModelProto> readModel(FILE *file) {
  onnx::ModelProto model;
  google::protobuf::io::FileInputStream stream(fileno(file));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(kDeepestMessage);
  // Ends at the first byte that cannot be.
  if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) {
    if (absl::Status s = checkNesting(file); !s.ok())
      return s;
    char head[1024];
    lseek(fileno(file), 0, SEEK_SET);
    ssize_t count = read(fileno(file), head, sizeof head);
    std::string_view stage = stageOfText({head, size_t(std::max<ssize_t>(count, 0))});
    if (stage.empty() || stage == "onnx")
      return makeError(ErrorKind::Io, "is no ONNX model, or damaged");
    return makeError(ErrorKind::Io, "is no ONNX model: it looks like text of " +
                                        std::string(stage) + "; name it .mlir");
  }
  if (!model.has_graph())
    return makeError(ErrorKind::Io, "is no ONNX model: it has no graph");
  bool isDeeper = nestDeeper(model.graph().node(), kDeepestGraph);
  for (const onnx::FunctionProto &function : model.functions())
    isDeeper = isDeeper || nestDeeper(function.node(), kDeepestGraph);
  if (isDeeper)
    return graphsTooDeep();
  return model;
}

} // namespace graphc
