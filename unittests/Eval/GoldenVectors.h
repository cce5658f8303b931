//===- GoldenVectors.h - reading test/Data/golden ----------------------------===//
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "graphc/Tensor.h"

namespace graphc {

/// One line: an op, its attributes and inputs, and the outputs or the kind of error.
struct GoldenLine {
  std::string id, op, error;
  nlohmann::json attrs;
  std::vector<Tensor> inputs, outputs;
  std::optional<double> rtol, atol; // of the line's `tol`
  bool skip = false;                // documentation only
  std::vector<Tensor> w = {};       // one per output, where there are grads
  std::vector<Tensor> grads = {};   // one per input; undefined where none is given
};

/// All lines of all files, in order; a test failure for what cannot be read. Ops that gradients are
/// made of have the families "<family>_gradient<i>": the lines of <family> with one output, the
/// output's weights as a last input, and what is the gradient of input i as the output.
const std::vector<GoldenLine> &goldenLines();

/// How many lines a family has, and how many of them wait for something that is not there yet.
struct GoldenCount {
  int lines = 0, waiting = 0;
};
using GoldenCounts = std::map<std::string, GoldenCount>;
/// The families of which not all lines wait.
std::vector<std::string> workingFamilies(const GoldenCounts &counts);

/// The array that stands for a tensor in the files. A test failure, and no tensor, for another.
Tensor goldenTensor(const nlohmann::json &array);

} // namespace graphc
