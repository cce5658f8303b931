// What follows a product, and is read with a border around it, stays with the product; the border is added line by line, also with
// mask registers.
// RUN: split-file %s %t && cd %t
// RUN: graphc compile conv.mlir --emit=kernels | FileCheck %s
// RUN: graphc compile conv.mlir --emit=loops --target=x86-64-v4 | sed '1,/@graphc_add_ge_lt_and/d' | FileCheck %s --check-prefix=LINES
// RUN: graphc compile conv.mlir --emit=loops --target=x86-64-v4 --exclude=pads | sed '1,/@graphc_add_ge_lt_and/d' | FileCheck %s --check-prefix=MASKS

// CHECK: kernel @mul_sum
// CHECK: %[[SUMS:[0-9]+]][i0, i1] = sum.f32(
// CHECK: [[SUM:v[0-9]+]] = add(%[[SUMS]][i0, i1], %2[i0])
// CHECK-NEXT: = select(le([[SUM]], 0.0), 0.0, [[SUM]])
// CHECK: kernel @add_ge_lt_and
// CHECK-NOT: add(%
// CHECK: = (and(and(and(ge({{.*}} ? %0[i0, {{v[0-9]+}}, {{v[0-9]+}}] : 0.0)
// CHECK-NEXT: }
// CHECK: kernel @mul_sum

// LINES: scf.if
// LINES-NOT: maskedload
// LINES: vector.load {{.*}} vector<16xf32>
// LINES-NOT: maskedload
// LINES: func.func
// MASKS: vector.maskedload
// MASKS: func.func

// Pictures of a batch, and a border on one side alone, are no different.
// RUN: graphc compile batch.mlir --emit=kernels | FileCheck %s --check-prefix=BATCH
// BATCH: kernel @mul_sum
// BATCH: = select(le(
// BATCH: kernel @
// BATCH-NOT: le(
// BATCH: kernel @mul_sum

// Not what reads other arrays, sums that the program wants, too, or others wait to read, or what takes more memory than they.
// RUN: graphc compile other.mlir --emit=kernels | FileCheck %s --check-prefix=OTHER
// RUN: graphc compile wanted.mlir --emit=kernels | FileCheck %s --check-prefix=OTHER
// RUN: graphc compile wanted.mlir --emit=kernels | FileCheck %s --check-prefix=PLAIN
// RUN: graphc compile wider.mlir --emit=kernels | FileCheck %s --check-prefix=OTHER
// RUN: graphc compile wider.mlir --emit=kernels | FileCheck %s --check-prefix=PLAIN
// RUN: graphc compile waiting.mlir --emit=kernels | FileCheck %s --check-prefix=PLAIN
// PLAIN: {{^}}kernel @mul_sum(
// PLAIN: {{^}}kernel @
// OTHER-COUNT-2: {{^}}kernel @
// OTHER: ? {{.*}} : 0.0)
// OTHER-NOT: {{^}}kernel @

//--- conv.mlir
func.func @main(%x: tensor<1x?x?x?xf32>, %w: tensor<?x?x1x1xf32>, %b: tensor<?x1x1xf32>, %w2: tensor<?x?x3x3xf32>) -> tensor<1x?x?x?xf32> {
  %c = graph.conv2d %x, %w {filterFlip = false} : (tensor<1x?x?x?xf32>, tensor<?x?x1x1xf32>) -> tensor<1x?x?x?xf32>
  %a = graph.add %c, %b : (tensor<1x?x?x?xf32>, tensor<?x1x1xf32>) -> tensor<1x?x?x?xf32>
  %r = graph.relu %a : (tensor<1x?x?x?xf32>) -> tensor<1x?x?x?xf32>
  %d = graph.conv2d %r, %w2 {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x?x?x?xf32>, tensor<?x?x3x3xf32>) -> tensor<1x?x?x?xf32>
  return %d : tensor<1x?x?x?xf32>
}
//--- batch.mlir
func.func @main(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x1x1xf32>, %w2: tensor<?x?x3x3xf32>) -> tensor<?x?x?x?xf32> {
  %c = graph.conv2d %x, %w {filterFlip = false} : (tensor<?x?x?x?xf32>, tensor<?x?x1x1xf32>) -> tensor<?x?x?x?xf32>
  %r = graph.relu %c : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %d = graph.conv2d %r, %w2 {filterFlip = false, stride = [2, 2], padding = [0, 1, 0, 1]} : (tensor<?x?x?x?xf32>, tensor<?x?x3x3xf32>) -> tensor<?x?x?x?xf32>
  return %d : tensor<?x?x?x?xf32>
}
//--- other.mlir
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %z: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6x8xf32>) {
  %c = graph.dot %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %r = graph.exp %z : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %p = graph.pad %r {widths = [1, 1, 1, 1]} : (tensor<4x6xf32>) -> tensor<6x8xf32>
  return %c, %p : tensor<4x6xf32>, tensor<6x8xf32>
}
//--- wanted.mlir
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c = graph.dot %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = graph.exp %c : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = graph.pad %r {widths = [1, 1, 1, 1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c, %p : tensor<?x?xf32>, tensor<?x?xf32>
}
//--- wider.mlir
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf64> {
  %c = graph.dot %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = graph.cast %c {dtype = f64} : (tensor<?x?xf32>) -> tensor<?x?xf64>
  %p = graph.pad %r {widths = [1, 1, 1, 1]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %p : tensor<?x?xf64>
}
//--- waiting.mlir
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = graph.dot %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = graph.exp %c : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = graph.sin %c : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = graph.join %r, %z {axis = 1} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
