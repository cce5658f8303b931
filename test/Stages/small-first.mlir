// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=SMALL
// RUN: graphc compile %s --emit=kernels --exclude=schedule | FileCheck %s --check-prefix=LATE
// RUN: sed "s/60x/5000x/g" %s | graphc compile - --emit=kernels | FileCheck %s --check-prefix=LATE
// RUN: sed "s/<60x/<?x/g" %s | graphc compile - --emit=kernels | FileCheck %s --check-prefix=LATE
// RUN: graphc run %s -i x=random -i y=random -i z=random -i at=random > %t.small
// RUN: graphc run %s -i x=random -i y=random -i z=random -i at=random --exclude=schedule > %t.late
// RUN: diff %t.small %t.late

// What is taken of two tables: the second one, which has few elements, is made before the first one is read, so that one
// kernel takes from both. Of a large one, or where extents are not known, that is not so.
// SMALL-LABEL: program
// SMALL: kernel @add (%0) -> (%[[A:.*]]) sizes
// SMALL-NEXT: kernel @add (%1) -> (%[[B:.*]]) sizes
// SMALL-NEXT: kernel @neg_ge_lt_and_etc (%3, %[[A]], %[[B]], %2)
// SMALL-NEXT: return
// LATE-LABEL: program
// LATE: kernel @add (%0)
// LATE-NEXT: kernel @neg_ge_lt_and (%3,
// LATE-NEXT: kernel @add (%1)
// LATE-NEXT: kernel @neg_ge_lt_and_etc (%3,

// Nor is it if the second table is made of what was taken of the first one.
// RUN: sed "s/ %%b = graph.sum %%y/ %%s = graph.max %%u {axes = [0]} : (tensor<900xf32>) -> tensor<f32> %%c = graph.mul %%y, %%s : (tensor<60x3xf32>, tensor<f32>) -> tensor<60x3xf32> %%b = graph.sum %%c/" %s > %t.mlir
// RUN: graphc compile %t.mlir --emit=kernels | FileCheck %s --check-prefix=CHAIN
// CHAIN-LABEL: program
// CHAIN: kernel @neg_ge_lt_and{{.*}}(%3,
// CHAIN: kernel @mul_{{.*}}(%1,
// CHAIN: kernel @neg_ge_lt_and{{.*}}(%3,
// RUN: graphc run %t.mlir -i x=random -i y=random -i z=random -i at=random > %t.small
// RUN: graphc run %t.mlir -i x=random -i y=random -i z=random -i at=random --exclude=schedule > %t.late
// RUN: diff %t.small %t.late

// Nor if making it may fail: the first error stays the first.
// RUN: sed "s/ %%b = graph.sum %%y/ %%b = graph.take %%c, %%few {axis = 0} : (tensor<60xf32>, tensor<60xi64>) -> tensor<60xf32>/; s/ %%a = / %%c = graph.sum %%y {axes = [1]} : (tensor<60x3xf32>) -> tensor<60xf32> %%a = /; s/-> tensor<60xf32> {axes.*/-> tensor<60xf32>/; s/%%at: tensor<900xi64>/%%at: tensor<900xi64>, %%few: tensor<60xi64>/" %s > %t.fails.mlir
// RUN: graphc compile %t.fails.mlir --emit=kernels | FileCheck %s --check-prefix=FAILS
// FAILS-LABEL: program
// FAILS: kernel @neg_ge_lt_and{{.*}} (%3, %{{[0-9]+}}) -> (%{{[0-9]+}}) sizes [900, 60]
// FAILS: kernel @neg_ge_lt_and{{.*}} sizes [60]
// FAILS: kernel @neg_ge_lt_and{{.*}} sizes [900, 60]
func.func @main(%x: tensor<60x3xf32>, %y: tensor<60x3xf32>, %z: tensor<900xf32>, %at: tensor<900xi64>) -> tensor<900xf32> {
  %a = graph.sum %x {axes = [1]} : (tensor<60x3xf32>) -> tensor<60xf32>
  %p = graph.take %a, %at {axis = 0} : (tensor<60xf32>, tensor<900xi64>) -> tensor<900xf32>
  %u = graph.mul %p, %z : (tensor<900xf32>, tensor<900xf32>) -> tensor<900xf32>
  %b = graph.sum %y {axes = [1]} : (tensor<60x3xf32>) -> tensor<60xf32>
  %q = graph.take %b, %at {axis = 0} : (tensor<60xf32>, tensor<900xi64>) -> tensor<900xf32>
  %v = graph.mul %u, %q : (tensor<900xf32>, tensor<900xf32>) -> tensor<900xf32>
  return %v : tensor<900xf32>
}
