//===- Import/Recurrent.h - what RNN, GRU and LSTM have in common ---*- C++ -*-===//
#pragma once

#include <functional>

#include "Import/OnnxNode.h"

namespace graphc {

/// An activation with its parameters, and with the attribute clip in front of it if it is one of
/// those that have it.
using RecurrentActivation = std::function<Variable(const Variable &)>;

/// Those of all directions, as many for each as there are defaults, of which the first `clipped`
/// have the attribute clip; none where a mistake is kept in the node, which must outlive them.
std::vector<RecurrentActivation> recurrentActivations(OnnxNode &n,
                                                      const std::vector<std::string> &defaults,
                                                      size_t directions, size_t clipped);

} // namespace graphc
