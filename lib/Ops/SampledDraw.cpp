//===- SampledDraw.cpp - draws that the host makes row by row ---------------===//
#include <string>

#include "Distributions.h"

namespace graphc {
namespace {

/// What the host is told besides arrays.
struct Rows {
  SampleRow sample;
  std::vector<int> rowRanks;
  bool drawsIntegers, hasRows;
  decltype(Distribution::prepareLast) prepareLast;
};

/// Walks over rows in row-major order and keeps the place of each parameter's elements for it.
class Places {
public:
  Places(const Rows &rows, absl::Span<const int64_t> shape, absl::Span<const Tensor> parameters)
      : shape_(shape), index_(shape.size(), 0) {
    for (size_t k = 0; k < parameters.size(); ++k) {
      absl::Span<const int64_t> own = parameters[k].shape();
      size_t rank = own.size() - size_t(rows.rowRanks[k]);
      int64_t stride = 1;
      for (size_t axis = rank; axis < own.size(); ++axis)
        stride *= own[axis];
      std::vector<int64_t> strides(shape.size(), 0);
      for (size_t axis = rank; axis-- > 0; stride *= own[axis])
        strides[axis + shape.size() - rank] = own[axis] == 1 ? 0 : stride;
      strides_.push_back(std::move(strides));
      at_.push_back(parameters[k].flat<double>().data());
      lengths_.push_back(rows.rowRanks[k] ? own.back() : 1);
    }
  }

  absl::Span<const double *const> at() const { return at_; }
  absl::Span<const int64_t> lengths() const { return lengths_; }
  void next() {
    for (size_t axis = shape_.size(); axis-- > 0;) {
      bool isLast = ++index_[axis] == shape_[axis];
      for (size_t k = 0; k < at_.size(); ++k)
        at_[k] += isLast ? strides_[k][axis] * (1 - shape_[axis]) : strides_[k][axis];
      if (!isLast)
        return;
      index_[axis] = 0;
    }
  }

private:
  absl::Span<const int64_t> shape_;
  std::vector<int64_t> index_, lengths_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<const double *> at_;
};

/// Inputs: the state and the parameters.
absl::Status sampleRows(const Rows &rows, absl::Span<const Tensor> inputs,
                        absl::Span<Tensor> outputs) {
  Tensor &draw = outputs[0];
  absl::Span<const int64_t> shape = draw.shape(), state = inputs[0].flat<int64_t>();
  int64_t length = rows.hasRows ? shape.back() : 1;
  if (draw.numElements() == 0)
    return absl::OkStatus();
  if (rows.hasRows)
    shape.remove_suffix(1);
  int64_t numRows = draw.numElements() / length;
  std::vector<Tensor> parameters(inputs.begin() + 1, inputs.end());
  if (rows.prepareLast) {
    Tensor &last = parameters.back();
    last = last.copy();
    int64_t n = last.shape().back();
    absl::Span<double> elements = last.mutableFlat<double>();
    for (; !elements.empty(); elements.remove_prefix(size_t(n * n)))
      if (std::string_view wrong = rows.prepareLast(elements.first(size_t(n * n)), n);
          !wrong.empty())
        return makeError(ErrorKind::ValueError, std::string(wrong));
  }
  Places places(rows, shape, parameters);
  absl::Span<double> floats;
  absl::Span<int64_t> integers;
  if (rows.drawsIntegers)
    integers = draw.mutableFlat<int64_t>();
  else
    floats = draw.mutableFlat<double>();
  for (int64_t row = 0; row < numRows; ++row, places.next()) {
    size_t first = size_t(row * length), n = size_t(length);
    SampledRow of{uint64_t(state[0]),
                  uint64_t(state[1]) + first,
                  places.at(),
                  places.lengths(),
                  rows.drawsIntegers ? absl::Span<double>() : floats.subspan(first, n),
                  rows.drawsIntegers ? integers.subspan(first, n) : absl::Span<int64_t>()};
    if (std::string_view wrong = rows.sample(of); !wrong.empty())
      return makeError(ErrorKind::ValueError, std::string(wrong));
  }
  return absl::OkStatus();
}

} // namespace

Array sampledDraw(const Distribution &d, Emitter &e, Array state, const Extents &shape,
                  const Arrays &parameters) {
  Arrays inputs = {state};
  for (size_t k = 0; k < parameters.size(); ++k)
    inputs.push_back(e.define(e.shape(parameters[k]), [&](Indices i) {
      Scalar x = cast(e.load(parameters[k], i), DType::Float64);
      for (const Requirement &requirement : d.requirements)
        if (requirement.parameter == int(k))
          e.check(requirement.holds(Scalars(parameters.size(), x)), ErrorKind::ValueError,
                  requirement.message);
      return x;
    }));
  Extents drawn = shape;
  if (d.rowLength)
    drawn.push_back(d.rowLength(e, parameters));
  Rows rows{d.sample, d.rowRanks, d.drawsIntegers, bool(d.rowLength), d.prepareLast};
  rows.rowRanks.resize(parameters.size(), 0);
  HostFunction host = [rows](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
    return sampleRows(rows, in, out);
  };
  DType dtype = d.drawsIntegers ? DType::Int64 : DType::Float64;
  return e.hostCall(host, inputs, {{dtype, drawn}})[0];
}

} // namespace graphc
