// Arrays of dynamic extents in the library's and the caller's memory; what goes wrong with them. The same object twice
// under two names, and for plain x86-64 where that is the processor.
// RUN: rm -rf %t && mkdir %t
// RUN: graphc compile %s --emit=lib -o %t/libmatrices.so
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%t %S/Inputs/matrices.c -o %t/shared %t/libmatrices.so -lm -Wl,-rpath,%t
// RUN: %t/shared
// RUN: graphc compile %s --emit=obj -o %t/matrices.o && cp %t/matrices.h %t/libmatrices.h
// RUN: graphc compile %s --emit=obj --name=other -o %t/more.o
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%t %S/Inputs/matrices.c -o %t/static %t/matrices.o %t/more.o -lm
// RUN: %t/static
// RUN: graphc compile %s --emit=obj --target=aarch64 -o %t/arm.o && llvm-readelf -h %t/arm.o | FileCheck %s --check-prefix=ARM
// RUN: llvm-nm --undefined-only %t/arm.o | FileCheck %s --check-prefix=LIBC
// ARM: Type: REL
// ARM: Machine: AArch64
// LIBC-NOT: graphc
// LIBC: U aligned_alloc
// LIBC-NOT: graphc
func.func @main(%x: tensor<?x3xf32>, %w: tensor<3x?xf32>, %b: tensor<?xf32>)
    -> (tensor<?x?xf32> {graph.name = "y"}, tensor<f32> {graph.name = "total"}) {
  %p = graph.dot %x, %w : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
  %b2 = graph.dimshuffle %b {order = [-1, 0]} : (tensor<?xf32>) -> tensor<1x?xf32>
  %y = graph.add %p, %b2 : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %total = graph.sum %y : (tensor<?x?xf32>) -> tensor<f32>
  return %y, %total : tensor<?x?xf32>, tensor<f32>
}
