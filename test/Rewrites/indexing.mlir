// Indices and joins.
// RUN: graphc opt %s --rewrites=indexing --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %y: tensor<4xf64>, %z: tensor<2xf64>)
    -> (tensor<?xf64>, tensor<f64>, tensor<f64>) {
  %a = graph.subtensor %x {index = "1:"} : (tensor<?xf64>) -> tensor<?xf64>
  %b = graph.subtensor %a {index = "2:"} : (tensor<?xf64>) -> tensor<?xf64>
  %d = graph.subtensor %y {index = "-1"} : (tensor<4xf64>) -> tensor<f64>
  %e = graph.join %y, %z : (tensor<4xf64>, tensor<2xf64>) -> tensor<6xf64>
  %g = graph.subtensor %e {index = "4"} : (tensor<6xf64>) -> tensor<f64>
  return %b, %d, %g : tensor<?xf64>, tensor<f64>, tensor<f64>
}

// CHECK: // subtensor_merge: subtensor{index = "2:"}(subtensor{index = "1:"}(x))  ->  subtensor{index = "3:"}(x)  at {{.*}}indexing.mlir:6:8, {{.*}}indexing.mlir:5:8
// CHECK-NEXT: // negative_index: subtensor{index = "-1"}(y)  ->  subtensor{index = "3"}(y)  at {{.*}}indexing.mlir:7:8
// CHECK-NEXT: // join_index: subtensor{index = "4"}(join(y, z))  ->  subtensor{index = "0"}(z)  at {{.*}}indexing.mlir:9:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %y: tensor<4xf64>, %z: tensor<2xf64>) -> (tensor<?xf64>, tensor<f64>, tensor<f64>) {
// CHECK-NEXT:   %0 = graph.subtensor %x {index = "3:"} : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = graph.subtensor %y {index = "3"} : (tensor<4xf64>) -> tensor<f64>
// CHECK-NEXT:   %2 = graph.subtensor %z {index = "0"} : (tensor<2xf64>) -> tensor<f64>
// CHECK-NEXT:   return %0, %1, %2 : tensor<?xf64>, tensor<f64>, tensor<f64>
// CHECK-NEXT: }
