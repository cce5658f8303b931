// Inputs and outputs with names and without, extents that follow from values, elements that are constants, and the
// command line around them.
// RUN: rm -rf %t && mkdir %t
// RUN: graphc compile %s --emit=exe -o %t/command
// RUN: env -i %t/command -i n=2 --input=x=[0.5,-1,1e300] --input "i=[2, 0, -1]" | FileCheck %s --match-full-lines
// CHECK:      steps: tensor<3xi64> = [0, 1, 2]
// CHECK-NEXT: taken: tensor<3xf64> = [1e+300, 0.5, 1e+300]
// CHECK-NEXT: c: tensor<2xf64> = [0.5, -2]
// CHECK-NEXT: none: tensor<0x4xf64> = []
// CHECK-NEXT: x: tensor<3xf64> = [0.5, -1, 1e+300]
// CHECK-NEXT: out5: tensor<3xf64> = [0.5, -1, 1e+300]
// CHECK-NOT:  {{.}}

// From the text of its kernels it is the same, but for names that outputs have of variables.
// RUN: graphc compile %s --emit=kernels -o %t/command.kernels
// RUN: graphc compile %t/command.kernels --from=kernels --emit=exe -o %t/from-kernels
// RUN: env -i %t/from-kernels -i n=2 --input=x=[0.5,-1,1e300] --input "i=[2, 0, -1]" | FileCheck %s --match-full-lines --check-prefix=KERNELS
// KERNELS: {{.*}}: tensor<3xi64> = [0, 1, 2]
// KERNELS-NEXT: {{.*}}: tensor<3xf64> = [1e+300, 0.5, 1e+300]
// RUN: %t/from-kernels -h | FileCheck %s --check-prefix=ORIGIN
// ORIGIN: {{^}}main of command.kernels, compiled by graphc

// The last value counts; files take the place of lines; long outputs are cut unless --full is there.
// RUN: %t/command -ix=[1] -in=1003 -i i=[-1] -otaken=%t/a.npy --output=out5=%t/b.npy -o c=%t/c.npy | FileCheck %s --match-full-lines --check-prefix=LONG
// LONG:      steps: tensor<1002xi64> = [0, 1, 2, ..., 999, 1000, 1001]
// LONG-NEXT: none: tensor<0x4xf64> = []
// LONG-NEXT: x: tensor<1xf64> = [1]
// LONG-NOT:  {{.}}
// RUN: %t/command -ix=[1] -i n=1003 -i i=[-1] --full | FileCheck %s --check-prefix=FULL
// FULL: [0, 1, 2, 3, 4, 5, {{.*}}, 500, {{.*}}, 1000, 1001]

// Nothing that a value says is a crash; what the graph itself finds has its op, its place and the shapes.
// RUN: %ends 1 %t/command -ix=[1,2] -in=1 -ii=[1,2] 2>&1 | FileCheck %s --match-full-lines --check-prefix=INDEX
// INDEX:      error: take: index 2 is out of range for axis 0 with 2 elements
// INDEX-NEXT:   at {{.*}}command.mlir:[[#@LINE+36]]:12, in the take that makes `taken`
// INDEX-NEXT:   x: f64[2]   i: i64[2]
// INDEX-NOT:  {{.}}

// RUN: %t/command -h | FileCheck %s --match-full-lines --check-prefix=HELP
// HELP:      main of command.mlir, compiled by graphc for {{.+}}
// HELP-NEXT: Usage: {{.*}}command [OPTIONS]
// HELP-EMPTY:
// HELP-NEXT: Inputs:
// HELP-NEXT:   n                         tensor<i64>
// HELP-NEXT:   x                         tensor<?xf64>
// HELP-NEXT:   i                         tensor<?xi64>
// HELP-EMPTY:
// HELP-NEXT: Outputs:
// HELP-NEXT:   steps                     tensor<?xi64>
// HELP-NEXT:   taken                     tensor<?xf64>
// HELP-NEXT:   c                         tensor<2xf64>
// HELP-NEXT:   none                      tensor<0x4xf64>
// HELP-NEXT:   x                         tensor<?xf64>
// HELP-NEXT:   out5                      tensor<?xf64>
// HELP-EMPTY:
// HELP-NEXT: Options:
// HELP-NEXT:   -h,--help                 Print this help message and exit
// HELP-NEXT:   -i,--input NAME=VALUE     NAME=VALUE: a number, a list {{\[\[}}1,2],[3,4]], FILE.npy, zeros, random, random[2,3]
// HELP-NEXT:   -o,--output NAME=FILE     NAME=FILE.npy: write it instead of printing
// HELP-NEXT:   --full                    Print long outputs whole
// HELP-NOT:  {{.}}
// RUN: %ends 0 %t/command --help > %t/help && FileCheck %s --check-prefix=HELP < %t/help

func.func @main(%n: tensor<i64>, %x: tensor<?xf64>, %i: tensor<?xi64>)
    -> (tensor<?xi64>, tensor<?xf64>, tensor<2xf64>, tensor<0x4xf64>, tensor<?xf64>, tensor<?xf64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %m = graph.sum %i : (tensor<?xi64>) -> tensor<i64>
  %end = graph.add %m, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %steps = graph.arange %zero, %end, %one {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %taken = graph.take %x, %i {axis = 0} : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %c = graph.constant dense<[0.5, -2.0]> : tensor<2xf64>
  %none = graph.constant dense<0.0> : tensor<0x4xf64>
  return %steps, %taken, %c, %none, %x, %x : tensor<?xi64>, tensor<?xf64>, tensor<2xf64>, tensor<0x4xf64>, tensor<?xf64>, tensor<?xf64>
}
