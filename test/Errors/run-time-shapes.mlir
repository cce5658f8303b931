// RUN: %ends 1 graphc run %s --input a=[1,2,3] --input b=[1,2] 2>&1 | FileCheck %s
// RUN: %ends 1 graphc run %s --input a=[1,2,3] --input b=[1,2] --mode=interpreter 2>&1 | FileCheck %s
// CHECK: run-time-shapes.mlir:[[#@LINE+2]]:8: error: add: extents differ along axis 0: 3 and 2
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %h = graph.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %h : tensor<?xf32>
}
