// Chains of sums, products and others, as a whole.
// RUN: graphc opt %s --rewrites=chains --explain | FileCheck %s
func.func @main(%i: tensor<?xi64>, %j: tensor<?xi64>)
    -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %two = graph.constant dense<2> : tensor<i64>
  %five = graph.constant dense<5> : tensor<i64>
  %a = graph.add %i, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %b = graph.add %a, %two : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %d = graph.add %b, %i : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %s = graph.sub %d, %five : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %p = graph.mul %i, %two : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %q = graph.mul %p, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %r = graph.mul %q, %five : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %u = graph.maximum %i, %two : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %v = graph.maximum %u, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %w = graph.maximum %v, %five : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  return %s, %r, %w : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}

// CHECK: // collect_terms: i + j + two + i - five  ->  i * 2 + j + -3  at {{.*}}chains.mlir:10:8, {{.*}}chains.mlir:9:8, {{.*}}chains.mlir:8:8, {{.*}}chains.mlir:7:8
// CHECK-NEXT: // collect_factors: i * two * j * five  ->  i * j * 10  at {{.*}}chains.mlir:13:8, {{.*}}chains.mlir:12:8, {{.*}}chains.mlir:11:8
// CHECK-NEXT: // collect_maximum: maximum(maximum(maximum(i, two), j), five)  ->  maximum(maximum(i, j), 5)  at {{.*}}chains.mlir:16:8, {{.*}}chains.mlir:15:8, {{.*}}chains.mlir:14:8
// CHECK-NEXT: func.func @main(%i: tensor<?xi64>, %j: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
// CHECK-NEXT:   %0 = graph.constant dense<2> : tensor<i64>
// CHECK-NEXT:   %1 = graph.constant dense<-3> : tensor<i64>
// CHECK-NEXT:   %2 = graph.constant dense<10> : tensor<i64>
// CHECK-NEXT:   %3 = graph.constant dense<5> : tensor<i64>
// CHECK-NEXT:   %4 = graph.mul %i, %0 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:   %5 = graph.add %4, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:   %6 = graph.add %5, %1 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:   %7 = graph.mul %i, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:   %8 = graph.mul %7, %2 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:   %9 = graph.maximum %i, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:   %10 = graph.maximum %9, %3 : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
// CHECK-NEXT:   return %6, %8, %10 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
// CHECK-NEXT: }
