//===- Recurrent.cpp - RNN, GRU, LSTM ----------------------------------------===//
//
// A loop over the sequence for each direction. What a step does to its input alone is one product
// for all steps, before the loop.
//
//===----------------------------------------------------------------------===//
#include "Import/Recurrent.h"
#include "Import/LastState.h"

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "graphc/Arrays.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

/// Known sequences of up to so many elements become as many copies of the step.
constexpr int64_t kMostCopies = 8;

/// Part `k` of the last axis, which has a part for each gate.
Variable gatePart(OnnxNode &n, const Variable &x, int64_t k, int64_t size, int64_t count = 1) {
  return subtensor(n.at(x), {ellipsis, Slice(k * size, (k + count) * size)});
}

struct State {
  Variable hidden, cell; // [batch, hidden]
};

/// One direction of the network.
struct Direction {
  Variable recurrent; // transposed: [hidden, gates * hidden]
  Variable stateBias; // [gates * hidden]
  Variable peepholes; // [3 * hidden], if any
  int64_t size = 0;
  std::vector<RecurrentActivation> activations;
};

/// What one operator does in one step with [batch, gates * hidden] numbers that follow from the
/// step's input: the next state.
using Step = State (*)(OnnxNode &n, const Direction &d, const Variable &x, const State &state);

/// The gates' numbers from the state: some of them, from gate `first` on.
Variable fromState(OnnxNode &n, const Direction &d, const Variable &hidden, int64_t first,
                   int64_t count) {
  Variable product = matmul(n.at(hidden), gatePart(n, d.recurrent, first, d.size, count));
  return add(n.at(product), gatePart(n, d.stateBias, first, d.size, count));
}

State rnnStep(OnnxNode &n, const Direction &d, const Variable &x, const State &state) {
  return {d.activations[0](add(n.at(x), fromState(n, d, state.hidden, 0, 1))), {}};
}

/// Gates: update, reset, hidden.
State gruStep(OnnxNode &n, const Direction &d, const Variable &x, const State &state) {
  bool afterProduct = n.getBool("linear_before_reset", false);
  Variable own = fromState(n, d, state.hidden, 0, afterProduct ? 3 : 2);
  auto opened = [&](int64_t k) {
    return d.activations[0](add(n.at(gatePart(n, x, k, d.size)), gatePart(n, own, k, d.size)));
  };
  Variable update = opened(0), reset = opened(1);
  Variable candidate = afterProduct ? mul(n.at(reset), gatePart(n, own, 2, d.size))
                                    : fromState(n, d, mul(n.at(reset), state.hidden), 2, 1);
  candidate = d.activations[1](add(n.at(gatePart(n, x, 2, d.size)), candidate));
  Variable rest = sub(n.at(n.scalar(1, x.dtype())), update);
  return {add(n.at(mul(n.at(rest), candidate)), mul(n.at(update), state.hidden)), {}};
}

/// Gates: input, output, forget, cell; peepholes: input, output, forget.
State lstmStep(OnnxNode &n, const Direction &d, const Variable &x, const State &state) {
  Variable gates = add(n.at(x), fromState(n, d, state.hidden, 0, 4));
  auto opened = [&](int64_t k, const Variable &cell) {
    Variable gate = gatePart(n, gates, k, d.size);
    if (d.peepholes.ok())
      gate = add(n.at(gate), mul(n.at(cell), gatePart(n, d.peepholes, k, d.size)));
    return d.activations[0](gate);
  };
  Variable input = opened(0, state.cell);
  Variable forget = n.getBool("input_forget", false) ? sub(n.at(n.scalar(1, x.dtype())), input)
                                                     : opened(2, state.cell);
  Variable candidate = d.activations[1](gatePart(n, gates, 3, d.size));
  Variable cell = add(n.at(mul(n.at(forget), state.cell)), mul(n.at(input), candidate));
  return {mul(n.at(opened(1, cell)), d.activations[2](cell)), cell};
}

struct Kind {
  int64_t gates;
  std::vector<std::string> activations;
  Step step;
  size_t clipped; // activations that the attribute clip stands in front of
  bool hasCell = false;
};

