// Scalars are members of the call's structure; C lays them out as graphc says.
// RUN: rm -rf %t && mkdir %t
// RUN: graphc compile %s --emit=lib -o %t/libscalars.so
// RUN: %cc -std=c99 -pedantic -Wall -Wextra -Werror -I%t %S/Inputs/scalars.c -o %t/scalars -L%t -lscalars -Wl,-rpath,%t
// RUN: %t/scalars
// RUN: %cxx -x c++ -std=c++11 -Wall -Wextra -Werror -I%t -fsyntax-only %t/libscalars.h
// RUN: FileCheck %s < %t/libscalars.h
// CHECK: scalars.mlir, compiled by graphc
// CHECK: uint8_t flag; /* 0 or 1 */
// CHECK: double x;
// CHECK: int16_t int_; /* `int` */
// CHECK: uint16_t half; /* bits of an IEEE half */
// CHECK: float y;
// CHECK: double sum;
// CHECK: uint8_t flag_2; /* 0 or 1; `flag` */
// CHECK: int16_t twice;
func.func @main(%flag: tensor<i1>, %x: tensor<f64>, %int: tensor<i16>, %half: tensor<f16>, %y: tensor<f32>)
    -> (tensor<f64> {graph.name = "sum"}, tensor<i1>, tensor<i16> {graph.name = "twice"}) {
  %i = graph.cast %int {dtype = f64} : (tensor<i16>) -> tensor<f64>
  %h = graph.cast %half {dtype = f64} : (tensor<f16>) -> tensor<f64>
  %f = graph.cast %y {dtype = f64} : (tensor<f32>) -> tensor<f64>
  %0 = graph.add %x, %i : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = graph.add %0, %h : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = graph.add %1, %f : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = graph.add %int, %int : (tensor<i16>, tensor<i16>) -> tensor<i16>
  return %2, %flag, %3 : tensor<f64>, tensor<i1>, tensor<i16>
}
