//===- Recurrent.cpp - RNN, GRU, LSTM ----------------------------------------===//
//
// Unrolled: one copy of the step for each element of the sequence, whose length must be known.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// A longer sequence would make a graph of millions of nodes.
constexpr int64_t kMaxSteps = 4096;

/// Part `k` of a vector or matrix that holds `parts` equal ones along axis 0 of a direction.
Variable gatePart(OnnxNode &n, const Variable &x, int64_t k, int64_t hidden) {
  return subtensor(n.at(x), {Slice(k * hidden, (k + 1) * hidden)});
}

using Activation = Variable (*)(const Operand &);

Activation activationOf(OnnxNode &n, const std::string &given) {
  std::string name = given;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (name == "sigmoid")
    return sigmoid;
  if (name == "tanh")
    return tanh;
  if (name == "relu")
    return relu;
  if (name == "softsign")
    return softsign;
  if (name == "softplus")
    return softplus;
  n.unsupported("activation '" + given + "'");
  return identity;
}

std::vector<std::string> activationNames(OnnxNode &n, std::vector<std::string> defaults,
                                         size_t directions) {
  std::vector<std::string> names = n.getStrings("activations");
  if (names.empty())
    for (size_t d = 0; d < directions; ++d)
      names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != defaults.size() * directions)
    n.fail(ErrorKind::ValueError, "attribute activations has " + std::to_string(names.size()) +
                                      " names for " + std::to_string(directions) + " directions");
  return names;
}

/// One direction of the network: matrices and state of it.
struct Direction {
  Variable w, r;                  // [gates * hidden, inputs], [gates * hidden, hidden]
  Variable inputBias, stateBias;  // [gates * hidden]
  Variable peepholes;             // [3 * hidden]
  Variable hidden, cell, lengths; // [batch, hidden], [batch]
  std::vector<Activation> activations;
  int64_t size = 0;
};

/// What one operator does with x [batch, inputs] in one step: the next hidden and cell state.
using Step = void (*)(OnnxNode &n, Direction &d, const Variable &x);

Variable affine(OnnxNode &n, const Variable &x, const Variable &matrix, const Variable &bias) {
  return add(n.at(matmul(n.at(x), transpose(n.at(matrix)))), bias);
}

Variable gate(OnnxNode &n, const Direction &d, const Variable &x, int64_t k) {
  Variable fromInput =
      affine(n, x, gatePart(n, d.w, k, d.size), gatePart(n, d.inputBias, k, d.size));
  Variable fromState =
      affine(n, d.hidden, gatePart(n, d.r, k, d.size), gatePart(n, d.stateBias, k, d.size));
  return add(n.at(fromInput), fromState);
}

void rnnStep(OnnxNode &n, Direction &d, const Variable &x) {
  d.hidden = d.activations[0](n.at(gate(n, d, x, 0)));
}

/// Gates: update, reset, hidden.
void gruStep(OnnxNode &n, Direction &d, const Variable &x) {
  Variable update = d.activations[0](n.at(gate(n, d, x, 0)));
  Variable reset = d.activations[0](n.at(gate(n, d, x, 1)));
  Variable fromInput =
      affine(n, x, gatePart(n, d.w, 2, d.size), gatePart(n, d.inputBias, 2, d.size));
  Variable matrix = gatePart(n, d.r, 2, d.size), bias = gatePart(n, d.stateBias, 2, d.size);
  Variable fromState = n.getBool("linear_before_reset", false)
                           ? mul(n.at(reset), affine(n, d.hidden, matrix, bias))
                           : affine(n, mul(n.at(reset), d.hidden), matrix, bias);
  Variable candidate = d.activations[1](n.at(add(n.at(fromInput), fromState)));
  Variable rest = sub(n.at(n.scalar(1, x.dtype())), update);
  d.hidden = add(n.at(mul(n.at(rest), candidate)), mul(n.at(update), d.hidden));
}

/// Gates: input, output, forget, cell; peepholes: input, output, forget.
void lstmStep(OnnxNode &n, Direction &d, const Variable &x) {
  auto open = [&](int64_t k, const Variable &cell) {
    Variable peep = mul(n.at(gatePart(n, d.peepholes, k, d.size)), cell);
    return d.activations[0](n.at(add(n.at(gate(n, d, x, k)), peep)));
  };
  Variable input = open(0, d.cell), forget = open(2, d.cell);
  if (n.getBool("input_forget", false))
    forget = sub(n.at(n.scalar(1, x.dtype())), input);
  Variable candidate = d.activations[1](n.at(gate(n, d, x, 3)));
  d.cell = add(n.at(mul(n.at(forget), d.cell)), mul(n.at(input), candidate));
  d.hidden = mul(n.at(open(1, d.cell)), d.activations[2](n.at(d.cell)));
}

struct Kind {
  int64_t gates;
  std::vector<std::string> activations;
  Step step;
  bool hasCell = false;
};

