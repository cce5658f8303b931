// One number: exp reads and writes it.
// RUN: graphc info %s | FileCheck %s
// CHECK:      FLOPs: 1
// CHECK-NEXT: bytes: 8
// CHECK-NEXT:   (extents that are not known are taken as 1)
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
