// Products of matrices.
// RUN: graphc opt %s --rewrites=matrices --explain | FileCheck %s
func.func @main(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x1xf64>, %r: tensor<1x?xf64>)
    -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %d = graph.dot %a, %b : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %e = graph.dimshuffle %d {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %g = graph.dot %c, %r : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
  return %e, %g : tensor<?x?xf64>, tensor<?x?xf64>
}

// CHECK: // dot_of_single_terms_float: dot(c, r)  ->  c * r  at {{.*}}linear-algebra.mlir:7:8
// CHECK-NEXT: // transpose_dot: dimshuffle{order = [1, 0]}(dot(a, b))  ->  dot(dimshuffle{order = [1, 0]}(b), dimshuffle{order = [1, 0]}(a))  at {{.*}}linear-algebra.mlir:6:8, {{.*}}linear-algebra.mlir:5:8
// CHECK-NEXT: func.func @main(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %c: tensor<?x1xf64>, %r: tensor<1x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
// CHECK-NEXT:   %0 = graph.dimshuffle %b {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %1 = graph.dimshuffle %a {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %2 = graph.dot %0, %1 : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   %3 = graph.mul %c, %r : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
// CHECK-NEXT:   return %2, %3 : tensor<?x?xf64>, tensor<?x?xf64>
// CHECK-NEXT: }
