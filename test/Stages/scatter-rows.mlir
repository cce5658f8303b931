Sums at the same places are the lanes of a vector, where these rows have room on the stack and there are twice as many terms: eight
terms are computed at a time, and each is one load, sum and store of a row. Places of other threads' parts have a row of their own.

RUN: split-file %s %t && cd %t
RUN: graphc compile three.mlir --emit=linalg > linalg
RUN: graphc compile linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s
RUN: graphc compile linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=scatter-rows | FileCheck %s --check-prefix=APART
RUN: graphc compile linalg --from=linalg --emit=loops --target=x86-64 | FileCheck %s --check-prefix=APART
CHECK-LABEL: func.func @graphc_eq_gt_
CHECK: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2048xf64>
CHECK: arith.cmpi sle, %{{.*}}, %c511
CHECK: %[[FIT:.*]] = arith.andi
What they begin with:
CHECK: vector.store %{{.*}}, %[[ROWS]][{{.*}}vector<4xf64>
Whole vectors of terms:
CHECK: scf.for
CHECK: vector.load {{.*}}, vector<8xi64>
CHECK: %[[INSIDE:.*]] = arith.andi {{.*}} : vector<8xi1>
CHECK: arith.select %[[INSIDE]], %{{.*}}
CHECK-COUNT-3: vector.load {{.*}}, vector<8xf64>
CHECK-COUNT-16: vector.shuffle
CHECK: vector.extract {{.*}}[0] : {{.*}} from vector<8x
CHECK: vector.load %[[ROWS]][
CHECK-NEXT: arith.addf %{{.*}} : vector<4xf64>
CHECK: vector.store %{{.*}}, %[[ROWS]][
CHECK-COUNT-7: vector.store %{{.*}}, %[[ROWS]][
CHECK-NOT: vector.store %{{.*}}, %[[ROWS]][
The terms that are left:
CHECK: scf.for
CHECK: scf.for
CHECK: vector.store %{{.*}}, %[[ROWS]][
And back to three arrays, as vectors:
CHECK: scf.for
CHECK-COUNT-8: vector.load %[[ROWS]][
CHECK-COUNT-12: vector.shuffle
CHECK-COUNT-3: vector.store %{{.*}}, vector<8xf64>
Or all of it one by one:
CHECK: scf.for
CHECK: scf.for
CHECK-COUNT-3: arith.addf %{{.*}} : f64
APART-NOT: memref<2048xf64>

The same numbers, of which none is rounded: in rows, and in too few terms for them.
RUN: graphc run three.mlir -i x=[1,2,3] -i z=[1,1,1] -i y=[0,0,0] -i at=[2,0,-1,2,0,0,1,1,2,2,1] -i v=[1,2,3,4,5,6,7,8,9,10,11] | FileCheck %s --check-prefix=NUMBERS
RUN: graphc run three.mlir -i x=[1,2,3] -i z=[1,1,1] -i y=[0,0,0] -i at=[2,0,-1,2,0,0,1,1,2,2,1] -i v=[1,2,3,4,5,6,7,8,9,10,11] --exclude=scatter-rows | FileCheck %s --check-prefix=NUMBERS
RUN: graphc run three.mlir -i x=[1,2,3] -i z=[1,1,1] -i y=[0,0,0] -i at=[2,0,-1] -i v=[1,2,3] | FileCheck %s --check-prefix=FEW
NUMBERS: [14, 28, 30]
NUMBERS: [66, 235, 208]
NUMBERS: [26, 52, 54]
FEW: [3, 2, 7]
FEW: [5, 1, 11]
FEW: [4, 0, 8]

#--- three.mlir
func.func @main(%x: tensor<3xf64>, %z: tensor<3xf64>, %y: tensor<3xf64>, %at: tensor<?xi64>, %v: tensor<?xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %a = graph.incTake %x, %v, %at {axis = 0} : (tensor<3xf64>, tensor<?xf64>, tensor<?xi64>) -> tensor<3xf64>
  %w = graph.sqr %v : (tensor<?xf64>) -> tensor<?xf64>
  %b = graph.incTake %z, %w, %at {axis = 0} : (tensor<3xf64>, tensor<?xf64>, tensor<?xi64>) -> tensor<3xf64>
  %u = graph.add %v, %v : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
  %c = graph.incTake %y, %u, %at {axis = 0} : (tensor<3xf64>, tensor<?xf64>, tensor<?xi64>) -> tensor<3xf64>
  return %a, %b, %c : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
