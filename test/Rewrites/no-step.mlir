// What is the same in all steps of a loop leaves it, but not where an index may be out of range and the loop may have no step.
// RUN: graphc run %s -i n=0 -i v=[1,2] -i i=5 | FileCheck %s --check-prefix=NONE
// RUN: %ends 1 graphc run %s -i n=2 -i v=[1,2] -i i=5 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: graphc compile %s --emit=rewritten | FileCheck %s
// RUN: sed "s/scan @b(%%n,/scan @b(%%two,/" %s | graphc compile - --emit=rewritten | FileCheck %s --check-prefix=TWO
// NONE: r: tensor<0xf64> = []
// FAILS: no-step.mlir:20:8: error: scan: step 0: take: index 5 is out of range for axis 0 with 2 elements

// CHECK: func.func @main
// CHECK-NOT: graph.take
// CHECK: func.func private
// CHECK: graph.take
// TWO: func.func @main
// TWO: graph.take
// TWO: func.func private
// TWO-NOT: graph.take
func.func @main(%n: tensor<i64>, %v: tensor<?xf64>, %i: tensor<i64>) -> (tensor<?xf64> {graph.name = "r"}) {
  %two = graph.constant dense<2> : tensor<i64>
  %h = graph.constant dense<0.0> : tensor<f64>
  %r = graph.scan @b(%n, %h, %v, %i) {steps, sequences = [], states = [[-1]]} : (tensor<i64>, tensor<f64>, tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
func.func private @b(%h: tensor<f64>, %v: tensor<?xf64>, %i: tensor<i64>) -> tensor<f64> {
  %0 = graph.take %v, %i {axis = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
  %1 = graph.add %h, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
