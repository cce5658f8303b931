//===- Windows.cpp ---------------------------------------------------------===//
#include "Windows.h"

#include "Support/Text.h"

namespace graphc {

IntList perAxis(const Attributes &attributes, std::string_view name, int count, int64_t otherwise) {
  const IntList &list = attributes.ints(name);
  return list.empty() ? IntList(count, otherwise) : list;
}

absl::Status checkPerAxis(const Attributes &attributes, std::string_view name, int count,
                          int64_t least) {
  const IntList &list = attributes.ints(name);
  if (!list.empty() && int(list.size()) != count)
    return makeError(ErrorKind::ValueError, std::string(name) + " must have " +
                                                counted(size_t(count), "number") + ", not " +
                                                std::to_string(list.size()));
  for (int64_t value : list)
    if (value < least)
      return makeError(ErrorKind::ValueError, std::string(name) + " must be at least " +
                                                  std::to_string(least) + ", not " +
                                                  std::to_string(value));
    else if (value > kMaxWidth)
      return makeError(ErrorKind::ValueError, std::string(name) + " must be at most " +
                                                  std::to_string(kMaxWidth) + ", not " +
                                                  std::to_string(value));
  return absl::OkStatus();
}

Extent windowCount(Extent extent, Extent window, int64_t stride) {
  return floorDiv(extent - window, extent.emitter()->size(stride)) + 1;
}

Array padTrailing(Emitter &e, Array x, const Extents &front, const Extents &back, double fill) {
  int first = e.rank(x) - int(front.size());
  Extents shape = e.shape(x);
  bool adds = false;
  for (size_t k = 0; k < front.size(); ++k) {
    adds |= e.constantValue(front[k]) != 0 || e.constantValue(back[k]) != 0;
    shape[first + k] = shape[first + k] + front[k] + back[k];
  }
  if (!adds)
    return x;
  return e.define(shape, [&](Indices i) {
    Scalars at(i.begin(), i.end());
    Scalar inside = e.literal(DType::Bool, 1);
    bool any = false;
    auto also = [&](Scalar condition) {
      inside = any ? inside && condition : condition;
      any = true;
    };
    for (size_t k = 0; k < front.size(); ++k) {
      int axis = first + int(k);
      at[axis] = i[axis] - e.scalar(front[k]);
      if (e.constantValue(front[k]) != 0)
        also(at[axis] >= 0.0);
      if (e.constantValue(back[k]) != 0)
        also(at[axis] < e.scalar(e.dim(x, axis)));
    }
    return e.loadIf(inside, x, at, e.literal(e.dtype(x), fill));
  });
}

} // namespace graphc
