Rows of 4 KB of a constant, beside a product: the runtime keeps a copy with gaps (lib/Runtime/KeptRows.cpp), whose address is one more
argument, null where the operand is no constant. Windows and rows that do not stand together have none.

RUN: split-file %s %t && cd %t
RUN: graphc compile product.mlir --emit=loops | FileCheck %s
RUN: graphc compile product.mlir --emit=loops --exclude=kept-rows | FileCheck %s --check-prefix=NONE
RUN: graphc compile transposed.mlir --emit=loops | FileCheck %s --check-prefix=NONE
RUN: graphc compile window.mlir --emit=loops | FileCheck %s --check-prefix=NONE
CHECK: graphc.rows_of = array<i64: -1, -1, 0
NONE-NOT: graphc.rows_of

The same numbers with it, without it, in a saved function, and in a program of its own, which keeps no copies.
RUN: graphc run product.mlir -i x=random[1024,33] --full > with
RUN: graphc run product.mlir -i x=random[1024,33] --full --exclude=kept-rows > without
RUN: graphc compile product.mlir --emit=function -o product.graphc
RUN: graphc run product.graphc --trust-code -i x=random[1024,33] --full > saved
RUN: graphc compile product.mlir --emit=exe -o product && ./product -i x=random[1024,33] --full > program
RUN: diff with without && diff with saved && diff with program
Of a batch, with what follows a row number that others begin; rows are read by two threads.
RUN: graphc run batch.mlir -i x=random[3,1024,40] --full > with
RUN: graphc run batch.mlir -i x=random[3,1024,40] --full --threads 2 > threads
RUN: graphc run batch.mlir -i x=random[3,1024,40] --full --exclude=kept-rows > without
RUN: diff with without && diff with threads

//--- product.mlir
func.func @main(%x: tensor<1024x?xf32>) -> tensor<30x?xf32> {
  %n = graph.constant dense<30720> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %i = graph.arange %zero, %n, %one {dtype = f32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<30720xf32>
  %c = graph.cos %i : (tensor<30720xf32>) -> tensor<30720xf32>
  %s = graph.constant dense<[30, 1024]> : tensor<2xi64>
  %w = graph.reshape %c, %s : (tensor<30720xf32>, tensor<2xi64>) -> tensor<30x1024xf32>
  %0 = graph.dot %w, %x : (tensor<30x1024xf32>, tensor<1024x?xf32>) -> tensor<30x?xf32>
  return %0 : tensor<30x?xf32>
}
//--- batch.mlir
func.func @main(%x: tensor<3x1024x?xf32>) -> tensor<3x30x?xf32> {
  %n = graph.constant dense<92160> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %i = graph.arange %zero, %n, %one {dtype = f32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<92160xf32>
  %c = graph.cos %i : (tensor<92160xf32>) -> tensor<92160xf32>
  %s = graph.constant dense<[3, 30, 1024]> : tensor<3xi64>
  %w = graph.reshape %c, %s : (tensor<92160xf32>, tensor<3xi64>) -> tensor<3x30x1024xf32>
  %0 = graph.matmul %w, %x : (tensor<3x30x1024xf32>, tensor<3x1024x?xf32>) -> tensor<3x30x?xf32>
  return %0 : tensor<3x30x?xf32>
}
//--- transposed.mlir
func.func @main(%w: tensor<1024x30xf32>, %x: tensor<1024x?xf32>) -> tensor<30x?xf32> {
  %t = graph.dimshuffle %w {order = [1, 0]} : (tensor<1024x30xf32>) -> tensor<30x1024xf32>
  %0 = graph.dot %t, %x : (tensor<30x1024xf32>, tensor<1024x?xf32>) -> tensor<30x?xf32>
  return %0 : tensor<30x?xf32>
}
//--- window.mlir
func.func @main(%x: tensor<1x64x20x20xf32>, %w: tensor<32x64x3x3xf32>) -> tensor<1x32x18x18xf32> {
  %0 = graph.conv2d %x, %w {dilation = [1, 1], filterFlip = false, padding = [0, 0, 0, 0], stride = [1, 1]} : (tensor<1x64x20x20xf32>, tensor<32x64x3x3xf32>) -> tensor<1x32x18x18xf32>
  return %0 : tensor<1x32x18x18xf32>
}
