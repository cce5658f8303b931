A kernel that is the last to read an array, element by element, writes to its memory.

RUN: split-file %s %t && cd %t
RUN: graphc compile centred.mlir --emit=kernels | FileCheck %s --check-prefix=SHARED
RUN: graphc compile centred.mlir --emit=kernels --exclude=share-memory | FileCheck %s --check-prefix=APART
SHARED: %3: f32[s0, s3] = arena
SHARED: %5: f32[s0, s3] = memory of %3
SHARED: kernel @sub (%3, %4) -> (%5)
APART: %3: f32[s0, s3] = arena
APART: %5: f32[s0, s3] = arena
APART-NOT: memory of
APART: kernel @sub (%3, %4) -> (%5)

Where a later kernel reads it, it does not.
RUN: graphc compile later.mlir --emit=kernels | FileCheck %s --check-prefix=LATER
LATER-NOT: memory of

The same numbers, of which none is rounded.
RUN: graphc run centred.mlir -i x=[[1,2],[3,4]] -i y=[[1,0],[0,1]] -i z=[[1,1],[1,-1]] > with
RUN: graphc run centred.mlir -i x=[[1,2],[3,4]] -i y=[[1,0],[0,1]] -i z=[[1,1],[1,-1]] --exclude=share-memory > without
RUN: diff with without && FileCheck %s --check-prefix=NUMBERS < with
NUMBERS{LITERAL}: [[-17, -1], [-13, -1]]

#--- centred.mlir
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = graph.matmul %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = graph.sum %p : (tensor<?x?xf32>) -> tensor<f32>
  %d = graph.sub %p, %s : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %q = graph.matmul %d, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %q : tensor<?x?xf32>
}
#--- later.mlir
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = graph.matmul %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = graph.sum %p : (tensor<?x?xf32>) -> tensor<f32>
  %d = graph.sub %p, %s : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %q = graph.matmul %d, %p : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %q : tensor<?x?xf32>
}
