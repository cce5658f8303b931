// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 --exclude=gathers | FileCheck %s --check-prefix=GATHERS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=GATHERS

// Elements that indices name are loaded one by one where all are in range and the vector is a whole one. Whether that is so is
// asked once for all lanes, and of the check besides; only in the other arm there is a mask for what is behind the last one.
// CHECK-LABEL: func.func @graphc_
// CHECK: %[[AT:.*]] = arith.index_cast {{.*}} : vector<8xi64> to vector<8xindex>
// CHECK: %[[OUT:.*]] = vector.reduction <or>
// CHECK-NOT: vector.create_mask
// CHECK: scf.if
// CHECK-NEXT: vector.create_mask
// CHECK: vector.gather
// CHECK: } else {
// CHECK-NOT: vector.create_mask
// CHECK-COUNT-8: memref.load
// CHECK-NOT: memref.load
// CHECK: } {graphc.seldom}
// CHECK: vector.reduction <or>
// CHECK-NEXT: scf.if
// CHECK: vector.create_mask
// CHECK: vector.reduction <or>
// CHECK-NEXT: scf.if
// CHECK: memref.store

// GATHERS-LABEL: func.func @graphc_
// GATHERS-NOT: } {graphc.seldom}
// GATHERS: vector.gather

// Of every fifth element each vector leaves some out: counters alone decide.
// CHECK-LABEL: func.func @graphc_int_div_
// CHECK-NOT: graphc.seldom
// CHECK: vector.gather
// CHECK-NOT: graphc.seldom
// CHECK: return
func.func @main(%x: tensor<1000xf32>, %i: tensor<300xi64>, %z: tensor<300xf32>, %v: tensor<60xf32>) -> (tensor<300xf32>, tensor<300xf32>) {
  %0 = graph.take %x, %i : (tensor<1000xf32>, tensor<300xi64>) -> tensor<300xf32>
  %1 = graph.incSubtensor %z, %v {index = "::5"} : (tensor<300xf32>, tensor<60xf32>) -> tensor<300xf32>
  return %0, %1 : tensor<300xf32>, tensor<300xf32>
}
