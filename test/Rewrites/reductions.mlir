// Reductions.
// RUN: graphc opt %s --rewrites=reduction --explain | FileCheck %s
func.func @main(%m: tensor<?x?xf64>, %x: tensor<3xf64>, %y: tensor<2xf64>, %k: tensor<1xf64>)
    -> (tensor<f64>, tensor<?xf64>, tensor<f64>, tensor<f64>) {
  %a = graph.sum %m {axes = [1]} : (tensor<?x?xf64>) -> tensor<?xf64>
  %b = graph.sum %a {axes = [0]} : (tensor<?xf64>) -> tensor<f64>
  %n = graph.neg %m : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %d = graph.max %n {axes = [0]} : (tensor<?x?xf64>) -> tensor<?xf64>
  %j = graph.join %x, %y : (tensor<3xf64>, tensor<2xf64>) -> tensor<5xf64>
  %e = graph.sum %j {axes = [0]} : (tensor<5xf64>) -> tensor<f64>
  %g = graph.sum %k {axes = [0]} : (tensor<1xf64>) -> tensor<f64>
  return %b, %d, %e, %g : tensor<f64>, tensor<?xf64>, tensor<f64>, tensor<f64>
}

// CHECK: // sum_chain_float: sum{axes = [0]}(sum{axes = [1]}(m))  ->  sum{axes = [0, 1]}(m)  at {{.*}}reductions.mlir:6:8, {{.*}}reductions.mlir:5:8
// CHECK-NEXT: // max_neg: max{axes = [0]}(-m)  ->  -min{axes = [0]}(m)  at {{.*}}reductions.mlir:8:8, {{.*}}reductions.mlir:7:8
// CHECK-NEXT: // sum_of_join: sum{axes = [0]}(join(x, y))  ->  sum{axes = [0]}(x) + sum{axes = [0]}(y)  at {{.*}}reductions.mlir:10:8, {{.*}}reductions.mlir:9:8
// CHECK-NEXT: // sum_of_single_elements: sum{axes = [0]}(k)  ->  dimshuffle{order = []}(k)  at {{.*}}reductions.mlir:11:8
// CHECK-NEXT: func.func @main(%m: tensor<?x?xf64>, %x: tensor<3xf64>, %y: tensor<2xf64>, %k: tensor<1xf64>) -> (tensor<f64>, tensor<?xf64>, tensor<f64>, tensor<f64>) {
// CHECK-NEXT:   %0 = graph.sum %m {axes = [0, 1]} : (tensor<?x?xf64>) -> tensor<f64>
// CHECK-NEXT:   %1 = graph.min %m {axes = [0]} : (tensor<?x?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.neg %1 : (tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %3 = graph.sum %x {axes = [0]} : (tensor<3xf64>) -> tensor<f64>
// CHECK-NEXT:   %4 = graph.sum %y {axes = [0]} : (tensor<2xf64>) -> tensor<f64>
// CHECK-NEXT:   %5 = graph.add %3, %4 : (tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK-NEXT:   %6 = graph.dimshuffle %k {order = []} : (tensor<1xf64>) -> tensor<f64>
// CHECK-NEXT:   return %0, %2, %5, %6 : tensor<f64>, tensor<?xf64>, tensor<f64>, tensor<f64>
// CHECK-NEXT: }
