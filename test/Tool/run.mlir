// RUN: graphc run %s --input x=2 --input y=3 --input z=4 --no-cache | FileCheck %s
// RUN: graphc run %s --input x=2 --input y=3 --input z=4 --mode=fast_compile | FileCheck %s
// RUN: graphc run %s --input x=2 --input y=3 --input z=4 --mode=interpreter | FileCheck %s
// RUN: graphc run - --input x=2 --input y=3 --input z=4 < %s | FileCheck %s
// CHECK: {{^}}out0: tensor<f64> = 14{{$}}
func.func @main(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>) -> tensor<f64> {
  %0 = graph.mul %y, %z : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = graph.add %x, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
