// F-306: terms of floats keep their order, and a product is rounded before it is added to, unless the mode asks for more.
// x + y is x there; a * b is 1 - 2**-60, which rounds to 1.
// DEFINE: %{values} = --input x=1e16 --input y=1 --input a=1.000000000931322574615478515625 \
// DEFINE:             --input b=0.999999999068677425384521484375
// RUN: graphc run %s %{values} | FileCheck %s
// RUN: graphc run %s %{values} --mode=strict | FileCheck %s
// RUN: graphc run %s %{values} --no-rewrites | FileCheck %s
// RUN: graphc run %s %{values} --mode=fast_compile | FileCheck %s
// RUN: graphc run %s %{values} --mode=interpreter | FileCheck %s
// RUN: graphc run %s %{values} --mode=fast_math | FileCheck %s --check-prefix=FAST
func.func @main(%x: tensor<f64>, %y: tensor<f64>, %a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %one = graph.constant dense<1.0> : tensor<f64>
  %s = graph.add %x, %y : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %d = graph.sub %s, %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %p = graph.mul %a, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %e = graph.sub %p, %one : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %d, %e : tensor<f64>, tensor<f64>
}

// CHECK: d: tensor<f64> = 0
// CHECK-NEXT: e: tensor<f64> = 0
// FAST: d: tensor<f64> = 1
