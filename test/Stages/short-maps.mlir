Maps over a short last axis: vectors along the axis in front of it, interleaved before they are stored (lib/Transforms/ShortRows.cpp); without
that, a vector holds two or three elements.

RUN: split-file %s %t && cd %t
RUN: graphc compile apart.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=APART
RUN: graphc compile apart.mlir --emit=loops --target=x86-64-v4 --exclude=short-rows | FileCheck %s --check-prefix=GATHERS
APART-NOT: vector.gather
APART: vector.load
APART: vector.shuffle {{.*}}[0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]
APART-NEXT: arith.addi
APART-NEXT: vector.store
APART-NOT: vector.gather
GATHERS: vector.gather

RUN: graphc compile scaled.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=SCALED
SCALED: scf.for {{.*}} step %c32
SCALED-COUNT-6: arith.mulf {{.*}} vector<16xf32>
SCALED: vector.store

Rows of one element, less than a vector, and several; elements of 1, 2, 4 and 8 bytes.
RUN: graphc run apart.mlir -i x=random[3,2,1] --full > a1
RUN: graphc run apart.mlir -i x=random[3,2,1] --full --exclude=short-rows | diff a1 -
RUN: graphc run apart.mlir -i x=random[3,2,37] --full > a37
RUN: graphc run apart.mlir -i x=random[3,2,37] --full --exclude=short-rows | diff a37 -
RUN: graphc run scaled.mlir -i x=random[45,3] -i s=random[45,1] --full > s45
RUN: graphc run scaled.mlir -i x=random[45,3] -i s=random[45,1] --full --exclude=short-rows | diff s45 -
RUN: graphc run dtypes.mlir -i b=random[4,53] -i h=random[4,53] -i d=random[4,53] --full > d53
RUN: graphc run dtypes.mlir -i b=random[4,53] -i h=random[4,53] -i d=random[4,53] --full --exclude=short-rows | diff d53 -

//--- apart.mlir
func.func @main(%x: tensor<?x2x?xf32>) -> tensor<?x?x2xf32> {
  %y = graph.dimshuffle %x {order = [0, 2, 1]} : (tensor<?x2x?xf32>) -> tensor<?x?x2xf32>
  return %y : tensor<?x?x2xf32>
}

//--- scaled.mlir
func.func @main(%x: tensor<?x3xf32>, %s: tensor<?x1xf32>) -> tensor<?x3xf32> {
  %y = graph.mul %x, %s : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

//--- dtypes.mlir
func.func @main(%b: tensor<4x?xi8>, %h: tensor<4x?xbf16>, %d: tensor<4x?xf64>) -> (tensor<?x4xi8>, tensor<?x4xbf16>, tensor<?x4xf64>) {
  %0 = graph.dimshuffle %b {order = [1, 0]} : (tensor<4x?xi8>) -> tensor<?x4xi8>
  %1 = graph.dimshuffle %h {order = [1, 0]} : (tensor<4x?xbf16>) -> tensor<?x4xbf16>
  %2 = graph.dimshuffle %d {order = [1, 0]} : (tensor<4x?xf64>) -> tensor<?x4xf64>
  return %0, %1, %2 : tensor<?x4xi8>, tensor<?x4xbf16>, tensor<?x4xf64>
}
