// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=fetch-results | FileCheck %s --check-prefixes=NONE,PANELS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=fetch-panels,fetch-rows | FileCheck %s --check-prefix=ONE
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=NONE

// Without mask registers. Each tile of six rows fetches what it will store, and what it reads of the residual, not what each column has one
// of: the cache line of the last of 16 columns. Where the first tile of four or more fills a panel, the others fetch parts of
// the next one, 1 to 64 lines in front of 64 k, which begin 16 columns later: the last of these is 124 bytes behind the first of this panel.
// CHECK-LABEL: func.func @graphc_mul_sum_add_
// CHECK: [[TILES:%[0-9]+]] = arith.divui %{{[a-z0-9_]+}}, %c6 :
// CHECK-NEXT: [[ENOUGH:%[0-9]+]] = arith.cmpi sge, [[TILES]], %c4
// CHECK-NEXT: [[FETCHES:%[0-9]+]] = arith.andi %{{[0-9]+}}, [[ENOUGH]]
// CHECK: arith.cmpi sge, [[TILES]], %c3
// CHECK: arith.cmpi sge, [[TILES]], %c4
// CHECK: arith.cmpi sge, [[TILES]], %c6
// CHECK: arith.cmpi sge, [[TILES]], %c10
// CHECK: arith.cmpi sge, [[TILES]], %c18
// CHECK: arith.cmpi sge, [[TILES]], %c34
// CHECK: arith.addi %{{[0-9]+}}, %c124
// CHECK: arith.select [[FETCHES]], %c64,
// CHECK: scf.for {{.*}} step %c6 {
// CHECK-NOT: llvm.intr.prefetch
// CHECK: [[SHORT:%[0-9]+]] = arith.cmpi sle, %{{[a-z0-9_]+}}, %c64
// CHECK-NEXT: [[AHEAD:%[0-9]+]] = arith.select [[SHORT]], %c16, %c0
// CHECK: arith.muli [[AHEAD]], %c4
// CHECK: arith.addi %{{[0-9]+}}, %c60
// CHECK-COUNT-6: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 1
// CHECK-COUNT-6: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 0
// CHECK-NOT: llvm.intr.prefetch
// CHECK: :14 = scf.for
// CHECK-COUNT-2: "llvm.intr.prefetch"{{.*}}hint = 3 : i32, rw = 0
// CHECK: :14 = scf.for
// CHECK-NEXT: arith.cmpi ne
// CHECK-NEXT: scf.if
// CHECK: scf.for
// CHECK: "llvm.intr.prefetch"{{.*}}hint = 2 : i32, rw = 0
// CHECK: :14 = scf.for
// CHECK-NOT: llvm.intr.prefetch
// CHECK-COUNT-12: math.fma

// NONE-LABEL: func.func @graphc_mul_sum_add_
// NONE-NOT: rw = 1
// PANELS: hint = 2

// ONE-LABEL: func.func @graphc_mul_sum_add_
// ONE: rw = 1
// ONE-NOT: hint = 2
// ONE-COUNT-2: :14 = scf.for
// ONE-NOT: hint = 2
// ONE: :10 = scf.for

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
