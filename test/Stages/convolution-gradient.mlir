// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=fetch-results > %t.loops && FileCheck %s --check-prefix=LOOPS < %t.loops
// RUN: graphc compile %t.loops --from=loops --emit=llvm --target=x86-64-v4 > %t.ll && FileCheck %s --check-prefix=LLVM < %t.ll
// RUN: graphc compile %t.ll --from=llvm --emit=asm --target=x86-64-v4 | FileCheck %s --check-prefix=ASM
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: graphc compile %s --emit=obj --target=aarch64 -o %t.o && llvm-readelf -h %t.o | FileCheck %s --check-prefix=AARCH64

// The gradient of a strided convolution by its picture, where pictures are small and outputs many: one product of the
// weights, as they lie, with all positions of the gradient; sums of the products that belong to each phase; and a last pass
// that puts the four phases side by side.
// KERNELS: kernel @mul_sum(
// KERNELS: sum.f32(i2) mul(%0[i2, i1], %1[i2, i0])
// KERNELS-NOT: mul_sum(
// KERNELS: local (%2: f32[n0, 7, 7], %3: f32[n0, 7, 7], %4: f32[n0, 7, 7]) shared 1
// KERNELS: v{{[0-9]+}} = mod(i2, 2)
// KERNELS: program
// KERNELS-COUNT-2: kernel @
// KERNELS-NOT: kernel @

// Rows of the weights stand together. Whole tiles fetch what they read of them some steps ahead, and copy it on the way; one
// vector of columns follows; the last column is done by four vectors of rows.
// LOOPS: func.func @graphc_mul_sum
// LOOPS: :32 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-COUNT-2: llvm.intr.prefetch
// LOOPS: llvm.intr.masked.load
// LOOPS-NEXT: arith.index_cast
// LOOPS-NEXT: llvm.inttoptr
// LOOPS-NEXT: llvm.intr.masked.store
// LOOPS-COUNT-2: llvm.intr.prefetch
// LOOPS-NOT: llvm.intr.prefetch
// LOOPS: :32 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-COUNT-2: llvm.intr.prefetch
// LOOPS-NOT: llvm.intr.prefetch
// LOOPS: :6 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-COUNT-4: math.fma
// LOOPS-COUNT-4: vector.store

// A phase's elements are those of half a vector, each for two lanes.
// LOOPS: func.func @graphc_{{.*}}mod
// LOOPS-NOT: vector.gather
// LOOPS: vector.maskedload {{.*}} vector<8xf32>
// LOOPS-NEXT: vector.shuffle {{.*}} [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// LOOPS-NOT: vector.gather

// Masks are numbers where they have registers.
// LLVM: bitcast i16 %{{.*}} to <16 x i1>
// ASM: prefetcht1

// V3-NOT: vector.gather
func.func @main(%g: tensor<1x64x7x7xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<1x32x14x14xf32> {
  %s = graph.constant dense<[1, 32, 14, 14]> : tensor<4xi64>
  %0 = graph.convInputGradient %g, %w, %s {filterFlip = false, padding = [1, 1, 1, 1], stride = [2, 2]} : (tensor<1x64x7x7xf32>, tensor<64x32x3x3xf32>, tensor<4xi64>) -> tensor<1x32x14x14xf32>
  return %0 : tensor<1x32x14x14xf32>
}
// AARCH64: Machine: AArch64
