// F-299: fast_compile merges, and runs rules of canonicalize, stabilize and specialize, but none about shapes.
// RUN: graphc compile %s --emit=rewritten --mode=fast_compile | FileCheck %s
// RUN: graphc compile %s --emit=rewritten --mode=fast_run | FileCheck %s --check-prefix=FULL
// RUN: graphc compile %s --emit=rewritten --mode=fast_compile --no-rewrites | FileCheck %s --check-prefix=NONE
func.func @main(%x: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) {
  %two = graph.constant dense<2.0> : tensor<f64>
  %a = graph.exp %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %b = graph.exp %x : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %s = graph.log1p %b : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %n = graph.neg %a : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %m = graph.neg %n : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %p = graph.pow %m, %two : (tensor<?x?xf64>, tensor<f64>) -> tensor<?x?xf64>
  %t = graph.dimshuffle %x {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %u = graph.dimshuffle %t {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %s, %p, %u : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}

// CHECK: func.func
// CHECK-NEXT: graph.softplus
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.sqr
// CHECK-NEXT: graph.dimshuffle
// CHECK-NEXT: graph.dimshuffle
// CHECK-NEXT: return

// FULL: func.func
// FULL-NOT: graph.dimshuffle

// NONE: graph.exp
// NONE-NEXT: graph.log1p
// NONE-NEXT: graph.exp
// NONE-COUNT-2: graph.neg
// NONE: graph.pow
// NONE-COUNT-2: graph.dimshuffle
