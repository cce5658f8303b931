// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 > %t.loops && FileCheck %s --check-prefix=LOOPS < %t.loops
// RUN: graphc compile %t.loops --from=loops --emit=llvm --target=x86-64-v3 | FileCheck %s --check-prefix=LLVM
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=MASKS
// RUN: graphc compile %s --emit=obj --target=aarch64 -o %t.o && llvm-readelf -h %t.o | FileCheck %s --check-prefix=AARCH64

// A depthwise convolution: the border of the padded picture is made once, in front of the loop over channels. Within it,
// lines are copied without masks, the nine weights are loaded once, and blocks are four lines of one vector, whose nine
// window positions are written out. The last columns of a line are stored in pieces of 4, 2 and 1, or under a mask where
// masks have registers.
// LOOPS: func.func @graphc
// LOOPS-SAME: graphc.scratch = [array<i64: 4, {{[0-9]+}}, {{[0-9]+}}>]
// LOOPS: scf.for
// LOOPS-NEXT: vector.store
// LOOPS: scf.for {{.*}} step %c1 {
// LOOPS-NOT: vector.maskedload
// LOOPS: vector.load
// LOOPS-NEXT: vector.store
// LOOPS-COUNT-9: vector.broadcast
// LOOPS-NOT: vector.broadcast
// LOOPS: scf.for
// LOOPS: scf.for
// LOOPS-COUNT-36: math.fma
// LOOPS-NOT: math.fma
// LOOPS-COUNT-4: vector.store
// LOOPS: vector.maskedload
// LOOPS-COUNT-36: math.fma
// LOOPS-NOT: vector.maskedstore
// LOOPS: vector.store {{.*}} vector<4xf32>
// LOOPS: vector.store {{.*}} vector<2xf32>
// LLVM: define i32 @graphc
// MASKS: vector.maskedstore {{.*}} vector<16xf32>
// AARCH64: Machine: AArch64
func.func @main(%x: tensor<1x64x56x56xf32>, %w: tensor<64x1x3x3xf32>) -> tensor<1x64x56x56xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false, groups = 64 : i64, padding = [1, 1, 1, 1]} : (tensor<1x64x56x56xf32>, tensor<64x1x3x3xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}
