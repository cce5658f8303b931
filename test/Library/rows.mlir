// Kernels with scratch memory, several at once, and an extent that is a quotient of negative numbers.
// RUN: rm -rf %t && mkdir %t
// RUN: graphc compile %s --emit=lib -o %t/librows.so
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%t %S/Inputs/rows.c -o %t/rows %t/librows.so -lm -Wl,-rpath,%t
// RUN: %t/rows
func.func @main(%x: tensor<?x?xf32>)
    -> (tensor<?x?xf32> {graph.name = "y"}, tensor<?xi64> {graph.name = "numbers"}) {
  %s = graph.softmax %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = graph.tanh %s : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = graph.sum %t {axes = [1], keepDims = true} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %d = graph.sub %t, %m : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %y = graph.mul %d, %s : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %two = graph.constant dense<2> : tensor<i64>
  %forty = graph.constant dense<40> : tensor<i64>
  %odd = graph.constant dense<302> : tensor<i64>
  %shape = graph.shape %x : (tensor<?x?xf32>) -> tensor<2xi64>
  %sum = graph.sum %shape : (tensor<2xi64>) -> tensor<i64>
  %n = graph.sub %sum, %odd : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %half = graph.intDiv %n, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %end = graph.add %half, %forty : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %numbers = graph.arange %zero, %end, %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %y, %numbers : tensor<?x?xf32>, tensor<?xi64>
}
