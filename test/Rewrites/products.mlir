// Products.
// RUN: graphc opt %s --rewrites=products --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %one = graph.constant dense<1.0> : tensor<f64>
  %two = graph.constant dense<2.0> : tensor<f64>
  %a = graph.mul %x, %one : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %b = graph.trueDiv %y, %two : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %m = graph.neg %x : (tensor<?xf64>) -> tensor<?xf64>
  %n = graph.neg %y : (tensor<?xf64>) -> tensor<?xf64>
  %d = graph.mul %m, %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %a, %b, %d : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// CHECK: // mul_one: x * one  ->  x  at {{.*}}products.mlir:7:8
// CHECK-NEXT: // div_to_mul: y / two  ->  y * 0.5  at {{.*}}products.mlir:8:8
// CHECK-NEXT: // neg_mul_neg: -x * -y  ->  x * y  at {{.*}}products.mlir:11:8, {{.*}}products.mlir:9:8, {{.*}}products.mlir:10:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = graph.constant dense<5.000000e-01> : tensor<f64>
// CHECK-NEXT:   %1 = graph.mul %y, %0 : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.mul %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   return %x, %1, %2 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }
