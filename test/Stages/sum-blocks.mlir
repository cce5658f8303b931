// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=PARTS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=sum-blocks | FileCheck %s --check-prefix=WHOLE

// Long sums are made in parts: a tile begins with what the parts of k before it have left in the result, or with zeros.
// PARTS: [[STORED:%[0-9]+]]:28 = scf.if {{.*}} -> (vector<16xf32>
// PARTS-COUNT-28: vector.load
// PARTS: else
// PARTS: :32 = scf.for {{.*}} iter_args({{%[a-z0-9_]+}} = [[STORED]]#0,
// Columns behind whole panels have masks.
// PARTS: :14 = scf.if {{.*}} -> (vector<16xf32>
// PARTS-COUNT-14: vector.maskedload
// WHOLE-NOT: scf.if {{.*}} -> (vector<16xf32>
// WHOLE: :32 = scf.for {{.*}} -> (vector<16xf32>
// WHOLE-NOT: scf.if {{.*}} -> (vector<16xf32>
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.matmul %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
