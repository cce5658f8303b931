// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 --exclude=buffer-rows | FileCheck %s --check-prefix=NONE
// RUN: graphc compile %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=LOW
// RUN: graphc run %s -i x=random[61,1024] -i y=random[1024,70] --full > %t.with
// RUN: graphc run %s -i x=random[61,1024] -i y=random[1024,70] --full --exclude=buffer-rows > %t.without
// RUN: diff %t.with %t.without

// Rows a multiple of 4 KB apart: a tile of 14 puts 16 terms of each into a buffer, whose rows are 64 bytes apart, and reads them there,
// unless it is the one that fills the panel. The last 16 of a row end with it. Beside more than four panels rows are copied before; those of tiles of 6
// rows (AVX2) are neither copied nor buffered.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK-SAME: graphc.scratch = [{{.*}}array<i64: 884,
// CHECK: arith.andi %{{[0-9]+}}, %c4095
// CHECK: arith.cmpi sgt, %{{[a-z0-9]+}}, %c128
// CHECK: [[LONG:%[0-9]+]] = arith.cmpi sge, %{{[a-z0-9_]+}}, %c64
// CHECK: [[AGAIN:%[0-9]+]] = arith.andi %{{[0-9]+}}, %c4095
// CHECK-NEXT: [[SAME:%[0-9]+]] = arith.cmpi eq, [[AGAIN]], %c0
// CHECK-NEXT: [[SO:%[0-9]+]] = arith.andi [[SAME]], [[LONG]]
// CHECK-NEXT: [[BUFFERS:%[0-9]+]] = arith.cmpi ugt, [[SO]], [[COPIED:%[0-9]+]]
// CHECK: step %c14 {
// CHECK: [[FILLS:%[0-9]+]] = arith.cmpi eq
// CHECK-NEXT: [[NOW:%[0-9]+]] = arith.cmpi ugt, [[BUFFERS]], [[FILLS]]
// CHECK-NEXT: arith.select [[NOW]], %c64, %{{[0-9]+}}
// CHECK: :2 = scf.if [[NOW]] -> (index, index) {
// CHECK-NEXT: arith.addi %{{[0-9]+}}, %c-16
// CHECK-NEXT: arith.minsi
// CHECK: scf.for %{{[a-z0-9]+}} = %c0 to %c14 step %c1 {
// CHECK: llvm.store %{{[0-9]+}}, %{{[0-9]+}} {alignment = 4 : i64} : vector<16xf32>
// CHECK-NOT: llvm.store
// CHECK: scf.yield %{{[0-9]+}}, %{{[0-9]+}} : index, index
// CHECK: scf.yield %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : index, index
// CHECK: step %c16 {
// CHECK: :2 = scf.if [[BUFFERS]] -> (index, index) {
// CHECK: llvm.store
// CHECK-NOT: scf.if {{.*}} -> (index, index) {

// NONE: arith.cmpi sgt, %{{[a-z0-9]+}}, %c32
// NONE-NOT: scf.if {{.*}} -> (index, index) {

// LOW-LABEL: func.func @graphc_mul_sum_
// LOW-NOT: array<i64: 868,
// LOW-NOT: array<i64: 884,
// LOW: step %c6 {
// LOW-NOT: scf.if {{.*}} -> (index, index) {
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = graph.matmul %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
