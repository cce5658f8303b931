Kernels write what is joined along an outer axis to its part of the result, with what ends them (tanh).

RUN: split-file %s %t && cd %t
RUN: graphc compile products.mlir --emit=kernels | FileCheck %s --check-prefix=PARTS
RUN: graphc compile products.mlir --emit=kernels --exclude=parts-in-place | FileCheck %s --check-prefix=APART
PARTS: program
PARTS: [[WHOLE:%[0-9]+]]: f32[{{s[0-9]+}}, {{s[0-9]+}}] = output 0
PARTS: [[ONE:%[0-9]+]]: f32[{{s[0-9]+}}, {{s[0-9]+}}] = memory of [[WHOLE]] from 0
PARTS: [[TWO:%[0-9]+]]: f32[{{s[0-9]+}}, {{s[0-9]+}}] = memory of [[WHOLE]] from s{{[0-9]+}}
PARTS: kernel {{.*}} -> ([[ONE]])
PARTS: kernel {{.*}} -> ([[TWO]])
PARTS-NOT: kernel
PARTS: return [[WHOLE]]
APART: program
APART-NOT: memory of
APART: arena
APART: output 0
APART-NOT: memory of
APART: kernel @mul_sum
APART: kernel @mul_sum
APART: kernel {{.*}} -> ({{%[0-9]+}})

Behind one picture, too, where channels are joined, and where a product reads what is joined. A part of a part is one.
RUN: graphc compile channels.mlir --emit=kernels | FileCheck %s --check-prefix=CHANNELS
CHANNELS: [[WHOLE:%[0-9]+]]: f32[1, 5, 4, 4] = arena
CHANNELS: [[INNER:%[0-9]+]]: f32[1, 4, 4, 4] = memory of [[WHOLE]] from 0
CHANNELS: [[FIRST:%[0-9]+]]: f32[1, 2, 4, 4] = memory of [[INNER]] from 0
CHANNELS: [[SECOND:%[0-9]+]]: f32[1, 2, 4, 4] = memory of [[INNER]] from 32
CHANNELS: [[THIRD:%[0-9]+]]: f32[1, 1, 4, 4] = memory of [[WHOLE]] from 64
CHANNELS-NOT: kernel @join

Nor where another axis is joined, where inputs are, or where a part is a result itself.
RUN: graphc compile columns.mlir --emit=kernels | FileCheck %s --check-prefix=NONE
RUN: graphc compile inputs.mlir --emit=kernels | FileCheck %s --check-prefix=NONE
RUN: graphc compile results.mlir --emit=kernels | FileCheck %s --check-prefix=NONE
NONE: program
NONE-NOT: memory of %{{[0-9]+}} from

The text is read again, and what it says holds.
RUN: graphc compile products.mlir --emit=kernels -o products.kernels
RUN: graphc compile products.kernels --from=kernels --emit=kernels | FileCheck %s --check-prefix=PARTS

The same numbers, also on two threads and with no rows.
RUN: graphc run products.mlir -i x=[[1,2],[3,4]] -i y=[[1,0]] -i z=[[1,1],[1,-1]] > with
RUN: graphc run products.mlir -i x=[[1,2],[3,4]] -i y=[[1,0]] -i z=[[1,1],[1,-1]] --exclude=parts-in-place > without
RUN: graphc run products.mlir -i x=[[1,2],[3,4]] -i y=[[1,0]] -i z=[[1,1],[1,-1]] --threads=2 | diff without -
RUN: graphc run products.mlir -i x=random[0,2] -i y=random[0,2] -i z=random[2,2] > none
RUN: graphc run products.mlir -i x=random[0,2] -i y=random[0,2] -i z=random[2,2] --exclude=parts-in-place | diff none -
RUN: diff with without && FileCheck %s --check-prefix=NUMBERS < with
NUMBERS{LITERAL}: [[3, -1], [7, -1], [0.7615942, 0.7615942]]

#--- products.mlir
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = graph.matmul %x, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = graph.matmul %y, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = graph.tanh %q : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = graph.join %p, %t {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %j : tensor<?x?xf32>
}
#--- channels.mlir
func.func @main(%x: tensor<1x3x4x4xf32>, %k: tensor<2x3x3x3xf32>, %l: tensor<2x2x3x3xf32>, %m: tensor<1x4x1x1xf32>, %n: tensor<2x5x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %a = graph.conv2d %x, %k {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x4x4xf32>
  %b = graph.conv2d %a, %l {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x4x4xf32>
  %ab = graph.join %a, %b {axis = 1} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
  %c = graph.conv2d %ab, %m {filterFlip = false} : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x4x4xf32>
  %abc = graph.join %ab, %c {axis = 1} : (tensor<1x4x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x5x4x4xf32>
  %r = graph.conv2d %abc, %n {filterFlip = false} : (tensor<1x5x4x4xf32>, tensor<2x5x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %r : tensor<1x2x4x4xf32>
}
#--- columns.mlir
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = graph.matmul %x, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = graph.matmul %y, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = graph.join %p, %q {axis = 1} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %j : tensor<?x?xf32>
}
#--- inputs.mlir
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = graph.matmul %x, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = graph.join %p, %y {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %j : tensor<?x?xf32>
}
#--- results.mlir
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %p = graph.matmul %x, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = graph.matmul %y, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = graph.join %p, %q {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %j, %p : tensor<?x?xf32>, tensor<?x?xf32>
}
