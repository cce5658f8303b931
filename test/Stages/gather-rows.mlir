// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=SHORT
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=gather-rows | FileCheck %s --check-prefix=APART
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=common-loads | FileCheck %s --check-prefix=APART
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64 | FileCheck %s --check-prefix=NONE

// Three tables at the same positions are rows of four numbers, if they have room on the stack and are read four times as often as
// they are long. A vector of eight positions loads eight rows, and transposes them; there is one branch for all tables.
// CHECK-LABEL: func.func @graphc_
// CHECK: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2048xf64>
// CHECK: %[[ROOM:.*]] = arith.cmpi sle, %{{.*}}, %c511
// CHECK: %[[OFTEN:.*]] = arith.cmpi sle,
// CHECK: %[[FIT:.*]] = arith.andi %[[ROOM]], %[[OFTEN]] : i1
// CHECK: scf.for
// CHECK-COUNT-3: vector.load {{.*}}, vector<8xf64>
// CHECK-COUNT-8: vector.store %{{.*}}, %[[ROWS]][{{.*}}vector<4xf64>
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[ROWS]][{{.*}}vector<4xf64>
// CHECK: scf.for
// CHECK: -> (vector<8xf64>, vector<8xf64>, vector<8xf64>) {
// CHECK-COUNT-3: vector.gather
// CHECK: } else {
// CHECK: scf.if %[[FIT]] -> (vector<8xf64>, vector<8xf64>, vector<8xf64>) {
// CHECK-COUNT-8: vector.load %[[ROWS]][{{.*}}vector<4xf64>
// CHECK-COUNT-12: vector.shuffle
// CHECK: } else {
// CHECK-COUNT-24: memref.load
// CHECK: } {graphc.seldom}
// CHECK-NOT: vector.gather

// SHORT: memref.alloca() {alignment = 64 : i64} : memref<2048xf64>
// SHORT: vector.load %{{.*}}vector<4xf64>
// APART-NOT: memref<2048xf64>
// Vectors of two numbers have no room for a row.
// NONE-NOT: memref<2048xf64>
func.func @main(%x: tensor<85xf64>, %y: tensor<85xf64>, %w: tensor<85xf64>, %i: tensor<919xi64>) -> tensor<919xf64> {
  %0 = graph.take %x, %i : (tensor<85xf64>, tensor<919xi64>) -> tensor<919xf64>
  %1 = graph.take %y, %i : (tensor<85xf64>, tensor<919xi64>) -> tensor<919xf64>
  %2 = graph.take %w, %i : (tensor<85xf64>, tensor<919xi64>) -> tensor<919xf64>
  %4 = graph.mul %0, %1 : (tensor<919xf64>, tensor<919xf64>) -> tensor<919xf64>
  %5 = graph.sub %4, %2 : (tensor<919xf64>, tensor<919xf64>) -> tensor<919xf64>
  return %5 : tensor<919xf64>
}
