// The normal distribution function, as it is written with erf, in both precisions; gelu, which is x times it.
// RUN: graphc opt %s --explain | FileCheck %s
// RUN: graphc opt %s | FileCheck %s --check-prefix=AFTER

// CHECK: // one_plus_erf: one + erf(x / root)  ->  erfc(-(x / root))
// CHECK: // ndtr_of_quotient: half * erfc(-(x / root))  ->  ndtr(x)
// CHECK: // ndtr: erfc(y * scale) * half32  ->  ndtr(y)
// CHECK-DAG: // gelu_of_ndtr: ndtr(y) * y  ->  gelu(y)
// CHECK-DAG: // ndtr_complement_of_quotient: half * erfc(x / root)  ->  ndtr(-x)

// AFTER-DAG: graph.ndtr %x
// AFTER-DAG: graph.ndtr %y
// AFTER-DAG: graph.gelu %y
// AFTER-NOT: graph.erf
func.func @main(%x: tensor<?xf64>, %y: tensor<?xf32>) -> (tensor<?xf64>, tensor<?xf32>, tensor<?xf32>, tensor<?xf64>) {
  %one = graph.constant dense<1.0> : tensor<f64>
  %half = graph.constant dense<0.5> : tensor<f64>
  %root = graph.constant dense<1.4142135623730951> : tensor<f64>
  %z = graph.trueDiv %x, %root : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %e = graph.erf %z : (tensor<?xf64>) -> tensor<?xf64>
  %s = graph.add %one, %e : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %n = graph.mul %half, %s : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %scale = graph.constant dense<-0.7071067811865476> : tensor<f32>
  %half32 = graph.constant dense<0.5> : tensor<f32>
  %w = graph.mul %y, %scale : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %c = graph.erfc %w : (tensor<?xf32>) -> tensor<?xf32>
  %m = graph.mul %c, %half32 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %g = graph.mul %m, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %d = graph.sub %one, %e : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %p = graph.mul %half, %d : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  return %n, %m, %g, %p : tensor<?xf64>, tensor<?xf32>, tensor<?xf32>, tensor<?xf64>
}
