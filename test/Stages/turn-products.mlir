// Products along another loop than their last one (lib/Kernels/TurnProducts.cpp).
// RUN: graphc compile %s --entry=picture --emit=kernels | FileCheck %s --check-prefix=PICTURE
// RUN: graphc compile %s --entry=picture --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %s --entry=strided --emit=kernels | FileCheck %s --check-prefix=STRIDED
// RUN: graphc compile %s --entry=strided --emit=kernels --exclude=squares | FileCheck %s --check-prefix=GATHERED
// RUN: graphc run %s --entry=strided -i g=random[1,256,7,7] -i w=random[256,128,1,1] --full > %t
// RUN: graphc run %s --entry=strided -i g=random[1,256,7,7] -i w=random[256,128,1,1] --full --exclude=squares | diff %t -
// RUN: graphc run %s --entry=strided -i g=random[1,256,7,7] -i w=random[256,128,1,1] --full --target=x86-64-v3 | diff %t -
// RUN: graphc compile %s --entry=weights --emit=kernels | FileCheck %s --check-prefix=WEIGHTS
// RUN: graphc compile %s --entry=picture --emit=kernels --exclude=turn-products | FileCheck %s --check-prefix=WITHOUT
// RUN: graphc compile %s --entry=weights --emit=kernels --exclude=turn-products | FileCheck %s --check-prefix=WITHOUT
// RUN: graphc compile %s --entry=computed --emit=kernels | FileCheck %s --check-prefix=COMPUTED
// RUN: graphc compile %s --entry=pixels --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=PIXELS
// RUN: graphc compile %s --entry=pixels --emit=kernels --target=x86-64-v3 --exclude=row-tiles | FileCheck %s --check-prefix=PIXELS
// RUN: graphc compile %s --entry=pixels --emit=kernels --target=x86-64-v3 | FileCheck %s --check-prefix=TILES
// RUN: graphc compile %s --entry=few --emit=kernels --target=x86-64-v3 | FileCheck %s --check-prefix=FEW
// RUN: graphc compile %s --entry=converted --emit=kernels --target=x86-64-v3 | FileCheck %s --check-prefix=CONVERTED
// RUN: graphc run %s --entry=picture -i g=random[1,256,7,7] -i w=random[256,128,1,1] --full > %t
// RUN: graphc run %s --entry=picture -i g=random[1,256,7,7] -i w=random[256,128,1,1] --full --target=x86-64-v3 | diff %t -

// The gradient by the picture: 49 pixels are rows, channels are columns, and threads share the product. The result is
// transposed.
// PICTURE: kernel @mul_sum(%0: f32[n2, n0], %1: f32[n2, n1]) -> (%2: f32[n0, n1]) {
// PICTURE: %2[i0, i1] = sum.f32(i2) mul(%0[i2, i0], %1[i2, i1])
// PICTURE: kernel @copy(
// PICTURE-NEXT: for (i0 < n0, i1 < n1)
// PICTURE-NEXT: %1[i0, i1] = %0[i1, i0]
// PICTURE: kernel @mul_sum {{.*}} sizes [49, 128, 256]
// PICTURE-NEXT: kernel @copy

// With a stride, the result is transposed by a kernel of its own, whose squares are of 16 channels; what writes zeros
// between pixels, channel by channel, would gather them.
// STRIDED: kernel @copy(
// STRIDED-NOT: shared
// STRIDED: kernel @mod_eq_and(
// STRIDED-NOT: shared
// GATHERED: kernel @mod_eq_and({{.*}}local {{.*}} shared 1

// The first tile of rows copies what it reads of the right operand to the panel that other tiles read, and fetches what
// comes. One panel is copied at a time. In the copy there are squares, also where a line has fewer elements than a vector.
// LOOPS: func.func @graphc_mul_sum
// LOOPS: :32 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS: llvm.store {{.*}} vector<16xf32>
// LOOPS: llvm.intr.prefetch
// LOOPS: llvm.store {{.*}} vector<16xf32>
// LOOPS: llvm.intr.prefetch
// What is left of the rows (49 are three tiles of 14) is one tile of 7, or tiles of 4.
// LOOPS: :16 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-COUNT-14: math.fma
// LOOPS: :10 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-COUNT-8: math.fma
// LOOPS: func.func @graphc_copy
// LOOPS-COUNT-16: vector.load {{.*}} vector<16xf32>
// LOOPS-COUNT-16: vector.store
// LOOPS-COUNT-16: vector.load {{.*}} vector<16xf32>
// LOOPS-COUNT-16: vector.maskedstore

// The gradient by the weights: columns are window positions and, inside, channels. The picture is transposed, and then padded.
// WEIGHTS: kernel @copy(
// WEIGHTS: %1[i0, i1] = %0[i1, i0]
// WEIGHTS: kernel @add_ge_lt_and(
// WEIGHTS: kernel @mul_sum(
// WEIGHTS: sum.f32(i4, i5) mul(%0[add(i4, i1), add(i5, i2), i3], %1[i0, i4, i5])
// WEIGHTS: %1[i0, i1, i2] = %0[i0, i2, i1]
// WITHOUT-NOT: kernel @copy

// What is computed is computed once, and transposed then.
// COMPUTED: = exp(
// COMPUTED-NOT: = exp(

// 196 pixels are rows as well, but not where the other rows, which stand together, are copied tile by tile.
// PIXELS: kernel @copy(
// PIXELS: kernel @mul_sum {{.*}} sizes [196, 128, 256]
// TILES-NOT: kernel @copy
// TILES: kernel @mul_sum {{.*}} sizes [128, 196, 256]
// TILES-NOT: kernel @copy
// They are not copied so of fewer products than 2^22, nor if they are converted.
// FEW: kernel @mul_sum {{.*}} sizes [121, 128, 256]
// CONVERTED: kernel @cast_mul_sum {{.*}} sizes [196, 128, 256]
func.func @picture(%g: tensor<1x256x7x7xf32>, %w: tensor<256x128x1x1xf32>) -> tensor<1x128x7x7xf32> {
  %s = graph.constant dense<[1, 128, 7, 7]> : tensor<4xi64>
  %0 = graph.convInputGradient %g, %w, %s : (tensor<1x256x7x7xf32>, tensor<256x128x1x1xf32>, tensor<4xi64>) -> tensor<1x128x7x7xf32>
  return %0 : tensor<1x128x7x7xf32>
}
func.func @pixels(%g: tensor<1x256x14x14xf32>, %w: tensor<256x128x1x1xf32>) -> tensor<1x128x14x14xf32> {
  %s = graph.constant dense<[1, 128, 14, 14]> : tensor<4xi64>
  %0 = graph.convInputGradient %g, %w, %s : (tensor<1x256x14x14xf32>, tensor<256x128x1x1xf32>, tensor<4xi64>) -> tensor<1x128x14x14xf32>
  return %0 : tensor<1x128x14x14xf32>
}
func.func @few(%g: tensor<1x256x11x11xf32>, %w: tensor<256x128x1x1xf32>) -> tensor<1x128x11x11xf32> {
  %s = graph.constant dense<[1, 128, 11, 11]> : tensor<4xi64>
  %0 = graph.convInputGradient %g, %w, %s : (tensor<1x256x11x11xf32>, tensor<256x128x1x1xf32>, tensor<4xi64>) -> tensor<1x128x11x11xf32>
  return %0 : tensor<1x128x11x11xf32>
}
func.func @converted(%g: tensor<1x256x14x14xf32>, %w: tensor<256x128x1x1xf16>) -> tensor<1x128x14x14xf32> {
  %s = graph.constant dense<[1, 128, 14, 14]> : tensor<4xi64>
  %v = graph.cast %w {dtype = f32} : (tensor<256x128x1x1xf16>) -> tensor<256x128x1x1xf32>
  %0 = graph.convInputGradient %g, %v, %s : (tensor<1x256x14x14xf32>, tensor<256x128x1x1xf32>, tensor<4xi64>) -> tensor<1x128x14x14xf32>
  return %0 : tensor<1x128x14x14xf32>
}
func.func @strided(%g: tensor<1x256x7x7xf32>, %w: tensor<256x128x1x1xf32>) -> tensor<1x128x14x14xf32> {
  %s = graph.constant dense<[1, 128, 14, 14]> : tensor<4xi64>
  %0 = graph.convInputGradient %g, %w, %s {stride = [2, 2]} : (tensor<1x256x7x7xf32>, tensor<256x128x1x1xf32>, tensor<4xi64>) -> tensor<1x128x14x14xf32>
  return %0 : tensor<1x128x14x14xf32>
}
func.func @weights(%x: tensor<1x32x20x20xf32>, %g: tensor<1x16x20x20xf32>) -> tensor<16x32x3x3xf32> {
  %s = graph.constant dense<[16, 32, 3, 3]> : tensor<4xi64>
  %0 = graph.convKernelGradient %x, %g, %s {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x32x20x20xf32>, tensor<1x16x20x20xf32>, tensor<4xi64>) -> tensor<16x32x3x3xf32>
  return %0 : tensor<16x32x3x3xf32>
}
func.func @computed(%x: tensor<1x32x20x20xf32>, %g: tensor<1x16x18x18xf32>) -> (tensor<1x32x20x20xf32>, tensor<16x32x3x3xf32>) {
  %s = graph.constant dense<[16, 32, 3, 3]> : tensor<4xi64>
  %y = graph.tanh %x : (tensor<1x32x20x20xf32>) -> tensor<1x32x20x20xf32>
  %z = graph.exp %y : (tensor<1x32x20x20xf32>) -> tensor<1x32x20x20xf32>
  %0 = graph.convKernelGradient %z, %g, %s {filterFlip = false} : (tensor<1x32x20x20xf32>, tensor<1x16x18x18xf32>, tensor<4xi64>) -> tensor<16x32x3x3xf32>
  return %z, %0 : tensor<1x32x20x20xf32>, tensor<16x32x3x3xf32>
}
