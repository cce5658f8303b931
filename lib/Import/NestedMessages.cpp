//===- NestedMessages.cpp - how deep a damaged model nests ------------------===//
#include "Import/NestedMessages.h"

#include <algorithm>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "onnx/onnx_pb.h"

namespace graphc {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;

namespace {

/// A message that is being read.
struct Opened {
  const Descriptor *type;
  CodedInputStream::Limit outer;
};

/// What is no message: false at the end of what can be read.
bool skip(CodedInputStream &file, uint32_t wireType) {
  uint64_t number;
  uint32_t word;
  switch (wireType) {
  case 0:
    return file.ReadVarint64(&number);
  case 1:
    return file.ReadLittleEndian64(&number);
  case 5:
    return file.ReadLittleEndian32(&word);
  default: // groups, which ONNX does not have
    return false;
  }
}

} // namespace

Nesting nestingOf(CodedInputStream &file, int most) {
  Nesting deepest;
  std::vector<Opened> opened;
  const Descriptor *type = onnx::ModelProto::descriptor();
  int graphs = 0;
  while (deepest.messages < most) {
    while (!opened.empty() && file.BytesUntilLimit() == 0) {
      graphs -= type == onnx::GraphProto::descriptor();
      type = opened.back().type;
      file.PopLimit(opened.back().outer);
      opened.pop_back();
    }
    uint32_t tag = file.ReadTag(), length;
    if (tag == 0)
      break;
    if ((tag & 7) != 2) {
      if (!skip(file, tag & 7))
        break;
      continue;
    }
    if (!file.ReadVarint32(&length) || length > uint32_t(INT32_MAX))
      break;
    const FieldDescriptor *field = type->FindFieldByNumber(int(tag >> 3));
    if (!field || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!file.Skip(int(length)))
        break;
      continue;
    }
    opened.push_back({type, file.PushLimit(int(length))});
    type = field->message_type();
    graphs += type == onnx::GraphProto::descriptor();
    deepest.messages = std::max(deepest.messages, int(opened.size()));
    deepest.graphs = std::max(deepest.graphs, graphs);
  }
  return deepest;
}

} // namespace graphc
