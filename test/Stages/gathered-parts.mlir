// Parts of a concatenation within a border, whose elements are gathered: what a load's condition asks of all lanes alike, which is the part
// and the line, is a branch. A gather of which no lane is wanted takes as long as any other.
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc run %s -i "x=[[1.0, -2.0], [6.0, 7.0]]" -i "y=[[-3.0, 4.0]]" -i "i=[1, 0, 1]" | FileCheck %s --check-prefix=VALUES

// CHECK: scf.if {{.*}} -> (vector<16xf32>)
// CHECK-NEXT: vector.gather
// CHECK: scf.if {{.*}} -> (vector<16xf32>)
// CHECK-NEXT: vector.gather
// VALUES: {{\[\[}}0, -2, 1, -2, 0], [0, 7, 6, 7, 0], [0, 4, -3, 4, 0]]
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %i: tensor<?xi64>) -> tensor<?x?xf32> {
  %a = graph.take %x, %i {axis = 1, mode = "clip"} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  %b = graph.take %y, %i {axis = 1, mode = "clip"} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  %c = graph.join %a, %b {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = graph.pad %c {widths = [0, 0, 1, 1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
