// RUN: graphc compile %s --emit=kernels | FileCheck %s
// RUN: graphc run %s --full -i at=random -i y=random -i g=random -i f=random -i w1=random -i w2=random > %t.small
// RUN: graphc run %s --full -i at=random -i y=random -i g=random -i f=random -i w1=random -i w2=random --exclude=schedule > %t.late
// RUN: diff %t.small %t.late

// Kernels between those that run in front and the one that they run in front of have other numbers afterwards: two
// products still find each other, by the kernel that has made their vectors; a table that is made of another one comes
// behind that; and who reads %f, as one of them does, finds that one.
// CHECK-LABEL: program
// CHECK: kernel @add (%1) -> (%[[A:[0-9]+]])
// CHECK-NEXT: kernel @max (%[[A]]) -> (%[[K:[0-9]+]])
// CHECK-NEXT: kernel @sub_exp (%[[A]], %[[K]]) -> (%[[B:[0-9]+]])
// CHECK-NEXT: kernel @mul_neg_ge_{{.*}} (%0, %[[B]]) ->
// CHECK-NEXT: kernel @exp_mul_neg (%2, %3) -> (%[[H1:[0-9]+]], %[[H2:[0-9]+]], %{{.*}})
// CHECK-NEXT: kernel @mul_sum (%4, %[[H1]], %5, %[[H2]])
// CHECK-NEXT: return
func.func @main(%at: tensor<900xi64>, %y: tensor<60x3xf32>, %g: tensor<64xf32>, %f: tensor<64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> (tensor<900xi64>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<900xf32>, tensor<64xf32>, tensor<64xf32>) {
  %c = graph.mul %at, %at : (tensor<900xi64>, tensor<900xi64>) -> tensor<900xi64>
  %h1 = graph.exp %g : (tensor<64xf32>) -> tensor<64xf32>
  %h2 = graph.mul %g, %f : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %d1 = graph.dot %w1, %h1 : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %a = graph.sum %y {axes = [1]} : (tensor<60x3xf32>) -> tensor<60xf32>
  %k = graph.max %a {axes = [0]} : (tensor<60xf32>) -> tensor<f32>
  %l = graph.sub %a, %k : (tensor<60xf32>, tensor<f32>) -> tensor<60xf32>
  %b = graph.exp %l : (tensor<60xf32>) -> tensor<60xf32>
  %q = graph.take %b, %at {axis = 0} : (tensor<60xf32>, tensor<900xi64>) -> tensor<900xf32>
  %d2 = graph.dot %w2, %h2 : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %e = graph.neg %f : (tensor<64xf32>) -> tensor<64xf32>
  return %c, %h1, %h2, %d1, %q, %d2, %e : tensor<900xi64>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<900xf32>, tensor<64xf32>, tensor<64xf32>
}
