What a loop of no steps reads is not computed.

RUN: split-file %s %t && cd %t
RUN: graphc compile graph.mlir --emit=kernels | FileCheck graph.mlir
RUN: graphc run graph.mlir -i i=[0,1,1,0] | FileCheck %s --check-prefix=NUMBERS
NUMBERS: = [0, 0]

A kernel of which nobody reads the sums, as where its check alone is wanted, has memory for them.
RUN: graphc compile kernel.linalg --from=linalg --emit=loops | FileCheck %s --check-prefix=LOOPS
LOOPS: func.func @kernel

//--- graph.mlir
func.func @main(%i: tensor<4xi64>) -> tensor<2xf64> {
  %z = graph.constant dense<0.0> : tensor<0x2xf64>
  %y = graph.constant dense<1.0> : tensor<0x4xf64>
  %o = graph.constant dense<0.0> : tensor<2xf64>
  %e = graph.constant dense<> : tensor<0xi64>
  %r = graph.incTake %z, %y, %i {axis = 1, mode="clip"} : (tensor<0x2xf64>, tensor<0x4xf64>, tensor<4xi64>) -> tensor<0x2xf64>
  %b = graph.constant dense<0.0> : tensor<4x2xf64>
  %q = graph.incTake %b, %r, %e {axis = 0, mode="clip"} : (tensor<4x2xf64>, tensor<0x2xf64>, tensor<0xi64>) -> tensor<4x2xf64>
  %s = graph.sum %q {axes = [0]} : (tensor<4x2xf64>) -> tensor<2xf64>
  return %s : tensor<2xf64>
}
// CHECK-NOT: {{^}}kernel @
// CHECK: {{^}}kernel @add_eq_select
// CHECK-NOT: {{^}}kernel @
//--- kernel.linalg
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @kernel(%arg0: tensor<0x2xf64>, %arg1: tensor<4xi64>, %arg2: tensor<0x4xf64>) attributes {graphc.kernel, graphc.shared = 2 : i64, graphc.split} {
    %0 = tensor.empty() : tensor<5xi1>
    %cst = arith.constant 0.000000e+00 : f64
    %1 = tensor.empty() : tensor<0x2xf64>
    %2 = linalg.fill ins(%cst : f64) outs(%1 : tensor<0x2xf64>) -> tensor<0x2xf64>
    %3 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %0 : tensor<0x2xf64>, tensor<5xi1>) outs(%2 : tensor<0x2xf64>) {
    ^bb0(%in: f64, %in_0: i1, %out: f64):
      %4 = linalg.index 2 : index
      %5 = arith.index_cast %4 : index to i64
      %c0_i64 = arith.constant 0 : i64
      %6 = arith.cmpi eq, %5, %c0_i64 : i64
      %7 = linalg.index 0 : index
      %8 = arith.index_cast %7 : index to i64
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i64
      %11 = arith.cmpi sgt, %5, %c0_i64 : i64
      %c-1_i64 = arith.constant -1 : i64
      %12 = arith.addi %5, %c-1_i64 : i64
      %13 = arith.index_cast %12 : i64 to index
      %14 = scf.if %11 -> (i64) {
        %extracted = tensor.extract %arg1[%13] : tensor<4xi64>
        scf.yield %extracted : i64
      } else {
        scf.yield %c0_i64 : i64
      }
      %15 = arith.cmpi eq, %10, %14 : i64
      %cst_1 = arith.constant 0.000000e+00 : f64
      %16 = arith.index_cast %8 : i64 to index
      %17 = arith.index_cast %12 : i64 to index
      %18 = scf.if %11 -> (f64) {
        %extracted = tensor.extract %arg2[%16, %17] : tensor<0x4xf64>
        scf.yield %extracted : f64
      } else {
        scf.yield %cst_1 : f64
      }
      %19 = arith.select %15, %18, %cst_1 : f64
      %20 = arith.select %6, %in, %19 : f64
      %21 = arith.addf %out, %20 fastmath<reassoc> : f64
      linalg.yield %21 : f64
    } -> tensor<0x2xf64>
    return
  }
}
