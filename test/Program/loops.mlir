// Programs with loops and branches print what graphc run does: states with several taps, both ways, last values, an end that is found; a
// body whose sizes are elements; a loop in a loop; complex states; the step of an error.
// RUN: rm -rf %t && mkdir %t
// RUN: graphc compile %s --entry=taps --emit=exe -o %t/taps && %t/taps -i x=[1,2,4,8,16] -i y=[1,0.5,2,7] > %t/taps.exe
// RUN: graphc run %s --entry=taps -i x=[1,2,4,8,16] -i y=[1,0.5,2,7] > %t/taps.run && diff %t/taps.run %t/taps.exe
// RUN: FileCheck %s --check-prefix=TAPS --input-file=%t/taps.exe
// TAPS: [-24.5, -63, -38.5]
// TAPS: [1, 2, 3, 5, 8, 13]
// RUN: graphc compile %s --entry=sizes --emit=exe -o %t/sizes && %t/sizes -i x=[3,0,2] > %t/sizes.exe
// RUN: graphc run %s --entry=sizes -i x=[3,0,2] > %t/sizes.run && diff %t/sizes.run %t/sizes.exe
// RUN: FileCheck %s --check-prefix=SIZES --input-file=%t/sizes.exe
// SIZES: [3, 3, 4]
// RUN: graphc compile %s --entry=nested --emit=exe -o %t/nested && %t/nested -i x=[[1,2],[3,4],[5,6]] > %t/nested.exe
// RUN: graphc run %s --entry=nested -i x=[[1,2],[3,4],[5,6]] > %t/nested.run && diff %t/nested.run %t/nested.exe
// RUN: FileCheck %s --check-prefix=NESTED --input-file=%t/nested.exe
// NESTED: [3, 10, 21]
// RUN: graphc compile %s --entry=turns --emit=exe -o %t/turns && %t/turns -i re=[1,0,3] -i im=[0,1,4] > %t/turns.exe
// RUN: graphc run %s --entry=turns -i re=[1,0,3] -i im=[0,1,4] > %t/turns.run && diff %t/turns.run %t/turns.exe
// RUN: FileCheck %s --check-prefix=TURNS --input-file=%t/turns.exe
// TURNS: = -4{{$}}
// TURNS: = 3{{$}}
// RUN: graphc compile %s --entry=reads --emit=exe -o %t/reads && %t/reads -i x=[5,6] -i at=[0,-1,1] > %t/reads.exe
// RUN: graphc run %s --entry=reads -i x=[5,6] -i at=[0,-1,1] > %t/reads.run && diff %t/reads.run %t/reads.exe
// RUN: not %t/reads -i x=[5,6] -i at=[0,1,2] 2>&1 | FileCheck %s --check-prefix=READS
// RUN: not graphc run %s --entry=reads -i x=[5,6] -i at=[0,1,2] 2>&1 | FileCheck %s --check-prefix=READS
// READS: scan: step 2: {{.*}}index 2
// Of a loop of which a state and a result are left out, the numbers of those that there were.
// RUN: graphc compile %s --entry=grows --emit=exe -o %t/grows
// RUN: not %t/grows -i i=[2,3] -i v=[1,2] 2>&1 | FileCheck %s --check-prefix=GROWS
// RUN: not graphc run %s --entry=grows -i i=[2,3] -i v=[1,2] 2>&1 | FileCheck %s --check-prefix=GROWS
// GROWS: step 0: state 1 was f64[2] and becomes f64[4]; states keep their shapes
// RUN: graphc compile %s --entry=differs --emit=exe -o %t/differs
// RUN: not %t/differs -i i=[2,3] 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: not graphc run %s --entry=differs -i i=[2,3] 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: step 1: result 2 is i64[3], and all have the shape of the first one: i64[2,2] with the axis of steps
// Of these the last rows are kept alone: a ring that is or is not full, with an end that comes of itself, and of elements' sizes.
// RUN: graphc compile %s --entry=ends --emit=exe -o %t/ends && %t/ends -i x=[1,2,3,4,5,6,7,8] > %t/ends.exe
// RUN: graphc run %s --entry=ends -i x=[1,2,3,4,5,6,7,8] > %t/ends.run && diff %t/ends.run %t/ends.exe
// RUN: FileCheck %s --check-prefix=ENDS --input-file=%t/ends.exe
// ENDS: [10, 15, 21]
// ENDS: [75, 126]
// ENDS: [35, 56, 84]
// RUN: %t/ends -i x=[30,2] > %t/ends.exe
// RUN: graphc run %s --entry=ends -i x=[30,2] > %t/ends.run && diff %t/ends.run %t/ends.exe
// RUN: FileCheck %s --check-prefix=FEW --input-file=%t/ends.exe
// FEW: [30]
// FEW: [900]
// FEW: [435, 436]
// A loop, and a branch in it, for each slice.
// RUN: graphc compile %s --entry=slices --emit=exe -o %t/slices && %t/slices -i x=[[1,2,3],[4,-5,6]] > %t/slices.exe
// RUN: graphc run %s --entry=slices -i x=[[1,2,3],[4,-5,6]] > %t/slices.run && diff %t/slices.run %t/slices.exe
// RUN: FileCheck %s --check-prefix=SLICES --input-file=%t/slices.exe
// SLICES: {{\[\[}}1, 3, 6], [4, 9, 15]]

