// Rounding and casts.
// RUN: graphc opt %s --rewrites=casts --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %i: tensor<?xi8>)
    -> (tensor<?xf64>, tensor<?xf64>) {
  %a = graph.floor %x : (tensor<?xf64>) -> tensor<?xf64>
  %b = graph.ceil %a : (tensor<?xf64>) -> tensor<?xf64>
  %d = graph.cast %i {dtype = i64} : (tensor<?xi8>) -> tensor<?xi64>
  %e = graph.cast %d {dtype = f64} : (tensor<?xi64>) -> tensor<?xf64>
  return %b, %e : tensor<?xf64>, tensor<?xf64>
}

// CHECK: // ceil_floor: ceil(floor(x))  ->  floor(x)  at {{.*}}casts.mlir:6:8, {{.*}}casts.mlir:5:8
// CHECK-NEXT: // cast_cast: cast{dtype = f64}(cast{dtype = i64}(i))  ->  cast{dtype = f64}(i)  at {{.*}}casts.mlir:8:8, {{.*}}casts.mlir:7:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %i: tensor<?xi8>) -> (tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %0 = graph.floor %x : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = graph.cast %i {dtype = f64} : (tensor<?xi8>) -> tensor<?xf64>
// CHECK-NEXT:   return %0, %1 : tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }
