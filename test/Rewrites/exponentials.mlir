// Exponentials that keep their accuracy.
// RUN: graphc opt %s --rewrites=exponentials --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %one = graph.constant dense<1.0> : tensor<f64>
  %e = graph.exp %x : (tensor<?xf64>) -> tensor<?xf64>
  %a = graph.sub %e, %one : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %b = graph.add %one, %e : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %d = graph.trueDiv %e, %b : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %g = graph.sum %e {axes = [0], keepDims = true} : (tensor<?xf64>) -> tensor<1xf64>
  %h = graph.trueDiv %e, %g : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  return %a, %d, %h : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// CHECK: // expm1: exp(x) - one  ->  expm1(x)  at {{.*}}exponentials.mlir:7:8, {{.*}}exponentials.mlir:6:8
// CHECK-NEXT: // sigmoid_of_ratio: exp(x) / (one + exp(x))  ->  sigmoid(x)  at {{.*}}exponentials.mlir:9:8, {{.*}}exponentials.mlir:6:8, {{.*}}exponentials.mlir:8:8
// CHECK-NEXT: // softmax_of_ratio: exp(x) / sum{axes = [0], keepDims = true}(exp(x))  ->  softmax{axes = [0]}(x)  at {{.*}}exponentials.mlir:11:8, {{.*}}exponentials.mlir:6:8, {{.*}}exponentials.mlir:10:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = graph.expm1 %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = graph.sigmoid %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.softmax %x {axes = [0]} : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }
