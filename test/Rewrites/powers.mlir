// Powers and absolute values.
// RUN: graphc opt %s --rewrites=powers --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %two = graph.constant dense<2.0> : tensor<f64>
  %half = graph.constant dense<0.5> : tensor<f64>
  %six = graph.constant dense<6.0> : tensor<f64>
  %a = graph.pow %x, %two : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %b = graph.pow %x, %half : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %d = graph.pow %x, %six : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %e = graph.abs %x : (tensor<?xf64>) -> tensor<?xf64>
  %g = graph.abs %e : (tensor<?xf64>) -> tensor<?xf64>
  return %a, %b, %d, %g : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// CHECK: // pow_two: x**two  ->  sqr(x)  at {{.*}}powers.mlir:8:8
// CHECK-NEXT: // pow_half: x**half  ->  sqrt(x)  at {{.*}}powers.mlir:9:8
// CHECK-NEXT: // pow_to_squares: x**six  ->  sqr(x) * sqr(sqr(x))  at {{.*}}powers.mlir:10:8
// CHECK-NEXT: // abs_abs: abs(abs(x))  ->  abs(x)  at {{.*}}powers.mlir:12:8, {{.*}}powers.mlir:11:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = graph.sqr %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = graph.sqrt %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.sqr %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %3 = graph.sqr %2 : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %4 = graph.mul %2, %3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %5 = graph.abs %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   return %0, %1, %4, %5 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }
