// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=fetch-results,fetch-rows | FileCheck %s --check-prefixes=NONE,PANELS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=fetch-results,fetch-rows,fetch-panels | FileCheck %s --check-prefix=NEITHER
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=fetch-panels,fetch-rows | FileCheck %s --check-prefix=ONE
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=MASKS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=fetch-results | FileCheck %s --check-prefix=NONE

// Without mask registers. Each tile of six rows fetches what it will store, and what it reads of the residual, not what each column has one
// of: the cache line of the last of 16 columns, 16 columns later where sums are of up to 64 terms and there is another panel. Where the first
// tile of four or more fills a panel, the others take turns to fetch the next one's lines, in front of 16 terms and more; the last of its columns
// is 124 bytes behind the first of this panel.
// CHECK-LABEL: func.func @graphc_mul_sum_add_
// CHECK: [[TILES:%[0-9]+]] = arith.divui %{{[a-z0-9_]+}}, %c6 :
// CHECK-NEXT: [[ENOUGH:%[0-9]+]] = arith.cmpi sge, [[TILES]], %c4
// CHECK-NEXT: [[FETCHES:%[0-9]+]] = arith.andi %{{[0-9]+}}, [[ENOUGH]]
// CHECK-NEXT: [[ONE_LESS:%[0-9]+]] = arith.subi [[TILES]], %c1
// CHECK-NEXT: [[OTHERS:%[0-9]+]] = arith.maxsi [[ONE_LESS]], %c1
// CHECK-NEXT: [[MOST:%[0-9]+]] = arith.addi [[OTHERS]], %c15
// CHECK-NEXT: [[LINES:%[0-9]+]] = arith.divui [[MOST]], [[OTHERS]]
// CHECK-NEXT: [[TERMS:%[0-9]+]] = arith.muli [[LINES]], [[OTHERS]]
// CHECK: scf.for [[COLUMN:%[a-z0-9_]+]] = {{.*}} step %c16 {
// CHECK: [[NEXT_END:%[0-9]+]] = arith.addi [[COLUMN]], %c32
// CHECK-NEXT: [[HAS_NEXT:%[0-9]+]] = arith.cmpi sle, [[NEXT_END]],
// CHECK: [[NOW:%[0-9]+]] = arith.andi [[FETCHES]], [[HAS_NEXT]]
// CHECK: arith.addi %{{[0-9]+}}, %c124
// CHECK: arith.select [[NOW]], [[LINES]],
// CHECK-NEXT: [[STEP:%[0-9]+]] = arith.select [[NOW]], [[TERMS]],
// CHECK: scf.for {{.*}} step %c6 {
// CHECK-NOT: llvm.intr.prefetch
// CHECK: [[SHORT:%[0-9]+]] = arith.cmpi sle, %{{[a-z0-9_]+}}, %c64
// CHECK-NEXT: [[AND_NEXT:%[0-9]+]] = arith.andi [[SHORT]], [[HAS_NEXT]]
// CHECK-NEXT: [[AHEAD:%[0-9]+]] = arith.select [[AND_NEXT]], %c16, %c0
// CHECK: arith.muli [[AHEAD]], %c4
// CHECK: arith.addi %{{[0-9]+}}, %c60
// CHECK-COUNT-6: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 1
// CHECK-COUNT-6: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 0
// CHECK-NOT: llvm.intr.prefetch
// CHECK: :14 = scf.for
// CHECK-COUNT-2: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 0
// CHECK: :14 = scf.for {{.*}} step [[STEP]]
// CHECK-NEXT: arith.cmpi ne
// CHECK-NEXT: scf.if
// CHECK: arith.divui %{{[0-9]+}}, %c6
// CHECK: scf.for
// CHECK: "llvm.intr.prefetch"{{.*}}hint = 2 : i32, rw = 0
// CHECK: :14 = scf.for
// CHECK-NOT: llvm.intr.prefetch
// CHECK-COUNT-12: math.fma

// NONE-LABEL: func.func @graphc_mul_sum_add_
// NONE-NOT: rw = 1
// PANELS: hint = 2

// NEITHER-NOT: hint = 2

// ONE-LABEL: func.func @graphc_mul_sum_add_
// ONE: rw = 1
// ONE-NOT: hint = 2
// ONE-COUNT-2: :14 = scf.for
// ONE-NOT: hint = 2
// ONE: :10 = scf.for

// With them: only results that have more bytes than two L2 caches, behind a branch for each tile.
// MASKS-LABEL: func.func @graphc_mul_sum_add_
// MASKS: [[MANY:%[0-9]+]] = arith.cmpi sge, %{{[0-9]+}}, %c2097152
// MASKS: scf.for {{.*}} step %c14 {
// MASKS-NOT: llvm.intr.prefetch
// MASKS: scf.if [[MANY]] {
// MASKS: scf.for %{{[a-z0-9]+}} = %c0 to %c14 step %c1 {
// MASKS-COUNT-2: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 1
// MASKS: scf.for %{{[a-z0-9]+}} = %c0 to %c14 step %c1 {
// MASKS-COUNT-2: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 0
// MASKS-NOT: llvm.intr.prefetch
// MASKS: scf.for {{.*}} -> (vector<16xf32>

// So few rows and columns are in the nearest cache.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK-NOT: rw = 1
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %b: tensor<?xf32>, %r: tensor<?x?xf32>, %y: tensor<16x?xf32>, %v: tensor<?x16xf32>) -> (tensor<?x?xf32>, tensor<16x16xf32>) {
  %0 = graph.matmul %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = graph.dimshuffle %b {order = [-1, 0]} : (tensor<?xf32>) -> tensor<1x?xf32>
  %2 = graph.add %0, %1 : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %3 = graph.add %2, %r : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = graph.matmul %y, %v : (tensor<16x?xf32>, tensor<?x16xf32>) -> tensor<16x16xf32>
  return %3, %4 : tensor<?x?xf32>, tensor<16x16xf32>
}
