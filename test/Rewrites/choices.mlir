// Choices.
// RUN: graphc opt %s --rewrites=choices --explain | FileCheck %s
func.func @main(%p: tensor<?xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>)
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %yes = graph.constant dense<true> : tensor<i1>
  %a = graph.switch %yes, %x, %y : (tensor<i1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %n = graph.logicalNot %p : (tensor<?xi1>) -> tensor<?xi1>
  %b = graph.switch %n, %x, %y : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %d = graph.switch %p, %x, %y : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %e = graph.switch %p, %y, %x : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %g = graph.add %d, %e : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %a, %b, %g : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// CHECK: // switch_not: switch(logicalNot(p), x, y)  ->  switch(p, y, x)  at {{.*}}choices.mlir:8:8, {{.*}}choices.mlir:7:8
// CHECK-NEXT: // merge_switch_add: switch(p, x, y) + switch(p, y, x)  ->  switch(p, x + y, y + x)  at {{.*}}choices.mlir:11:8, {{.*}}choices.mlir:9:8, {{.*}}choices.mlir:10:8
// CHECK-NEXT: func.func @main(%p: tensor<?xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
// CHECK-NEXT:   %yes = graph.constant dense<true> : tensor<i1>
// CHECK-NEXT:   %a = graph.switch %yes, %x, %y : (tensor<i1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %0 = graph.switch %p, %y, %x : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %1 = graph.add %x, %y : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %2 = graph.add %y, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   %3 = graph.switch %p, %1, %2 : (tensor<?xi1>, tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT:   return %a, %0, %3 : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
// CHECK-NEXT: }
