// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=linalg > %t.linalg && FileCheck %s --check-prefix=LINALG < %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 > %t.loops && FileCheck %s --check-prefix=LOOPS < %t.loops
// RUN: graphc compile %t.loops --from=loops --emit=llvm --target=x86-64-v4 | FileCheck %s --check-prefix=LLVM
// RUN: graphc compile %s --emit=obj --target=aarch64 -o %t.o && llvm-readelf -h %t.o | FileCheck %s --check-prefix=AARCH64
// RUN: graphc-opt %t.linalg --graphc-linalg-to-loops=target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %s --emit=graph | FileCheck %s --check-prefix=GRAPH

// One kernel, one row at a time: the input is read from memory once.
// KERNELS-COUNT-1: kernel @{{.*}} shared 1
// KERNELS-COUNT-4: for (i0 < n0, i1 < n1)
// KERNELS-NOT: kernel @{{.*}}(%{{.*}}:
// LINALG: func.func @graphc_{{.*}}(%{{.*}}: tensor<?x?xf32>
// LINALG-COUNT-4: linalg.generic
// LOOPS: scf.for
// LOOPS: vector<16xf32>
// LLVM: define i32 @graphc_
// AARCH64: Machine: AArch64
// GRAPH: %s = graph.softmax %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = graph.softmax %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
