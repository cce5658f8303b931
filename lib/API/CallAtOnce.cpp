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

namespace graphc {

bool Function::State::fillDirect(detail::BoundCall &call) const {
  const bool hasCode = runner().direct(call);
  for (const std::vector<Type> *types : {&signature.types, &outputTypes})
    for (const Type &type : *types)
      call.extents.insert(call.extents.end(), type.shape().begin(), type.shape().end());
  return hasCode;
}

void Function::State::prepareCode() {
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
  return version || !code.code ? version : &code;
}

bool Function::State::callCode(const detail::BoundCall &call, Memory &memory,
                               std::vector<Tensor> &results) const {
  const int64_t *extent = call.extents.data() + call.extents.size();
  for (const Type &type : outputTypes)
    extent -= type.rank();
  for (size_t i = 0; i < outputTypes.size(); ++i) {
    const size_t rank = size_t(outputTypes[i].rank());
    absl::StatusOr<Tensor> result = Tensor::allocate(outputTypes[i].dtype(), {extent, rank});
    if (!result.ok())
      return false;
    results[i] = *std::move(result);
    memory.push_back(results[i].data());
    extent += rank;
  }
  const size_t numArguments = memory.size();
  memory.resize(numArguments + detail::BoundCall::kMoreBases);
  if (!call.run(memory.data(), numArguments))
    return false;
  runner().countCall(call);
  if (&call == &code && code.versions)
    runner().countBound(call.extents);
  return true;
}

bool Function::State::callAtOnce(absl::Span<const Tensor *const> arguments,
                                 std::vector<Tensor> &results) const {
  const std::vector<Type> &types = signature.types;
  if ((!code.code && !code.versions) || arguments.size() != types.size())
    return false;
  for (size_t i = 0; i < types.size(); ++i)
    if (!isOfType(*arguments[i], types[i]))
      return false;
  auto fits = [&](const detail::BoundCall &call) {
    const int64_t *own = call.extents.data();
    for (const Tensor *argument : arguments)
      for (int64_t extent : argument->shape())
        if (extent != *own++)
          return false;
    return true;
  };
  const detail::BoundCall *call = codeFor(fits);
  if (!call)
    return false;
  Memory memory;
  for (const Tensor *argument : arguments) {
    if (!argument->isContiguous())
      return false;
    memory.push_back(const_cast<void *>(argument->data())); // it is only read
  }
  results.resize(outputTypes.size());
  return callCode(*call, memory, results);
}

bool Function::State::callAtOnce(absl::Span<const detail::NumberArgument> numbers,
                                 std::vector<Tensor> &results) const {
  const std::vector<Type> &types = signature.types;
  if (!code.code || numbers.size() != types.size())
    return false;
  Memory memory;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].rank() != 0 || numbers[i].dtype != types[i].dtype())
      return false;
    memory.push_back(const_cast<char *>(numbers[i].value));
  }
  results.resize(outputTypes.size());
  return callCode(*codeFor([](const detail::BoundCall &) { return true; }), memory, results);
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
