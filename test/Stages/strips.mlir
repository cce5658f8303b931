// RUN: graphc compile %s --no-rewrites --emit=loops --target=x86-64-v4 | FileCheck %s --implicit-check-not=scf.for

// A body of 32 operations that wait for each other: two pieces along strips of 32 vectors, with a
// row of scratch between them, of which whole vectors are read and written.
// CHECK: func.func @graphc_{{.*}}graphc.scratch = [array<i64: 2048>]
// CHECK-DAG: %[[STRIP:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[LANES:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[BEGIN:.*]] = %{{.*}} to %[[UPPER:.*]] step %[[STRIP]] {
// CHECK:   %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[STRIP]]
// CHECK:   %[[END:.*]] = arith.minsi %[[NEXT]], %[[UPPER]]
// CHECK:   scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %[[LANES]] {
// CHECK:     %[[AT:.*]] = arith.subi %[[I]], %[[BEGIN]]
// CHECK-COUNT-7: arith.mulf
// CHECK:     vector.store %{{.*}}, %[[ROW:.*]][%[[AT]]]
// CHECK:   scf.for %[[J:.*]] = %[[BEGIN]] to %[[END]] step %[[LANES]] {
// CHECK:     %[[AGAIN:.*]] = arith.subi %[[J]], %[[BEGIN]]
// CHECK:     vector.load %[[ROW]][%[[AGAIN]]]
// CHECK-COUNT-9: arith.mulf
func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {
  %m0 = graph.mul %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t0 = graph.sub %m0, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m1 = graph.mul %t0, %t0 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t1 = graph.sub %m1, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m2 = graph.mul %t1, %t1 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t2 = graph.sub %m2, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m3 = graph.mul %t2, %t2 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t3 = graph.sub %m3, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m4 = graph.mul %t3, %t3 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t4 = graph.sub %m4, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m5 = graph.mul %t4, %t4 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t5 = graph.sub %m5, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m6 = graph.mul %t5, %t5 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t6 = graph.sub %m6, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m7 = graph.mul %t6, %t6 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t7 = graph.sub %m7, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m8 = graph.mul %t7, %t7 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t8 = graph.sub %m8, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m9 = graph.mul %t8, %t8 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t9 = graph.sub %m9, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m10 = graph.mul %t9, %t9 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t10 = graph.sub %m10, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m11 = graph.mul %t10, %t10 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t11 = graph.sub %m11, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m12 = graph.mul %t11, %t11 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t12 = graph.sub %m12, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m13 = graph.mul %t12, %t12 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t13 = graph.sub %m13, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m14 = graph.mul %t13, %t13 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t14 = graph.sub %m14, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %m15 = graph.mul %t14, %t14 : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %t15 = graph.sub %m15, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %t15 : tensor<?xf64>
}
