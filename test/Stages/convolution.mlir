// RUN: graphc compile %s --emit=linalg > %t.linalg && FileCheck %s --check-prefix=LINALG < %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=fetch-results > %t.loops && FileCheck %s --check-prefix=LOOPS < %t.loops
// RUN: graphc compile %t.loops --from=loops --emit=llvm --target=x86-64-v4 | FileCheck %s --check-prefix=LLVM
// RUN: graphc compile %s --emit=obj --target=aarch64 -o %t.o && llvm-readelf -h %t.o | FileCheck %s --check-prefix=AARCH64

// A convolution is a product: rows are outputs, columns are pixels, k counts channels and window positions. The windows
// fill four panels of 32 pixels at a time, each vector of parts of two lines. The first tile of rows does that on the way:
// its loops over channels and window positions carry the sums, and store what others read. Where there is no such tile,
// and of what is behind whole panels, panels are filled before, by loops that go over all lines that a vector may touch.
// Weights are read where they lie: their channels and window positions are one loop.
// LINALG: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// LOOPS: func.func @graphc_mul_sum
// LOOPS-SAME: graphc.scratch = [array<i64: 4608, [[CHANNELS:[0-9]+]]>, array<i64: 180, [[CHANNELS]]>]
// LOOPS: arith.divui
// LOOPS-COUNT-4: scf.for
// LOOPS-COUNT-8: vector.maskedload {{.*}} vector<16xf32>
// LOOPS: vector.maskedstore {{.*}} vector<16xf32>
// LOOPS: vector.maskedstore {{.*}} vector<16xf32>
// LOOPS-NOT: vector.maskedload
// LOOPS-COUNT-2: :31 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-COUNT-12: llvm.intr.prefetch
// LOOPS: :31 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-NOT: llvm.intr.prefetch
// LOOPS: vector.load {{.*}} vector<16xf32>
// LOOPS-NEXT: vector.load {{.*}} vector<16xf32>
// LOOPS-NEXT: vpermi2var
// LOOPS-COUNT-3: vpermi2var
// LOOPS: llvm.store {{.*}} vector<16xf32>
// LOOPS: llvm.store {{.*}} vector<16xf32>
// LOOPS-NOT: vector.maskedload
// LOOPS: :31 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS: :31 = scf.for {{.*}} -> (vector<16xf32>
// LOOPS-NOT: llvm.intr.prefetch

// It fetches the parts of a line of another channel, of 31 elements each and two neighbours, when it begins with one. No tile fetches
// rows of the next.
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=fetch-parts,fetch-results | FileCheck %s --check-prefix=WAITS
// WAITS-NOT: llvm.intr.prefetch

// With a stride of 2, parts of lines that are as long as a vector are permutations of 31 elements; without that, of loads
// with masks.
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=strided-lines | FileCheck %s --check-prefix=MASKS
// MASKS: vector.maskedstore {{.*}} vector<16xf32>
// MASKS: vector.maskedstore {{.*}} vector<16xf32>
// MASKS-NOT: vector.maskedload
// MASKS-COUNT-3: :31 = scf.for {{.*}} -> (vector<16xf32>
// MASKS-COUNT-8: vector.maskedload {{.*}} vector<16xf32>
// MASKS: llvm.store {{.*}} vector<16xf32>

// Without parts of lines, each line of the result that a panel has a part of is filled by itself.
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=line-parts | FileCheck %s --check-prefix=LINES
// LINES-COUNT-4: vector.maskedload {{.*}} vector<16xf32>
// LINES: vector.maskedstore {{.*}} vector<16xf32>
// LINES: vector.maskedstore {{.*}} vector<16xf32>
// LINES-NOT: vector.maskedload
// LINES: :31 = scf.for {{.*}} -> (vector<16xf32>
// LLVM: define i32 @graphc_mul_sum
// AARCH64: Machine: AArch64
func.func @main(%x: tensor<1x?x?x?xf32>, %w: tensor<?x?x3x3xf32>, %b: tensor<?xf32>) -> tensor<1x?x?x?xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false, stride = [2, 2]} : (tensor<1x?x?x?xf32>, tensor<?x?x3x3xf32>) -> tensor<1x?x?x?xf32>
  %1 = graph.dimshuffle %b {order = [-1, 0, -1, -1]} : (tensor<?xf32>) -> tensor<1x?x1x1xf32>
  %2 = graph.add %0, %1 : (tensor<1x?x?x?xf32>, tensor<1x?x1x1xf32>) -> tensor<1x?x?x?xf32>
  %3 = graph.relu %2 : (tensor<1x?x?x?xf32>) -> tensor<1x?x?x?xf32>
  return %3 : tensor<1x?x?x?xf32>
}
