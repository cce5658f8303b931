// Elementwise ops side by side, for fusion: movements leave, constants have their dtype.
// RUN: graphc opt %s --rewrites=dimshuffle_lift,dimshuffle_pair,dimshuffle_identity,upcast_constants --explain | FileCheck %s
func.func @main(%m: tensor<?x?xf64>, %i: tensor<?xi64>)
    -> (tensor<?x?xf64>, tensor<?xi64>) {
  %a = graph.exp %m : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %b = graph.dimshuffle %a {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %d = graph.sin %b : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %one = graph.constant dense<1> : tensor<i8>
  %e = graph.add %i, %one : (tensor<?xi64>, tensor<i8>) -> tensor<?xi64>
  return %d, %e : tensor<?x?xf64>, tensor<?xi64>
}

// CHECK: // dimshuffle_lift: dimshuffle{order = [1, 0]}(exp(m))  ->  exp(dimshuffle{order = [1, 0]}(m))  at {{.*}}fusion-preparation.mlir:6:8, {{.*}}fusion-preparation.mlir:5:8
// CHECK-NEXT: // upcast_constants: i + one  ->  i + one  at {{.*}}fusion-preparation.mlir:9:8
// CHECK-NEXT: func.func @main(%m: tensor<?x?xf64>, %i: tensor<?xi64>) -> (tensor<?x?xf64>, tensor<?xi64>) {
// CHECK-NEXT:   %one = graph.constant dense<1> : tensor<i64>
// CHECK-NEXT:   %0 = graph.dimshuffle %m {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = graph.exp %0 : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %d = graph.sin %1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = graph.add %i, %one : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:   return %d, %2 : tensor<?x?xf64>, tensor<?xi64>
// CHECK-NEXT: }
