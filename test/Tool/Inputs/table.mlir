ml_program.global private @w(dense<[3.0, 4.0]> : tensor<2xf64>) : tensor<2xf64>
func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
  %w = ml_program.global_load_const @w : tensor<2xf64>
  %0 = graph.mul %x, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
