// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=gather-rows | FileCheck %s --implicit-check-not='vector.load {{.*}}xi64'
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=common-loads | FileCheck %s --check-prefix=EACH
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=gathers | FileCheck %s --check-prefix=GATHERS

// Two arrays at the same indices, which are loaded once (before, once for each), though a result is stored between. A kernel with
// several gathers takes indices apart, in front of the branch, and loads element by element with mask registers, too.
// CHECK-LABEL: func.func @graphc_
// CHECK: vector.load {{.*}}xi64
// CHECK: vector.extract {{.*}}[0]
// CHECK: scf.if
// CHECK: vector.gather
// CHECK: } else {
// CHECK-COUNT-8: memref.load
// CHECK: } {graphc.seldom}
// CHECK: vector.gather
// CHECK: } else {
// CHECK-COUNT-8: memref.load
// CHECK: } {graphc.seldom}
// CHECK: return

// EACH-LABEL: func.func @graphc_
// EACH-COUNT-2: vector.load {{.*}}xi64
// EACH: return

// GATHERS-LABEL: func.func @graphc_
// GATHERS-NOT: } {graphc.seldom}
// GATHERS: vector.gather
// GATHERS: vector.gather
func.func @main(%x: tensor<1000xf64>, %y: tensor<1000xf64>, %i: tensor<300xi64>) -> (tensor<300xf64>, tensor<300xf64>) {
  %0 = graph.take %x, %i : (tensor<1000xf64>, tensor<300xi64>) -> tensor<300xf64>
  %1 = graph.take %y, %i : (tensor<1000xf64>, tensor<300xi64>) -> tensor<300xf64>
  %2 = graph.mul %0, %1 : (tensor<300xf64>, tensor<300xf64>) -> tensor<300xf64>
  return %0, %2 : tensor<300xf64>, tensor<300xf64>
}
