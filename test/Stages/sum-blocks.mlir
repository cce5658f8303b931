// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=PARTS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=sum-blocks | FileCheck %s --check-prefix=WHOLE
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=NEXT
// RUN: graphc compile %s --emit=kernels > %t.kernels && graphc compile %t.kernels --from=kernels --emit=linalg | diff %t.linalg -

// Sums of more than 1,024 products, or of a number that is not known, are "long"; others, and those with something behind them that code
// does on the tile, have the code of before.
// KERNELS: kernel @mul_sum({{.*}}) -> (%2: f32[n0, n1]) long {
// KERNELS: kernel @mul_sum.2({{.*}}) -> (%2: f32[n0, n1]) {
// KERNELS: kernel @mul_sum ({{.*}} sizes [64, 96, 1025]
// KERNELS: kernel @mul_sum.2 ({{.*}} sizes [64, 96, 1024]

// Parts of k; a tile begins with what those before have left in the result, or with zeros, loaded from where either is.
// PARTS: scf.for [[FIRST:%[a-z0-9_]+]] = %c0 to {{.*}} {
// PARTS: [[CONTINUES:%[0-9]+]] = arith.cmpi sgt, [[FIRST]], %c0
// PARTS: arith.select [[CONTINUES]]
// PARTS-COUNT-28: llvm.load {{.*}} -> vector<16xf32>
// PARTS: :31 = scf.for
// Columns behind whole panels have masks.
// PARTS: arith.select [[CONTINUES]]
// PARTS-COUNT-14: llvm.intr.masked.load
// PARTS: :17 = scf.for
// Without mask registers the next tile's results are fetched, six rows later, where this one's are loaded at once.
// NEXT: [[CONTINUES:%[0-9]+]] = arith.cmpi sgt, %{{[a-z0-9_]+}}, %c0
// NEXT: [[COLUMNS:%[0-9]+]] = arith.select %{{[0-9]+}}, %c16, %c0
// NEXT-NEXT: [[TILE:%[0-9]+]] = arith.muli %{{[a-z0-9_]+}}, %c6
// NEXT-NEXT: arith.select [[CONTINUES]], [[TILE]], [[COLUMNS]]
// NEXT-COUNT-6: "llvm.intr.prefetch"{{.*}}rw = 1
// NEXT: llvm.load
// WHOLE-NOT: llvm.load {{.*}} -> vector<16xf32>
// WHOLE: :31 = scf.for {{.*}} -> (vector<16xf32>
func.func @main(%x: tensor<64x1025xf32>, %w: tensor<1025x96xf32>, %y: tensor<64x1024xf32>, %v: tensor<1024x96xf32>) -> (tensor<64x96xf32>, tensor<64x96xf32>) {
  %0 = graph.matmul %x, %w : (tensor<64x1025xf32>, tensor<1025x96xf32>) -> tensor<64x96xf32>
  %1 = graph.matmul %y, %v : (tensor<64x1024xf32>, tensor<1024x96xf32>) -> tensor<64x96xf32>
  return %0, %1 : tensor<64x96xf32>, tensor<64x96xf32>
}
