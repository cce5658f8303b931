// Two products with rows between them are one kernel, through which a block of 128 rows in whole tiles passes at a time: what they hand on
// is in memory for 140 rows. Without "join-products" it is in arrays of the program.
// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=kernels --exclude=join-products | FileCheck %s --check-prefix=APART
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: not graphc compile %s --exclude=join-product 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// KERNELS-COUNT-1: kernel @{{.*}} shared 2
// KERNELS-COUNT-6: for (i0 < n0, i1 < n1
// KERNELS-NOT: arena
// KERNELS: %{{.*}}: f32[{{.*}}] = output 0
// KERNELS-NOT: arena

// APART-COUNT-2: = arena
// APART-COUNT-3: kernel @

// What the products hand on, and a row of exp: 140 rows of scores and of weights.
// LOOPS: graphc.scratch = [{{.*}}array<i64: 560, [[COLUMNS:[0-9]+]]>{{.*}}array<i64: 560, [[COLUMNS]]>
// LOOPS: %[[ROWS:.*]] = arith.constant 140 : index
// LOOPS: scf.for %[[HEAD:.*]] = %{{.*}} to %{{.*}} step %c1 {
// LOOPS:   scf.for %[[BLOCK:.*]] = %c0 to %[[ALL:.*]] step %[[ROWS]] {
// LOOPS:     %[[NEXT:.*]] = arith.addi %[[BLOCK]], %[[ROWS]]
// LOOPS:     arith.minsi %[[NEXT]], %[[ALL]]
// AVX2: arith.constant 132 : index
// UNKNOWN: no rewrite and no tag is called 'join-product'; did you mean 'join-products'?
func.func @main(%q: tensor<?x?x64xf32>, %k: tensor<?x64x?xf32>, %v: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %s = graph.matmul %q, %k : (tensor<?x?x64xf32>, tensor<?x64x?xf32>) -> tensor<?x?x?xf32>
  %p = graph.softmax %s {axes = [2]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %y = graph.matmul %p, %v : (tensor<?x?x?xf32>, tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}
