Transposes around convolutions are written into what is before and behind them: pictures whose last axis is the channels take one kernel more than others, for
the result's order, however many layers there are; the input's is part of its first padded copy. The products are the same kernel.

RUN: split-file %s %t && cd %t
RUN: graphc compile last.mlir --emit=linalg --target=x86-64-v3 > last && graphc compile first.mlir --emit=linalg --target=x86-64-v3 > first
RUN: grep -o '@graphc_[a-z_]*[0-9a-f]*(' last | sort -u > of-last && grep -o '@graphc_[a-z_]*[0-9a-f]*(' first | sort -u > of-first
RUN: cat of-last | FileCheck %s
RUN: comm -12 of-last of-first | FileCheck %s --check-prefix=SAME
The padded copy of the input, the padded copies between layers, bias and maximum at the end, the product, and the product with bias and maximum.
CHECK-COUNT-5: @graphc_
CHECK-NOT: @graphc_
SAME: @graphc_add_ge_lt_and_
SAME-NEXT: @graphc_mul_sum_add_maximum_
SAME-NOT: @graphc_
RUN: graphc compile last.mlir --emit=kernels --target=x86-64-v3 | FileCheck %s --check-prefix=STEPS
STEPS-COUNT-7: {{^ +}}kernel @{{.*}} sizes [
STEPS-NOT: {{^ +}}kernel @

//--- last.mlir
func.func @main(%x: tensor<1x28x28x64xf32>, %w0: tensor<64x64x3x3xf32>, %w1: tensor<64x64x3x3xf32>, %w2: tensor<64x64x3x3xf32>, %b: tensor<64xf32>) -> tensor<1x28x28x64xf32> {
  %z = graph.constant dense<0.0> : tensor<f32>
  %t0 = graph.dimshuffle %x {order = [0, 3, 1, 2]} : (tensor<1x28x28x64xf32>) -> tensor<1x64x28x28xf32>
  %c0 = graph.conv2d %t0, %w0 {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  %u0 = graph.dimshuffle %c0 {order = [0, 2, 3, 1]} : (tensor<1x64x28x28xf32>) -> tensor<1x28x28x64xf32>
  %v0 = graph.add %u0, %b : (tensor<1x28x28x64xf32>, tensor<64xf32>) -> tensor<1x28x28x64xf32>
  %r0 = graph.maximum %v0, %z : (tensor<1x28x28x64xf32>, tensor<f32>) -> tensor<1x28x28x64xf32>
  %t1 = graph.dimshuffle %r0 {order = [0, 3, 1, 2]} : (tensor<1x28x28x64xf32>) -> tensor<1x64x28x28xf32>
  %c1 = graph.conv2d %t1, %w1 {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  %u1 = graph.dimshuffle %c1 {order = [0, 2, 3, 1]} : (tensor<1x64x28x28xf32>) -> tensor<1x28x28x64xf32>
  %v1 = graph.add %u1, %b : (tensor<1x28x28x64xf32>, tensor<64xf32>) -> tensor<1x28x28x64xf32>
  %r1 = graph.maximum %v1, %z : (tensor<1x28x28x64xf32>, tensor<f32>) -> tensor<1x28x28x64xf32>
  %t2 = graph.dimshuffle %r1 {order = [0, 3, 1, 2]} : (tensor<1x28x28x64xf32>) -> tensor<1x64x28x28xf32>
  %c2 = graph.conv2d %t2, %w2 {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  %u2 = graph.dimshuffle %c2 {order = [0, 2, 3, 1]} : (tensor<1x64x28x28xf32>) -> tensor<1x28x28x64xf32>
  %v2 = graph.add %u2, %b : (tensor<1x28x28x64xf32>, tensor<64xf32>) -> tensor<1x28x28x64xf32>
  %r2 = graph.maximum %v2, %z : (tensor<1x28x28x64xf32>, tensor<f32>) -> tensor<1x28x28x64xf32>
  return %r2 : tensor<1x28x28x64xf32>
}
//--- first.mlir
func.func @main(%x: tensor<1x64x28x28xf32>, %w0: tensor<64x64x3x3xf32>, %w1: tensor<64x64x3x3xf32>, %w2: tensor<64x64x3x3xf32>, %b: tensor<64xf32>) -> tensor<1x64x28x28xf32> {
  %z = graph.constant dense<0.0> : tensor<f32>
  %bb = graph.dimshuffle %b {order = [0, -1, -1]} : (tensor<64xf32>) -> tensor<64x1x1xf32>
  %c0 = graph.conv2d %x, %w0 {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  %v0 = graph.add %c0, %bb : (tensor<1x64x28x28xf32>, tensor<64x1x1xf32>) -> tensor<1x64x28x28xf32>
  %r0 = graph.maximum %v0, %z : (tensor<1x64x28x28xf32>, tensor<f32>) -> tensor<1x64x28x28xf32>
  %c1 = graph.conv2d %r0, %w1 {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  %v1 = graph.add %c1, %bb : (tensor<1x64x28x28xf32>, tensor<64x1x1xf32>) -> tensor<1x64x28x28xf32>
  %r1 = graph.maximum %v1, %z : (tensor<1x64x28x28xf32>, tensor<f32>) -> tensor<1x64x28x28xf32>
  %c2 = graph.conv2d %r1, %w2 {filterFlip = false, padding = [1, 1, 1, 1]} : (tensor<1x64x28x28xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
  %v2 = graph.add %c2, %bb : (tensor<1x64x28x28xf32>, tensor<64x1x1xf32>) -> tensor<1x64x28x28xf32>
  %r2 = graph.maximum %v2, %z : (tensor<1x64x28x28xf32>, tensor<f32>) -> tensor<1x64x28x28xf32>
  return %r2 : tensor<1x64x28x28xf32>
}
