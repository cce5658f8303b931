// Programs write joined arrays in parts, as graphc run does: of extents that are open, with none of a part, and in the body of a loop, whose
// result moves from step to step; all values of it, and the last one alone, which is in a ring.
// RUN: rm -rf %t && mkdir %t
// RUN: graphc compile %s --entry=rows --emit=kernels | FileCheck %s --check-prefix=KERNELS
// KERNELS: memory of %{{[0-9]+}} from s
// RUN: graphc compile %s --entry=rows --emit=exe -o %t/rows
// RUN: %t/rows -i x=[[1,2],[3,4]] -i y=[[1,0]] -i z=[[1,1],[1,-1]] > %t/rows.exe
// RUN: graphc run %s --entry=rows -i x=[[1,2],[3,4]] -i y=[[1,0]] -i z=[[1,1],[1,-1]] > %t/rows.run && diff %t/rows.run %t/rows.exe
// RUN: FileCheck %s --check-prefix=ROWS --input-file=%t/rows.exe
// ROWS: {{\[\[}}3, -1], [7, -1], [-1, -1]]
// ROWS: {{\[\[}}2, -2], [6, -2], [-2, -2]]
// RUN: %t/rows -i x=random[0,2] -i y=[[1,0]] -i z=[[1,1],[1,-1]] | FileCheck %s --check-prefix=NONE
// NONE: {{\[\[}}-1, -1]]
// RUN: graphc compile %s --entry=loop --emit=kernels | FileCheck %s --check-prefix=BODY
// BODY: memory of %{{[0-9]+}} from
// RUN: graphc compile %s --entry=loop --emit=exe -o %t/loop && %t/loop -i x=[[1,0],[0,1]] -i m=[[1,1],[0,1]] -i k=[[1,0],[0,-1]] -i e=[[1,0]] -i f=[[0,1]] -i n=4 > %t/loop.exe
// RUN: graphc run %s --entry=loop -i x=[[1,0],[0,1]] -i m=[[1,1],[0,1]] -i k=[[1,0],[0,-1]] -i e=[[1,0]] -i f=[[0,1]] -i n=4 > %t/loop.run && diff %t/loop.run %t/loop.exe
// RUN: FileCheck %s --check-prefix=LOOP --input-file=%t/loop.exe
// LOOP: {{\[\[\[}}1, 1], [0, -1]], {{\[\[}}1, 2], [0, 1]], {{\[\[}}1, 3], [0, -1]], {{\[\[}}1, 4], [0, 1]]]
// LOOP: {{\[\[}}1, 4], [0, 1]]

func.func @rows(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %p = graph.matmul %x, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = graph.matmul %y, %z : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = graph.neg %q : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = graph.join %p, %t {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = graph.sub %j, %one : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %j, %r : tensor<?x?xf32>, tensor<?x?xf32>
}
func.func @loop(%x: tensor<?x?xf32>, %m: tensor<?x?xf32>, %k: tensor<?x?xf32>, %e: tensor<?x?xf32>, %f: tensor<?x?xf32>, %n: tensor<i64>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
  %0 = graph.scan @step(%n, %x, %m, %k, %e, %f) {steps, sequences = [], states = [[-1]]} : (tensor<i64>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %1 = graph.scan @step(%n, %x, %m, %k, %e, %f) {steps, sequences = [], states = [[-1]], last = [true]} : (tensor<i64>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?x?xf32>, tensor<?x?xf32>
}
func.func private @step(%s: tensor<?x?xf32>, %m: tensor<?x?xf32>, %k: tensor<?x?xf32>, %e: tensor<?x?xf32>, %f: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %a = graph.matmul %s, %m : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = graph.matmul %s, %k : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %first = graph.matmul %e, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %second = graph.matmul %f, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = graph.join %first, %second {axis = 0} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %j : tensor<?x?xf32>
}
