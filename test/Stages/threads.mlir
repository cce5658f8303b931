Kernels take begin and end of their outermost loop, so that threads have parts of it; without `threads` (lib/Kernels/ProgramBuilder.cpp) they
take neither, and run on one.

RUN: split-file %s %t && cd %t
RUN: graphc compile sums.mlir --emit=linalg | FileCheck %s
RUN: graphc compile sums.mlir --emit=linalg --exclude=threads | FileCheck %s --check-prefix=ONE
CHECK: graphc.split
ONE-NOT: graphc.split

RUN: graphc run sums.mlir -i x=random[500,300] --full --threads 2 > with
RUN: graphc run sums.mlir -i x=random[500,300] --full --threads 2 --exclude=threads > without
RUN: diff with without

A matrix of few columns is not cut between them: each part would read all of its lines, and has no whole vectors.
RUN: graphc compile narrow.mlir --emit=linalg | FileCheck %s --check-prefix=ONE
RUN: graphc compile wide.mlir --emit=linalg | FileCheck %s

//--- narrow.mlir
func.func @main(%x: tensor<1x3264xf32>, %w: tensor<3264x32xf32>) -> tensor<1x32xf32> {
  %0 = graph.dot %x, %w : (tensor<1x3264xf32>, tensor<3264x32xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}
//--- wide.mlir
func.func @main(%x: tensor<1x3264xf32>, %w: tensor<3264x1024xf32>) -> tensor<1x1024xf32> {
  %0 = graph.dot %x, %w : (tensor<1x3264xf32>, tensor<3264x1024xf32>) -> tensor<1x1024xf32>
  return %0 : tensor<1x1024xf32>
}
//--- sums.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.exp %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