/// What one direction gives: all outputs [sequence, batch, hidden] and the last state.
struct Ran {
  Variable all;
  State last;
};

/// A step at element t of the sequence, if the sequence has that: a shorter one keeps its state and
/// gives 0. `lengths`: [batch, 1], or none.
std::pair<State, Variable> stepWithin(OnnxNode &n, const Kind &kind, const Direction &d,
                                      const Variable &x, const State &state,
                                      const Variable &lengths, const Operand &t) {
  State next = kind.step(n, d, x, state);
  if (!lengths.ok())
    return {next, next.hidden};
  Variable runs = gt(n.at(lengths), t);
  Variable output = where(n.at(runs), next.hidden, n.scalar(0, x.dtype()));
  next.hidden = where(n.at(runs), next.hidden, state.hidden);
  if (kind.hasCell)
    next.cell = where(n.at(runs), next.cell, state.cell);
  return {next, output};
}

/// x: [sequence, batch, gates * hidden].
Ran runDirection(OnnxNode &n, const Kind &kind, const Direction &d, const Variable &x, State state,
                 const Variable &lengths, bool backward) {
  int64_t steps = x.type().extent(0);
  if (steps != kDynamic && steps > 0 && steps <= kMostCopies) {
    Variables outputs(static_cast<size_t>(steps));
    for (int64_t i = 0; i < steps; ++i) {
      int64_t t = backward ? steps - 1 - i : i;
      Variable element = subtensor(n.at(x), {Index(t)});
      std::tie(state, outputs[size_t(t)]) =
          stepWithin(n, kind, d, element, state, lengths, Operand(t));
    }
    return {stack(outputs), state};
  }
  ScanOptions options{.sequences = {ScanSequence(x)}, .goBackwards = backward};
  options.name = std::string(n.op());
  if (lengths.ok())
    options.sequences.emplace_back(arange(extentTerm(n, x, 0)));
  const size_t firstState = options.sequences.size();
  options.outputs.emplace_back(n.at(state.hidden));
  if (kind.hasCell)
    options.outputs.emplace_back(n.at(state.cell));
  if (lengths.ok())
    options.outputs.push_back(ScanOutput::none());
  ScanResult loop = scan(
      [&](const Variables &arguments) {
        State before{arguments[firstState], kind.hasCell ? arguments[firstState + 1] : Variable()};
        auto [next, output] = stepWithin(n, kind, d, arguments[0], before, lengths,
                                         lengths.ok() ? n.at(arguments[1]) : Operand(0));
        Variables results = {next.hidden};
        if (kind.hasCell)
          results.push_back(next.cell);
        if (lengths.ok())
          results.push_back(output);
        return ScanStep(results);
      },
      options);
  Ran ran;
  const Variables &made = loop.outputs;
  ran.all = lengths.ok() ? made.back() : made[0];
  if (backward && ran.all.ok())
    ran.all = flip(n.at(ran.all), Axis(0));
  ran.last.hidden = lastOf(n, made[0], state.hidden);
  if (kind.hasCell)
    ran.last.cell = lastOf(n, made[1], state.cell);
  return ran;
}

