// Bodies that pull one another: one kernel, in which vectors run along the bodies that are pulled, and
// what does not depend on the coordinate is computed once for all three.
// RUN: graphc compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: graphc compile %s --emit=linalg > %t.linalg
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 | FileCheck %s --check-prefix=LOOPS
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v4 --exclude=join-branches | FileCheck %s --check-prefix=APART
// RUN: graphc compile %t.linalg --from=linalg --emit=loops --target=x86-64-v3 | FileCheck %s --check-prefix=NARROW
// RUN: graphc compile %t.linalg --from=linalg --emit=llvm --target=x86-64-v4 > %t.ll
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t.ll
// RUN: graphc compile %t.ll --from=llvm --emit=asm --target=x86-64-v4 | FileCheck %s --check-prefix=ASM

// The squares of three float32 are added in float32 (F-012); the pulls, of any number, in float64.
// KERNELS: kernel
// KERNELS-NEXT: for (i0 < n0, i1 < 3, i2 < n0)
// KERNELS-NOT: cast
// KERNELS: = sum.f64(i2) mul(
// KERNELS: {{^}}}
// KERNELS-NOT: {{^}}kernel @

// The positions of a vector of bodies, once: three vectors 3 apart.
// LOOPS: scf.for
// LOOPS-COUNT-3: vector.shuffle
// The other bodies: their coordinates are scalars. Two vectors have a root each, and three sums.
// LOOPS: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// LOOPS-COUNT-3: memref.load
// LOOPS: rsqrt14.ps.512
// LOOPS-NOT: scf.if
// LOOPS: rsqrt14.ps.512
// LOOPS-NOT: {{rsqrt14.ps.512|vector.reduction|scf.if}}
// Both are tested at once whether the estimate does for them: their bits with one mask.
// LOOPS: %[[BITS:.*]] = arith.ori %{{.*}}, %{{.*}} : vector<16xi32>
// LOOPS: %[[HIGH:.*]] = arith.andi %[[BITS]], %{{.*}} : vector<16xi32>
// LOOPS: %[[ANY:.*]] = arith.cmpi ne, %[[HIGH]], %{{.*}} : vector<16xi32>
// LOOPS: %[[COLD:.*]] = vector.reduction <or>, %[[ANY]] : vector<16xi1> into i1
// LOOPS-NEXT: scf.if %[[COLD]] -> (vector<16xf32>, vector<16xf32>)
// LOOPS-NOT: vector.reduction
// LOOPS: {graphc.seldom}
// LOOPS-COUNT-6: math.fma
// LOOPS: scf.yield
// The coordinates side by side again.
// LOOPS: vector.shuffle
// LOOPS: vector.maskedstore

// APART: rsqrt14.ps.512
// APART: scf.if %{{.*}} -> (vector<16xf32>)
// APART: rsqrt14.ps.512
// APART: scf.if %{{.*}} -> (vector<16xf32>)

// The other way is seldom taken: it stands behind the loop, whose constants stay in registers.
// LLVM: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof ![[WEIGHTS:.*]]
// LLVM: ![[WEIGHTS]] = !{!"branch_weights", i32 1, i32 2000}
// ASM: vrsqrt14ps
// ASM: kortestw
// ASM-NEXT: jne
// ASM-NOT: vcvtps2pd
// ASM: vfmadd231ps

// NARROW: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// NARROW-COUNT-3: math.fma
// NARROW: vector.shuffle
// NARROW: vector.store
func.func @main(%p: tensor<?x3xf32>, %m: tensor<?xf32>) -> tensor<?x3xf32> {
  %others = graph.dimshuffle %p {order = [-1, 0, 1]} : (tensor<?x3xf32>) -> tensor<1x?x3xf32>
  %own = graph.dimshuffle %p {order = [0, -1, 1]} : (tensor<?x3xf32>) -> tensor<?x1x3xf32>
  %d = graph.sub %others, %own : (tensor<1x?x3xf32>, tensor<?x1x3xf32>) -> tensor<?x?x3xf32>
  %squares = graph.sqr %d : (tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  %far = graph.sum %squares {axes = [2]} : (tensor<?x?x3xf32>) -> tensor<?x?xf32>
  %power = graph.constant dense<-1.5> : tensor<1x1xf32>
  %near = graph.pow %far, %power : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %masses = graph.dimshuffle %m {order = [-1, 0]} : (tensor<?xf32>) -> tensor<1x?xf32>
  %pull = graph.mul %masses, %near : (tensor<1x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %each = graph.dimshuffle %pull {order = [0, 1, -1]} : (tensor<?x?xf32>) -> tensor<?x?x1xf32>
  %f = graph.mul %each, %d : (tensor<?x?x1xf32>, tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  %a = graph.sum %f {axes = [1]} : (tensor<?x?x3xf32>) -> tensor<?x3xf32>
  return %a : tensor<?x3xf32>
}
