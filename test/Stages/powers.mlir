// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc compile %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=V3
// RUN: graphc compile %s --emit=asm --target=x86-64-v4 | FileCheck %s --check-prefix=ASM

// x^-1.5 is the cube of x^(-1/2), in f64: an estimate of 14 bits and one step of third order. No
// logarithm, no division, no root.
// CHECK: func.func
// CHECK: arith.extf
// CHECK: "llvm.x86.avx512.rsqrt14.pd.512"
// CHECK-NOT: getexp
// CHECK: arith.truncf
// ASM: vrsqrt14pd
// ASM-NOT: {{vdivp|vsqrtp}}

// Without the instruction: 1 / (x sqrt(x)).
// V3: llvm.intr.sqrt
// V3: arith.divf
// V3-NOT: arith.shrui
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %e = graph.constant dense<-1.5> : tensor<1xf32>
  %r = graph.pow %x, %e : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
