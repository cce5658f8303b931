// What fusion and the buffer plan make of a graph (--emit=kernels), and the same kernels as linalg on tensors.
// RUN: graphc compile %s --emit=kernels -o %t.kernels && FileCheck %s --check-prefix=KERNELS < %t.kernels
// RUN: graphc compile %s --emit=linalg | FileCheck %s --check-prefix=LINALG

// The text is the whole program: what is read from it is the same, and so is what comes after it.
// RUN: graphc compile %t.kernels --from=kernels --emit=kernels | diff - %t.kernels
// RUN: graphc compile %s --emit=linalg -o %t.linalg
// RUN: graphc compile %t.kernels --from=kernels --emit=linalg | diff - %t.linalg

// It can be changed: mean in place of sum.
// RUN: sed -e 's/= sum.f64(i1) %%0.i0, i1./= sum.f64(i1) div(%%0[i0, i1], cast.f32(n1))/' %t.kernels > %t.changed
// RUN: graphc compile %t.changed --from=kernels --emit=linalg | FileCheck %s --check-prefix=CHANGED
// CHANGED: func.func @graphc_sum_
// CHANGED: arith.divf

// The product stays in registers: relu is in its kernel, and what lies between is local.
// KERNELS: kernel @mul_sum_le_select(%0: f32[n0, n2], %1: f32[n2, 8]) -> (%2: f32[n0, 8]) local (%3: f32[n0, 8]) shared 2 { // graphc_mul_sum_le_select_{{[0-9a-f]+$}}
// KERNELS-NEXT: for (i0 < n0, i1 < 8, i2 < n2)
// KERNELS-NEXT: %3[i0, i1] = sum.f32(i2) mul(%0[i0, i2], %1[i2, i1])
// KERNELS-NEXT: for (i0 < n0, i1 < 8)
// KERNELS-NEXT: %2[i0, i1] = select(le(%3[i0, i1], 0.0), 0.0, %3[i0, i1])

// A position that comes from outside is checked, and nothing is read where it is wrong.
// KERNELS: kernel @{{.*}}(%0: i64[n0], %1: f32[n2, n1]) -> (%2: f32[n0, n1]) {
// KERNELS: check and(ge(%0[i0], neg(n2)), lt(%0[i0], n2))
// KERNELS: ? %1[select(lt(%0[i0], 0), add(%0[i0], n2), %0[i0]), i1] : 0.0)

// F-012: float32 is summed in float64.
// KERNELS: kernel @sum(%0: f32[n0, n1]) -> (%1: f32[n0]) {
// KERNELS: %1[i0] = sum.f64(i1) %0[i0, i1]

// The program: sizes, the check of shapes, buffers, calls.
// KERNELS: program `main` {
// KERNELS-DAG: s0 = dim(input 0, 0)
// KERNELS-DAG: check s1 == s2 else ShapeError "inner extents differ: {a} and {b}" at node
// KERNELS: %0: f32[s0, s1] = input 0 `x`
// KERNELS: %3: f32[s0, 8] = output 0
// KERNELS: kernel @mul_sum_le_select (%0, %1) -> (%3) sizes [s0, s1] work [s{{[0-9]+}} x 0.016, s{{[0-9]+}} x {{[0-9.]+}}]{{$}}
// KERNELS: else IndexError "{index} is out of range for axis 0 with {b} elements" at node [[TAKE:[0-9]+]] extent s0 indices 0
// KERNELS: return %3
// KERNELS: node [[TAKE]] = "take" at "{{.*}}kernels.mlir":{{[0-9]+}}:8 `t` (`x`: f32[s0, s1], `i`: i64[s{{[0-9]+}}])

// An extent that is known is in the type, others are arguments; graphc.dims says which.
// LINALG-DAG: [[TIMES:#map[0-9]*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// LINALG: func.func @graphc_mul_sum_le_select_{{.*}}(%arg0: tensor<?x?xf32> {graphc.dims = array<i64: 0, 1>}, %arg1: tensor<?x8xf32> {graphc.dims = array<i64: 1>}, %arg2: index, %arg3: index) -> tensor<?x8xf32> attributes {graphc.kernel, graphc.shared = 2 : i64, graphc.split}
// LINALG: iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1
// LINALG: arith.mulf
// LINALG-NEXT: arith.addf %out, %{{.*}} fastmath<reassoc> : f32
// LINALG: linalg.generic {indexing_maps = [#map{{[0-9]*}}, #map{{[0-9]*}}], iterator_types = ["parallel", "parallel"]}
// LINALG: arith.cmpf ole

// A position that is computed is a load in the body, under its mask, with the check beside it.
// LINALG: func.func private @graphc.check(i1, i32)
// LINALG: scf.if %[[INSIDE:.*]] -> (f32) {
// LINALG-NEXT: tensor.extract %arg1
// LINALG: call @graphc.check(%[[INSIDE]], %{{.*}}) : (i1, i32) -> ()

// 16 float32 terms may be joined before they are extended.
// LINALG: attrs = {graphc.partial = 16 : i64}
// LINALG: arith.extf %in : f32 to f64
// LINALG: arith.truncf %in : f64 to f32
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x8xf32>, %i: tensor<?xi64>) -> (tensor<?x8xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %p = graph.matmul %x, %w : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = graph.relu %p : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = graph.take %x, %i {axis = 0} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  %s = graph.sum %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %r, %t, %s : tensor<?x8xf32>, tensor<?x?xf32>, tensor<?xf32>
}
