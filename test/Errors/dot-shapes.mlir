// RUN: %ends 1 graphc run %s 2>&1 | FileCheck %s --strict-whitespace
// CHECK:      dot-shapes.mlir:[[#@LINE+3]]:8: error: dot: inner extents differ: 3 and 4
// CHECK-NEXT:  %0 = graph.dot %a, %b
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.dot %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
