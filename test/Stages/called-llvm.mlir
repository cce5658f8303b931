// Graphs that are called are one function of LLVM each for their types, whatever calls them: sites of main, another graph,
// and an equal graph of another name (F-239, F-264); another type has its own. So is the gradient of each.
//
// RUN: graphc compile %s --emit=llvm | grep "^define" | FileCheck %s
// RUN: graphc compile %s --emit=kernels | grep "^  kernel" | FileCheck %s --check-prefix=CALLS
// RUN: graphc compile %s --grad 0:x,y --emit=llvm | grep "^define" | FileCheck %s --check-prefix=GRAD
// RUN: graphc compile %s --grad 0:x,y --emit=kernels | grep "^  kernel.*LOp" | FileCheck %s --check-prefix=GRADCALLS

// CHECK: define i32 @graphc_cell_
// CHECK-NEXT: define i32 @graphc_sum_
// CHECK-NEXT: define i32 @graphc_cell_
// CHECK-NOT: define

// Twice in main, twice in outer, once as twin; and once with three elements.
// CALLS-COUNT-5: kernel @cell (
// CALLS-NEXT: kernel @sum (
// CALLS-NEXT: kernel @cell.2 (
// CALLS-NOT: kernel

// What outer's gradient adds to those of its cells is a function beside theirs.
// GRAD: define i32 @graphc_cell_
// GRAD-NEXT: define i32 @graphc_sum_
// GRAD-NEXT: define i32 @graphc_cell_
// GRAD-NEXT: define i32 @graphc_copy_
// GRAD-NEXT: define i32 @graphc_twin_LOp_
// GRAD-NEXT: define i32 @graphc_outer_LOp_
// GRAD-NEXT: define i32 @graphc_add_
// GRAD-NOT: define

// GRADCALLS-COUNT-3: kernel @twin_LOp (
// GRADCALLS-NEXT: kernel @outer_LOp (
// GRADCALLS-COUNT-2: kernel @twin_LOp (
// GRADCALLS-NOT: kernel
func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>, %z: tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  %0 = graph.call @cell(%x, %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = graph.call @cell(%0, %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = graph.call @outer(%1, %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %3 = graph.call @twin(%2, %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %4 = graph.sum %3 : (tensor<?xf64>) -> tensor<f64>
  %5 = graph.call @cell(%z, %z) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %4, %5 : tensor<f64>, tensor<3xf64>
}
func.func private @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %0 = graph.call @cell(%b, %a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = graph.call @cell(%a, %0) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}
func.func private @cell(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %0 = graph.mul %a, %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = graph.tanh %0 : (tensor<?xf64>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}
func.func private @twin(%p: tensor<?xf64>, %q: tensor<?xf64>) -> tensor<?xf64> {
  %0 = graph.mul %p, %q : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %1 = graph.tanh %0 : (tensor<?xf64>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}
