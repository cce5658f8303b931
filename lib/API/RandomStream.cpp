//===- RandomStream.cpp - draws and streams of them ---------------------------===//
#include "API/StepDraws.h"
#include "Graph/PlaceScope.h"
#include "Ops/Build.h"
#include "Ops/CallScope.h"
#include "Support/Philox.h"
#include "graphc/Config.h"
#include "graphc/ControlFlow.h"
#include "graphc/Random.h"

namespace graphc {

Tensor randomState(int64_t seed, int64_t number) {
  Tensor state = *Tensor::zeros(DType::Int64, {2});
  state.mutableFlat<int64_t>()[0] = int64_t(philox::derivedKey(uint64_t(seed), uint64_t(number)));
  return state;
}

//===--- the explicit form ------------------------------------------------------------===//

namespace {

Draw draw(std::string_view distribution, const Variable &state,
          absl::Span<const Operand> parameters, const DrawOptions &options) {
  std::string op = drawOpName(distribution);
  const OpDef &def = *findOp(op);
  Attributes attributes;
  DType drawn =
      def.attributes[0].defaultValue == AttributeValue(DType::Int64) ? DType::Int64 : floatX();
  attributes.set("dtype", options.dtype.value_or(drawn));
  const Operand &first = parameters[0];
  if (options.reparameterized) {
    if (def.attributes.size() < 2) {
      Variable none = invalidAt(first, ErrorKind::NotSupported, op,
                                "the distribution has no reparameterised form");
      return {none, none};
    }
    attributes.set("reparameterized", true);
  }
  std::vector<Operand> operands = {Operand(state, first.place()), options.size.operand()};
  for (const Operand &parameter : parameters)
    operands.push_back(Operand(asVariable(parameter), parameter.place()));
  Variable value = build(builtin(op, attributes), operands);
  return {value.ok() ? value.owner().output(0) : value, value};
}

} // namespace

namespace random {

#define GRAPHC_DRAW_1(NAME, A)                                                                     \
  Draw NAME(const Variable &state, const Operand &A, const DrawOptions &options) {                 \
    return draw(#NAME, state, {A}, options);                                                       \
  }
#define GRAPHC_DRAW_2(NAME, A, B)                                                                  \
  Draw NAME(const Variable &state, const Operand &A, const Operand &B,                             \
            const DrawOptions &options) {                                                          \
    return draw(#NAME, state, {A, B}, options);                                                    \
  }
#define GRAPHC_DRAW_3(NAME, A, B, C)                                                               \
  Draw NAME(const Variable &state, const Operand &A, const Operand &B, const Operand &C,           \
            const DrawOptions &options) {                                                          \
    return draw(#NAME, state, {A, B, C}, options);                                                 \
  }
#define GRAPHC_DRAW_4(NAME, A, B, C, D)                                                            \
  Draw NAME(const Variable &state, const Operand &A, const Operand &B, const Operand &C,           \
            const Operand &D, const DrawOptions &options) {                                        \
    return draw(#NAME, state, {A, B, C, D}, options);                                              \
  }
GRAPHC_DISTRIBUTIONS(GRAPHC_DRAW_1, GRAPHC_DRAW_2, GRAPHC_DRAW_3, GRAPHC_DRAW_4)
#undef GRAPHC_DRAW_1
#undef GRAPHC_DRAW_2
#undef GRAPHC_DRAW_3
#undef GRAPHC_DRAW_4

} // namespace random

//===--- streams ------------------------------------------------------------------------===//

struct RandomStream::State {
  explicit State(int64_t seed) : seed(seed) {}
  int64_t seed;
  int64_t numSplit = 0;
  std::vector<SharedVariable> generators;
};

RandomStream::RandomStream(int64_t seed) : state_(std::make_shared<State>(seed)) {}

SharedVariable RandomStream::newGenerator(Place place) {
  const std::string number = std::to_string(state_->generators.size());
  Tensor value = randomState(state_->seed, int64_t(state_->generators.size()));
  SharedVariable generator =
      makeShared(value, "random." + std::to_string(state_->seed) + "." + number, {.shape = {{2}}},
                 PlaceScope::of(place));
  state_->generators.push_back(generator);
  return generator;
}

Variable RandomStream::advanced(const SharedVariable &generator, const Draw &draw) {
  if (draw.value.ok())
    if (absl::Status s = advanceGenerator(generator, draw.next); !s.ok())
      return Variable::invalid(s);
  return draw.value;
}

#define GRAPHC_DRAW_1(NAME, A)                                                                     \
  Variable RandomStream::NAME(const Operand &A, const DrawOptions &options) {                      \
    SharedVariable generator = newGenerator(A.place());                                            \
    return advanced(generator, random::NAME(generator, A, options));                               \
  }
#define GRAPHC_DRAW_2(NAME, A, B)                                                                  \
  Variable RandomStream::NAME(const Operand &A, const Operand &B, const DrawOptions &options) {    \
    SharedVariable generator = newGenerator(A.place());                                            \
    return advanced(generator, random::NAME(generator, A, B, options));                            \
  }
#define GRAPHC_DRAW_3(NAME, A, B, C)                                                               \
  Variable RandomStream::NAME(const Operand &A, const Operand &B, const Operand &C,                \
                              const DrawOptions &options) {                                        \
    SharedVariable generator = newGenerator(A.place());                                            \
    return advanced(generator, random::NAME(generator, A, B, C, options));                         \
  }
#define GRAPHC_DRAW_4(NAME, A, B, C, D)                                                            \
  Variable RandomStream::NAME(const Operand &A, const Operand &B, const Operand &C,                \
                              const Operand &D, const DrawOptions &options) {                      \
    SharedVariable generator = newGenerator(A.place());                                            \
    return advanced(generator, random::NAME(generator, A, B, C, D, options));                      \
  }
GRAPHC_DISTRIBUTIONS(GRAPHC_DRAW_1, GRAPHC_DRAW_2, GRAPHC_DRAW_3, GRAPHC_DRAW_4)
#undef GRAPHC_DRAW_1
#undef GRAPHC_DRAW_2
#undef GRAPHC_DRAW_3
#undef GRAPHC_DRAW_4

Variable RandomStream::uniform(const DrawOptions &options, std::source_location loc) {
  return uniform(Operand(0.0, Place(loc)), Operand(1.0, Place(loc)), options);
}

Variable RandomStream::normal(const DrawOptions &options, std::source_location loc) {
  return normal(Operand(0.0, Place(loc)), Operand(1.0, Place(loc)), options);
}

Variable RandomStream::permutation(const Operand &nOrArray) {
  CallScope scope(nOrArray);
  Operand n(asVariable(nOrArray), nOrArray.place());
  return n.variable().rank() == 0 ? permutation(n, n) : shuffle(n);
}

Variable RandomStream::shuffle(const Operand &x) {
  CallScope scope(x);
  Operand n(shape(x, 0), x.place());
  return take(x, permutation(n, n), {.axis = 0});
}

/// How many elements `choice` chooses from, where that is known; else kDynamic.
static int64_t knownCount(const Variable &from) {
  if (from.rank() > 0)
    return from.type().extent(0);
  std::optional<Constant> count = Constant::from(from);
  return count && isInteger(from.dtype()) ? count->data().item<int64_t>() : kDynamic;
}

/// The probabilities of n elements, of which `known` are known: a vector of so many.
static Variable probabilitiesOf(const Operand &n, int64_t known, const Variable &p) {
  if (!p.ok())
    return p;
  if (p.rank() != 1)
    return invalidAt(n, ErrorKind::ValueError, "choice",
                     "p must be a vector, not of rank " + std::to_string(p.rank()));
  if (int64_t given = p.type().extent(0); known != kDynamic && given != kDynamic && given != known)
    return invalidAt(n, ErrorKind::ValueError, "choice",
                     "p has " + std::to_string(given) + " probabilities for " +
                         std::to_string(known) + " elements");
  return assertTrue(p, eq(shape(p, 0), n),
                    "choice: there are not as many probabilities as elements",
                    ErrorKind::ValueError);
}

Variable RandomStream::choice(const Operand &a, const ChoiceOptions &options) {
  // Not that of p, which stands in the standard library where an option is made of a number.
  PlaceScope scope(a.place());
  Operand from(asVariable(a), a.place());
  if (!from.variable().ok())
    return from.variable();
  bool isCount = from.variable().rank() == 0;
  Operand n = isCount ? from : Operand(shape(from, 0), a.place());
  Variable p = options.p ? probabilitiesOf(n, knownCount(from.variable()), asVariable(*options.p))
                         : Variable(),
           positions;
  if (options.replace) {
    DrawOptions draw{.size = options.size};
    positions = options.p ? categorical(p, draw) : integers(0, n, draw);
  } else {
    Operand count(prod(options.size.operand().variable()), a.place());
    Variable chosen = options.p ? weightedPermutation(p, count) : permutation(n, count);
    positions = reshape(chosen, ShapeList(options.size));
  }
  return isCount ? positions : take(from, positions, {.axis = 0});
}

Variable RandomStream::dropout(const Operand &operand, double p) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  if (!(p >= 0 && p <= 1))
    return invalidAt(operand, ErrorKind::ValueError, "dropout",
                     "p must be a probability, not " + std::to_string(p));
  if (!isFloat(x.dtype()))
    x = cast(x, floatX());
  if (p == 0)
    return x;
  if (p == 1)
    return zerosLike(x);
  Variable isKept = bernoulli(1 - p, {.size = ShapeList(shape(x)), .dtype = DType::Int8});
  return where(isKept, x * (1 / (1 - p)), 0.0);
}

RandomStream RandomStream::split() {
  // Numbers of generators are not negative.
  uint64_t number = ~uint64_t(state_->numSplit++);
  return RandomStream(int64_t(philox::derivedKey(uint64_t(state_->seed), number)));
}

absl::Status RandomStream::seed(int64_t seed) {
  state_->seed = seed;
  state_->numSplit = 0;
  for (size_t k = 0; k < state_->generators.size(); ++k)
    if (absl::Status s = state_->generators[k].set(randomState(seed, int64_t(k))); !s.ok())
      return s;
  return absl::OkStatus();
}

std::vector<SharedVariable> RandomStream::generators() const { return state_->generators; }

std::vector<std::pair<SharedVariable, Variable>> RandomStream::stateUpdates() const {
  std::vector<std::pair<SharedVariable, Variable>> updates;
  for (const SharedVariable &generator : state_->generators)
    if (std::optional<Variable> update = generator.defaultUpdate())
      updates.emplace_back(generator, *update);
  return updates;
}

} // namespace graphc
