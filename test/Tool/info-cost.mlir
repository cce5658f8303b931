// A product of 2 x 3 and 3 x 4: 24 products and as many sums. It reads 24 + 48 and writes 32 bytes.
// RUN: graphc info %s | FileCheck %s
// CHECK:      FLOPs: 48
// CHECK-NEXT: bytes: 104
// CHECK-NOT:  {{.}}
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
