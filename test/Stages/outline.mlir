// RUN: graphc compile %s --emit=loops --target=x86-64-v3 | FileCheck %s
// RUN: graphc compile %s --emit=loops --exclude=outline | FileCheck %s --check-prefix=WHOLE
// RUN: graphc run %s -i x=random[45,300] -i w=random[300,77] --full --no-cache > %t.whole --exclude=outline
// RUN: graphc run %s -i x=random[45,300] -i w=random[300,77] --full --no-cache --threads=2 > %t.parts
// RUN: diff %t.whole %t.parts
// RUN: graphc run %s -i x=random[1,300] -i w=random[300,77] --full --no-cache > %t.whole --exclude=outline
// RUN: graphc run %s -i x=random[1,300] -i w=random[300,77] --full --no-cache --threads=2 > %t.parts
// RUN: diff %t.whole %t.parts
// From the cache folder, which has objects of the parts, too, and from a saved function, which has them linked.
// RUN: rm -rf %t.cache
// RUN: env GRAPHC_CACHE_DIR=%t.cache graphc run %s -i x=random[1,300] -i w=random[300,77] --full > %t.stored && diff %t.whole %t.stored
// RUN: env GRAPHC_CACHE_DIR=%t.cache graphc run %s -i x=random[1,300] -i w=random[300,77] --full > %t.read && diff %t.whole %t.read
// RUN: env GRAPHC_CACHE_DIR=%t.cache graphc compile %s --emit=function -o %t.graphc --threads=2
// RUN: graphc run %t.graphc --trust-code -i x=random[1,300] -i w=random[300,77] --full > %t.saved && diff %t.whole %t.saved

// What a product copies (masked and not), one row, columns behind whole panels and the last few are loops that may be functions of their own.
// CHECK-LABEL: func.func @graphc_mul_sum_
// CHECK-COUNT-5: } {graphc.outline}
// CHECK-NOT: graphc.outline
// WHOLE-NOT: graphc.outline
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = graph.dot %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
