// Panels of a transposed right operand (lib/Transforms/ProductPacking.cpp): sixteen lines of eight are read from four
// pointers, and two steps behind these; what is left of the columns or k has an address for each line of four.
// RUN: graphc compile %s --entry=main --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc compile %s --entry=main --emit=loops --target=x86-64-v4 --exclude=square-panels | FileCheck %s --check-prefix=LINES
// RUN: graphc compile %s --entry=main --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: graphc run %s --entry=main -i x=random[37,45] -i y=random[70,45] --full > %t
// RUN: graphc run %s --entry=main -i x=random[37,45] -i y=random[70,45] --full --exclude=square-panels | diff %t -
// RUN: graphc run %s --entry=main -i x=random[37,45] -i y=random[70,45] --full --target=x86-64-v3 | diff %t -
// RUN: graphc run %s --entry=main -i x=random[37,45] -i y=random[70,45] --full --target=x86-64 --exclude=square-panels > %t.baseline
// RUN: graphc run %s --entry=main -i x=random[37,45] -i y=random[70,45] --full --target=x86-64 | diff %t.baseline -

// CHECK: scf.for {{.*}} step %c8 iter_args({{([^,]*, ){4}[^,]*}}) ->
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<8xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.store {{.*}} vector<16xf32>
// CHECK: scf.for {{.*}} step %c4 {
// CHECK-COUNT-16: vector.load {{.*}} vector<4xf32>
// LINES-NOT: vector<8xf32>
// LINES: scf.for {{.*}} step %c4 {
// LINES-COUNT-16: vector.load {{.*}} vector<4xf32>
// AVX2: scf.for {{.*}} step %c4 iter_args({{([^,]*, ){2}[^,]*}}) ->
// AVX2-COUNT-8: llvm.load {{.*}} -> vector<4xf32>
// AVX2-COUNT-4: vector.store {{.*}} vector<8xf32>
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = graph.dimshuffle %y {order = [1, 0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = graph.dot %x, %t : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// So are those that all blocks of rows share.
// RUN: graphc compile %s --entry=attention --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=SHARED
// SHARED-COUNT-16: llvm.load {{.*}} -> vector<8xf32>
func.func @attention(%q: tensor<8x?x64xf32>, %k: tensor<8x?x64xf32>, %v: tensor<8x?x64xf32>) -> tensor<8x?x64xf32> {
  %t = graph.dimshuffle %k {order = [0, 2, 1]} : (tensor<8x?x64xf32>) -> tensor<8x64x?xf32>
  %s = graph.batchedDot %q, %t : (tensor<8x?x64xf32>, tensor<8x64x?xf32>) -> tensor<8x?x?xf32>
  %p = graph.softmax %s {axes = [2]} : (tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  %o = graph.batchedDot %p, %v : (tensor<8x?x?xf32>, tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
  return %o : tensor<8x?x64xf32>
}
