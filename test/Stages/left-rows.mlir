// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s -DTILE=6 -DMOST=2
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=MASKS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=aarch64 | FileCheck %s -DTILE=6 -DMOST=2
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64 | FileCheck %s -DTILE=6 -DMOST=2

// Tiles of six, and fours for what is left: one or two rows that are left are done with the last whole tile's,
// seven or eight in two tiles of four.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK: [[FEW:%[0-9]+]] = arith.cmpi ult, {{%[0-9]+}}, %c[[MOST]] : index
// CHECK-NEXT: [[FEWER:%[0-9]+]] = arith.subi [[WHOLE:%[0-9]+]], %c[[TILE]] : index
// CHECK-NEXT: [[LEAST:%[0-9]+]] = arith.maxsi [[FEWER]], %c0 : index
// CHECK-NEXT: arith.select [[FEW]], [[LEAST]], [[WHOLE]] : index
// MASKS-NOT: arith.cmpi ult, {{.*}}, %c2 :
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = graph.dot %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
