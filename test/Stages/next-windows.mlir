// Rows of windows are asked for four windows before they are read, each of them once.
// RUN: split-file %s %t && cd %t
// RUN: graphc compile stride2.mlir --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc compile stride2.mlir --emit=loops --target=x86-64-v4 --exclude=next-rows | FileCheck %s --check-prefix=WAITS
// RUN: graphc compile stride1.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=ONE
// RUN: graphc compile apart.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=THREE
// WAITS-NOT: prefetch

// An array of which two nests of a pass read the same row is none of windows.
// RUN: graphc compile spread.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=WAITS

// Eight rows of the picture further on: its second and third row, since the first was the third of the window before.
// CHECK: %[[ROWS:.*]] = arith.muli %{{.*}}, %c2 : index
// CHECK: %[[FOUR:.*]] = arith.muli %[[ROWS]], %c4 : index
// CHECK: %[[LENGTH:.*]] = arith.muli %[[FOUR]], %c4 : index
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[LENGTH]], %c{{[0-9]+}} : index
// CHECK: arith.select %[[FITS]], %[[LENGTH]], %c0 : index
// CHECK: step %c16 {
// CHECK-COUNT-2: "llvm.intr.prefetch"(%{{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK-NOT: prefetch
// CHECK: vector.store
// CHECK: step %c16 {
// CHECK-COUNT-2: "llvm.intr.prefetch"
// CHECK-NOT: prefetch

// ONE: step %c16 {
// ONE-COUNT-1: "llvm.intr.prefetch"
// ONE-NOT: prefetch
// ONE: vector.store
// ONE: step %c16 {
// ONE-COUNT-1: "llvm.intr.prefetch"
// ONE-NOT: prefetch

// THREE-COUNT-6: "llvm.intr.prefetch"
// THREE-NOT: prefetch

#--- stride2.mlir
func.func @main(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %p = graph.pool %x {window = [3, 3], stride = [2, 2]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}
#--- stride1.mlir
func.func @main(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %p = graph.pool %x {window = [3, 3], stride = [1, 2]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}
#--- apart.mlir
func.func @main(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %p = graph.pool %x {window = [3, 3], stride = [3, 2]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %p : tensor<?x?x?xf32>
}
#--- spread.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %g = graph.max %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  %l = graph.min %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  %d = graph.sub %g, %l : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %d : tensor<?xf32>
}
