// Even and odd functions.
// RUN: graphc opt %s --rewrites=parity --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>) {
  %n = graph.neg %x : (tensor<?xf64>) -> tensor<?xf64>
  %a = graph.sin %n : (tensor<?xf64>) -> tensor<?xf64>
  %b = graph.cos %n : (tensor<?xf64>) -> tensor<?xf64>
  return %a, %b : tensor<?xf64>, tensor<?xf64>
}

// CHECK: // sin_neg: sin(-x)  ->  -sin(x)  at {{.*}}parity.mlir:6:8, {{.*}}parity.mlir:5:8
// CHECK-NEXT: // cos_neg: cos(-x)  ->  cos(x)  at {{.*}}parity.mlir:7:8, {{.*}}parity.mlir:5:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = graph.sin %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = graph.neg %0 : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.cos %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   return %1, %2 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }
