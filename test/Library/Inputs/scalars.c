#include <assert.h>
#include <string.h>

#include "libscalars.h"

int main(void) {
  scalars_call call = {0};
  call.flag = 1;
  call.x = 0.25;
  call.int_ = -300;
  call.half = 0x3e00; /* 1.5 */
  call.y = 1000;
  assert(scalars(&call) == SCALARS_OK);
  assert(strcmp(scalars_message(&call), "") == 0);
  assert(call.sum == 0.25 - 300 + 1.5 + 1000);
  assert(call.flag_2 == 1 && call.twice == -600);
  call.flag = 0;
  call.x = 1e300;
  assert(scalars_shapes(&call) == SCALARS_OK && scalars(&call) == SCALARS_OK);
  assert(call.sum == 1e300 && call.flag_2 == 0);
  scalars_release(&call);
  assert(!call.state);
  scalars_release(&call); /* there is nothing to release */
  return 0;
}