/// The operator's inputs: X, W, R, B, sequence_lens, initial_h, initial_c, P.
Variables recurrent(OnnxNode &n, const Kind &kind) {
  bool batchFirst = n.getBool("layout", false);
  Variable x = n.in(0);
  if (!x.ok() || x.rank() != 3 || n.in(1).rank() != 3 || n.in(2).rank() != 3)
    return {n.fail(ErrorKind::TypeError, "X, W and R must have rank 3")};
  if (batchFirst)
    x = transpose(n.at(x), {1, 0, 2});
  int64_t steps = x.type().extent(0), directions = n.in(2).type().extent(0);
  int64_t size = n.in(2).type().extent(2);
  std::string direction = n.getString("direction", "forward");
  bool known = direction == "forward" || direction == "reverse" || direction == "bidirectional";
  if (!known || directions != (direction == "bidirectional" ? 2 : 1))
    return {n.fail(ErrorKind::ValueError,
                   "direction '" + direction + "' for R of " + n.in(2).type().brief())};
  if (steps == kDynamic || size == kDynamic || steps > kMaxSteps)
    return {n.unsupported("a sequence of unknown length, or of more than " +
                          std::to_string(kMaxSteps) + " elements: " + x.type().brief())};
  if (n.hasAttribute("clip"))
    return {n.unsupported("attribute clip")};
  std::vector<std::string> names = activationNames(n, kind.activations, size_t(directions));
  if (!n.status().ok())
    return {};

  Operand batch = extentTerm(n, x, 1);
  auto zeros = [&](const Terms &shape) {
    return full(shapeOf(n, shape), n.at(n.scalar(0, x.dtype())));
  };
  auto stateOf = [&](size_t i, int64_t d) {
    if (!n.has(i))
      return zeros({batch, Operand(size)});
    return batchFirst ? subtensor(n.arg(i), {Slice(), Index(d)}) : subtensor(n.arg(i), {Index(d)});
  };
  std::vector<Variables> outputs;
  outputs.resize(size_t(steps));
  Variables lastHidden, lastCell;
  for (int64_t k = 0; k < directions; ++k) {
    Direction d;
    d.size = size;
    d.w = subtensor(n.arg(1), {Index(k)});
    d.r = subtensor(n.arg(2), {Index(k)});
    int64_t half = kind.gates * size;
    Variable bias = n.has(3) ? subtensor(n.arg(3), {Index(k)}) : zeros({Operand(2 * half)});
    d.inputBias = subtensor(n.at(bias), {Slice(kEnd, half)});
    d.stateBias = subtensor(n.at(bias), {Slice(half, kEnd)});
    d.hidden = stateOf(5, k);
    if (kind.hasCell) {
      d.cell = stateOf(6, k);
      d.peepholes = n.has(7) ? subtensor(n.arg(7), {Index(k)}) : zeros({Operand(3 * size)});
    }
    for (size_t a = 0; a < kind.activations.size(); ++a)
      d.activations.push_back(activationOf(n, names[size_t(k) * kind.activations.size() + a]));
    bool backward = direction == "reverse" || k == 1;
    for (int64_t i = 0; i < steps; ++i) {
      int64_t t = backward ? steps - 1 - i : i;
      Variable hidden = d.hidden, cell = d.cell;
      kind.step(n, d, subtensor(n.at(x), {Index(t)}));
      Variable output = d.hidden;
      if (n.has(4)) {
        // Sequences that have ended keep their state and give 0.
        Variable lengths = dimshuffle(n.at(cast(n.arg(4), DType::Int64)), {0, -1});
        Variable runs = gt(n.at(lengths), Operand(t));
        output = where(n.at(runs), d.hidden, n.scalar(0, x.dtype()));
        d.hidden = where(n.at(runs), d.hidden, hidden);
        if (kind.hasCell)
          d.cell = where(n.at(runs), d.cell, cell);
      }
      outputs[size_t(t)].push_back(output);
    }
    lastHidden.push_back(d.hidden);
    lastCell.push_back(d.cell);
  }
  // [sequence, directions, batch, hidden], or with the batch in front.
  Variables all;
  for (const Variables &each : outputs)
    all.push_back(stack(each, batchFirst ? 1 : 0));
  Variables results = {all.empty() ? zeros({Operand(0), Operand(directions), batch, Operand(size)})
                                   : stack(all, batchFirst ? 1 : 0)};
  results.push_back(stack(lastHidden, batchFirst ? 1 : 0));
  if (kind.hasCell)
    results.push_back(stack(lastCell, batchFirst ? 1 : 0));
  return results;
}

Variables rnn(OnnxNode &n) {
  return recurrent(n, {.gates = 1, .activations = {"Tanh"}, .step = rnnStep});
}
Variables gru(OnnxNode &n) {
  return recurrent(n, {.gates = 3, .activations = {"Sigmoid", "Tanh"}, .step = gruStep});
}
Variables lstm(OnnxNode &n) {
  return recurrent(
      n,
      {.gates = 4, .activations = {"Sigmoid", "Tanh", "Tanh"}, .step = lstmStep, .hasCell = true});
}

} // namespace

absl::Span<const Translation> recurrentTranslations() {
  static constexpr Translation kTable[] = {
      {"GRU", gru, 1, "as RNN"},
      {"LSTM", lstm, 1, "as RNN"},
      {"RNN", rnn, 1,
       "unrolled: at most 4096 steps, known; no clip; Sigmoid, Tanh, Relu, Softsign, Softplus"},
  };
  return kTable;
}

} // namespace graphc
