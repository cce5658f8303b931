// Sums over an outer axis: rows are read whole, a few at a time, and the sums are in a scratch row.
// RUN: graphc compile %s --entry=doubles --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=DOUBLES
// RUN: graphc compile %s --entry=floats --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=FLOATS
// RUN: graphc compile %s --entry=halves --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=HALVES
// RUN: graphc compile %s --entry=functions --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LONG
// RUN: graphc compile %s --entry=doubles --exclude=columns --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=OFF
// RUN: graphc run %s --entry=doubles -i "x=[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]" | FileCheck %s --check-prefix=VALUES

// Four rows at a time, two vectors of each; they are joined in order, then with the scratch row. Columns that are
// left are a vector at a time, rows that are left one by one.
// DOUBLES: graphc.scratch = [array<i64: 8, 0>]
// DOUBLES: scf.for {{.*}} to %[[ROWS:.*]] step %c4 {
// DOUBLES: scf.for {{.*}} step %c16 {
// DOUBLES-COUNT-8: vector.load {{.*}}vector<8xf64>
// DOUBLES-NOT: vector.load
// DOUBLES-COUNT-6: arith.addf
// DOUBLES: vector.load
// DOUBLES: vector.store
// DOUBLES: vector.load
// DOUBLES: vector.store
// DOUBLES: scf.for {{.*}} step %c8 {
// DOUBLES-COUNT-4: vector.maskedload
// DOUBLES: scf.for {{.*}} = %[[ROWS]] to
// OFF-NOT: graphc.scratch
// VALUES: 5{{.*}}7{{.*}}10
func.func @doubles(%x: tensor<?x?xf64>) -> tensor<?xf64> {
  %0 = graph.sum %x {axes = [0]} : (tensor<?x?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// Sixteen rows, four at a time: the first ones go to a scratch row of float32, the next two fours are added to it, and
// the last one with it to the row of float64.
// FLOATS: graphc.scratch = [array<i64: 8, 0>, array<i64: 4, 0>]
// FLOATS: scf.for {{.*}} = %c0 to %[[ROWS:.*]] step %c16 {
// FLOATS: scf.for {{.*}} step %c4 {
// FLOATS: scf.for {{.*}} step %c32 {
// FLOATS-COUNT-8: vector.load {{.*}}vector<16xf32>
// FLOATS-NOT: vector.load
// FLOATS-COUNT-6: arith.addf {{.*}}vector<16xf32>
// FLOATS-NOT: arith.addf
// FLOATS-COUNT-2: vector.store {{.*}}vector<16xf32>
// FLOATS: scf.for {{.*}} step %c4 {
// FLOATS: scf.for {{.*}} step %c32 {
// FLOATS-COUNT-8: vector.load {{.*}}vector<16xf32>
// FLOATS-COUNT-6: arith.addf {{.*}}vector<16xf32>
// FLOATS: %[[BEFORE:.*]] = vector.load {{.*}}vector<16xf32>
// FLOATS: %[[JOINED:.*]] = arith.addf %[[BEFORE]], {{.*}}vector<16xf32>
// FLOATS: vector.store %[[JOINED]], {{.*}}vector<16xf32>
// FLOATS: scf.for {{.*}} step %c4 {
// FLOATS: scf.for {{.*}} step %c32 {
// FLOATS: arith.extf
// FLOATS: arith.addf {{.*}}vector<16xf64>
// FLOATS: scf.for {{.*}} = %[[ROWS]] to
func.func @floats(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = graph.sum %x {axes = [0]} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Long bodies are made once: of eight rows, which are added to the row of float64.
// LONG: graphc.scratch = [array<i64: 8, 0>]
// LONG: scf.for {{.*}} step %c8 {
func.func @functions(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %e = graph.exp %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = graph.sum %e {axes = [0]} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// HALVES: scf.for {{.*}} step %c8 {
// HALVES-COUNT-16: vector.load {{.*}}vector<16xf16>
// HALVES: arith.addf {{.*}}vector<16xf32>
func.func @halves(%x: tensor<?x?xf16>) -> tensor<?xf16> {
  %0 = graph.sum %x {axes = [0]} : (tensor<?x?xf16>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
