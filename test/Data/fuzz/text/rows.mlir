func.func @main(%x: tensor<4x5xf64> {graph.name = "rows of it"}) -> tensor<4xf64> {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %0 = graph.mul %x, %c : (tensor<4x5xf64>, tensor<5xf64>) -> tensor<4x5xf64>
  %1 = graph.sum %0 {axes = [1]} : (tensor<4x5xf64>) -> tensor<4xf64>
  %2 = graph.subtensor %1 {index = "::-1"} : (tensor<4xf64>) -> tensor<4xf64>
  return %2 : tensor<4xf64>
}
