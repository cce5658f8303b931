// Comparisons, minima and maxima.
// RUN: graphc opt %s --rewrites=comparisons --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %i: tensor<?xi64>, %j: tensor<?xi64>)
    -> (tensor<?xi1>, tensor<?xi1>, tensor<?xf64>) {
  %a = graph.eq %i, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  %b = graph.logicalNot %a : (tensor<?xi1>) -> tensor<?xi1>
  %d = graph.neq %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  %e = graph.maximum %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %b, %d, %e : tensor<?xi1>, tensor<?xi1>, tensor<?xf64>
}

// CHECK: // not_eq: logicalNot(i == j)  ->  i != j  at {{.*}}comparisons.mlir:6:8, {{.*}}comparisons.mlir:5:8
// CHECK-NEXT: // neq_self: x != x  ->  isnan(x)  at {{.*}}comparisons.mlir:7:8
// CHECK-NEXT: // maximum_self: maximum(x, x)  ->  x  at {{.*}}comparisons.mlir:8:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %i: tensor<?xi64>, %j: tensor<?xi64>) -> (tensor<?xi1>, tensor<?xi1>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = graph.neq %i, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
// CHECK-NEXT:   %1 = graph.isnan %x : (tensor<?xf64>) -> tensor<?xi1>
// CHECK-NEXT:   return %0, %1, %x : tensor<?xi1>, tensor<?xi1>, tensor<?xf64>
// CHECK-NEXT: }
