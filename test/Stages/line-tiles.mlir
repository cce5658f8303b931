// RUN: graphc compile %s --entry=main --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --entry=main --emit=kernels --target=x86-64-v3 | FileCheck %s --check-prefix=APART
// RUN: graphc compile %s --entry=main --emit=kernels --target=x86-64-v4 --exclude=line-tiles | FileCheck %s --check-prefix=APART
// RUN: graphc compile %s --entry=main --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %s --entry=main --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=HIDDEN
// RUN: graphc compile %s --entry=gradient --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=GRADIENT
// RUN: graphc compile %s --entry=long --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LONG
// RUN: graphc compile %s --entry=strided --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=STRIDED
// RUN: graphc compile %s --entry=wide --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: graphc compile %s --entry=ones --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: graphc compile %s --entry=last --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: graphc compile %s --entry=few --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: sed "s/31x/40x/g" %s | graphc compile - --entry=few --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: sed "s/x40x/x8x/g" %s | graphc compile - --entry=main --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: sed "s/x15x/x28x/g; s/3x3x/3x9x/g; s/1, 1, 1, 1/1, 1, 4, 4/g" %s | graphc compile - --entry=wide --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: sed "s/x15x/x28x/g" %s | graphc compile - --entry=wide --emit=kernels --target=x86-64-v4 | FileCheck %s --check-prefix=KERNELS

// The border that a map puts around a small picture is a condition of the sums that read it, with mask registers.
// KERNELS-COUNT-1: {{^}}kernel
// KERNELS-NOT: {{^}}kernel
// APART-COUNT-2: {{^}}kernel
// APART-NOT: {{^}}kernel

// Panels of 32 outputs, whose weights the runtime keeps where they are a constant, or that are copied: 16 terms of each
// output, transposed. A tile is a line of 9 pixels beside 2 vectors of outputs. Of the 3 x 3 positions of each channel, a
// loop does those of the lines that the picture has, and of these 8, 9 and 8 pixels are in the picture: 25 scalars for 2
// products each, and one vector of weights for 2. No mask is left but that of a result's line.
// LOOPS: graphc.kept = [array<i64: 1, 32, 4, 1, 1>, array<i64>]
// LOOPS: scf.for {{.*}} step %c1 
// LOOPS: scf.for {{.*}} step %c16
// LOOPS-COUNT-32: llvm.intr.masked.load
// LOOPS-COUNT-32: llvm.store
// LOOPS-NOT: llvm.store
// LOOPS: arith.maxsi
// LOOPS: arith.minsi
// LOOPS: :18 = scf.for
// LOOPS: :20 = scf.for
// LOOPS-COUNT-2: llvm.intr.prefetch
// LOOPS-NOT: llvm.intr.prefetch
// LOOPS-NOT: maskedload
// LOOPS-COUNT-50: math.fma
// LOOPS-NOT: math.fma
// LOOPS: vector.create_mask
// LOOPS-COUNT-32: vector.maskedstore
// LOOPS-NOT: vector.maskedstore

// Where the second and the third position have their pixels and weights, LLVM does not know: it would keep all in registers.
// HIDDEN-COUNT-4: llvm.inline_asm
// HIDDEN-NOT: llvm.inline_asm

// Its gradient with respect to the picture is done so, too. Its weights are pieces of nine elements of each output, which
// are copied by whole pieces; those of outputs to come are fetched.
// GRADIENT: func.func @graphc
// GRADIENT-NOT: graphc.kept
// GRADIENT-COUNT-32: llvm.intr.prefetch
// GRADIENT-COUNT-32: llvm.intr.masked.load
// GRADIENT-COUNT-18: llvm.store
// GRADIENT-NOT: llvm.store
// GRADIENT-COUNT-50: math.fma
// GRADIENT-NOT: math.fma

// 28 pixels, which the kernel knows, are two tiles of 14, whose pixel at the border reads a zero there.
// LONG: scf.for {{.*}} = %c0 to %c28 step %c14 {
// LONG: :30 = scf.for
// LONG-COUNT-2: arith.select {{.*}} : index
// LONG-NOT: arith.select {{.*}} : index
// LONG: vector.maskedstore

// 14 pixels at every second place are 116 bytes of a line: its first, another one, and its last cache line are fetched.
// STRIDED: :30 = scf.for
// STRIDED-COUNT-3: llvm.intr.prefetch
// STRIDED-NOT: llvm.intr.prefetch
// STRIDED-COUNT-82: math.fma

// Lines of which a tile would have too little, outputs that leave much of a panel free, short sums, many window positions in
// several tiles, borders of ones, and lines that are no last axis are done as before.
// WIDE-COUNT-2: {{^}}kernel
// WIDE-NOT: {{^}}kernel

func.func @main(%x: tensor<1x40x9x9xf32>, %w: tensor<62x40x3x3xf32>) -> tensor<1x62x9x9xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x40x9x9xf32>, tensor<62x40x3x3xf32>) -> tensor<1x62x9x9xf32>
  return %0 : tensor<1x62x9x9xf32>
}
func.func @wide(%x: tensor<1x40x9x15xf32>, %w: tensor<62x40x3x3xf32>) -> tensor<1x62x9x15xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x40x9x15xf32>, tensor<62x40x3x3xf32>) -> tensor<1x62x9x15xf32>
  return %0 : tensor<1x62x9x15xf32>
}
func.func @few(%x: tensor<1x40x9x9xf32>, %w: tensor<31x40x3x3xf32>) -> tensor<1x31x9x9xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x40x9x9xf32>, tensor<31x40x3x3xf32>) -> tensor<1x31x9x9xf32>
  return %0 : tensor<1x31x9x9xf32>
}
func.func @long(%x: tensor<1x40x28x28xf32>, %w: tensor<62x40x3x3xf32>) -> tensor<1x62x28x28xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x40x28x28xf32>, tensor<62x40x3x3xf32>) -> tensor<1x62x28x28xf32>
  return %0 : tensor<1x62x28x28xf32>
}
func.func @strided(%x: tensor<1x40x28x28xf32>, %w: tensor<62x40x3x3xf32>) -> tensor<1x62x14x14xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false, padding = [1, 1, 1, 1], stride = [2, 2]} : (tensor<1x40x28x28xf32>, tensor<62x40x3x3xf32>) -> tensor<1x62x14x14xf32>
  return %0 : tensor<1x62x14x14xf32>
}
func.func @ones(%x: tensor<1x40x9x9xf32>, %w: tensor<62x40x3x3xf32>) -> tensor<1x62x9x9xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %p = graph.pad %x, %one {widths = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x40x9x9xf32>, tensor<f32>) -> tensor<1x40x11x11xf32>
  %0 = graph.conv2d %p, %w {filterFlip = false} : (tensor<1x40x11x11xf32>, tensor<62x40x3x3xf32>) -> tensor<1x62x9x9xf32>
  return %0 : tensor<1x62x9x9xf32>
}
func.func @last(%x: tensor<1x9x9x40xf32>, %w: tensor<62x40x3x3xf32>) -> tensor<1x62x9x9xf32> {
  %t = graph.dimshuffle %x {order = [0, 3, 1, 2]} : (tensor<1x9x9x40xf32>) -> tensor<1x40x9x9xf32>
  %0 = graph.conv2d %t, %w {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x40x9x9xf32>, tensor<62x40x3x3xf32>) -> tensor<1x62x9x9xf32>
  return %0 : tensor<1x62x9x9xf32>
}
func.func @gradient(%g: tensor<1x64x9x9xf32>, %w: tensor<64x62x3x3xf32>) -> tensor<1x62x9x9xf32> {
  %s = graph.constant dense<[1, 62, 9, 9]> : tensor<4xi64>
  %0 = graph.convInputGradient %g, %w, %s {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x64x9x9xf32>, tensor<64x62x3x3xf32>, tensor<4xi64>) -> tensor<1x62x9x9xf32>
  return %0 : tensor<1x62x9x9xf32>
}
