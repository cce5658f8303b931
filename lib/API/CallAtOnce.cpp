//===- CallAtOnce.cpp - calls that are one call of code ---------------------===//
//
// Where a few kernels are all of a function (DirectRun.cpp), nothing is stored, and results share
// no memory with arguments, a call with arguments of just the inputs' types allocates its results
// and calls the code: the same code, results and counts as on the general way, which is taken where
// the call is more than that, and where it fails.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "API/FunctionState.h"
#include "Runtime/TensorRep.h"

namespace graphc {

bool Function::State::fillDirect(detail::BoundCall &call) const {
  const bool hasCode = runner().direct(call);
  for (const std::vector<Type> *types : {&signature.types, &outputTypes})
    for (const Type &type : *types)
      call.extents.insert(call.extents.end(), type.shape().begin(), type.shape().end());
  return hasCode;
}

void Function::State::prepareCode() {
  auto kindsOf = [](const std::vector<Type> &types) {
    std::vector<Kind> kinds;
    for (const Type &type : types)
      kinds.push_back({type.dtype(), size_t(type.rank())});
    return kinds;
  };
  inputKinds = kindsOf(signature.types);
  outputKinds = kindsOf(outputTypes);
  for (const Kind &kind : outputKinds)
    numOutputAxes += kind.rank;
  if (!invoker->isPlain() || invoker->mayShareMemory())
    return;
  if (fillDirect(code) && std::ranges::count(code.extents, kDynamic) > 0)
    code.code = nullptr; // that of a version may know what there is to allocate
}

/// The best code for arguments with extents for which `fits`; null for none.
template <class Fits> const detail::BoundCall *Function::State::codeFor(Fits fits) const {
  const detail::BoundCall *version =
      code.versions ? code.versions->load(std::memory_order_acquire) : nullptr;
  while (version && !fits(*version))
    version = version->next;
  return version || !code.code || !fits(code) ? version : &code;
}

bool Function::State::callCode(const detail::BoundCall &call, void **memory,
                               std::vector<Tensor> &results) const {
  results.resize(outputKinds.size());
  void **of = memory + inputKinds.size();
  const int64_t *extent = call.extents.data() + (call.extents.size() - numOutputAxes);
  for (size_t i = 0; i < results.size(); ++i) {
    const auto [dtype, rank] = outputKinds[i];
    absl::StatusOr<int64_t> bytes = shapeBytes(byteSize(dtype), {extent, rank});
    if (!bytes.ok() || !Tensor::Rep::allocate(results[i], dtype, {extent, rank}, *bytes))
      return false;
    *of++ = Tensor::Rep::of(results[i])->data;
    extent += rank;
  }
  if (!call.run(memory, size_t(of - memory)))
    return false;
  runner().countCall(call);
  if (&call == &code && code.versions)
    runner().countBound(call.extents);
  return true;
}

bool Function::State::callAtOnce(absl::Span<const Tensor *const> arguments,
                                 std::vector<Tensor> &results) const {
  if ((!code.code && !code.versions) || arguments.size() != inputKinds.size())
    return false;
  Memory memory(arguments.size() + outputKinds.size() + detail::BoundCall::kMoreBases);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor::Rep *argument = Tensor::Rep::of(*arguments[i]);
    if (!argument || argument->dtype != inputKinds[i].dtype ||
        argument->rank() != inputKinds[i].rank || !argument->contiguous)
      return false;
    memory[i] = argument->data; // it is only read
  }
  const detail::BoundCall *call = codeFor([&](const detail::BoundCall &call) {
    const int64_t *own = call.extents.data();
    for (const Tensor *argument : arguments)
      for (int64_t extent : Tensor::Rep::of(*argument)->shape())
        if (extent != *own++)
          return false;
    return true;
  });
  return call && callCode(*call, memory.data(), results);
}

bool Function::State::callAtOnce(absl::Span<const detail::NumberArgument> numbers,
                                 std::vector<Tensor> &results) const {
  if (!code.code || numbers.size() != inputKinds.size())
    return false;
  Memory memory(numbers.size() + outputKinds.size() + detail::BoundCall::kMoreBases);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (inputKinds[i].rank != 0 || numbers[i].dtype != inputKinds[i].dtype)
      return false;
    memory[i] = const_cast<char *>(numbers[i].value);
  }
  return callCode(*codeFor([](const detail::BoundCall &) { return true; }), memory.data(), results);
}

void Function::State::findVersion(absl::Span<const Tensor> arguments,
                                  const std::vector<Tensor> &results) const {
  if (!code.versions)
    return;
  absl::InlinedVector<int64_t, 64> extents;
  for (absl::Span<const Tensor> tensors : {arguments, absl::MakeConstSpan(results)})
    for (const Tensor &tensor : tensors)
      extents.insert(extents.end(), tensor.shape().begin(), tensor.shape().end());
  runner().findVersion(extents);
}

} // namespace graphc
