// Rows without elements cost nothing, however many a shape claims: no loop walks them.
// RUN: graphc run %s -i "x=zeros[1099511627776,0]" | FileCheck %s
// RUN: graphc compile %s --emit=exe -o %t && %t -i "x=zeros[1099511627776,0]" | FileCheck %s
// CHECK: r: tensor<1099511627776x0xf64>
// CHECK: s: tensor<1099511627776x0xf64>
// CHECK: t: tensor<0x1099511627776xf64>
func.func @main(%x: tensor<?x?xf64>) -> (tensor<?x?xf64> {graph.name = "r"}, tensor<?x?xf64> {graph.name = "s"}, tensor<?x?xf64> {graph.name = "t"}) {
  %r = graph.exp %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = graph.softmax %x {axes = [1]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %d = graph.dimshuffle %x {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = graph.log %d : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %r, %s, %t : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
