// A movement is not lifted over what is needed as it is, too: that would be computed twice.
// RUN: graphc opt %s --rewrites=movements,dimshuffle_lift_binary,subtensor_lift_binary --entry=once | FileCheck %s --check-prefix=ONCE
// RUN: graphc opt %s --rewrites=movements,dimshuffle_lift_binary,subtensor_lift_binary --entry=twice | FileCheck %s --check-prefix=TWICE
// RUN: graphc opt %s --rewrites=movements,dimshuffle_lift_binary,subtensor_lift_binary --entry=row | FileCheck %s --check-prefix=ROW
// RUN: graphc opt %s --rewrites=movements,dimshuffle_lift_binary,subtensor_lift_binary --entry=rows | FileCheck %s --check-prefix=ROWS
func.func @once(%m: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %a = graph.dimshuffle %m {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %b = graph.mul %a, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = graph.dimshuffle %b {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %c : tensor<?x?xf64>
}
func.func @twice(%m: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %a = graph.dimshuffle %m {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %b = graph.mul %a, %a : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
  %c = graph.dimshuffle %b {order = [1, 0]} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %b, %c : tensor<?x?xf64>, tensor<?x?xf64>
}
func.func @row(%m: tensor<4x3xf64>) -> tensor<3xf64> {
  %a = graph.exp %m : (tensor<4x3xf64>) -> tensor<4x3xf64>
  %b = graph.mul %a, %m : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  %c = graph.subtensor %b {index = "0"} : (tensor<4x3xf64>) -> tensor<3xf64>
  return %c : tensor<3xf64>
}
func.func @rows(%m: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>) {
  %a = graph.exp %m : (tensor<4x3xf64>) -> tensor<4x3xf64>
  %b = graph.mul %a, %m : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  %c = graph.subtensor %b {index = "0"} : (tensor<4x3xf64>) -> tensor<3xf64>
  return %b, %c : tensor<4x3xf64>, tensor<3xf64>
}

// ONCE:      func.func @once
// ONCE-NEXT: %0 = graph.mul %m, %m
// ONCE-NEXT: return %0
// TWICE:      %c = graph.dimshuffle %b
// TWICE-NEXT: return %b, %c
// ROW:     graph.subtensor %m
// ROW:     graph.mul {{.*}}tensor<3xf64>
// ROWS:     %b = graph.mul {{.*}}tensor<4x3xf64>
// ROWS-NEXT: %c = graph.subtensor %b
// ROWS-NEXT: return %b, %c
