// A loop is a step with a program of its own; the kernels are those of the program around it.
// RUN: graphc compile %s --emit=kernels -o %t.kernels && FileCheck %s --input-file=%t.kernels
// RUN: not graphc compile %t.kernels --from=kernels --emit=asm 2>&1 | FileCheck %s --check-prefix=BACK

// CHECK: kernel @mul_add(
// CHECK: program `main` {
// CHECK: loop over [0] state [-1] 0 (%{{.*}}) -> (
// CHECK: body 0.0 of `main`
// CHECK: kernel @mul_add (

// BACK: loops and branches cannot be read from this stage's text yet

func.func @main(%x: tensor<?xf64>, %h: tensor<f64>, %a: tensor<f64>) -> tensor<?xf64> {
  %0 = graph.scan @step(%x, %h, %a) {sequences = [[0]], states = [[-1]]}
      : (tensor<?xf64>, tensor<f64>, tensor<f64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
func.func private @step(%x: tensor<f64>, %h: tensor<f64>, %a: tensor<f64>) -> tensor<f64> {
  %0 = graph.mul %a, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = graph.add %0, %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
