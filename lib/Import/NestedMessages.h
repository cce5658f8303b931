//===- NestedMessages.h - how deep a damaged model nests --------*- C++ -*-===//
#pragma once

#include "google/protobuf/io/coded_stream.h"

namespace graphc {

/// How many messages, and graphs among them, are within each other where a model nests deepest.
struct Nesting {
  int messages = 0;
  int graphs = 0;
};

/// Reads the file as far as it can be, or up to `most` messages within each other, without
/// recursion: work is linear in what is read.
Nesting nestingOf(google::protobuf::io::CodedInputStream &file, int most);

} // namespace graphc
