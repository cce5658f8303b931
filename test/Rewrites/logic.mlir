// Logic and bits.
// RUN: graphc opt %s --rewrites=logic --explain | FileCheck %s
func.func @main(%p: tensor<?xi1>, %q: tensor<?xi1>, %i: tensor<?xi64>)
    -> (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) {
  %a = graph.logicalNot %p : (tensor<?xi1>) -> tensor<?xi1>
  %b = graph.logicalNot %q : (tensor<?xi1>) -> tensor<?xi1>
  %d = graph.logicalAnd %a, %b : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  %e = graph.bitwiseXor %i, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %g = graph.invert %i : (tensor<?xi64>) -> tensor<?xi64>
  %h = graph.invert %g : (tensor<?xi64>) -> tensor<?xi64>
  return %d, %e, %h : tensor<?xi1>, tensor<?xi64>, tensor<?xi64>
}

// CHECK: // not_and_not: logicalAnd(logicalNot(p), logicalNot(q))  ->  logicalNot(logicalOr(p, q))  at {{.*}}logic.mlir:7:8, {{.*}}logic.mlir:5:8, {{.*}}logic.mlir:6:8
// CHECK-NEXT: // bit_xor_self: i ^ i  ->  second(i, 0)  at {{.*}}logic.mlir:8:8
// CHECK-NEXT: // invert_invert: invert(invert(i))  ->  i  at {{.*}}logic.mlir:10:8, {{.*}}logic.mlir:9:8
// CHECK-NEXT: func.func @main(%p: tensor<?xi1>, %q: tensor<?xi1>, %i: tensor<?xi64>) -> (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) {
// CHECK-NEXT:   %0 = graph.constant dense<0> : tensor<i64>
// CHECK-NEXT:   %1 = graph.logicalOr %p, %q : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
// CHECK-NEXT:   %2 = graph.logicalNot %1 : (tensor<?xi1>) -> tensor<?xi1>
// CHECK-NEXT:   %3 = graph.second %i, %0 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:   return %2, %3, %i : tensor<?xi1>, tensor<?xi64>, tensor<?xi64>
// CHECK-NEXT: }
