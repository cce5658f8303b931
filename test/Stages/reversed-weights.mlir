// RUN: graphc compile %s --emit=linalg --exclude=line-tiles > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=line-tiles | FileCheck %s --check-prefix=MASKS
// RUN: sed "s/x40x/x12x/g; s/, 40,/, 12,/" %s | graphc compile - --emit=linalg > %t.few
// RUN: graphc compile %t.few --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=KNOWN
// RUN: graphc compile %s --emit=kernels --target=x86-64-v3 | FileCheck %s --check-prefix=WINDOWS
// RUN: graphc compile %s --emit=kernels --target=x86-64-v4 --exclude=line-tiles | FileCheck %s --check-prefix=WINDOWS
// RUN: sed "s/x12x12x/x7x7x/g; s/, 12, 12\]/, 7, 7]/" %s > %t.small
// RUN: graphc compile %t.small --emit=kernels --target=x86-64-v3 | FileCheck %s --check-prefix=WINDOWS
// RUN: graphc compile %t.small --emit=kernels --target=x86-64-v4 --exclude=line-tiles | FileCheck %s --check-prefix=SMALL
// RUN: sed "s/<1x/<2x/g; s/<\[1, 40/<[2, 40/" %t.small | graphc compile - --emit=kernels --target=x86-64-v4 --exclude=line-tiles | FileCheck %s --check-prefix=WINDOWS
// RUN: sed "s/{padding/{stride = [2, 2], padding/; s/x40x12x12/x40x23x23/g; s/, 12, 12\]/, 23, 23]/" %s | graphc compile - --emit=kernels | FileCheck %s --check-prefix=TAPS

// A convolution of the gradient, with sums over outputs and taps; with a stride of 2, sums of products of each tap. So is
// one small picture with mask registers, whose products are fewer than the weights that would be copied.
// WINDOWS: sum.f32(i{{[0-9]}}, i{{[0-9]}}, i{{[0-9]}})
// SMALL: kernel @mul_sum(
// SMALL: sum.f32(i2)
// SMALL-NOT: sum.f32(
// SMALL: kernel @add_lt_and_ge
// TAPS: kernel @mul_sum(
// TAPS: sum.f32(i2) mul(%0[i2, i1], %1[i2, i0])
// TAPS: kernel @add_mod_eq_and

// The gradient of a picture: a row has windows of nine weights of each output, far
// apart, and the next row what stands behind them. They are copied in the order of memory, output by output, and those of eight
// outputs later are fetched; nine are two vectors of which the second one ends with them.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK: arith.muli %[[OUTPUT:[a-z0-9]+]], %c9 : index
// CHECK: arith.muli %[[OUTPUT]], %
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK: arith.muli %[[ROW]], %c36
// CHECK: arith.muli %{{.*}}, %c8 : index
// CHECK-NEXT: arith.addi
// CHECK: llvm.intr.prefetch
// CHECK-NOT: scf.for
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: arith.addi %{{.*}}, %c4
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK-NOT: masked
// CHECK: iter_args

// With mask registers, the nine are a part of a vector.
// MASKS-LABEL: func.func @graphc_mul_sum_
// MASKS: arith.muli %[[OUTPUT:[a-z0-9]+]], %c9 : index
// MASKS: arith.muli %[[OUTPUT]], %
// MASKS: scf.for %[[ROW:.*]] =
// MASKS: arith.muli %[[ROW]], %c36
// MASKS: arith.muli %{{.*}}, %c8 : index
// MASKS-NEXT: arith.addi
// MASKS: llvm.intr.prefetch
// MASKS: vector.maskedstore
// MASKS: iter_args

// Of few channels the distances are known.
// KNOWN-LABEL: func.func @graphc_mul_sum_
// KNOWN: arith.muli %[[OUTPUT:[a-z0-9]+]], %c9 : index
// KNOWN: arith.muli %[[OUTPUT]], %c432
// KNOWN: arith.muli %{{.*}}, %c36
// KNOWN: arith.addi %{{.*}}, %c3456
// KNOWN: llvm.intr.prefetch
func.func @main(%g: tensor<1x64x12x12xf32>, %w: tensor<64x40x3x3xf32>) -> tensor<1x40x12x12xf32> {
  %0 = graph.constant dense<[1, 40, 12, 12]> : tensor<4xi64>
  %1 = graph.convInputGradient %g, %w, %0 {padding = [1, 1, 1, 1]} : (tensor<1x64x12x12xf32>, tensor<64x40x3x3xf32>, tensor<4xi64>) -> tensor<1x40x12x12xf32>
  return %1 : tensor<1x40x12x12xf32>
}
