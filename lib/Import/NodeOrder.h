//===- Import/NodeOrder.h - nodes after what they read --------------*- C++ -*-===//
#pragma once

#include <vector>

#include "onnx/onnx_pb.h"

namespace graphc {

/// The numbers of a graph's nodes, each after those whose outputs it or a graph within it reads:
/// the file's order where that is so, as ONNX demands. Converters to float16 put their casts last,
/// and onnxruntime sorts. Nodes of a cycle stand somewhere; reading one of them tells.
std::vector<int> nodeOrder(const onnx::GraphProto &graph);

} // namespace graphc
