What two neighbouring lanes read is loaded once, and spread by a shuffle (lib/Transforms/BodyQuotients.cpp); without that, vectors are gathered.

RUN: split-file %s %t && cd %t
RUN: graphc compile twice.mlir --emit=loops --target=x86-64-v4 | FileCheck %s --implicit-check-not=vector.gather
RUN: graphc compile twice.mlir --emit=loops --target=x86-64-v4 --exclude=quotients | FileCheck %s --check-prefix=GATHERS
Quotients are no calls: the body, short as it is, is made for whole vectors, and for what is left of a line, without branches.
CHECK-NOT: scf.if
CHECK: vector.shuffle {{.*}}[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
CHECK-NOT: scf.if
CHECK: vector.store
CHECK: vector.maskedload {{.*}} vector<8xf32>
CHECK: vector.shuffle {{.*}}[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
CHECK: vector.maskedstore
GATHERS-NOT: vector.shuffle
GATHERS: vector.gather

RUN: graphc run twice.mlir -i x=random[3,20,37] --full > with
RUN: graphc run twice.mlir -i x=random[3,20,37] --full --exclude=quotients > without
RUN: diff with without

//--- twice.mlir
func.func @main(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %shape = graph.constant dense<[3, 40, 74]> : tensor<3xi64>
  %0 = graph.poolSpread %x, %shape {ignoreBorder = true, mode = "sum", padding = [], stride = [2, 2], window = [2, 2]} : (tensor<?x?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