func.func @taps(%x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %s = graph.constant dense<0.5> : tensor<f64>
  %0 = graph.scan @window(%x, %y, %s) {sequences = [[-1, 1], [0]], states = [[-1]], backwards} : (tensor<?xf64>, tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %n = graph.constant dense<100> : tensor<i64>
  %i = graph.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %1 = graph.scan @fibonacci(%n, %i) {steps, until, sequences = [], states = [[-2, -1]]} : (tensor<i64>, tensor<2xf64>) -> tensor<?xf64>
  return %0, %1 : tensor<?xf64>, tensor<?xf64>
}
func.func private @window(%a: tensor<f64>, %b: tensor<f64>, %y: tensor<f64>, %s: tensor<f64>) -> tensor<f64> {
  %two = graph.constant dense<2.0> : tensor<f64>
  %0 = graph.mul %b, %two : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = graph.sub %a, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = graph.mul %y, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = graph.add %1, %2 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %3 : tensor<f64>
}
func.func private @fibonacci(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<i1>) {
  %ten = graph.constant dense<10.0> : tensor<f64>
  %0 = graph.add %a, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = graph.gt %0, %ten : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %0, %1 : tensor<f64>, tensor<i1>
}

func.func @sizes(%x: tensor<?xi64>) -> tensor<?xi64> {
  %zero = graph.constant dense<0> : tensor<i64>
  %0 = graph.scan @count(%x, %zero) {sequences = [[0]], states = [[-1]]} : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
func.func private @count(%n: tensor<i64>, %s: tensor<i64>) -> tensor<i64> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %0 = graph.arange %zero, %n, %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %1 = graph.cumsum %0 {axis = 0} : (tensor<?xi64>) -> tensor<?xi64>
  %2 = graph.sum %0 : (tensor<?xi64>) -> tensor<i64>
  %3 = graph.add %s, %2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %3 : tensor<i64>
}

func.func @nested(%x: tensor<?x?xf64>) -> tensor<?xf64> {
  %zero = graph.constant dense<0.0> : tensor<f64>
  %0 = graph.scan @row(%x, %zero) {sequences = [[0]], states = [[-1]]} : (tensor<?x?xf64>, tensor<f64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
func.func private @row(%x: tensor<?xf64>, %s: tensor<f64>) -> tensor<f64> {
  %0 = graph.scan @add(%x, %s) {sequences = [[0]], states = [[-1]], last = [true]} : (tensor<?xf64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @add(%x: tensor<f64>, %s: tensor<f64>) -> tensor<f64> {
  %0 = graph.add %x, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func @turns(%re: tensor<?xf64>, %im: tensor<?xf64>) -> (tensor<f64>, tensor<f64>) {
  %x = graph.complex %re, %im : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xcomplex<f64>>
  %one = graph.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %0 = graph.scan @turn(%x, %one) {sequences = [[0]], states = [[-1]], last = [true]} : (tensor<?xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  %1 = graph.real %0 : (tensor<complex<f64>>) -> tensor<f64>
  %2 = graph.imag %0 : (tensor<complex<f64>>) -> tensor<f64>
  return %1, %2 : tensor<f64>, tensor<f64>
}
func.func private @turn(%x: tensor<complex<f64>>, %s: tensor<complex<f64>>) -> tensor<complex<f64>> {
  %0 = graph.mul %x, %s : (tensor<complex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0 : tensor<complex<f64>>
}

func.func @reads(%x: tensor<?xf64>, %at: tensor<?xi64>) -> tensor<?xf64> {
  %0 = graph.scan @read(%at, %x) {sequences = [[0]], states = [], mapped = 1} : (tensor<?xi64>, tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
func.func private @read(%k: tensor<i64>, %x: tensor<?xf64>) -> tensor<f64> {
  %0 = graph.take %x, %k {axis = 0} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func @ends(%x: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %0:2 = graph.scan @sums(%x, %zero) {sequences = [[0]], states = [[-1]], mapped = 1, until} : (tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>)
  %1 = graph.subtensor %0#0 {index = "-3:"} : (tensor<?xi64>) -> tensor<?xi64>
  %2 = graph.subtensor %0#1 {index = "-2:"} : (tensor<?xi64>) -> tensor<?xi64>
  %3 = graph.scan @count(%x, %zero) {sequences = [[0]], states = [[-1]]} : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %4 = graph.subtensor %3 {index = "-3:"} : (tensor<?xi64>) -> tensor<?xi64>
  return %1, %2, %4 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
func.func private @sums(%x: tensor<i64>, %s: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i1>) {
  %twenty = graph.constant dense<20> : tensor<i64>
  %0 = graph.add %s, %x : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = graph.mul %0, %x : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %2 = graph.gt %0, %twenty : (tensor<i64>, tensor<i64>) -> tensor<i1>
  return %0, %1, %2 : tensor<i64>, tensor<i64>, tensor<i1>
}

func.func @slices(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = graph.call @sumsOf(%x) : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}
func.func private @sumsOf(%row: tensor<?xf64>) -> tensor<?xf64> attributes {graph.slices = 1 : i64} {
  %zero = graph.constant dense<0.0> : tensor<f64>
  %0 = graph.scan @addSize(%row, %zero) {sequences = [[0]], states = [[-1]]} : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
func.func private @addSize(%x: tensor<f64>, %s: tensor<f64>) -> tensor<f64> {
  %zero = graph.constant dense<0.0> : tensor<f64>
  %0 = graph.lt %x, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %1 = graph.sub %s, %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = graph.add %s, %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = graph.ifElse %0, %1, %2 : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %3 : tensor<f64>
}

func.func @grows(%i: tensor<?xi64>, %v: tensor<?xf64>) -> tensor<?xf64> {
  %zero = graph.constant dense<0.0> : tensor<f64>
  %0:2 = graph.scan @grow(%i, %zero, %v) {sequences = [[0]], states = [[-1], [-1]]} : (tensor<?xi64>, tensor<f64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?x?xf64>)
  %1 = graph.subtensor %0#1 {index = "-1"} : (tensor<?x?xf64>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}
func.func private @grow(%i: tensor<i64>, %s: tensor<f64>, %v: tensor<?xf64>) -> (tensor<f64>, tensor<?xf64>) {
  %0 = graph.exp %s : (tensor<f64>) -> tensor<f64>
  %1 = graph.join %v, %v {axis = 0} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  return %0, %1 : tensor<f64>, tensor<?xf64>
}

func.func @differs(%i: tensor<?xi64>) -> tensor<?x?xi64> {
  %zero = graph.constant dense<0.0> : tensor<f64>
  %0:3 = graph.scan @differ(%i, %zero) {sequences = [[0]], states = [[-1]], mapped = 2} : (tensor<?xi64>, tensor<f64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?x?xi64>)
  return %0#2 : tensor<?x?xi64>
}
func.func private @differ(%i: tensor<i64>, %s: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<?xi64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %0 = graph.exp %s : (tensor<f64>) -> tensor<f64>
  %1 = graph.arange %zero, %i, %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %0, %0, %1 : tensor<f64>, tensor<f64>, tensor<?xi64>
}
