// Movements of elements, and what they meet.
// RUN: graphc opt %s --rewrites=movements --explain | FileCheck %s
func.func @main(%m: tensor<?x?xf64>, %w: tensor<2x3xf64>)
    -> (tensor<?x?xf64>) {
  %a = graph.dimshuffle %m {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %b = graph.exp %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %d = graph.dimshuffle %b {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %d : tensor<?x?xf64>
}

// CHECK: // dimshuffle_lift: dimshuffle{order = [1, 0]}(exp(dimshuffle{order = [1, 0]}(m)))  ->  exp(dimshuffle{order = [1, 0]}(dimshuffle{order = [1, 0]}(m)))  at {{.*}}shapes.mlir:7:8, {{.*}}shapes.mlir:6:8
// CHECK-NEXT: // dimshuffle_pair: dimshuffle{order = [1, 0]}(dimshuffle{order = [1, 0]}(m))  ->  dimshuffle{order = [0, 1]}(m)  at {{.*}}shapes.mlir:7:8, {{.*}}shapes.mlir:6:8, {{.*}}shapes.mlir:5:8
// CHECK-NEXT: // dimshuffle_identity: dimshuffle{order = [0, 1]}(m)  ->  m  at {{.*}}shapes.mlir:7:8, {{.*}}shapes.mlir:6:8, {{.*}}shapes.mlir:5:8
// CHECK-NEXT: func.func @main(%m: tensor<?x?xf64>, %w: tensor<2x3xf64>) -> tensor<?x?xf64> {
// CHECK-NEXT:   %0 = graph.exp %m : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   return %0 : tensor<?x?xf64>
// CHECK-NEXT: }
