// Functions that are called are shown as they are computed: rewritten by themselves, for the types of their
// operands, with the results that somebody needs (F-239). What is shown can be read again.
//
// RUN: graphc compile %s --emit=rewritten | FileCheck %s
// RUN: graphc compile %s --emit=rewritten > %t.mlir
// RUN: graphc compile %t.mlir --from=rewritten --emit=rewritten | diff - %t.mlir
// RUN: graphc compile %s --emit=graph | FileCheck %s --check-prefix=WRITTEN

// CHECK: func.func @main
// CHECK: graph.call @stable{{.*}} : (tensor<3xf64>) -> tensor<3xf64>
// CHECK: func.func private @stable(%{{.*}}: tensor<3xf64>{{.*}}) -> tensor<3xf64> {
// CHECK-NEXT: graph.softplus
// CHECK-NEXT: return
// WRITTEN: func.func private @stable(%{{.*}}: tensor<?xf64>{{.*}}) -> (tensor<?xf64>, tensor<?xf64>)
// WRITTEN: graph.exp
func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0, %1 = graph.call @stable(%x) : (tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %2, %3 = graph.call @stable(%0) : (tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %2 : tensor<3xf64>
}
func.func private @stable(%a: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %one = graph.constant dense<1.0> : tensor<f64>
  %0 = graph.exp %a : (tensor<?xf64>) -> tensor<?xf64>
  %1 = graph.add %one, %0 : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %2 = graph.log %1 : (tensor<?xf64>) -> tensor<?xf64>
  return %2, %0 : tensor<?xf64>, tensor<?xf64>
}
