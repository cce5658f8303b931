// What a padded picture is made of: loads that would be out of their arrays in the border have masks, the others (a number for each
// channel) have none.
// RUN: graphc compile %s --emit=kernels | FileCheck %s
// RUN: graphc run %s -i "x=[[1.0, 2.0]]" -i "s=[3.0]" | FileCheck %s --check-prefix=VALUES

// CHECK: [[INSIDE:v[0-9]+]] = and(ge(
// CHECK: select([[INSIDE]], {{.*}}mul(([[INSIDE]] ? %0[i0, {{.*}}] : 0.0), %1[i0]){{.*}}, 0.0)
// VALUES: 0{{.*}}3{{.*}}6{{.*}}0
func.func @main(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> {
  %c = graph.dimshuffle %s {order = [0, -1]} : (tensor<?xf32>) -> tensor<?x1xf32>
  %m = graph.mul %x, %c : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %y = graph.pad %m {widths = [0, 0, 1, 1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
