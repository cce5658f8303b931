// What no output needs is gone, and stays gone when a rule drops the last use of it.
// RUN: graphc opt %s --rewrites=sums --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>, %i: tensor<3xi64>)
    -> (tensor<3xi64>) {
  %unused = graph.exp %x : (tensor<?xf64>) -> tensor<?xf64>
  %a = graph.bitwiseXor %i, %i : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %b = graph.invert %a : (tensor<3xi64>) -> tensor<3xi64>
  %d = graph.add %i, %b : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %e = graph.sub %d, %b : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  %zero = graph.constant dense<0> : tensor<i64>
  %g = graph.add %e, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  return %g : tensor<3xi64>
}

// CHECK: // add_sub_integer: i + invert(i ^ i) - invert(i ^ i)  ->  i  at {{.*}}dead-outputs.mlir:9:8, {{.*}}dead-outputs.mlir:8:8
// CHECK-NEXT: // add_zero_integer: i + zero  ->  i  at {{.*}}dead-outputs.mlir:11:8
// CHECK-NEXT: func.func @main(%x: tensor<?xf64>, %i: tensor<3xi64>) -> tensor<3xi64> {
// CHECK-NEXT:   return %i : tensor<3xi64>
// CHECK-NEXT: }
