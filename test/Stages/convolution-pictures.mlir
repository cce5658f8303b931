// RUN: graphc compile %s --entry=batch --emit=linalg > %t.batch && graphc compile %t.batch --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=PICTURES
// RUN: graphc compile %t.batch --from=linalg --emit=loops --target=x86-64-v4 --exclude=pictures | FileCheck %s --check-prefix=EACH
// RUN: graphc compile %s --entry=one --emit=linalg > %t.one && graphc compile %t.one --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: graphc compile %t.one --from=linalg --emit=loops --target=x86-64-v4 --exclude=wide-panels | FileCheck %s --check-prefix=NARROW

// The pixels of 8 pictures of 7 x 7 are the 392 columns of one product. What follows the sums of a tile, and stores, goes
// picture by picture, with masks. There are no last columns.
// PICTURES: func.func @graphc_mul_sum
// PICTURES-DAG: %[[PIXELS:.*]] = arith.constant 49 : index
// PICTURES-DAG: arith.constant 392 : index
// PICTURES-COUNT-5: :31 = scf.for
// PICTURES: arith.divui %{{.*}}, %[[PIXELS]]
// PICTURES: scf.for
// PICTURES-COUNT-28: vector.maskedstore

// Otherwise each picture has columns of its own.
// EACH: func.func @graphc_mul_sum
// EACH-NOT: arith.constant 392 : index
// EACH: :30 = scf.for
// EACH-NOT: vector.maskedstore
// EACH-COUNT-4: :30 = scf.for

// 49 columns are one panel of three vectors beside 9 rows (27 sums, two pointers to rows, and one to the
// panel), or a panel of two, 14 rows, and what is left. The first tile fills the panel, in three loops; others have two, in
// front of whose inner one they fetch.
// WIDE-COUNT-5: :30 = scf.for
// WIDE-NOT: :31 = scf.for
// NARROW-COUNT-5: :31 = scf.for
// NARROW-NOT: :30 = scf.for
func.func @batch(%x: tensor<8x?x9x9xf32>, %w: tensor<?x?x3x3xf32>) -> tensor<8x?x7x7xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false} : (tensor<8x?x9x9xf32>, tensor<?x?x3x3xf32>) -> tensor<8x?x7x7xf32>
  %1 = graph.relu %0 : (tensor<8x?x7x7xf32>) -> tensor<8x?x7x7xf32>
  return %1 : tensor<8x?x7x7xf32>
}
func.func @one(%x: tensor<1x?x9x9xf32>, %w: tensor<?x?x3x3xf32>) -> tensor<1x?x7x7xf32> {
  %0 = graph.conv2d %x, %w {filterFlip = false} : (tensor<1x?x9x9xf32>, tensor<?x?x3x3xf32>) -> tensor<1x?x7x7xf32>
  %1 = graph.relu %0 : (tensor<1x?x7x7xf32>) -> tensor<1x?x7x7xf32>
  return %1 : tensor<1x?x7x7xf32>
}
