//===- EmitterSizes.cpp - what emissions know of extents ------------------===//
#include <string>

#include "EmitterState.h"

namespace graphc {

const Type &Emitter::resultType(int i) const {
  static const Type &none = *new Type();
  if (i >= 0 && size_t(i) < state_->resultTypes.size())
    return state_->resultTypes[size_t(i)];
  state_->fail("there is no result " + std::to_string(i));
  return none;
}

DType Emitter::dtype(Array a) const {
  DType dtype = state_->array(state_->realOf(a)).dtype;
  return state_->complexOf(a) ? complexDType(dtype) : dtype;
}
int Emitter::rank(Array a) const {
  const State::ComplexArray *c = state_->complexOf(a);
  return int(state_->array(state_->realOf(a)).shape.size()) - state_->hiddenAxes(a) -
         (c && c->re < 0); // the pairs' own axis
}
Extent Emitter::size(int64_t value) { return {this, state_->sizes.constant(value)}; }

Extent Emitter::dim(Array a, int axis) {
  if (axis < 0 || axis >= rank(a)) {
    state_->fail("there is no axis " + std::to_string(axis) + " of " + std::to_string(rank(a)));
    return size(1);
  }
  size_t position = size_t(axis) + size_t(state_->hiddenAxes(a));
  return {this, state_->sizes.canonical(state_->array(state_->realOf(a)).shape[position])};
}

bool Emitter::broadcasts(Array a, int axis) const {
  return axis >= 0 && axis < rank(a) &&
         (state_->broadcastAxes[size_t(state_->realOf(a).id)] >> (axis + state_->hiddenAxes(a)) &
          1);
}

Extents Emitter::shape(Array a) {
  Extents result;
  for (int axis = 0; axis < rank(a); ++axis)
    result.push_back(dim(a, axis));
  return result;
}

Extent Emitter::numElements(Array a) {
  Extent n = size(1);
  for (Extent e : shape(a))
    n = n * e;
  return n;
}

Extent Emitter::element(Array a, Extent index) {
  State &s = *state_;
  DType dtype = this->dtype(a);
  if (isFloat(dtype) || isComplex(dtype)) {
    s.fail("an element of a " + std::string(dtypeName(dtype)) + " array is no size");
    return size(0);
  }
  const ArrayInfo &info = s.array(a);
  if (s.hiddenAxes(a)) {
    s.refuse("an extent, or a number of steps, would differ from slice to slice; results have one "
             "shape for all slices: pad to the longest one, and mask what is behind");
    return size(0);
  }
  if (std::optional<int64_t> i = constantValue(index); i && !info.elements.empty()) {
    if (*i >= 0 && *i < int64_t(info.elements.size()))
      return {this, s.sizes.canonical(info.elements[*i])};
    s.fail("there is no element " + std::to_string(*i) + " of " +
           std::to_string(info.elements.size()));
  }
  return {this, s.sizes.element(a.id, s.own(index))};
}

std::optional<int64_t> Emitter::constantValue(Extent e) const {
  return state_->sizes.constantValue(state_->own(e));
}

void Emitter::require(Extent a, Predicate predicate, Extent b, ErrorKind kind,
                      std::string_view message) {
  State &s = *state_;
  int32_t ia = s.own(a), ib = s.own(b);
  std::optional<int64_t> ca = constantValue(a), cb = constantValue(b);
  bool sure = predicate != Predicate::Less && ia == ib;
  if (ca && cb)
    sure = predicate == Predicate::Equal       ? *ca == *cb
           : predicate == Predicate::LessEqual ? *ca <= *cb
                                               : *ca < *cb;
  if (sure)
    return;
  s.record.sizeChecks.push_back({predicate, ia, ib, kind, std::string(message), s.node});
  if (predicate == Predicate::Equal && s.unifies)
    s.sizes.unify(ia, ib);
}

} // namespace graphc
