// A gated recurrent unit, of which a step is one kernel, and a step of the gradient two: what the products
// of a step need is either known before the loop, or is made by the first one.
// RUN: graphc compile %s --grad loss:Wz,Wr,Wn,Uz,Ur,Un,bz --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %s --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=NARROW

// 1 - z is of the z that is there.
// KERNELS: kernel @mul_sum_add_sigmoid_etc
// KERNELS: sub(1.0, {{[v%]}}
// KERNELS: body 0.0 of `main`
// KERNELS: kernel @
// KERNELS-NOT: kernel @
// KERNELS-NOT: copy
// KERNELS: return
// Sums of outer products are products of rows, those of sequences as they stand: nothing is copied.
// KERNELS: body 1.0 of `main`
// KERNELS: kernel @
// KERNELS: kernel @mul_sum
// KERNELS-NOT: kernel @
// KERNELS-NOT: copy
// KERNELS: return

// Three products with one vector have one loop, whose sums are side by side: four vectors of each.
// LOOPS: func.func @graphc_mul_sum_add_sigmoid_etc
// LOOPS: scf.for
// LOOPS-NEXT: :12 = scf.for
// LOOPS-COUNT-12: math.fma
// LOOPS-NEXT: scf.yield
// Where registers are few, two vectors.
// NARROW: func.func @graphc_mul_sum_add_sigmoid_etc
// NARROW: :6 = scf.for

!v = tensor<64xf32>
!m = tensor<64x64xf32>
func.func @main(%x: tensor<1000x64xf32>, %h0: !v, %Wz: !m, %Wr: !m, %Wn: !m, %Uz: !m, %Ur: !m, %Un: !m, %bz: !v)
    -> (tensor<f32> {graph.name = "loss"}) {
  %h = graph.scan @step(%x, %h0, %Wz, %Wr, %Wn, %Uz, %Ur, %Un, %bz) {sequences = [[0]], states = [[-1]]}
      : (tensor<1000x64xf32>, !v, !m, !m, !m, !m, !m, !m, !v) -> tensor<1000x64xf32>
  %s = graph.sum %h : (tensor<1000x64xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func private @step(%x: !v, %h: !v, %Wz: !m, %Wr: !m, %Wn: !m, %Uz: !m, %Ur: !m, %Un: !m, %bz: !v) -> !v {
  %one = graph.constant dense<1.0> : tensor<f32>
  %xz = graph.dot %x, %Wz : (!v, !m) -> !v
  %hz = graph.dot %h, %Uz : (!v, !m) -> !v
  %az = graph.add %xz, %bz, %hz : (!v, !v, !v) -> !v
  %z = graph.sigmoid %az : (!v) -> !v
  %xr = graph.dot %x, %Wr : (!v, !m) -> !v
  %hr = graph.dot %h, %Ur : (!v, !m) -> !v
  %ar = graph.add %xr, %hr : (!v, !v) -> !v
  %r = graph.sigmoid %ar : (!v) -> !v
  %xn = graph.dot %x, %Wn : (!v, !m) -> !v
  %hn = graph.dot %h, %Un : (!v, !m) -> !v
  %rn = graph.mul %r, %hn : (!v, !v) -> !v
  %an = graph.add %xn, %rn : (!v, !v) -> !v
  %n = graph.tanh %an : (!v) -> !v
  %left = graph.sub %one, %z : (tensor<f32>, !v) -> !v
  %new = graph.mul %left, %n : (!v, !v) -> !v
  %old = graph.mul %z, %h : (!v, !v) -> !v
  %next = graph.add %new, %old : (!v, !v) -> !v
  return %next : !v
}