/// The operator's inputs: X, W, R, B, sequence_lens, initial_h, initial_c, P.
Variables recurrent(OnnxNode &n, const Kind &kind) {
  bool batchFirst = n.getBool("layout", false);
  Variable x = n.in(0);
  if (!x.ok() || x.rank() != 3 || n.in(1).rank() != 3 || n.in(2).rank() != 3)
    return {n.fail(ErrorKind::TypeError, "X, W and R must have rank 3")};
  if (batchFirst)
    x = transpose(n.at(x), {1, 0, 2});
  int64_t directions = n.in(2).type().extent(0), size = n.in(2).type().extent(2);
  if (size == kDynamic && n.hasAttribute("hidden_size"))
    size = n.getSmallInt("hidden_size", 0);
  std::string direction = n.getString("direction", "forward");
  bool known = direction == "forward" || direction == "reverse" || direction == "bidirectional";
  const int64_t named = direction == "bidirectional" ? 2 : 1;
  if (directions == kDynamic)
    directions = named;
  if (!known || directions != named)
    return {n.fail(ErrorKind::ValueError,
                   "direction '" + direction + "' for R of " + n.in(2).type().brief())};
  if (size == kDynamic)
    return {n.unsupported("an unknown number of hidden units: R of " + n.in(2).type().brief() +
                          "; attribute hidden_size says it")};
  std::vector<RecurrentActivation> activations =
      recurrentActivations(n, kind.activations, size_t(directions), kind.clipped);
  if (!n.status().ok())
    return {};

  Operand batch = extentTerm(n, x, 1);
  auto stateOf = [&](size_t i, int64_t d) {
    if (!n.has(i))
      return full(shapeOf(n, {batch, Operand(size)}), n.at(n.scalar(0, x.dtype())));
    return batchFirst ? subtensor(n.arg(i), {Slice(), Index(d)}) : subtensor(n.arg(i), {Index(d)});
  };
  Variable lengths =
      n.has(4) ? dimshuffle(n.at(cast(n.arg(4), DType::Int64)), {0, -1}) : Variable();
  const int64_t half = kind.gates * size;
  Variables all, lastHidden, lastCell;
  for (int64_t k = 0; k < directions; ++k) {
    Direction d;
    d.size = size;
    Variable matrices = specifyShape(n.arg(2), {directions, kind.gates * size, size});
    d.recurrent = transpose(n.at(subtensor(n.at(matrices), {Index(k)})));
    Variable bias = n.has(3) ? subtensor(n.arg(3), {Index(k)})
                             : full(ShapeList({2 * half}), n.at(n.scalar(0, x.dtype())));
    d.stateBias = subtensor(n.at(bias), {Slice(half, kEnd)});
    if (n.has(7))
      d.peepholes = subtensor(n.arg(7), {Index(k)});
    size_t first = size_t(k) * kind.activations.size();
    d.activations.assign(activations.begin() + int64_t(first),
                         activations.begin() + int64_t(first + kind.activations.size()));
    Variable weights = transpose(n.at(subtensor(n.arg(1), {Index(k)})));
    Variable inputs =
        add(n.at(matmul(n.at(x), weights)), subtensor(n.at(bias), {Slice(kEnd, half)}));
    State initial{stateOf(5, k), kind.hasCell ? stateOf(6, k) : Variable()};
    Ran ran = runDirection(n, kind, d, inputs, initial, lengths, direction == "reverse" || k == 1);
    all.push_back(ran.all);
    lastHidden.push_back(ran.last.hidden);
    lastCell.push_back(ran.last.cell);
  }
  // [sequence, directions, batch, hidden], or with the batch in front.
  Variable results = stack(all, 1);
  if (batchFirst)
    results = transpose(n.at(results), {2, 0, 1, 3});
  Variables outputs = {results, stack(lastHidden, batchFirst ? 1 : 0)};
  if (kind.hasCell)
    outputs.push_back(stack(lastCell, batchFirst ? 1 : 0));
  return outputs;
}

Variables rnn(OnnxNode &n) {
  return recurrent(n, {.gates = 1, .activations = {"Tanh"}, .step = rnnStep, .clipped = 1});
}
Variables gru(OnnxNode &n) {
  return recurrent(n,
                   {.gates = 3, .activations = {"Sigmoid", "Tanh"}, .step = gruStep, .clipped = 2});
}
/// The cell's state is not clipped, as in onnxruntime.
Variables lstm(OnnxNode &n) {
  return recurrent(n, {.gates = 4,
                       .activations = {"Sigmoid", "Tanh", "Tanh"},
                       .step = lstmStep,
                       .clipped = 2,
                       .hasCell = true});
}

} // namespace

absl::Span<const Translation> recurrentTranslations() {
  constexpr std::string_view kLimits = "the number of hidden units must be known";
  static constexpr Translation kTable[] = {
      {"GRU", gru, 1, kLimits},
      {"LSTM", lstm, 1, kLimits},
      {"RNN", rnn, 1, kLimits},
  };
  return kTable;
}

} // namespace graphc
