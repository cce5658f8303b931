// Logarithms that keep their accuracy.
// RUN: graphc opt %s --rewrites=logarithms --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<f64>) {
  %one = graph.constant dense<1.0> : tensor<f64>
  %a = graph.add %one, %x : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %b = graph.log %a : (tensor<?xf64>) -> tensor<?xf64>
  %e = graph.exp %x : (tensor<?xf64>) -> tensor<?xf64>
  %g = graph.exp %y : (tensor<?xf64>) -> tensor<?xf64>
  %h = graph.add %e, %g : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %k = graph.log %h : (tensor<?xf64>) -> tensor<?xf64>
  %s = graph.sum %e {axes = [0]} : (tensor<?xf64>) -> tensor<f64>
  %l = graph.log %s : (tensor<f64>) -> tensor<f64>
  return %b, %k, %l : tensor<?xf64>, tensor<?xf64>, tensor<f64>
}

// CHECK: // log1p: log(one + x)  ->  log1p(x)  at {{.*}}logarithms.mlir:7:8, {{.*}}logarithms.mlir:6:8
// CHECK-NEXT: // logaddexp: log(exp(x) + exp(y))  ->  logaddexp(x, y)  at {{.*}}logarithms.mlir:11:8, {{.*}}logarithms.mlir:10:8, {{.*}}logarithms.mlir:8:8, {{.*}}logarithms.mlir:9:8
// CHECK-NEXT: // logsumexp: log(sum{axes = [0]}(exp(x)))  ->  logsumexp{axes = [0]}(x)  at {{.*}}logarithms.mlir:13:8, {{.*}}logarithms.mlir:12:8, {{.*}}logarithms.mlir:8:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<f64>) {
// CHECK-NEXT:   %0 = graph.log1p %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = graph.logaddexp %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.logsumexp %x {axes = [0]} : (tensor<?xf64>) -> tensor<f64>
// CHECK-NEXT:   return %0, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<f64>
// CHECK-NEXT: }
