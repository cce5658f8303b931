// RUN: graphc compile %s --emit=loops --target=x86-64-v4 -o %t.mlir
// RUN: FileCheck %s --check-prefix=GENERAL < %t.mlir
// RUN: graphc-opt %t.mlir --graphc-fix-sizes=sizes=40,10,0,40 | FileCheck %s
// RUN: graphc-opt %t.mlir --graphc-fix-sizes=sizes=40,-1,0,40 | FileCheck %s --check-prefix=SOME

// A row of 10: the loop over whole vectors is gone, and the masked one is straight code.
// GENERAL-COUNT-3: scf.for
// CHECK-LABEL: func.func
// CHECK-SAME: %{{.*}}: memref<f32>, %{{.*}}: memref<f32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index) -> i32
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 40 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: scf.for %{{.*}} = %[[ZERO]] to %[[ROWS]] step %[[ONE]]
// CHECK: vector.maskedload
// CHECK-NOT: scf.for
// SOME-COUNT-3: scf.for
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = graph.max %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
