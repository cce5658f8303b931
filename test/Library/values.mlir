// Shapes that follow from values, indices that are checked, constants, and outputs that are inputs.
// RUN: rm -rf %t && mkdir %t
// RUN: graphc compile %s --emit=lib -o %t/libvalues.so
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%t %S/Inputs/values.c -o %t/values %t/libvalues.so -Wl,-rpath,%t
// RUN: %t/values

// The text of the kernels is the whole program.
// RUN: graphc compile %s --emit=kernels -o %t/values.kernels
// RUN: mkdir %t/kernels && graphc compile %t/values.kernels --from=kernels --emit=lib -o %t/kernels/libvalues.so
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%t/kernels %S/Inputs/values.c -o %t/kernels/values %t/kernels/libvalues.so -Wl,-rpath,%t/kernels
// RUN: %t/kernels/values
func.func @main(%n: tensor<i64>, %x: tensor<?xf64>, %i: tensor<?xi64>)
    -> (tensor<?xi64> {graph.name = "steps"}, tensor<?xf64> {graph.name = "taken"}, tensor<2xf64> {graph.name = "c"},
        tensor<?xf64> {graph.name = "same"}) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %m = graph.sum %i : (tensor<?xi64>) -> tensor<i64>
  %end = graph.add %m, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %steps = graph.arange %zero, %end, %one {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %taken = graph.take %x, %i {axis = 0} : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %c = graph.constant dense<[0.5, -2.0]> : tensor<2xf64>
  return %steps, %taken, %c, %x : tensor<?xi64>, tensor<?xf64>, tensor<2xf64>, tensor<?xf64>
}
