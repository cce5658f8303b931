// RUN: graphc run %s -i n=[[1,3],[1,0]] -i w=[1,2,3,4,5,6] -i z=[1,2,4,8] -i at=[2,0,1,2] -i x=[[1,1,0],[1,0,0],[2,0,1]] > %t.fused
// RUN: FileCheck %s < %t.fused
// RUN: graphc run %s -i n=[[1,3],[1,0]] -i w=[1,2,3,4,5,6] -i z=[1,2,4,8] -i at=[2,0,1,2] -i x=[[1,1,0],[1,0,0],[2,0,1]] --exclude=fusion > %t.apart
// RUN: diff %t.fused %t.apart
// RUN: sed "s/return %%c, %%t, %%v/return %%c, %%v, %%t/" %s > %t.mlir
// RUN: graphc run %t.mlir -i n=[[1,3],[1,0]] -i w=[1,2,3,4,5,6] -i z=[1,2,4,8] -i at=[2,0,1,2] -i x=[[1,1,0],[1,0,0],[2,0,1]] | FileCheck %s

// %r is the memory of an input, with a shape that is computed. Kernels that read it run behind the one that computes its
// shape, though they could share others, which are there before it is: the negated numbers, or what is taken of a table.
// CHECK: c: tensor<4xf32> = [-1, -2, -4, -8]
// CHECK-DAG: t: tensor<4xf32> = [3, 64, 16, 24]
// CHECK-DAG: v: tensor<4xf32> = [4, 8, 16, 32]
func.func @main(%w: tensor<?xf32>, %z: tensor<4xf32>, %n: tensor<2x2xi64>, %x: tensor<3x3xf32>, %at: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = graph.neg %z : (tensor<4xf32>) -> tensor<4xf32>
  %a = graph.sum %x {axes = [1]} : (tensor<3x3xf32>) -> tensor<3xf32>
  %p = graph.take %a, %at {axis = 0} : (tensor<3xf32>, tensor<4xi64>) -> tensor<4xf32>
  %u = graph.mul %p, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = graph.sum %n {axes = [0]} : (tensor<2x2xi64>) -> tensor<2xi64>
  %r = graph.reshape %w, %s : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %y0 = graph.subtensor %r {index = "1,0"} : (tensor<?x?xf32>) -> tensor<f32>
  %y1 = graph.subtensor %r {index = "0,1"} : (tensor<?x?xf32>) -> tensor<f32>
  %y2 = graph.subtensor %r {index = "0,0"} : (tensor<?x?xf32>) -> tensor<f32>
  %k0 = graph.dimshuffle %y0 {order = [-1]} : (tensor<f32>) -> tensor<1xf32>
  %k1 = graph.dimshuffle %y1 {order = [-1]} : (tensor<f32>) -> tensor<1xf32>
  %k2 = graph.dimshuffle %y2 {order = [-1]} : (tensor<f32>) -> tensor<1xf32>
  %v = graph.mul %z, %k0 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %j = graph.join %k0, %k1, %k2 {axis = 0} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  %b = graph.sqr %j : (tensor<3xf32>) -> tensor<3xf32>
  %q = graph.take %b, %at {axis = 0} : (tensor<3xf32>, tensor<4xi64>) -> tensor<4xf32>
  %t = graph.mul %u, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c, %t, %v : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
