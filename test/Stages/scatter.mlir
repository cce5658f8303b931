// The gradient of take: each row is added where it belongs, not looked at for every place.
// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %s --emit=lib -o %t.so

// The positions by themselves: each is looked at once. The sums and what follows are one kernel.
// KERNELS: for (i0 < n0)
// KERNELS-NEXT: check
// KERNELS-NEXT: select(lt(%0[i0], 0), add(%0[i0], 100), %0[i0])
// KERNELS: for (i0 < n0, i1 < n1, i2 < n2)
// KERNELS: = sum.f32(i2) select(eq(i2, 0), %{{[0-9]+}}[i0, i1], select(eq(i0,
// KERNELS-NEXT: for (i0 < n0, i1 < n1)
// KERNELS-NOT: host

// The sums lie where the result will be.
// LOOPS-LABEL: func.func @graphc_eq_gt_select_sum
// LOOPS-NOT: graphc.scratch
// What the rows are added to first.
// LOOPS: scf.for
// LOOPS: vector.store
// Then a row after the other: of the places that one which is its own, if it is in range.
// LOOPS: scf.for %{{.*}} = %c1 to
// LOOPS-NOT: scf.if
// LOOPS: %[[POSITION:.*]] = memref.load {{.*}} : memref<?xi64>
// LOOPS-NEXT: %[[AT:.*]] = arith.index_cast %[[POSITION]]
// LOOPS: %[[NEXT:.*]] = arith.addi %[[AT]], %c1
// LOOPS: %[[END:.*]] = arith.select %{{.*}}, %[[NEXT]], %[[AT]]
// LOOPS: scf.for %{{.*}} = %[[AT]] to %[[END]]
// LOOPS: scf.for
// LOOPS: vector.{{(masked)?}}load
// LOOPS: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// LOOPS: vector.store
// Then what follows.
// LOOPS: scf.for
func.func @main(%x: tensor<100x?xf32>, %y: tensor<?x?xf32>, %i: tensor<?xi64>) -> tensor<100x?xf32> {
  %g = graph.incTake %x, %y, %i {axis = 0} : (tensor<100x?xf32>, tensor<?x?xf32>, tensor<?xi64>) -> tensor<100x?xf32>
  return %g : tensor<100x?xf32>
}
