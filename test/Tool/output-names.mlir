// Every verb names an output in the same way: by graph.name, else by the value that is returned.
// RUN: graphc run %s --input x=[1,2] | FileCheck %s --check-prefix=VALUES
// RUN: graphc info %s | FileCheck %s --check-prefix=INFO
// RUN: graphc compile %s --emit=lib -o %t.so && FileCheck %s --check-prefix=LIB < %t.h
// RUN: graphc compile %s --emit=exe -o %t && %t -i x=[1,2] | FileCheck %s --check-prefix=VALUES

// VALUES: {{^}}row: tensor<2xf64> = [2, 4]
// VALUES-NEXT: {{^}}s: tensor<2xf64> = [-1, -2]
// INFO: outputs:
// INFO-NEXT: {{^}}  row: tensor<?xf64>
// INFO-NEXT: {{^}}  s: tensor<?xf64>
// LIB: } row;
// LIB: } s;
func.func @main(%x: tensor<?xf64>)
    -> (tensor<?xf64> {graph.name = "row"}, tensor<?xf64>) {
  %r = graph.add %x, %x : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %s = graph.neg %x : (tensor<?xf64>) -> tensor<?xf64>
  return %r, %s : tensor<?xf64>, tensor<?xf64>
}
