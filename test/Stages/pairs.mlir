Products of bfloat16 with AVX512-BF16 (lib/Transforms/ProductPairs.cpp): the least magnitude of the rows, that of the panels as they are
copied, tiles of pairs, and smaller ones of pairs that are taken apart, for what the instruction would take for zeros. By k there is
scratch memory for 32 panels of 32 columns and three lines more (one k of K makes a line of words), and for 196 rows and gaps.

RUN: split-file %s %t && cd %t
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4-bf16 > product.loops
RUN: FileCheck %s --input-file=product.loops
The stages' texts are read back, and what comes of them is the same.
RUN: graphc compile product.mlir --emit=asm --target=x86-64-v4-bf16 > product.s
RUN: graphc compile product.loops --from=loops --emit=llvm --target=x86-64-v4-bf16 > product.ll
RUN: graphc compile product.ll --from=llvm --emit=asm --target=x86-64-v4-bf16 | diff product.s -
CHECK: graphc.kept = [array<i64: 1, 32, 2, 0, 1>{{.*}} graphc.scratch = [{{.*}}, array<i64: 4480, 2>, array<i64: 884, 2>]
CHECK: arith.minui {{.*}} : vector<32xi16>
CHECK: vector.reduction <minui>
CHECK: arith.minui {{.*}} : vector<32xi16>
CHECK-COUNT-28: "llvm.x86.avx512bf16.dpbf16ps.512"
CHECK: math.fma {{.*}} : vector<16xf32>
CHECK-NOT: dpbf16ps
RUN: graphc compile product.mlir --emit=asm --target=x86-64-v4-bf16 | FileCheck %s --check-prefix=ASM
ASM-COUNT-28: vdpbf16ps

As it is without the instruction, or the optimization: rows and columns are converted when they are copied.
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=NONE
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4-bf16 --exclude=pairs | FileCheck %s --check-prefix=NONE
NONE-NOT: bf16ps

What is narrowed in front of a product is put into memory, and read from there.
RUN: graphc compile narrowed.mlir --emit=loops --target=x86-64-v4-bf16 | FileCheck %s --check-prefix=NARROWED
NARROWED: dpbf16ps

Neither what stands apart in both directions, nor one factor of another dtype, nor sums of several loops.
RUN: graphc compile strided.mlir --emit=loops --target=x86-64-v4-bf16 | FileCheck %s --check-prefix=NONE
RUN: graphc compile mixed.mlir --emit=loops --target=x86-64-v4-bf16 | FileCheck %s --check-prefix=NONE
RUN: graphc compile window.mlir --emit=loops --target=x86-64-v4-bf16 | FileCheck %s --check-prefix=NONE

What is narrowed in front of a convolution stays in its kernel.
RUN: graphc compile narrowed-window.mlir --emit=linalg > with && graphc compile narrowed-window.mlir --emit=linalg --exclude=pairs > without && diff with without

Whole numbers, whose sums are exact in any order.
RUN: graphc run whole.mlir > pairs && graphc run whole.mlir --exclude=pairs > without && graphc run whole.mlir --mode=interpreter > interpreted
RUN: diff pairs without && diff pairs interpreted

//--- product.mlir
func.func @main(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = graph.dot %x, %w : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
//--- narrowed.mlir
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %b = graph.cast %x {dtype = bf16} : (tensor<?x?xf32>) -> tensor<?x?xbf16>
  %0 = graph.dot %b, %w : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
//--- strided.mlir
func.func @main(%x: tensor<?x?x2xbf16>, %w: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %i = graph.constant dense<1> : tensor<i64>
  %y = graph.take %x, %i {axis = 2} : (tensor<?x?x2xbf16>, tensor<i64>) -> tensor<?x?xbf16>
  %0 = graph.dot %y, %w : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
//--- mixed.mlir
func.func @main(%x: tensor<?x?xbf16>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.dot %x, %w : (tensor<?x?xbf16>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
//--- window.mlir
func.func @main(%x: tensor<1x16x20x20xbf16>, %w: tensor<16x16x3x3xbf16>) -> tensor<1x16x18x18xbf16> {
  %0 = graph.conv2d %x, %w {filterFlip = false} : (tensor<1x16x20x20xbf16>, tensor<16x16x3x3xbf16>) -> tensor<1x16x18x18xbf16>
  return %0 : tensor<1x16x18x18xbf16>
}
//--- narrowed-window.mlir
func.func @main(%x: tensor<1x16x20x20xf32>, %w: tensor<16x16x3x3xbf16>) -> tensor<1x16x18x18xbf16> {
  %y = graph.cast %x {dtype = bf16} : (tensor<1x16x20x20xf32>) -> tensor<1x16x20x20xbf16>
  %0 = graph.conv2d %y, %w {filterFlip = false} : (tensor<1x16x20x20xbf16>, tensor<16x16x3x3xbf16>) -> tensor<1x16x18x18xbf16>
  return %0 : tensor<1x16x18x18xbf16>
}
//--- whole.mlir
func.func @main() -> tensor<37x37xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %n = graph.constant dense<1517> : tensor<i64>
  %i = graph.arange %zero, %n, %one {dtype = f32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1517xf32>
  %seven = graph.constant dense<7.0> : tensor<f32>
  %m = graph.mod %i, %seven : (tensor<1517xf32>, tensor<f32>) -> tensor<1517xf32>
  %b = graph.cast %m {dtype = bf16} : (tensor<1517xf32>) -> tensor<1517xbf16>
  %s = graph.constant dense<[37, 41]> : tensor<2xi64>
  %x = graph.reshape %b, %s : (tensor<1517xbf16>, tensor<2xi64>) -> tensor<37x41xbf16>
  %t = graph.dimshuffle %x {order = [1, 0]} : (tensor<37x41xbf16>) -> tensor<41x37xbf16>
  %0 = graph.dot %x, %t : (tensor<37x41xbf16>, tensor<41x37xbf16>) -> tensor<37x37xbf16>
  %1 = graph.cast %0 {dtype = f32} : (tensor<37x37xbf16>) -> tensor<37x37xf32>
  return %1 : tensor<37x37xf32>
}
