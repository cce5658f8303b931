Windows of 3 x 3 are joined by columns, into a row of scratch memory, and then along the row (lib/Kernels/SeparateWindows.cpp); those of 2 x 2
gain nothing by it.

RUN: split-file %s %t && cd %t
RUN: graphc compile three.mlir --emit=kernels | FileCheck %s
RUN: graphc compile three.mlir --emit=kernels --exclude=separate-windows | FileCheck %s --check-prefix=TOGETHER
RUN: graphc compile two.mlir --emit=kernels | FileCheck %s --check-prefix=TOGETHER
CHECK: %3[i0, i1, i2] = maximum(maximum(%2[i0, v3, i2], %2[i0, add(v3, 1), i2]), %2[i0, add(v3, 2), i2])
CHECK: %1[i0, i1, i2] = maximum(maximum(%3[i0, i1, v4], %3[i0, i1, add(v4, 1)]), %3[i0, i1, add(v4, 2)])
TOGETHER: = max(i3, i4)
TOGETHER-NOT: = max(

RUN: graphc run three.mlir -i x=random[2,3,20,37] --full > with
RUN: graphc run three.mlir -i x=random[2,3,20,37] --full --exclude=separate-windows > without
RUN: graphc run three.mlir -i x=random[2,3,20,37] --full --threads 2 > threads
RUN: diff with without && diff with threads

//--- three.mlir
func.func @main(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {
  %0 = graph.pool %x {ignoreBorder = true, mode = "max", padding = [1, 1, 1, 1], stride = [2, 2], window = [3, 3]} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}
//--- two.mlir
func.func @main(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {
  %0 = graph.pool %x {ignoreBorder = true, mode = "max", padding = [], stride = [2, 2], window = [2, 2]} : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %0 : tensor<?x3x?x?xf32>
}
