//===- Checkpoint.cpp - values of shared variables in files -----------------===//
#include "absl/container/flat_hash_set.h"
#include "graphc/Optim.h"
#include "graphc/Status.h"
#include "graphc/Type.h"

namespace graphc {
namespace {

absl::Status checkNames(std::string_view who, absl::Span<const SharedVariable> values) {
  absl::flat_hash_set<std::string_view> names;
  for (const SharedVariable &value : values) {
    if (!value.ok())
      return value.status();
    if (value.name().empty())
      return makeError(ErrorKind::ValueError,
                       std::string(who) + ": a shared variable of " + value.type().brief() +
                           " has no name; shared(value, \"name\") gives it one",
                       value.place());
    if (!names.insert(value.name()).second)
      return makeError(ErrorKind::ValueError,
                       std::string(who) + ": two shared variables have the name '" +
                           std::string(value.name()) + "'",
                       value.place());
  }
  return absl::OkStatus();
}

/// NPY knows no bfloat16; float32 has all its values.
DType dtypeInFile(DType dtype) { return dtype == DType::BFloat16 ? DType::Float32 : dtype; }

/// In the dtype of the file, or back.
absl::StatusOr<Tensor> asDType(const Tensor &value, DType dtype) {
  return value.dtype() == dtype ? value : value.cast(dtype);
}

} // namespace

absl::Status saveCheckpoint(const std::string &path, absl::Span<const SharedVariable> values) {
  if (absl::Status s = checkNames("saveCheckpoint", values); !s.ok())
    return s;
  std::map<std::string, Tensor> tensors;
  for (const SharedVariable &value : values) {
    Tensor now = value.get({.borrow = true});
    absl::StatusOr<Tensor> filed = asDType(now, dtypeInFile(now.dtype()));
    if (!filed.ok())
      return filed.status();
    tensors.emplace(value.name(), *std::move(filed));
  }
  return saveNpz(path, tensors);
}

absl::Status loadCheckpoint(const std::string &path, absl::Span<const SharedVariable> values) {
  if (absl::Status s = checkNames("loadCheckpoint", values); !s.ok())
    return s;
  absl::StatusOr<std::map<std::string, Tensor>> tensors = loadNpz(path);
  if (!tensors.ok())
    return tensors.status();
  for (const SharedVariable &value : values) {
    std::string name(value.name());
    auto found = tensors->find(name);
    if (found == tensors->end())
      return makeError(ErrorKind::KeyError, path + ": there is no value of '" + name + "'",
                       value.place());
    Tensor now = value.get({.borrow = true});
    Tensor &then = found->second;
    const DType dtype = dtypeInFile(now.dtype());
    if (then.dtype() != dtype || then.shape() != now.shape())
      return makeError(then.dtype() == dtype ? ErrorKind::ShapeError : ErrorKind::TypeError,
                       path + ": the value of '" + name + "' is " +
                           Type(then.dtype(), then.shape()).brief() + ", expected " +
                           Type(dtype, now.shape()).brief(),
                       value.place());
    absl::StatusOr<Tensor> own = asDType(then, now.dtype());
    if (!own.ok())
      return own.status();
    then = *std::move(own);
  }
  for (const SharedVariable &value : values)
    if (absl::Status s = value.set(tensors->at(std::string(value.name())), {.borrow = true});
        !s.ok())
      return s;
  return absl::OkStatus();
}

} // namespace graphc
