// Error functions.
// RUN: graphc opt %s --rewrites=error_functions --explain | FileCheck %s
func.func @main(%x: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %one = graph.constant dense<1.0> : tensor<f64>
  %e = graph.erf %x : (tensor<?xf64>) -> tensor<?xf64>
  %a = graph.sub %one, %e : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %b = graph.add %one, %e : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %g = graph.erfc %x : (tensor<?xf64>) -> tensor<?xf64>
  %h = graph.log %g : (tensor<?xf64>) -> tensor<?xf64>
  return %a, %b, %h : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// CHECK: // one_minus_erf: one - erf(x)  ->  erfc(x)  at {{.*}}error-functions.mlir:7:8, {{.*}}error-functions.mlir:6:8
// CHECK-NEXT: // one_plus_erf: one + erf(x)  ->  erfc(-x)  at {{.*}}error-functions.mlir:8:8, {{.*}}error-functions.mlir:6:8
// CHECK-NEXT: // log_erfc: log(erfc(x))  ->  switch(x < 10.0, log(erfc(minimum(x, 10.0))), {{.*}}{{.*}}error-functions.mlir:10:8, {{.*}}error-functions.mlir:9:8
