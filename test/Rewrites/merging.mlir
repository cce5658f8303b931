// Equal computations become one.
// RUN: graphc opt %s --rewrites=merge --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>)
    -> (tensor<?xf64>) {
  %a = graph.add %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %b = graph.add %y, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d = graph.exp %a : (tensor<?xf64>) -> tensor<?xf64>
  %e = graph.exp %b : (tensor<?xf64>) -> tensor<?xf64>
  %g = graph.mul %d, %e : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %g : tensor<?xf64>
}

// CHECK: // merge: y + x  ->  x + y  at {{.*}}merging.mlir:5:8, {{.*}}merging.mlir:6:8
// CHECK-NEXT: // merge: exp(x + y)  ->  exp(x + y)  at {{.*}}merging.mlir:7:8, {{.*}}merging.mlir:8:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
// CHECK-NEXT:   %a = graph.add %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %d = graph.exp %a : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %g = graph.mul %d, %d : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   return %g : tensor<?xf64>
// CHECK-NEXT: }
