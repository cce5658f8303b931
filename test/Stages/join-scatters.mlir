Terms that are added at the same places share a kernel, and so its loop over the terms.

RUN: split-file %s %t && cd %t
RUN: graphc compile two.mlir --emit=kernels | FileCheck %s --check-prefix=JOINED
RUN: graphc compile two.mlir --emit=kernels --exclude=join-scatters | FileCheck %s --check-prefix=APART
JOINED: {{^}}kernel @{{.*}} local (%5: f32[n0], %6: f32[n0]) shared 1
JOINED: %5[i0] = sum.f32(i1)
JOINED: %6[i0] = sum.f32(i1)
JOINED-NOT: {{^}}kernel @
JOINED: i64[s2] = arena
JOINED-NOT: = arena
APART: {{^}}kernel @eq_gt_select_sum(%0: f32[n0]
APART: {{^}}kernel @{{.*}} local (%6: f32[n0]) shared 1
APART: i64[s2] = arena
APART: f32[s0] = arena

Terms are made before the first sum is stored: what they share would be loaded again behind a store.
RUN: graphc compile two.mlir --emit=loops --exclude=scatter-rows | FileCheck %s --check-prefix=TERMS
TERMS-LABEL: func.func @graphc_eq_gt_select_sum_etc
TERMS: step %c1 {
TERMS: step %c1 {
TERMS-NEXT: %[[V:.*]] = memref.load
TERMS-NOT: memref.store
TERMS: %[[W:.*]] = memref.load
TERMS-NEXT: arith.mulf %[[W]], %[[W]]
TERMS-NOT: memref.store
TERMS: arith.addf %{{.*}}, %[[V]]
TERMS-NEXT: memref.store
TERMS: arith.addf
TERMS-NEXT: memref.store

The same numbers, of which none is rounded.
RUN: graphc run two.mlir -i x=[1,2,3] -i z=[1,1,1] -i at=[2,0,-1,2] -i v=[1,2,3,4] > with
RUN: graphc run two.mlir -i x=[1,2,3] -i z=[1,1,1] -i at=[2,0,-1,2] -i v=[1,2,3,4] --exclude=join-scatters > without
RUN: diff with without && FileCheck %s --check-prefix=NUMBERS < with
NUMBERS: [15, 2, 297]

#--- two.mlir
func.func @main(%x: tensor<?xf32>, %z: tensor<?xf32>, %at: tensor<?xi64>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %a = graph.incTake %x, %v, %at {axis = 0} : (tensor<?xf32>, tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  %w = graph.sqr %v : (tensor<?xf32>) -> tensor<?xf32>
  %b = graph.incTake %z, %w, %at {axis = 0} : (tensor<?xf32>, tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
  %c = graph.mul %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}
