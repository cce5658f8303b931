// RUN: graphc compile %s --emit=linalg > %t.linalg && FileCheck %s --check-prefix=LINALG < %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=fetch-results > %t.loops && FileCheck %s --check-prefix=LOOPS < %t.loops
// RUN: graphc compile %t.loops --from=loops --emit=llvm --target=x86-64-v4 | FileCheck %s --check-prefix=LLVM
// RUN: graphc compile %s --emit=asm --target=x86-64-v4 | FileCheck %s --check-prefix=ASM
// RUN: graphc compile %s --emit=obj --target=aarch64 -o %t.o && llvm-readelf -h %t.o | FileCheck %s --check-prefix=AARCH64

// A product with its bias and activation, for all extents. Scratch memory for panels of the right operand, rows of the
// left one, and a few last columns, only where they are large; panels and rows as the runtime keeps them of constants; tiles of 14 rows x 2 vectors, what is left of the rows, what is
// left of the columns in both ways, 4 dot products at a time with a last column, 8 with several of them side by side, and 4 lines at a time if there is only one row.
// Operands that the L2 cache has no room for are copied beside one and a half tiles of rows, those whose lines are in one set of the L1 cache beside any second one.
// RUN: FileCheck %s --check-prefix=FAR < %t.loops
// FAR: arith.select %{{.*}}, %c15, %c21 : index

// LINALG: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// LOOPS: graphc.kept = [array<i64: 1, 32, 4, 0, 1>, array<i64>, array<i64: 0, 0, 0, 0, 1>, array<i64>, array<i64>]
// LOOPS-SAME: graphc.scratch = [array<i64: 4, [[N:[0-9]+]]>, array<i64: 4096, [[K:[0-9]+]]>, array<i64: 4, [[K]]>, array<i64: 884, [[K]]>, array<i64: 20, [[K]]>]
// LOOPS-SAME: graphc.scratch_limit = [array<i64: 1, {{[0-9]+}}>, array<i64: 16383, {{[0-9, ]+}}>, array<i64>, array<i64: 8191, {{[0-9, ]+}}>, array<i64: 1024, [[K]]>]
// LOOPS: [[SUMS:%[a-z0-9_]+]] = memref.alloca() {alignment = 64 : i64} : memref<4096xf32>
// LOOPS: vector.maskedload
// LOOPS: vector.store
// LOOPS-NOT: llvm.intr.prefetch
// LOOPS: arith.select %{{.*}}, %c14, %c0
// LOOPS-NEXT: [[STEP:%[0-9]+]] = arith.select %{{.*}}, %c16,
// LOOPS-NOT: llvm.intr.prefetch
// LOOPS: :31 = scf.for {{.*}} step %c1 {{.*}} -> (vector<16xf32>
// LOOPS-NOT: llvm.intr.masked.load
// LOOPS: llvm.intr.prefetch{{.*}}hint = 3
// LOOPS-NOT: hint = 2
// LOOPS: :31 = scf.for [[FIRST:%[a-z0-9_]+]] = {{.*}} step [[STEP]] {{.*}} -> (vector<16xf32>
// LOOPS: scf.for %{{[a-z0-9_]+}} = %c0 to %{{[a-z0-9_]+}} step %c1 {
// LOOPS: llvm.intr.prefetch{{.*}}hint = 2
// LOOPS: [[NEXT:%[0-9]+]] = arith.addi [[FIRST]], [[STEP]]
// LOOPS-NEXT: [[END:%[0-9]+]] = arith.minsi [[NEXT]],
// LOOPS: :31 = scf.for %{{[a-z0-9_]+}} = [[FIRST]] to [[END]] step %c1 {{.*}} -> (vector<16xf32>
// LOOPS-NOT: llvm.intr.prefetch
// LOOPS: :10 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-NOT: llvm.intr.masked.load
// LOOPS: :17 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS: llvm.intr.masked.load
// LOOPS: vector.maskedstore {{.*}} vector<16xf32>
// LOOPS: :6 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS: llvm.intr.masked.load
// LOOPS: vector.maskedstore {{.*}} vector<16xf32>
// LOOPS: :4 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-NOT: llvm.intr.masked.load
// LOOPS: :4 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS: llvm.intr.masked.load
// LOOPS: vector.store {{.*}}[[SUMS]]{{.*}} vector<4xf32>
// LOOPS: memref.load [[SUMS]]
// LOOPS: :8 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-NOT: llvm.intr.masked.load
// LOOPS: vector.shuffle {{.*}} [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3] : vector<4xf32>
// LOOPS: :8 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS: llvm.intr.masked.load {{.*}} vector<4xf32>
// LOOPS-COUNT-2: vector.store {{.*}}[[SUMS]]{{.*}} vector<16xf32>
// LOOPS: vector.load [[SUMS]]{{.*}} vector<4xf32>
// LOOPS: vector.maskedstore {{.*}} vector<4xf32>
// LOOPS-COUNT-4: vector.load [[SUMS]]
// LOOPS-NOT: llvm.intr.masked.load
// LOOPS-COUNT-16: math.fma
// LOOPS-COUNT-4: vector.store {{.*}}[[SUMS]]
// LOOPS: vector.maskedstore {{.*}} vector<16xf32>
// A whole tile carries 28 sums, two pointers to rows, and one to the panel. The one that fills a panel has a loop of its own.
// The next tile's rows are fetched in front of 16 k at a time, if at all.
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=fetch-rows,fill-panels,fetch-results | FileCheck %s --check-prefix=WAITS
// WAITS-NOT: llvm.intr.prefetch
// WAITS: :31 = scf.for {{.*}} -> (vector<16xf32>
// WAITS-NOT: llvm.intr.prefetch
// LLVM: define i32 @graphc_
// The loop of a whole tile touches nothing but its operands.
// ASM: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// ASM-NOT: (%rsp)
// ASM: {{j[a-z]+}} .LBB
// AARCH64: Machine: AArch64
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = graph.matmul %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = graph.add %0, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %2 = graph.relu %1 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
