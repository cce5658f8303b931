// Constants are computed now, if they are few and nothing fails.
// RUN: graphc opt %s --rewrites=folding --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<f64>) {
  %two = graph.constant dense<2.0> : tensor<f64>
  %three = graph.constant dense<3.0> : tensor<f64>
  %a = graph.mul %two, %three : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %b = graph.exp %a : (tensor<f64>) -> tensor<f64>
  %d = graph.mul %x, %b : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %n = graph.constant dense<100000> : tensor<1xi64>
  %e = graph.broadcastTo %two, %n : (tensor<f64>, tensor<1xi64>) -> tensor<100000xf64>
  %g = graph.sum %e : (tensor<100000xf64>) -> tensor<f64>
  return %d, %g : tensor<?xf64>, tensor<f64>
}

// CHECK: // constant_folding: two * three  ->  a  at {{.*}}constant-folding.mlir:7:8
// CHECK-NEXT: // constant_folding: exp(a)  ->  b  at {{.*}}constant-folding.mlir:8:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<f64>) {
// CHECK-NEXT:   %b = graph.constant dense<403.42879349273511> : tensor<f64>
// CHECK-NEXT:   %two = graph.constant dense<2.000000e+00> : tensor<f64>
// CHECK-NEXT:   %n = graph.constant dense<100000> : tensor<1xi64>
// CHECK-NEXT:   %d = graph.mul %x, %b : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
// CHECK-NEXT:   %e = graph.broadcastTo %two, %n : (tensor<f64>, tensor<1xi64>) -> tensor<100000xf64>
// CHECK-NEXT:   %g = graph.sum %e : (tensor<100000xf64>) -> tensor<f64>
// CHECK-NEXT:   return %d, %g : tensor<?xf64>, tensor<f64>
// CHECK-NEXT: }
