//===- ComplexArrays.cpp - complex arrays as two real ones, or one of pairs -----===//
#include "EmitterState.h"

namespace graphc {

std::pair<Array, Array> Emitter::parts(Array a) {
  State &s = *state_;
  const State::ComplexArray *c = s.complexOf(a);
  if (!c)
    return {a, Array()};
  if (c->re < 0) {
    Array pairs{c->pairs};
    Extents extents = shape(a);
    auto part = [&](int64_t which) {
      const Tensor &data = s.array(pairs).constant;
      if (!data.defined())
        return define(extents, [&](Indices i) {
          Scalars at(i.begin(), i.end());
          at.push_back(index(which));
          return load(pairs, at);
        });
      Tensor column = *data.slice(-1, which, 1, 1);
      return constant(*column.reshape(data.shape().first(data.shape().size() - 1)));
    };
    Array re = part(0), im = part(1);
    for (Array made : {re, im}) // what the type says of axes
      s.broadcastAxes[size_t(made.id)] = s.broadcastAxes[size_t(pairs.id)];
    State::ComplexArray &known = *s.complexOf(a); // `define` may have moved them
    known.re = re.id;
    known.im = im.id;
    c = &known;
  }
  return {Array{c->re}, Array{c->im}};
}

Array Emitter::complex(Array re, Array im) {
  DType part = dtype(re);
  if ((part != DType::Float32 && part != DType::Float64) || dtype(im) != part ||
      rank(re) != rank(im))
    state_->fail("a complex array of parts that are no float32 or float64 arrays of one rank");
  return state_->newComplex({.re = re.id, .im = im.id});
}

Array Emitter::interleaved(Array a) {
  State &s = *state_;
  const State::ComplexArray *c = s.complexOf(a);
  if (!c)
    return a;
  if (c->pairs >= 0)
    return {c->pairs};
  Array re{c->re}, im{c->im};
  Extents extents = shape(a);
  extents.push_back(size(2));
  Array pairs = define(extents, [&](Indices i) {
    Indices at = i.first(i.size() - 1);
    return select(i.back() < 1.0, load(re, at), load(im, at));
  });
  s.complexOf(a)->pairs = pairs.id;
  return pairs;
}

} // namespace graphc
