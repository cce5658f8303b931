func.func @main(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>) -> tensor<f64> {
  %0 = graph.mul %y, %z : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = graph.add %x, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
