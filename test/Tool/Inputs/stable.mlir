func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {
  %one = graph.constant dense<1.0> : tensor<f64>
  %e = graph.exp %x : (tensor<?xf64>) -> tensor<?xf64>
  %s = graph.add %one, %e : (tensor<f64>, tensor<?xf64>) -> tensor<?xf64>
  %0 = graph.log %s : (tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
