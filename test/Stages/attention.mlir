// Two products with rows between them are one kernel, through which a block of 128 rows in whole tiles passes at a time: what they hand on
// is in memory for 140 rows. Without "join-products" it is in arrays of the program. Right operands are copied in front of the blocks, rows have
// gaps, and weights lie where scores did; without "block-memory" each block copies, and there is memory for both.
// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=kernels --exclude=join-products | FileCheck %s --check-prefix=APART
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 --exclude=block-memory | FileCheck %s --check-prefix=PLAIN
// RUN: graphc compile %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: not graphc compile %s --exclude=join-product 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// KERNELS-COUNT-1: kernel @{{.*}} shared 2
// KERNELS-COUNT-6: for (i0 < n0, i1 < n1
// KERNELS-NOT: arena
// KERNELS: %{{.*}}: f32[{{.*}}] = output 0
// KERNELS-NOT: arena

// APART-COUNT-2: = arena
// APART-COUNT-3: kernel @

// Panels of up to 512 columns and of more, of both products; 158 rows, for 140 with gaps; a row of exp.
// LOOPS: graphc.scratch = [array<i64: 2048, [[K:[0-9]+]]>, array<i64: 8, [[K]], [[COLUMNS:[0-9]+]]>, {{.*}}array<i64: 632, [[COLUMNS]]>
// LOOPS-NOT: array<i64: 632
// LOOPS-SAME: graphc.scratch_limit = [array<i64>, array<i64: 512, [[COLUMNS]]>
// LOOPS: scf.for %[[HEAD:.*]] = %{{.*}} to %{{.*}} step %c1 {
// Panels, 32 lines at a time; then blocks of as many rows as half of the L2 cache holds.
// LOOPS:   scf.for %{{.*}} = %c0 to %{{.*}} step %c32 {
// LOOPS:     vector.store
// LOOPS:   %[[FIT:.*]] = arith.divui %c524288
// LOOPS:   %[[ROWS:.*]] = arith.minsi %{{.*}}, %c140
// LOOPS:   scf.for %[[BLOCK:.*]] = %c0 to %[[ALL:.*]] step %[[ROWS]] {
// LOOPS:     %[[NEXT:.*]] = arith.addi %[[BLOCK]], %[[ROWS]]
// LOOPS:     arith.minsi %[[NEXT]], %[[ALL]]

// What the products hand on, and a row of exp: 140 rows of scores and of weights.
// PLAIN: graphc.scratch = [{{.*}}array<i64: 560, [[COLUMNS:[0-9]+]]>{{.*}}array<i64: 560, [[COLUMNS]]>
// PLAIN: %[[ROWS:.*]] = arith.constant 140 : index
// PLAIN: scf.for %[[HEAD:.*]] = %{{.*}} to %{{.*}} step %c1 {
// PLAIN:   scf.for %[[BLOCK:.*]] = %c0 to %[[ALL:.*]] step %[[ROWS]] {
// PLAIN:     %[[NEXT:.*]] = arith.addi %[[BLOCK]], %[[ROWS]]
// PLAIN:     arith.minsi %[[NEXT]], %[[ALL]]
// AVX2: arith.constant 132 : index
// UNKNOWN: no rewrite and no tag is called 'join-product'; did you mean 'join-products'?
func.func @main(%q: tensor<?x?x64xf32>, %k: tensor<?x64x?xf32>, %v: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %s = graph.matmul %q, %k : (tensor<?x?x64xf32>, tensor<?x64x?xf32>) -> tensor<?x?x?xf32>
  %p = graph.softmax %s {axes = [2]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = graph.matmul %p, %v : (tensor<?x?x?xf32>, tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}
