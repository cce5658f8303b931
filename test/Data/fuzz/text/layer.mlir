func.func @main(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> (tensor<?x2xf32>, tensor<i64>) {
  %0 = graph.dot %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %1 = graph.relu %0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %2 = graph.argmax %1 : (tensor<?x2xf32>) -> tensor<i64>
  return %1, %2 : tensor<?x2xf32>, tensor<i64>
}
