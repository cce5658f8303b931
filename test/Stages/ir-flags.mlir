// What ops promise is what LLVM's instructions promise.
// RUN: graphc compile %s --from=loops --emit=llvm --target=x86-64-v4 | FileCheck %s
func.func @f(%x: memref<f32>, %y: memref<f32>, %out: memref<f32>, %n: index, %m: index) -> i32 attributes {graphc.kernel} {
  %a = memref.load %x[] : memref<f32>
  %b = memref.load %y[] : memref<f32>
  %c0 = arith.constant 0 : index
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [16], strides: [1] : memref<f32> to memref<16xf32>
  // CHECK: fadd reassoc float
  %0 = arith.addf %a, %b fastmath<reassoc> : f32
  // CHECK: fmul nnan ninf nsz arcp float
  %1 = arith.mulf %0, %b fastmath<nnan,ninf,nsz,arcp> : f32
  // CHECK: fsub contract afn float
  %2 = arith.subf %1, %b fastmath<contract,afn> : f32
  // CHECK: fdiv fast float
  %3 = arith.divf %2, %b fastmath<fast> : f32
  // CHECK: fneg nsz float
  %4 = arith.negf %3 fastmath<nsz> : f32
  // CHECK: fcmp nnan olt float
  %5 = arith.cmpf olt, %4, %a fastmath<nnan> : f32
  // CHECK: call nnan float @llvm.maximum.f32
  %6 = arith.maximumf %4, %a fastmath<nnan> : f32
  %7 = arith.select %5, %6, %b : f32
  // CHECK: add nsw i64
  %8 = arith.addi %n, %m overflow<nsw> : index
  // CHECK: mul nuw i64
  %9 = arith.muli %8, %m overflow<nuw> : index
  // CHECK: shl nuw nsw i64
  %10 = arith.shli %9, %n overflow<nsw, nuw> : index
  // CHECK: udiv exact i64
  %11 = arith.divui %10, %m exact : index
  // CHECK: lshr exact i64
  %12 = arith.shrui %11, %n exact : index
  %13 = arith.index_cast %12 : index to i64
  // CHECK: trunc nsw i64
  %14 = arith.trunci %13 overflow<nsw> : i64 to i32
  // CHECK: zext i32
  %15 = arith.extui %14 : i32 to i64
  // CHECK: sitofp i64
  %16 = arith.sitofp %15 : i64 to f32
  %17 = arith.addf %7, %16 : f32
  %18 = vector.broadcast %17 : f32 to vector<16xf32>
  // CHECK: call reassoc float @llvm.vector.reduce.fadd
  %19 = vector.reduction <add>, %18, %a fastmath<reassoc> : vector<16xf32> into f32
  // CHECK: call float @llvm.vector.reduce.fadd
  %20 = vector.reduction <add>, %18, %19 : vector<16xf32> into f32
  // Elements lie where elements may lie, not where vectors do.
  // CHECK: load <16 x float>, ptr %{{.*}}, align 4
  %21 = vector.load %o[%c0] : memref<16xf32>, vector<16xf32>
  %22 = vector.insert %20, %21 [3] : f32 into vector<16xf32>
  // CHECK: store <16 x float> %{{.*}}, ptr %{{.*}}, align 4
  vector.store %22, %o[%c0] : memref<16xf32>, vector<16xf32>
  // CHECK: ret i32 0
  %ok = arith.constant 0 : i32
  return %ok : i32
}
