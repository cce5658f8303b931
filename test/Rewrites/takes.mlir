// Costly functions of what is taken from a smaller array, with what is cheap before them.
// RUN: graphc opt %s --rewrites=takes --explain | FileCheck %s
func.func @main(%s: tensor<8xf64>, %t: tensor<f64>, %i: tensor<50xi64>, %large: tensor<?xf64>, %half: tensor<26xf64>)
    -> (tensor<50xf64>, tensor<50xf64>, tensor<50xf64>, tensor<50xf64>, tensor<50xf64>) {
  %a = graph.take %s, %i : (tensor<8xf64>, tensor<50xi64>) -> tensor<50xf64>
  %b = graph.add %t, %a : (tensor<f64>, tensor<50xf64>) -> tensor<50xf64>
  %c = graph.neg %b : (tensor<50xf64>) -> tensor<50xf64>
  %d = graph.exp %c : (tensor<50xf64>) -> tensor<50xf64>
  %e = graph.sqr %b : (tensor<50xf64>) -> tensor<50xf64>
  %f = graph.take %large, %i : (tensor<?xf64>, tensor<50xi64>) -> tensor<50xf64>
  %g = graph.exp %f : (tensor<50xf64>) -> tensor<50xf64>
  %j = graph.take %half, %i : (tensor<26xf64>, tensor<50xi64>) -> tensor<50xf64>
  %k = graph.exp %j : (tensor<50xf64>) -> tensor<50xf64>
  return %b, %d, %e, %g, %k : tensor<50xf64>, tensor<50xf64>, tensor<50xf64>, tensor<50xf64>, tensor<50xf64>
}

// CHECK: // take_exp: exp(-(t + take(s, i)))  ->  take(exp(-(t + s)), i)
// CHECK-NOT: // take_
// CHECK: func.func @main
// CHECK-DAG: %[[SUM:.*]] = graph.add %t, %s : (tensor<f64>, tensor<8xf64>) -> tensor<8xf64>
// CHECK-DAG: graph.exp {{.*}} : (tensor<8xf64>) -> tensor<8xf64>
// CHECK-DAG: graph.sqr {{.*}} : (tensor<50xf64>) -> tensor<50xf64>
// CHECK-DAG: graph.exp {{.*}} : (tensor<50xf64>) -> tensor<50xf64>
