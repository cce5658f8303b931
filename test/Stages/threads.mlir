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

//--- sums.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.exp %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
