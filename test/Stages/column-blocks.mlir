Chains along an axis that is not the last one: kernels whose nests share columns, in blocks that stay in the caches.

RUN: split-file %s %t && cd %t
RUN: graphc compile softmax.mlir --emit=kernels | FileCheck %s --check-prefix=KERNELS
RUN: graphc compile softmax.mlir --emit=kernels --exclude=column-blocks | FileCheck %s --check-prefix=APART
RUN: graphc compile softmax.mlir --emit=linalg | FileCheck %s --check-prefix=LINALG
RUN: graphc compile softmax.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
KERNELS: kernel @max_sub_exp_sum_etc(%0: f32[n1, n0]) -> (%1: f32[n1, n0]) local (%2: f32[n0], %3: f32[n1, n0], %4: f32[n0]) shared 0
KERNELS-NOT: {{^}}kernel @
APART: {{^}}kernel @max
APART: {{^}}kernel @sub_exp
APART: {{^}}kernel @sum
APART: {{^}}kernel @div
LINALG: graphc.shared = 0 : i64, graphc.split
Rows of columns are scratch memory, with those in which maxima and sums are made: the exponentials lie where the result will.
LOOPS: graphc.scratch = [array<i64: 4, 0>, array<i64: 4, 0>, array<i64: 4, 0>, array<i64: 8, 0>, array<i64: 4, 0>]
LOOPS: arith.divui
LOOPS: scf.for %[[BLOCK:.*]] = %arg{{[0-9]+}} to %arg{{[0-9]+}} step %{{[0-9]+}} {
LOOPS: llvm.intr.prefetch

Means are taken off in two passes over the rows: one kernel, but no blocks.
RUN: graphc compile center.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=CENTER
CENTER-COUNT-1: graphc.kernel
CENTER-NOT: arith.divui
CENTER-NOT: llvm.intr.prefetch
Few columns, rows that nothing else reads, and columns of another array are no chains.
RUN: graphc compile few.mlir --emit=kernels | FileCheck %s --check-prefix=TWO
RUN: graphc compile other.mlir --emit=kernels | FileCheck %s --check-prefix=TWO
RUN: graphc compile crossed.mlir --emit=kernels | FileCheck %s --check-prefix=TWO
TWO-COUNT-2: {{^}}kernel @
TWO: program
Rows of another dtype than the result's have memory of their own, which threads share.
RUN: graphc compile half.mlir --emit=kernels | FileCheck %s --check-prefix=HALF
HALF: kernel @{{.*}} -> (%1: f32[n1, n0], %2: bf16[n1, n0]) local ({{.*}}) shared 0

The same numbers without them, with threads, from the text of the stages, and in a library's program.
RUN: graphc run softmax.mlir -i x=random[300,2999] --full > with
RUN: graphc run softmax.mlir -i x=random[300,2999] --full --threads 2 > threads
RUN: graphc run softmax.mlir -i x=random[300,2999] --full --exclude=column-blocks > without
RUN: graphc compile softmax.mlir --emit=exe -o softmax && ./softmax -i x=random[300,2999] --full > program
RUN: diff with without && diff with threads && diff with program
RUN: graphc run half.mlir -i x=random[300,700] --full > with
RUN: graphc run half.mlir -i x=random[300,700] --full --exclude=column-blocks > without
RUN: diff with without
RUN: graphc compile softmax.mlir --emit=kernels > softmax.kernels
RUN: graphc compile softmax.kernels --from=kernels --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS

#--- softmax.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = graph.softmax %x {axes = [0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
#--- half.mlir
func.func @main(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %s = graph.softmax %x {axes = [0]} : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %s : tensor<?x?xbf16>
}
#--- center.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %m = graph.mean %x {axes = [0], keepDims = true} : (tensor<?x?xf32>) -> tensor<1x?xf32>
  %y = graph.sub %x, %m : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
#--- few.mlir
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %m = graph.mean %x {axes = [0], keepDims = true} : (tensor<?x3xf32>) -> tensor<1x3xf32>
  %y = graph.sub %x, %m : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
#--- other.mlir
func.func @main(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %m = graph.mean %x {axes = [0], keepDims = true} : (tensor<?x?xf32>) -> tensor<1x?xf32>
  %y = graph.sub %z, %m : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
#--- crossed.mlir
func.func @main(%x: tensor<70x70xf32>) -> tensor<70x70xf32> {
  %m = graph.mean %x {axes = [1], keepDims = false} : (tensor<70x70xf32>) -> tensor<70xf32>
  %y = graph.sub %x, %m : (tensor<70x70xf32>, tensor<70xf32>) -> tensor<70x70xf32>
  return %y : tensor<70x70xf32>
}
