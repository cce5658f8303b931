//===- OneDnn.h - oneDNN's primitives -----------------------------*- C++ -*-===//
//
// Linked where CMake finds oneDNN 2 (Debian's libdnnl-dev); each function gives nothing without it.
// Primitives are made once, as its users make them, and run again and again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

#include "Compare.h"
#include "Convolution.h"
#include "OpenBlas.h"

namespace graphc::bench {

/// Its version, or empty.
std::string oneDnnVersion();

/// Float32, or BFloat16 with a result of dtype `result`.
std::vector<Hand> oneDnnProduct(const Product &product, const Tensor &a, const Tensor &b,
                                DType result, const Settings &settings);
/// Over the rows of a matrix.
std::vector<Hand> oneDnnSoftmax(const Tensor &x, const Settings &settings);
std::vector<Hand> oneDnnLayerNorm(const Tensor &x, const Tensor &g, const Tensor &b,
                                  const Settings &settings);
/// relu(convolution + b) from a row-major picture to a row-major result, in the layout that oneDNN
/// chooses between; weights are brought into its layout once, before.
std::vector<Hand> oneDnnConvolution(const Convolution &shape, const Tensor &x, const Tensor &w,
                                    const Tensor &b, const Settings &settings);
/// The gradient of a convolution with respect to its picture, from that of its result and the
/// weights; or to its weights, from picture and gradient. As above: row-major but for the weights
/// that it is given.
std::vector<Hand> oneDnnPictureGradient(const Convolution &shape, const Tensor &g, const Tensor &w,
                                        const Settings &settings);
std::vector<Hand> oneDnnWeightGradient(const Convolution &shape, const Tensor &x, const Tensor &g,
                                       const Settings &settings);

} // namespace graphc::bench
