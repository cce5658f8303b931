Operands of a product that may be constants: the runtime keeps copies of them (lib/Runtime/KeptOperands.cpp), whose addresses are more
arguments, null where there are none. Of the left operand rows of 4 KB with gaps between them, of the right one panels of 32 columns.

RUN: split-file %s %t && cd %t
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4 | FileCheck %s
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4 --exclude=kept-rows | FileCheck %s --check-prefix=PANELS
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4 --exclude=kept-panels | FileCheck %s --check-prefix=ROWS
Tiles of six rows read others where they lie: there is no room for a copy at each call.
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=LOW
RUN: graphc compile product.mlir --emit=loops --exclude=kept-rows,kept-panels | FileCheck %s --check-prefix=NONE
Rows that do not stand together, and windows, have no copies of rows; columns that stand together have panels as well.
RUN: graphc compile transposed.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=PANELS
RUN: graphc compile columns.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=COLUMNS
RUN: graphc compile window.mlir --emit=loops | FileCheck %s --check-prefix=NONE
Nor have what is known to be smaller than anything that is kept.
RUN: graphc compile tiny.mlir --emit=loops | FileCheck %s --check-prefix=NONE
CHECK: graphc.kept = [array<i64: 1, 32, 4, 0, 1>, array<i64>, array<i64: 0, 0, 0, 0, 1>, array<i64>
PANELS: graphc.kept = [array<i64: 1, 32, 4, 0, 1>, array<i64>, array<i64>
ROWS: graphc.kept = [array<i64>, array<i64: 0, 0, 0, 0, 1>, array<i64>
COLUMNS: graphc.kept = [array<i64: 1, 32, 4, 1, 1>, array<i64>
LOW: graphc.kept = [array<i64: 1, 16, 4, 0, 1>, array<i64>, array<i64: 0, 0, 0, 0, 0>, array<i64>
NONE-NOT: graphc.kept

The same numbers with it, without it, in a saved function, and in a program of its own, which keeps no copies.
RUN: graphc run product.mlir -i x=random[1024,33] --full > with
RUN: graphc run product.mlir -i x=random[1024,33] --full --exclude=kept-rows > without
RUN: graphc compile product.mlir --emit=function -o product.graphc
RUN: graphc run product.graphc --trust-code -i x=random[1024,33] --full > saved
RUN: graphc compile product.mlir --emit=exe -o product && ./product -i x=random[1024,33] --full > program
RUN: diff with without && diff with saved && diff with program
Panels, of what lies by rows and by columns, with a few last columns, one row and many.
RUN: graphc run dense.mlir -i x=random[1,300] -i y=random[70,300] --full > with
RUN: graphc run dense.mlir -i x=random[1,300] -i y=random[70,300] --full --threads 2 > threads
RUN: graphc run dense.mlir -i x=random[1,300] -i y=random[70,300] --full --exclude=kept-panels > without
RUN: graphc compile dense.mlir --emit=function -o dense.graphc
RUN: graphc run dense.graphc --trust-code -i x=random[1,300] -i y=random[70,300] --full > saved
RUN: diff with without && diff with threads && diff with saved
Of long sums, whose last column is copied to scratch memory: that behind the rows, where these have no room of their own.
RUN: sed "s/1024/2048/g; s/30720/61440/g" product.mlir > long.mlir
RUN: graphc run long.mlir --target=x86-64-v3 -i x=random[2048,49] --full > with
RUN: graphc run long.mlir --target=x86-64-v3 -i x=random[2048,49] --full --exclude=kept-rows > without
RUN: diff with without
Of a batch, with what follows a row number that others begin; rows are read by two threads.
RUN: graphc run batch.mlir -i x=random[3,1024,40] --full > with
RUN: graphc run batch.mlir -i x=random[3,1024,40] --full --threads 2 > threads
RUN: graphc run batch.mlir -i x=random[3,1024,40] --full --exclude=kept-rows > without
RUN: diff with without && diff with threads

//--- tiny.mlir
func.func @main(%x: tensor<?x16xf32>, %y: tensor<16x16xf32>) -> tensor<?x16xf32> {
  %z = graph.dot %x, %y : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
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
//--- columns.mlir
func.func @main(%x: tensor<?x64xf32>, %w: tensor<100x64xf32>) -> tensor<?x100xf32> {
  %t = graph.dimshuffle %w {order = [1, 0]} : (tensor<100x64xf32>) -> tensor<64x100xf32>
  %0 = graph.dot %x, %t : (tensor<?x64xf32>, tensor<64x100xf32>) -> tensor<?x100xf32>
  return %0 : tensor<?x100xf32>
}
//--- dense.mlir
func.func @main(%x: tensor<?x300xf32>, %y: tensor<?x300xf32>) -> (tensor<?x67xf32>, tensor<?x67xf32>) {
  %n = graph.constant dense<20100> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %i = graph.arange %zero, %n, %one {dtype = f32} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<20100xf32>
  %c = graph.cos %i : (tensor<20100xf32>) -> tensor<20100xf32>
  %s = graph.constant dense<[300, 67]> : tensor<2xi64>
  %w = graph.reshape %c, %s : (tensor<20100xf32>, tensor<2xi64>) -> tensor<300x67xf32>
  %r = graph.constant dense<[67, 300]> : tensor<2xi64>
  %v = graph.reshape %c, %r : (tensor<20100xf32>, tensor<2xi64>) -> tensor<67x300xf32>
  %t = graph.dimshuffle %v {order = [1, 0]} : (tensor<67x300xf32>) -> tensor<300x67xf32>
  %0 = graph.dot %x, %w : (tensor<?x300xf32>, tensor<300x67xf32>) -> tensor<?x67xf32>
  %1 = graph.dot %y, %t : (tensor<?x300xf32>, tensor<300x67xf32>) -> tensor<?x67xf32>
  return %0, %1 : tensor<?x67xf32>, tensor<?x67xf32>
}
//--- window.mlir
func.func @main(%x: tensor<1x64x20x20xf32>, %w: tensor<32x64x3x3xf32>) -> tensor<1x32x18x18xf32> {
  %0 = graph.conv2d %x, %w {dilation = [1, 1], filterFlip = false, padding = [0, 0, 0, 0], stride = [1, 1]} : (tensor<1x64x20x20xf32>, tensor<32x64x3x3xf32>) -> tensor<1x32x18x18xf32>
  return %0 : tensor<1x32x18x18xf32>
}
