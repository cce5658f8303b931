// Sums.
// RUN: graphc opt %s --rewrites=sums --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>, %i: tensor<?xi64>)
    -> (tensor<?xi64>, tensor<?xf64>, tensor<?xi64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %a = graph.add %i, %zero : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %n = graph.neg %y : (tensor<?xf64>) -> tensor<?xf64>
  %b = graph.sub %x, %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d = graph.sub %i, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  return %a, %b, %d : tensor<?xi64>, tensor<?xf64>, tensor<?xi64>
}

// CHECK: // add_zero_integer: i + zero  ->  i  at {{.*}}sums.mlir:6:8
// CHECK-NEXT: // sub_neg: x - -y  ->  x + y  at {{.*}}sums.mlir:8:8, {{.*}}sums.mlir:7:8
// CHECK-NEXT: // sub_self: i - i  ->  second(i, 0)  at {{.*}}sums.mlir:9:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %y: tensor<?xf64>, %i: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xf64>, tensor<?xi64>) {
// CHECK-NEXT:   %0 = graph.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %1 = graph.add %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.second %i, %0 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:   return %i, %1, %2 : tensor<?xi64>, tensor<?xf64>, tensor<?xi64>
// CHECK-NEXT: }
