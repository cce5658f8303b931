//===- OnnxValue.cpp - what a name of a model stands for --------------------===//
#include "Import/OnnxValue.h"

namespace graphc {

std::string OnnxValue::brief() const {
  std::string optional = isOptional_ ? "an optional value" : "";
  switch (kind_) {
  case Kind::Nothing:
    return optional + " that is not there";
  case Kind::Tensor:
    return (isOptional_ ? optional + " of " : "") + elements_[0].type().brief();
  case Kind::Sequence:
    return (isOptional_ ? optional + " of " : "") + "a sequence of " +
           std::to_string(elements_.size()) + " " + std::string(dtypeName(dtype_));
  }
  return optional;
}

} // namespace graphc
