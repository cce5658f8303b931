// The stages of one graph from the first to the last, each by --emit, by --dump-stages, and from a text of --from.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: graphc compile %s --emit=rewritten | FileCheck %s --check-prefix=REWRITTEN
// RUN: graphc compile %s --emit=asm --target=x86-64-v3 -o %t.dir/asm --dump-stages=%t.dir/dump
// RUN: ls %t.dir/dump | FileCheck %s --check-prefix=DUMP
// RUN: diff %t.dir/asm %t.dir/dump/6-asm.txt

// Each stage's text goes on to the same code.
// RUN: graphc compile %t.dir/dump/2-kernels.txt --from=kernels --emit=asm --target=x86-64-v3 --dump-stages=%t.dir/again | diff - %t.dir/asm
// RUN: diff %t.dir/again/0-kernels.txt %t.dir/dump/2-kernels.txt
// RUN: diff %t.dir/again/3-llvm.txt %t.dir/dump/5-llvm.txt
// RUN: graphc compile %t.dir/dump/3-linalg.txt --from=linalg --emit=loops --target=x86-64-v3 | diff - %t.dir/dump/4-loops.txt
// RUN: graphc compile %t.dir/dump/3-linalg.txt --from=linalg --emit=llvm --target=x86-64-v3 | diff - %t.dir/dump/5-llvm.txt
// RUN: graphc compile %t.dir/dump/3-linalg.txt --from=linalg --emit=asm --target=x86-64-v3 | diff - %t.dir/asm
// RUN: graphc compile %t.dir/dump/4-loops.txt --from=loops --emit=asm --target=x86-64-v3 | diff - %t.dir/asm
// RUN: graphc compile %t.dir/dump/5-llvm.txt --from=llvm --emit=asm --target=x86-64-v3 | diff - %t.dir/asm
// RUN: graphc compile %t.dir/dump/5-llvm.txt --from=llvm --emit=obj --target=x86-64-v3 -o %t.dir/llvm.o
// RUN: graphc compile %t.dir/dump/4-loops.txt --from=loops --emit=obj --target=x86-64-v3 -o %t.dir/kernels.o
// RUN: cmp %t.dir/llvm.o %t.dir/kernels.o
// RUN: llvm-nm %t.dir/kernels.o | FileCheck %s --check-prefix=SYMBOLS

// What was rewritten is not rewritten again, but for the rest a graph like others.
// RUN: graphc compile %t.dir/dump/1-rewritten.txt --from=rewritten --emit=rewritten | diff - %t.dir/dump/1-rewritten.txt
// RUN: graphc compile %t.dir/dump/1-rewritten.txt --from=rewritten --emit=kernels | diff - %t.dir/dump/2-kernels.txt
// RUN: graphc compile %t.dir/dump/1-rewritten.txt --from=rewritten --emit=asm --target=x86-64-v3 | diff - %t.dir/asm
// RUN: graphc compile %s --from=rewritten --emit=rewritten | FileCheck %s --check-prefix=KEPT
// RUN: graphc compile %s --from=rewritten --emit=kernels --dump-stages=%t.dir/rewritten
// RUN: ls %t.dir/rewritten | FileCheck %s --check-prefix=LATER

// What the target has, and no more.
// RUN: FileCheck %s --check-prefix=AVX2 < %t.dir/asm
// RUN: graphc compile %s --emit=asm --target=x86-64 | FileCheck %s --check-prefix=SSE
// RUN: graphc compile %s --emit=asm --target=x86-64-v4 | FileCheck %s --check-prefix=AVX512
// RUN: graphc compile %s --emit=asm --target=aarch64 | FileCheck %s --check-prefix=NEON

// DUMP: 0-graph.txt
// DUMP-NEXT: 1-rewritten.txt
// DUMP-NEXT: 2-kernels.txt
// DUMP-NEXT: 3-linalg.txt
// DUMP-NEXT: 4-loops.txt
// DUMP-NEXT: 5-llvm.txt
// DUMP-NEXT: 6-asm.txt

// 2 * 3 is a constant now.
// REWRITTEN: dense<6.000000e+00> : tensor<f32>
// REWRITTEN-NOT: dense<2.000000e+00>

// KEPT: dense<2.000000e+00>
// KEPT: dense<3.000000e+00>
// KEPT-NOT: dense

// LATER: 0-rewritten.txt
// LATER-NEXT: 1-kernels.txt

// SYMBOLS: T graphc_{{[a-z_0-9]+}}

// AVX2-NOT: zmm
// AVX2: vmulps {{.*}}%ymm
// SSE-NOT: ymm
// SSE: mulps {{.*}}%xmm
// AVX512: vmulps {{.*}}%zmm
// NEON: fmul v{{[0-9]+}}.4s
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %six = graph.mul %two, %three : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y = graph.mul %x, %six : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
