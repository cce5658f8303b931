// Transposed operands: whole squares are loaded by lines and transposed in registers (lib/Transforms/Squares.cpp); without that, and in what is
// left, vectors are gathered.
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 | FileCheck %s
// RUN: graphc compile %s --emit=loops --target=x86-64-v4 --exclude=squares | FileCheck %s --check-prefix=GATHERS
// RUN: graphc run %s -i x=random[37,70] -i y=random[70,37] --full > %t
// RUN: graphc run %s -i x=random[37,70] -i y=random[70,37] --full --exclude=squares | diff %t -
// RUN: graphc run %s -i x=random[37,70] -i y=random[70,37] --full --target=x86-64-v3 | diff %t -

// CHECK-COUNT-16: vector.load {{.*}} vector<16xf32>
// CHECK: vector.shuffle {{.*}}[0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK-COUNT-63: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-16: vector.store
// CHECK-COUNT-16: vector.load {{.*}} vector<16xf32>
// CHECK-COUNT-16: vector.maskedstore
// GATHERS-NOT: vector.shuffle
// GATHERS: vector.gather
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = graph.dimshuffle %x {order = [1, 0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = graph.sub %t, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
