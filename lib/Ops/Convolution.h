//===- Ops/Convolution.h - what convolutions and their gradients share -*- C++ -*-===//
#pragma once

#include "Windows.h"

namespace graphc {

/// What a convolution's attributes say.
struct Geometry {
  int axes;
  IntList stride, dilation;
  int64_t groups;
  bool flip;

  explicit Geometry(const Attributes &attributes, int axes)
      : axes(axes), stride(perAxis(attributes, "stride", axes, 1)),
        dilation(perAxis(attributes, "dilation", axes, 1)), groups(attributes.integer("groups")),
        flip(attributes.boolean("filterFlip")) {}
};

/// Extent that a dilated kernel covers.
Extent covered(Extent kernel, int64_t dilation);
/// Padding in front of and behind spatial axis k.
std::pair<Extent, Extent> paddingOf(Emitter &e, const Attributes &attributes, int axes, int k,
                                    Extent coveredExtent);

/// Channels per group of the operand and outputs per group.
struct Groups {
  int64_t count;
  Extent channels, outputs;
  bool isOne() const { return count == 1; }
};

/// {first} or {groups, perGroup}: so all indices stay affine.
inline void appendGrouped(Emitter &e, Extents &extents, const Groups &groups, Extent perGroup) {
  if (!groups.isOne())
    extents.push_back(e.size(groups.count));
  extents.push_back(perGroup);
}

inline ReduceOptions joinedIn(DType dtype, DType result) {
  return {.result = result, .accumulator = dtype};
}

/// Emissions of convInputGradient and convKernelGradient.
Arrays inputGradientEmission(Emitter &e, const Arrays &in, const Attributes &attributes);
Arrays kernelGradientEmission(Emitter &e, const Arrays &in, const Attributes &attributes);

} // namespace graphc
