Points pull at each other: what the three coordinates share is written into their sum, in place of an array of all pairs.

RUN: split-file %s %t && cd %t
RUN: graphc compile pull.mlir --emit=kernels | FileCheck %s --check-prefix=WITHIN
RUN: graphc compile pull.mlir --emit=kernels --exclude=short-axes | FileCheck %s --check-prefix=PAIRS
WITHIN: for (i0 < n0, i1 < 3, i2 < n0)
WITHIN-NEXT: [[SHARED:v[0-9]+]] = exp(maximum(maximum(sub(%0[i2, 0], %0[i0, 0]), sub(%0[i2, 1], %0[i0, 1])), sub(%0[i2, 2], %0[i0, 2])))
WITHIN-NEXT: %1[i0, i1] = sum.f64(i2) mul(floor([[SHARED]]), sub(%0[i2, i1], %0[i0, i1]))
WITHIN-NOT: {{^}}kernel @
WITHIN-NOT: = arena
PAIRS: {{^}}kernel @sub_maximum_exp_floor(%0: f32[n0, 3]) -> (%1: f32[n0, n0])
PAIRS: {{^}}kernel @sub_mul_sum(%0: f32[n0, n0], %1: f32[n0, 3]) -> (%2: f32[n0, 3])
PAIRS: f32[s0, s0, 1] = arena

The same numbers, of which none is rounded.
RUN: graphc run pull.mlir -i x=[[1,2,0],[2,0,1],[-1,1,3],[0,0,0]] > with
RUN: graphc run pull.mlir -i x=[[1,2,0],[2,0,1],[-1,1,3],[0,0,0]] --exclude=short-axes > without
RUN: diff with without && FileCheck %s --check-prefix=NUMBERS < with
NUMBERS{LITERAL}: [[-39, -26, 62], [-30, 21, 6], [76, -15, -67], [1, 34, 67]]

#--- pull.mlir
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %a = graph.dimshuffle %x {order = [-1, 0, 1]} : (tensor<?x3xf32>) -> tensor<1x?x3xf32>
  %b = graph.dimshuffle %x {order = [0, -1, 1]} : (tensor<?x3xf32>) -> tensor<?x1x3xf32>
  %d = graph.sub %a, %b : (tensor<1x?x3xf32>, tensor<?x1x3xf32>) -> tensor<?x?x3xf32>
  %m = graph.max %d {axes = [2]} : (tensor<?x?x3xf32>) -> tensor<?x?xf32>
  %e = graph.exp %m : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %f = graph.floor %e : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = graph.dimshuffle %f {order = [0, 1, -1]} : (tensor<?x?xf32>) -> tensor<?x?x1xf32>
  %p = graph.mul %c, %d : (tensor<?x?x1xf32>, tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  %s = graph.sum %p {axes = [1]} : (tensor<?x?x3xf32>) -> tensor<?x3xf32>
  return %s : tensor<?x3xf32>
}
