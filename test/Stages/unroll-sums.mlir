Sums of up to four elements are made without a loop, so that the points are a map, which fuses with what reads it.

RUN: split-file %s %t && cd %t
RUN: graphc compile points.mlir --emit=kernels | FileCheck %s --check-prefix=UNROLLED
RUN: graphc compile points.mlir --emit=kernels --exclude=unroll-sums | FileCheck %s --check-prefix=LOOP
UNROLLED: kernel @mul_add_sqrt(%0: f32[n0, 3]) -> (%1: f32[n0]) {
UNROLLED-NEXT: for (i0 < n0)
UNROLLED-NEXT: %1[i0] = sqrt(add(add(add(mul(%0[i0, 0], %0[i0, 0]), mul(%0[i0, 1], %0[i0, 1])), mul(%0[i0, 2], %0[i0, 2])), 0.0))
LOOP: kernel @mul_sum_sqrt(%0: f32[n0, 3]) -> (%1: f32[n0]) local (%2: f32[n0]) shared 1 {
LOOP-NEXT: for (i0 < n0, i1 < 3)
LOOP-NEXT: %2[i0] = sum.f32(i1) mul(%0[i0, i1], %0[i0, i1])
LOOP-NEXT: for (i0 < n0)
LOOP-NEXT: %1[i0] = sqrt(%2[i0])

Five are for loops.
RUN: graphc compile five.mlir --emit=kernels | FileCheck %s --check-prefix=FIVE
FIVE: = sum.f64(i1) %0[i0, i1]

The same numbers, of which none is rounded.
RUN: graphc run points.mlir -i x=[[1,2,2],[0,3,4],[2,3,6],[-2,-1,2]] > with
RUN: graphc run points.mlir -i x=[[1,2,2],[0,3,4],[2,3,6],[-2,-1,2]] --exclude=unroll-sums > without
RUN: diff with without && FileCheck %s --check-prefix=NUMBERS < with
NUMBERS{LITERAL}: [3, 5, 7, 3]

#--- points.mlir
func.func @main(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %0 = graph.sqr %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = graph.sum %0 {axes = [1]} : (tensor<?x3xf32>) -> tensor<?xf32>
  %2 = graph.sqrt %1 : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
#--- five.mlir
func.func @main(%x: tensor<?x5xf32>) -> tensor<?xf32> {
  %0 = graph.sum %x {axes = [1]} : (tensor<?x5xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
