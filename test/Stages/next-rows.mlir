// The next row of what several passes read is asked for by the second of them.
// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 > %t.loops && FileCheck %s < %t.loops
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=next-rows | FileCheck %s --check-prefix=WAITS
// RUN: graphc compile %t.loops --from=loops --emit=llvm --target=x86-64-v4 | FileCheck %s --check-prefix=LLVM

// Rows longer than a quarter of the L2 cache are not.
// CHECK: %[[LENGTH:.*]] = arith.muli %{{.*}}, %c4 : index
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[LENGTH]], %c{{[0-9]+}} : index
// CHECK: %[[AHEAD:.*]] = arith.select %[[FITS]], %[[LENGTH]], %c0 : index

// The greatest of a row asks for nothing, its exponentials for two cache lines at a time: as many vectors.
// CHECK: scf.for
// CHECK-NOT: prefetch
// CHECK: step %c128
// CHECK-NOT: prefetch
// CHECK: step %c32 iter_args
// CHECK: arith.addi %{{.*}}, %[[AHEAD]] : index
// CHECK-COUNT-2: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK-NOT: prefetch
// WAITS-NOT: prefetch
// LLVM-COUNT-2: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 2, i32 1)
// LLVM-NOT: call void @llvm.prefetch
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = graph.softmax %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
