// Arrays that take over each other's memory, one after the other, name the first one: who looks for it takes one step, however long the chain.
//
// RUN: graphc compile %s --emit=kernels | FileCheck %s

// CHECK: [[SUM:%[0-9]+]]: f64[] = arena
// CHECK: [[FIRST:%[0-9]+]]: f64[64] = output 0
// CHECK: f64[64] = memory of [[FIRST]]
// CHECK: f64[64] = memory of [[FIRST]]
// CHECK: f64[64] = memory of [[FIRST]]
func.func private @f(%a: tensor<64xf64>) -> tensor<64xf64> attributes {graph.inline = "no"} {
  %0 = graph.sum %a : (tensor<64xf64>) -> tensor<f64>
  %1 = graph.mul %a, %0 : (tensor<64xf64>, tensor<f64>) -> tensor<64xf64>
  return %1 : tensor<64xf64>
}
func.func @main(%x: tensor<64xf64>) -> tensor<64xf64> {
  %0 = graph.call @f(%x) : (tensor<64xf64>) -> tensor<64xf64>
  %1 = graph.call @f(%0) : (tensor<64xf64>) -> tensor<64xf64>
  %2 = graph.call @f(%1) : (tensor<64xf64>) -> tensor<64xf64>
  %3 = graph.call @f(%2) : (tensor<64xf64>) -> tensor<64xf64>
  return %3 : tensor<64xf64>
}
