// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=row-tiles,fetch-panels | FileCheck %s --check-prefix=LINES
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LINES

// Rows of a left operand that stand together are copied one tile of six after the other: of each k a whole vector, whose
// last two lanes are overwritten by the next k; the last tiles by masked loads. A tile then finds its rows at 24 bytes for each k.
// Rows that are large and not copied are fetched instead; others are not. The first tile fills panels where rows are copied once.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK: %[[LARGE:.*]] = arith.cmpi sge, %{{.*}}, %c1048576
// CHECK: arith.cmpi ugt, %[[LARGE]], %[[COPIES:[a-z0-9_]+]]
// CHECK: %[[AGAIN:.*]] = arith.ori %{{.*}}, %
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[COPIES]], %[[AGAIN]]
// CHECK-NEXT: arith.select %[[BOTH]], %false
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %[[WHOLE:.*]] step %c6 {
// CHECK: %[[SIX:.*]] = vector.load {{.*}} vector<8xf32>
// CHECK: llvm.intr.prefetch
// CHECK: vector.store %[[SIX]], {{.*}} vector<8xf32>
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c6 {
// CHECK: %[[CUT:.*]] = vector.maskedload
// CHECK: vector.store %[[CUT]], {{.*}} vector<8xf32>
// CHECK: arith.divui %{{.*}}, %c6 :
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.fma

// The last columns: of the vectors along rows, those that have none read where the first one does.
// CHECK: arith.select %{{.*}}, %c24, %c32
// CHECK: arith.cmpi sgt, %[[LEFT:[0-9]+]], %
// CHECK-NEXT: arith.select %{{.*}}, %c0
// CHECK-NEXT: arith.cmpi sgt, %[[LEFT]], %
// CHECK-NEXT: arith.select %{{.*}}, %c0
// CHECK-NEXT: arith.cmpi sgt, %[[LEFT]], %
// CHECK-NEXT: arith.select %{{.*}}, %c0

// The copy is of whole lines, of all rows of a block, and a row's place no matter of tiles.
// LINES-LABEL: func.func @graphc_mul_sum_
// LINES-NOT: arith.divui %{{.*}}, %c{{6|14}} :
// LINES: scf.for %{{.*}} step %c{{8|16}} {
// LINES-NOT: arith.divui %{{.*}}, %c{{6|14}} :
// LINES: math.fma
// LINES-NOT: arith.divui %{{.*}}, %c{{6|14}} :
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = graph.dimshuffle %a {order = [1, 0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = graph.matmul %t, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
