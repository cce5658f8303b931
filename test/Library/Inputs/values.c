#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "libvalues.h"

static void run(values_call *call, int64_t expected) {
  int code = values(call);
  if (code != VALUES_OK)
    puts(values_message(call));
  assert(code == VALUES_OK && call->steps.shape[0] == expected);
  for (int64_t k = 0; k < expected; ++k)
    assert(call->steps.data[k] == k);
  assert(call->taken.shape[0] == call->i.shape[0]);
  for (int64_t k = 0; k < call->i.shape[0]; ++k)
    assert(call->taken.data[k] == call->x.data[call->i.data[k]]);
  assert(call->c.data[0] == 0.5 && call->c.data[1] == -2);
  assert(call->same.shape[0] == 4 && call->same.data != call->x.data);
  assert(memcmp(call->same.data, call->x.data, 4 * sizeof(double)) == 0);
}

int main(void) {
  double x[4] = {1, 2, 4, 8};
  int64_t i[3] = {3, 0, 2};
  values_call call = {0};
  call.n = 2;
  call.x.data = x;
  call.x.shape[0] = 4;
  call.i.data = i;
  call.i.shape[0] = 3;
  assert(values_shapes(&call) == VALUES_NOT_SUPPORTED);
  assert(strstr(values_message(&call),
                "output `steps`: its shape depends on values that the call computes"));
  run(&call, 7);
  run(&call, 7);
  call.n = 200; /* other values, the same shapes */
  run(&call, 205);
  i[1] = 1;
  run(&call, 206);
  call.n = 0;
  call.i.shape[0] = 0;
  run(&call, 0);
  call.i.shape[0] = 3;
  i[2] = 4;
  assert(values(&call) == VALUES_INDEX_ERROR);
  assert(
      strstr(values_message(&call), "take: index 4 is out of range for axis 0 with 4 elements\n"));
  assert(strstr(values_message(&call), "values.mlir:"));
  i[2] = 2;
  run(&call, 6);

  /* Memory of the library's own for one output is not the caller's for another one. */
  double *taken = call.taken.data;
  call.steps.data = (int64_t *)taken;
  call.steps.capacity = 6;
  assert(values(&call) == VALUES_VALUE_ERROR);
  assert(
      strstr(values_message(&call), "output `taken`: its memory overlaps that of output `steps`"));
  call.steps.data = NULL;
  run(&call, 6);
  values_release(&call);
  return 0;
}
