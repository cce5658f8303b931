Products of bfloat16 with AMX (lib/Transforms/ProductTileRegisters.cpp): panels and rows are those of pairs, whose number is a multiple of
16 (zeros behind them); a tile is set up, multiplied, and stored to the stack, from where what follows takes four rows at a time. What the
instruction would take for zeros is done in the same order without it: sums of the even ones of 32 terms and of the odd ones.

RUN: split-file %s %t && cd %t
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4-amx > product.loops
RUN: FileCheck %s --input-file=product.loops
The stages' texts are read back, and what comes of them is the same.
RUN: graphc compile product.mlir --emit=asm --target=x86-64-v4-amx > product.s
RUN: graphc compile product.loops --from=loops --emit=llvm --target=x86-64-v4-amx > product.ll
RUN: graphc compile product.ll --from=llvm --emit=asm --target=x86-64-v4-amx | diff product.s -
The kept operand is as with pairs alone.
CHECK: graphc.kept = [array<i64: 1, 32, 2, 0, 1>{{.*}} graphc.scratch = [{{.*}}, array<i64: 4480, 2>, array<i64: 868, 2>]
CHECK: scf.if
CHECK: "llvm.x86.ldtilecfg"
CHECK-COUNT-4: "llvm.x86.tilezero"
CHECK: scf.for
CHECK-COUNT-2: "llvm.x86.tileloadd64"
CHECK: "llvm.x86.tdpbf16ps"
CHECK-COUNT-4: "llvm.x86.tilestored64"
CHECK-NOT: tilezero
CHECK: math.fma {{.*}} : vector<16xf32>
CHECK-NOT: tdpbf16ps
CHECK: "llvm.x86.tilerelease"
CHECK-NOT: "llvm.x86.

A step of the loop over 16 pairs is four products of four registers, two of rows and two of a panel.
RUN: FileCheck %s --input-file=product.s --check-prefix=ASM
ASM: ldtilecfg
ASM-COUNT-4: tilezero
ASM: tileloadd {{.*}}, %tmm4
ASM: tileloadd {{.*}}, %tmm6
ASM: tdpbf16ps %tmm6, %tmm4, %tmm0
ASM: tileloadd {{.*}}, %tmm5
ASM: tdpbf16ps %tmm6, %tmm5, %tmm2
ASM: tileloadd {{.*}}, %tmm7
ASM: tdpbf16ps %tmm7, %tmm4, %tmm1
ASM: tdpbf16ps %tmm7, %tmm5, %tmm3
ASM-COUNT-4: tilestored
ASM: tilerelease

Up to 16 columns are one register of a panel.
RUN: graphc compile narrow.mlir --emit=asm --target=x86-64-v4-amx | FileCheck %s --check-prefix=NARROW
NARROW-COUNT-2: tilezero
NARROW-NOT: tilezero
NARROW: tdpbf16ps
NARROW: tdpbf16ps
NARROW-NOT: tdpbf16ps

Without the optimization it is a product of pairs, without those one of numbers.
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4-amx --exclude=tile-registers | FileCheck %s --check-prefix=PAIRS
PAIRS-COUNT-28: dpbf16ps.512
PAIRS-NOT: tdpbf16ps
RUN: graphc compile product.mlir --emit=loops --target=x86-64-v4-amx --exclude=pairs | FileCheck %s --check-prefix=NONE
NONE-NOT: bf16ps

Nobody would ask Linux for the registers of a library.
RUN: graphc compile product.mlir --emit=obj --name=product --target=x86-64-v4-amx -o with.o && graphc compile product.mlir --emit=obj --name=product --target=x86-64-v4-amx --exclude=tile-registers -o without.o
RUN: cmp with.o without.o

//--- product.mlir
func.func @main(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = graph.dot %x, %w : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
//--- narrow.mlir
func.func @main(%x: tensor<?x?xbf16>, %w: tensor<?x12xbf16>) -> tensor<?x12xf32> {
  %0 = graph.dot %x, %w : (tensor<?x?xbf16>, tensor<?x12xbf16>) -> tensor<?x12xbf16>
  %1 = graph.cast %0 {dtype = f32} : (tensor<?x12xbf16>) -> tensor<?x12xf32>
  return %1 : tensor<?x12xf32>
}
