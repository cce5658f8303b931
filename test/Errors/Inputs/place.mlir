func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32> loc("/dev/zero":1:1)
  return %0 : tensor<2xf32>
}
