// A part of a concatenation along an outer axis is loaded behind a branch: no address out of its array is looked at, not even by a masked
// load, and whole vectors have no mask.
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc run %s -i "x=[[1.0, -2.0]]" -i "y=[[-3.0, 4.0], [5.0, -6.0]]" | FileCheck %s --check-prefix=VALUES

// CHECK: scf.for %{{.*}} step %c16
// CHECK: scf.if %{{.*}} -> (vector<16xf32>)
// CHECK-NEXT: scf.if %{{.*}} -> (vector<16xf32>)
// CHECK-NEXT: vector.load
// CHECK: scf.if %{{.*}} -> (vector<16xf32>)
// CHECK-NEXT: scf.if %{{.*}} -> (vector<16xf32>)
// CHECK-NEXT: vector.load
// CHECK: vector.store
// VALUES: {{\[\[}}1, 0], [0, 4], [5, 0]]
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %a = graph.relu %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = graph.relu %y : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = graph.join %a, %b {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
