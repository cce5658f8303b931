//===- TestGraphs.h - emissions made by hand ----------------------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "Kernels/Fuse.h"

namespace graphc {

/// Builds a GraphRecord with an Emitter, without ops.
class TestGraph {
public:
  Emitter e;

  Array input(DType dtype, std::vector<int64_t> shape) {
    types_.emplace_back(dtype, shape);
    inputs_.push_back(e.operand(types_.back()));
    return inputs_.back();
  }
  void output(Array a) { outputs_.push_back(a); }
  const std::vector<Array> &inputs() const { return inputs_; }
  const std::vector<Array> &outputs() const { return outputs_; }
  const std::vector<Type> &types() const { return types_; }

  /// Ends the emission.
  GraphRecord finish() {
    GraphRecord record;
    for (Array a : inputs_)
      record.inputs.push_back(a.id);
    for (Array a : outputs_)
      record.outputs.push_back(a.id);
    record.inputTypes = types_;
    record.emission = *e.finish();
    return record;
  }

private:
  std::vector<Array> inputs_, outputs_;
  std::vector<Type> types_;
};

} // namespace graphc
