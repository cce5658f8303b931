// RUN: graphc info %s | FileCheck %s
// CHECK:      graph main
// CHECK-NEXT: inputs:
// CHECK-NEXT:   x: tensor<?xf32>
// CHECK-NEXT: outputs:
// CHECK-NEXT:   loss: tensor<2xf32>
// CHECK-NEXT: constants: 1 with 2 elements, 8 bytes
// CHECK-NEXT: nodes: 2
// CHECK-NEXT:   add: 1
// CHECK-NEXT:   exp: 1
// x must have two numbers: two exp, read and written, and two sums of two numbers.
// CHECK-NEXT: FLOPs: 4
// CHECK-NEXT: bytes: 40
// CHECK-NOT:  {{.}}
func.func @main(%x: tensor<?xf32>) -> (tensor<2xf32> {graph.name = "loss"}) {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = graph.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  %0 = graph.add %e, %c : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
