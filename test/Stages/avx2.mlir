// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=fetch-results,fetch-panels | FileCheck %s
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=fetch-results,fetch-panels,fetch-rows | FileCheck %s --check-prefix=WAITS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=whole-lines | FileCheck %s --check-prefix=LIES
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64 | FileCheck %s --check-prefix=BASELINE

// Processors with AVX2 have masked loads, but no registers for masks. A product's rows are done in blocks if they are more
// than twice the L2 cache, and its panels are filled by the first tile of rows if the right operand is not more than eight
// times that; else at least four panels are copied at a time. Copies fetch what they read next, of whole vectors alone. Tiles are 6 rows of two vectors; up to four rows
// that are left are one tile. Panels are copied, too, whose first or whose lines begin within cache lines, of 128 terms, two
// panels and 16 tiles of rows. Beside the first panel a tile fetches six cache lines of the next one's rows in front of 16 k, if these are no more
// than an eighth of the L2 cache; the tile of a convolution that fills a panel does not.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK: [[BOTH:%[0-9]+]] = arith.ori
// CHECK-NEXT: [[BEGIN:%[0-9]+]] = arith.andi [[BOTH]], %c63
// CHECK-NEXT: [[STRADDLES:%[0-9]+]] = arith.cmpi ne, [[BEGIN]], %c0
// CHECK-NEXT: [[TERMS:%[0-9]+]] = arith.cmpi sge, {{.*}}, %c128
// CHECK-NEXT: [[COLUMNS:%[0-9]+]] = arith.cmpi sge, {{.*}}, %c32
// CHECK-NEXT: [[ROWS:%[0-9]+]] = arith.cmpi sge, {{.*}}, %c96
// CHECK: arith.cmpi sgt, {{.*}}, %c2097152
// CHECK: arith.cmpi sle, {{.*}}, %c8388608
// CHECK: arith.divui %c393216,
// CHECK-NEXT: arith.maxsi {{.*}}, %c4
// CHECK: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.store
// CHECK-NOT: llvm.intr.prefetch
// CHECK: arith.cmpi sle, {{.*}}, %c131072
// CHECK: arith.select {{.*}}, %c6, %c0
// CHECK-NEXT: [[STEP:%[0-9]+]] = arith.select {{.*}}, %c16,
// CHECK: :14 = scf.for
// CHECK-COUNT-2: "llvm.intr.prefetch"{{.*}}hint = 3
// CHECK-COUNT-12: math.fma
// CHECK: :14 = scf.for {{.*}} step [[STEP]]
// CHECK: "llvm.intr.prefetch"{{.*}}hint = 2
// CHECK: :14 = scf.for
// CHECK-NOT: llvm.intr.prefetch
// CHECK-COUNT-12: math.fma
// CHECK-NOT: math.fma
// CHECK: :10 = scf.for
// CHECK-COUNT-8: math.fma
// WAITS-LABEL: func.func @graphc_mul_sum_
// WAITS-NOT: llvm.intr.prefetch
// WAITS: :14 = scf.for
// WAITS-COUNT-2: "llvm.intr.prefetch"{{.*}}hint = 3
// WAITS-COUNT-12: math.fma
// WAITS: :14 = scf.for
// WAITS-NOT: hint = 2
// LIES-LABEL: func.func @graphc_mul_sum_
// LIES-NOT: arith.andi {{.*}}, %c63
// LIES: :14 = scf.for

// The first tile of a convolution fills the panel on its way, of parts of two lines, which a masked load adds to those
// before. Not without masked loads, and not of strided lines of many vectors.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK: :14 = scf.for
// CHECK: :14 = scf.for
// CHECK: llvm.intr.prefetch
// CHECK-NOT: hint = 2
// CHECK: :14 = scf.for
// CHECK: [[PART:%[0-9]+]] = vector.maskedload {{.*}} vector<8xf32>
// CHECK: vector.maskedload {{.*}}, [[PART]] : {{.*}} vector<8xf32>
// CHECK-COUNT-2: llvm.store {{.*}} vector<8xf32>
// CHECK-NOT: hint = 2
// CHECK: :14 = scf.for
// CHECK: hint = 2
// CHECK: :14 = scf.for
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK-NOT: hint = 3
// CHECK: return

// What is padded is lines of border, picture and border, or of border alone, without masks. Nothing is written before it is
// read: the result may be in the memory of the picture.
// CHECK-LABEL: func.func @graphc_add_ge_lt_
// CHECK-NOT: vector.maskedload
// CHECK: scf.if
// CHECK: vector.broadcast {{.*}} vector<2xf32>
// CHECK-NEXT: vector.store
// CHECK: vector.load
// CHECK-NEXT: vector.store
// CHECK: vector.broadcast
// CHECK-NEXT: vector.store
// CHECK: } else {
// CHECK: vector.broadcast
// CHECK-NEXT: vector.store
// CHECK-NOT: vector.load
// CHECK: return
// BASELINE-LABEL: func.func @graphc_mul_sum_
// BASELINE-NOT: arith.andi {{.*}}, %c63
// BASELINE-LABEL: func.func @graphc_mul_sum_
// BASELINE-NOT: hint = 3 : i32, rw = 0
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %x: tensor<1x16x28x28xf32>, %w: tensor<32x16x3x3xf32>, %y: tensor<1x16x225x225xf32>, %p: tensor<16x30x33xf32>) -> (tensor<?x?xf32>, tensor<1x32x26x26xf32>, tensor<1x32x112x112xf32>, tensor<16x32x38xf32>) {
  %0 = graph.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = graph.conv2d %x, %w {filterFlip = false} : (tensor<1x16x28x28xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x26x26xf32>
  %2 = graph.conv2d %y, %w {filterFlip = false, stride = [2, 2]} : (tensor<1x16x225x225xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x112x112xf32>
  %3 = graph.pad %p {widths = [0, 0, 1, 1, 2, 3]} : (tensor<16x30x33xf32>) -> tensor<16x32x38xf32>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<1x32x26x26xf32>, tensor<1x32x112x112xf32>, tensor<16x32x38xf32>
}
