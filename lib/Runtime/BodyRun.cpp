//===- BodyRun.cpp ----------------------------------------------------------===//
#include "Runtime/BodyRun.h"

#include "graphc/Type.h"

namespace graphc {

BodyRun::~BodyRun() {
  for (Lease &lease : leases_)
    if (lease.frame)
      body_.plans.giveBack(std::move(lease));
}

void BodyRun::fillDims(std::vector<SizeValue> &values) const {
  const std::vector<SizeNode> &nodes = body_.program.sizes;
  for (size_t id = 0; id < nodes.size(); ++id)
    if (nodes[id].op == SizeOp::Dim)
      values[id] = shapes_[size_t(nodes[id].a)][size_t(nodes[id].b)];
}

absl::Status BodyRun::start(std::vector<Plan::Shape> inputs) {
  const Program &program = body_.program;
  shapes_ = std::move(inputs);
  key_.push_back(0);
  for (size_t k = 0; k < shapes_.size(); ++k) {
    const std::vector<int64_t> &expected = program.inputs[k].shape;
    const auto seen = absl::MakeConstSpan(shapes_[k]).first(expected.size()); // without parts' axis
    for (size_t axis = 0; axis < expected.size(); ++axis) {
      key_.push_back(shapes_[k][axis]);
      if (expected[axis] >= 0 && expected[axis] != shapes_[k][axis])
        return makeError(ErrorKind::ShapeError,
                         "input " + std::to_string(k) + " of a body: expected " +
                             Type(program.inputs[k].dtype, expected).brief() + ", got " +
                             Type(program.inputs[k].dtype, seen).brief());
    }
  }
  numExtents_ = key_.size();
  const ProgramLayout &layout = body_.layout;
  leases_.resize(layout.segments.size());
  isSteady_ = layout.segments.size() == 1 && layout.segments[0].readSizes.empty();
  return isSteady_ ? lease(0) : absl::OkStatus();
}

absl::Status BodyRun::lease(int32_t segment) {
  Lease &current = leases_[size_t(segment)];
  if (current.frame && absl::MakeConstSpan(current.cached->key) == absl::MakeConstSpan(key_))
    return absl::OkStatus();
  if (current.frame)
    body_.plans.giveBack(std::move(current));
  absl::StatusOr<Lease> leased =
      body_.plans.lease(segment, key_, threads_, [&](std::vector<SizeValue> &values) {
        if (isSteady_ || (segment == 0 && sizes_.empty()))
          fillDims(values);
        else
          values = sizes_;
      });
  if (!leased.ok())
    return leased.status();
  current = *std::move(leased);
  return absl::OkStatus();
}

absl::StatusOr<void *> BodyRun::memoryApart(size_t output, absl::Span<const int64_t> shape) {
  const Program &p = body_.program;
  absl::StatusOr<Tensor> made =
      Tensor::allocate(p.arrays[size_t(body_.layout.outputRoot[output])].dtype, shape);
  if (!made.ok())
    return made.status();
  return apart_.emplace_back(*std::move(made)).data();
}

absl::Status BodyRun::run(absl::Span<void *const> inputs, Place place) {
  const Program &program = body_.program;
  const ProgramLayout &layout = body_.layout;
  outputs_.assign(program.outputs.size(), nullptr);
  key_.resize(numExtents_);
  for (int32_t k = 0; k < int32_t(layout.segments.size()); ++k) {
    const ProgramLayout::Segment &segment = layout.segments[size_t(k)];
    if (!isSteady_) {
      key_[0] = k;
      if (k > 0) {
        sizes_ = leases_[size_t(k) - 1].plan().sizes;
      } else {
        sizes_.assign(program.sizes.size(), 0);
        fillDims(sizes_);
      }
      if (absl::Status s = readElements(program, layout, k, inputs, arrays_, sizes_); !s.ok())
        return s;
      for (int32_t id : segment.readSizes)
        if (program.sizes[size_t(id)].op == SizeOp::Element)
          key_.push_back(int64_t(sizes_[size_t(id)]));
      if (absl::Status s = lease(k); !s.ok())
        return s;
    }
    const Lease &current = leases_[size_t(k)];
    for (int32_t output : segment.outputs) {
      const Program::Array &root = program.arrays[size_t(layout.outputRoot[size_t(output)])];
      absl::StatusOr<void *> at = place(size_t(output), current.plan().shapeOf(root));
      if (!at.ok())
        return at.status();
      outputs_[size_t(output)] = *at;
    }
    current.frame->setInputs(inputs);
    current.frame->setOutputs(outputs_);
    current.frame->setEarlier(arrays_);
    if (absl::Status s = body_.runSegment(k, current, threads_, profile_); !s.ok())
      return s;
    body_.noteArrays(current, outputs_, arrays_);
  }
  return absl::OkStatus();
}

} // namespace graphc
