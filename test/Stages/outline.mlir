// RUN: graphc compile %s --emit=loops | FileCheck %s
// RUN: graphc compile %s --emit=loops --exclude=outline | FileCheck %s --check-prefix=WHOLE
// RUN: graphc run %s -i x=random[45,300] -i w=random[300,77] --full --no-cache > %t.whole --exclude=outline
// RUN: graphc run %s -i x=random[45,300] -i w=random[300,77] --full --no-cache --threads=2 > %t.parts
// RUN: diff %t.whole %t.parts
// RUN: graphc run %s -i x=random[1,300] -i w=random[300,77] --full --no-cache > %t.whole --exclude=outline
// RUN: graphc run %s -i x=random[1,300] -i w=random[300,77] --full --no-cache --threads=2 > %t.parts
// RUN: diff %t.whole %t.parts

// What a product copies, one row and columns behind whole panels are loops that may be functions of their own.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK-COUNT-4: } {graphc.outline}
// WHOLE-NOT: graphc.outline
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = graph.dot %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
