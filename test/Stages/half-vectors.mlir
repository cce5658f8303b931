// Products of no more columns than half a vector has lanes (lib/Transforms/ProductShape.cpp). Two to four columns, which
// lie by rows, are last columns alone, whose vectors have several terms of each. There is room for one panel. Pairs are for
// whole vectors.
// RUN: graphc compile %s --entry=eight --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=EIGHT
// RUN: graphc compile %s --entry=eight --emit=loops --target=x86-64-v4 --exclude=half-vectors | FileCheck %s --check-prefix=WHOLE
// RUN: graphc compile %s --entry=three --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=THREE
// RUN: graphc compile %s --entry=three --emit=loops --target=x86-64-v4 --exclude=last-columns | FileCheck %s --check-prefix=BLOCKS
// RUN: graphc compile %s --entry=transposed --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=BLOCKS
// RUN: graphc compile %s --entry=pairs --emit=loops --target=x86-64-v4-bf16 | FileCheck %s --check-prefix=PAIRS
// RUN: graphc compile %s --entry=pairs --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=HALVES
// RUN: graphc run %s --entry=eight -i x=random[37,45] -i y=random[45,8] --full > %t
// RUN: graphc run %s --entry=eight -i x=random[37,45] -i y=random[45,8] --full --exclude=half-vectors | diff %t -

// EIGHT: graphc.scratch = [array<i64: 32>, array<i64: 32, 1>
// EIGHT-NOT: vector<16xf32>
// EIGHT: math.fma {{.*}} vector<8xf32>
// WHOLE: math.fma {{.*}} vector<16xf32>
func.func @eight(%x: tensor<?x?xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %z = graph.dot %x, %y : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// Four terms of a row, for all columns: eight rows at a time.
// THREE: graphc.scratch = [array<i64: 12>, array<i64: 64, 1>
// THREE: vector.shuffle {{.*}} [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
// THREE: :{{[0-9]+}} = scf.for {{.*}} -> (vector<16xf32>
// THREE-COUNT-8: math.fma {{.*}} vector<16xf32>
// BLOCKS-NOT: graphc.scratch
func.func @three(%x: tensor<?x?xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %z = graph.dot %x, %y : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}

func.func @transposed(%x: tensor<?x?xf32>, %y: tensor<3x?xf32>) -> tensor<?x3xf32> {
  %t = graph.dimshuffle %y {order = [1, 0]} : (tensor<3x?xf32>) -> tensor<?x3xf32>
  %z = graph.dot %x, %t : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}

// PAIRS: dpbf16ps
// HALVES-NOT: vector<16xf32>
// HALVES: math.fma {{.*}} vector<8xf32>
func.func @pairs(%x: tensor<?x?xbf16>, %y: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %z = graph.dot %x, %y : (tensor<?x?xbf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %z : tensor<?x8xbf16>
}
