//===- Bind.cpp - typed calls ---------------------------------------------===//
#include <algorithm>
#include <new>

#include "API/FunctionState.h"
#include "Runtime/Executable.h"
#include "Support/NoMemory.h"
#include "Support/Text.h"
#include "absl/container/inlined_vector.h"

namespace graphc {

static std::string described(const detail::BoundArgument &a) {
  std::vector<int64_t> shape(size_t(a.rank), kDynamic);
  return Type(a.dtype, shape).brief();
}

using BoundArguments = std::vector<detail::BoundArgument>;

/// "(f64, f32[?]) -> f64".
static std::string signatureText(const BoundArguments &inputs, const BoundArguments &outputs) {
  return "(" + join(inputs, ", ", described) + ") -> " + join(outputs, ", ", described);
}
static std::string functionText(const Signature &signature, const std::vector<Type> &outputs) {
  std::string inputs;
  for (size_t i = 0; i < signature.types.size(); ++i) {
    const std::string &name = signature.names[i];
    inputs += (i ? ", " : "") + (name.empty() ? "" : name + ": ") + signature.types[i].brief();
  }
  return signature.function + "(" + inputs + ") -> " +
         join(outputs, ", ", [](const Type &type) { return type.brief(); });
}

/// What is wrong with a signature's inputs or outputs, one by one against the function's; or "".
static std::string mistake(const BoundArguments &bound, const std::vector<Type> &types,
                           std::string_view what) {
  if (bound.size() != types.size())
    return "the signature has " + counted(bound.size(), what) + ", the function " +
           std::to_string(types.size());
  for (size_t i = 0; i < bound.size(); ++i)
    if (bound[i].dtype != types[i].dtype() || bound[i].rank != types[i].rank())
      return std::string(what) + " " + std::to_string(i) + " is " + types[i].brief() +
             ", the signature has " + described(bound[i]);
  return "";
}

absl::StatusOr<detail::BoundCall>
Function::prepare(absl::Span<const detail::BoundArgument> arguments, bool returnsStatus) const {
  if (!state_)
    return noFunction("the Function to bind");
  BoundArguments inputs, outputs;
  for (const detail::BoundArgument &a : arguments) {
    if (!a.isOutput && !outputs.empty())
      return makeError(ErrorKind::TypeError,
                       "bind: an input stands after an output; Views of const are inputs");
    (a.isOutput ? outputs : inputs).push_back(a);
  }
  std::string wrong = mistake(inputs, state_->signature.types, "input");
  if (wrong.empty())
    wrong = mistake(outputs, state_->outputTypes, "output");
  if (!wrong.empty())
    return makeError(
        ErrorKind::TypeError,
        "bind: " + wrong + "\n  the signature: " + signatureText(inputs, outputs) +
            "\n  the function: " + functionText(state_->signature, state_->outputTypes));
  // Views need not have the right extents, nor be at a proper address.
  bool canFail = false;
  for (const detail::BoundArgument &a : arguments)
    canFail |= a.isView;
  if (!returnsStatus && (canFail || state_->runner().canFail()))
    return makeError(ErrorKind::TypeError, "bind: the function can fail while it runs; let the "
                                           "signature return absl::Status");
  detail::BoundCall call;
  if (state_->invoker->isPlain())
    state_->fillDirect(call);
  call.owner = state_;
  return call;
}

/// Whether two elements may have one place: sorted by stride, an axis must step over all that the
/// axes before it reach.
static bool meetsItself(const Tensor &t) {
  std::vector<std::pair<int64_t, int64_t>> axes; // distance, last index
  for (int axis = 0; axis < t.rank(); ++axis)
    if (int64_t extent = t.shape()[size_t(axis)]; extent > 1)
      axes.emplace_back(std::abs(t.strides()[size_t(axis)]), extent - 1);
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (auto [distance, last] : axes) {
    if (distance <= reach)
      return t.numElements() > 0;
    reach += distance * last;
  }
  return false;
}

/// Executable::runAtOnce, where the arguments are as that wants them.
static bool runAtOnce(const Function::State &state, absl::Span<void *const> memory,
                      absl::Span<const int64_t *const> shapes,
                      absl::Span<const int64_t *const> strides) {
  if (!state.invoker->isPlain())
    return false;
  absl::InlinedVector<int64_t, 64> extents;
  using Bytes = std::pair<uintptr_t, uintptr_t>; // the first, and one past the last
  absl::InlinedVector<Bytes, 8> places;
  size_t inputExtents = 0;
  for (const std::vector<Type> *types : {&state.signature.types, &state.outputTypes}) {
    for (const Type &type : *types) {
      const size_t i = places.size();
      int64_t elements = 1;
      for (int axis = type.rank() - 1; axis >= 0; --axis) {
        int64_t extent = shapes[i][axis];
        if ((extent != 1 && strides[i][axis] != elements) || extent <= 0 ||
            __builtin_mul_overflow(elements, extent, &elements))
          return false;
      }
      extents.insert(extents.end(), shapes[i], shapes[i] + type.rank());
      auto first = reinterpret_cast<uintptr_t>(memory[i]);
      if (!first || first % size_t(byteSize(realDType(type.dtype()))) != 0)
        return false;
      places.emplace_back(first, first + size_t(elements) * size_t(byteSize(type.dtype())));
    }
    if (types == &state.signature.types)
      inputExtents = extents.size();
  }
  for (size_t output = state.signature.types.size(); output < places.size(); ++output)
    for (size_t other = 0; other < places.size(); ++other)
      if (other != output && places[other].first < places[output].second &&
          places[output].first < places[other].second)
        return false;
  absl::Span<const int64_t> all = extents;
  return state.runner().runAtOnce(memory, all.first(inputExtents), all.subspan(inputExtents));
}

static absl::Status runBound(const Function::State &state, absl::Span<void *const> memory,
                             absl::Span<const int64_t *const> shapes,
                             absl::Span<const int64_t *const> strides) {
  if (runAtOnce(state, memory, shapes, strides))
    return absl::OkStatus();
  auto borrow = [&](size_t i, const Type &type) {
    size_t rank = size_t(type.rank());
    return Tensor::borrow(type.dtype(), memory[i], {shapes[i], rank}, {strides[i], rank});
  };
  size_t numInputs = state.signature.types.size();
  using Tensors = absl::InlinedVector<Tensor, 4>; // allocates nothing in most calls
  Tensors inputs;
  for (size_t i = 0; i < numInputs; ++i) {
    absl::StatusOr<Tensor> input = borrow(i, state.signature.types[i]);
    if (!input.ok())
      return input.status();
    inputs.push_back(*std::move(input));
  }
  if (!fit(state.signature, inputs))
    return bindArguments(state.signature, {inputs.begin(), inputs.end()}, {}, /*asTheyAre=*/true)
        .status();
  Tensors places;
  for (size_t i = 0; i < state.outputTypes.size(); ++i) {
    absl::StatusOr<Tensor> place = borrow(numInputs + i, state.outputTypes[i]);
    if (!place.ok())
      return place.status();
    if (meetsItself(*place))
      return makeError(ErrorKind::ValueError,
                       "output " + std::to_string(i) +
                           ": elements of the caller's memory share a place; "
                           "give a View whose strides keep them apart");
    places.push_back(*std::move(place));
  }
  // Where it is safe, results are computed in the caller's memory.
  Tensors results(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    auto meets = [&](const Tensor &other) { return places[i].overlaps(other); };
    bool apart = std::none_of(inputs.begin(), inputs.end(), meets);
    for (size_t k = 0; k < places.size(); ++k)
      apart = apart && (k == i || !meets(places[k]));
    if (apart)
      results[i] = places[i];
  }
  auto check = [&](size_t i, absl::Span<const int64_t> shape) {
    const Tensor &place = places[i];
    return place.shape() == shape
               ? absl::OkStatus()
               : makeError(ErrorKind::ShapeError, "output " + std::to_string(i) + " is " +
                                                      Type(place.dtype(), shape).brief() +
                                                      ", the caller's memory " +
                                                      Type(place.dtype(), place.shape()).brief());
  };
  bool areKnown = true;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!state.outputTypes[i].hasStaticShape())
      areKnown = false;
    else if (absl::Status status = check(i, state.outputTypes[i].shape()); !status.ok())
      return status;
  }
  auto accept = [&](absl::Span<const Tensor> made) {
    for (size_t i = 0; i < places.size(); ++i)
      if (absl::Status status = check(i, made[i].shape()); !status.ok())
        return status;
    return absl::OkStatus();
  };
  const Invoker::Accept accepted(accept);
  if (absl::Status status = state.invoker->run(inputs, absl::MakeSpan(results), OutputMemory::Given,
                                               areKnown ? nullptr : &accepted);
      !status.ok())
    return status;
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor &place = places[i];
    if (place.data() == results[i].data())
      continue;
    if (absl::Status status = place.assign(results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

void detail::BoundCall::count() const noexcept {
  const auto &runner = static_cast<const Function::State *>(owner.get())->runner();
  try {
    runner.countBound(extents);
  } catch (const std::bad_alloc &) {
    return; // a count that is lost does no harm
  }
}

absl::Status detail::BoundCall::run(absl::Span<void *const> memory,
                                    absl::Span<const int64_t *const> shapes,
                                    absl::Span<const int64_t *const> strides) const {
  if (!owner)
    return noFunction("the typed call");
  return unlessNoMemory(
      [&] {
        return runBound(*static_cast<const Function::State *>(owner.get()), memory, shapes,
                        strides);
      },
      noMemoryForCall);
}

} // namespace graphc
