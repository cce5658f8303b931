// Reductions side by side: what they read passes by once, although what becomes of one (a cast) stands between them.
// RUN: graphc compile %s --entry=rows --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=ROWS
// RUN: graphc compile %s --entry=whole --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=WHOLE
// RUN: graphc compile %s --entry=after --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=AFTER
// RUN: graphc run %s --entry=rows -i "x=[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]" | FileCheck %s --check-prefix=VALUES

// The loop over rows; in it one loop over blocks of whole vectors with sums of two, and of what is left one that
// makes two vectors at a time and one with a mask, which add one vector after the other.
// ROWS: scf.for
// ROWS: scf.for {{.*}} -> (vector<16xf64>, vector<16xf64>)
// ROWS: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// ROWS: scf.for {{.*}} iter_args(%[[SQUARES:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (vector<16xf32>, vector<16xf32>)
// ROWS: %[[ONE:.*]] = arith.addf %[[SUM]], %{{.*}} : vector<16xf32>
// ROWS: arith.addf %[[ONE]], %{{.*}} : vector<16xf32>
// ROWS: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// ROWS: vector.create_mask
// ROWS-NOT: scf.for
// VALUES: 14{{.*}}90
// VALUES: 6{{.*}}16
func.func @rows(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %1 = graph.sqr %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = graph.sum %1 {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  %3 = graph.sum %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %2, %3 : tensor<?xf32>, tensor<?xf32>
}

// A sum and the extremes; no row has a loop.
// WHOLE: scf.for {{.*}} -> (vector<16xf64>, vector<16xf32>, vector<16xf32>
// WHOLE: scf.for
// WHOLE-COUNT-2: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>)
// WHOLE-NOT: scf.for
func.func @whole(%x: tensor<?x?xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %1 = graph.sum %x : (tensor<?x?xf32>) -> tensor<f32>
  %2 = graph.max %x : (tensor<?x?xf32>) -> tensor<f32>
  %3 = graph.min %x : (tensor<?x?xf32>) -> tensor<f32>
  return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>
}

// A sum that reads what another one gives comes after it, and what is beside it stays with the first one.
// AFTER: scf.for
// AFTER: scf.for {{.*}} -> (vector<16xf64>, vector<16xf32>
// AFTER: scf.for
// AFTER-COUNT-2: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// AFTER: scf.for {{.*}} -> (vector<16xf64>)
// AFTER: scf.for
// AFTER-COUNT-2: scf.for {{.*}} -> (vector<16xf32>)
// AFTER-NOT: scf.for
func.func @after(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %1 = graph.sum %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = graph.dimshuffle %1 {order = [0, -1]} : (tensor<?xf32>) -> tensor<?x1xf32>
  %3 = graph.sub %x, %2 : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %4 = graph.sqr %3 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = graph.max %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  %6 = graph.sum %4 {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %1, %5, %6 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
