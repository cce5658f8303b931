// Results of branches and loops that are another array in a shape which is known after that array.
// RUN: graphc compile %s --emit=exe -o %t
// RUN: %t -i p=true -i x=[1,2] -i c=1 | FileCheck %s
// RUN: %t -i p=false -i x=[1,2] -i c=1 | FileCheck %s --check-prefix=OTHER
// CHECK: branch: tensor<2x3xi64> = {{\[}}[1, 2, 3], [4, 5, 6]]
// CHECK: loop: tensor<2x2x3xi64> = {{\[\[}}[1, 2, 3], [4, 5, 6]], {{\[}}[2, 4, 6], [8, 10, 12]]]
// OTHER: branch: tensor<1x1xi64> = {{\[}}[7]]
func.func @main(%p: tensor<i1>, %x: tensor<?xi64>, %c: tensor<i64>)
    -> (tensor<?x?xi64> {graph.name = "branch"}, tensor<?x?x?xi64> {graph.name = "loop"}) {
  %first = graph.subtensor %x {index = "0"} : (tensor<?xi64>) -> tensor<i64>
  %y = graph.call @rows(%first, %c) : (tensor<i64>, tensor<i64>) -> tensor<?x?xi64>
  %z = graph.constant dense<[[7]]> : tensor<1x1xi64>
  %branch = graph.ifElse %p, %y, %z : (tensor<i1>, tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi64>
  %loop = graph.scan @rows(%x, %c) {sequences = [[0]], states = [], mapped = 1} : (tensor<?xi64>, tensor<i64>) -> tensor<?x?x?xi64>
  return %branch, %loop : tensor<?x?xi64>, tensor<?x?x?xi64>
}
func.func private @rows(%x: tensor<i64>, %c: tensor<i64>) -> tensor<?x?xi64> {
  %a = graph.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>
  %r = graph.mul %a, %x : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  %s = graph.sum %r : (tensor<6xi64>) -> tensor<i64>
  %m = graph.mod %s, %c : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %two = graph.constant dense<2> : tensor<i64>
  %n = graph.add %m, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %n1 = graph.dimshuffle %n {order = [-1]} : (tensor<i64>) -> tensor<1xi64>
  %k = graph.constant dense<[-1]> : tensor<1xi64>
  %shape = graph.join %n1, %k {axis = 0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = graph.reshape %r, %shape : (tensor<6xi64>, tensor<2xi64>) -> tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}
