#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "libmatrices.h"

enum { kRows = 70, kColumns = 65 };
static float x[kRows * 3], w[3 * kColumns], b[kColumns], y[kRows * kColumns];

/* Small integers, so that sums of any order are exact. */
static void check(const matrices_call *call, int64_t rows, int64_t columns) {
  assert(call->y.shape[0] == rows && call->y.shape[1] == columns);
  float total = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float expected = b[j];
      for (int64_t k = 0; k < 3; ++k)
        expected += x[i * 3 + k] * w[k * columns + j];
      assert(call->y.data[i * columns + j] == expected);
      total += expected;
    }
  assert(call->total == total);
}

static void setShapes(matrices_call *call, int64_t rows, int64_t columns) {
  call->x.data = x;
  call->x.shape[0] = rows;
  call->x.shape[1] = 3;
  call->x.strides = NULL;
  call->w.data = w;
  call->w.shape[0] = 3;
  call->w.shape[1] = columns;
  call->w.strides = NULL;
  call->b.data = b;
  call->b.shape[0] = columns;
}

static void fails(matrices_call *call, int code, const char *message) {
  int got = matrices(call);
  if (got != code || !strstr(matrices_message(call), message)) {
    printf("%d, %s\ninstead of %d, %s\n", got, matrices_message(call), code, message);
    assert(0);
  }
}

int main(void) {
  for (int i = 0; i < kRows * 3; ++i)
    x[i] = (float)(i % 7 - 3);
  for (int i = 0; i < 3 * kColumns; ++i)
    w[i] = (float)(i % 5 - 2);
  for (int i = 0; i < kColumns; ++i)
    b[i] = (float)(i % 3);

  /* The library's memory, which it uses again and which grows. */
  matrices_call call = {0};
  setShapes(&call, 4, 5);
  assert(matrices(&call) == MATRICES_OK);
  check(&call, 4, 5);
  assert((uintptr_t)call.y.data % 64 == 0);
  float *first = call.y.data;
  setShapes(&call, 2, 3);
  assert(matrices(&call) == MATRICES_OK && call.y.data == first);
  check(&call, 2, 3);
  setShapes(&call, kRows, kColumns);
  assert(matrices(&call) == MATRICES_OK);
  check(&call, kRows, kColumns);

  /* Its memory is not for inputs of the next call: that writes there. */
  call.b.data = call.y.data;
  fails(&call, MATRICES_VALUE_ERROR, "output `y`: its memory overlaps that of input `b`");

  /* Empty arrays need no memory. */
  setShapes(&call, 0, 5);
  call.x.data = NULL;
  assert(matrices(&call) == MATRICES_OK);
  check(&call, 0, 5);
  matrices_release(&call);
  assert(call.y.data == NULL);

  /* The caller's memory. */
  matrices_call own = {0};
  setShapes(&own, 6, 7);
  assert(matrices_shapes(&own) == MATRICES_OK);
  assert(own.y.shape[0] == 6 && own.y.shape[1] == 7 && own.y.data == NULL);
  own.y.data = y;
  own.y.capacity = 6 * 7;
  y[6 * 7] = 77;
  assert(matrices(&own) == MATRICES_OK && own.y.data == y);
  check(&own, 6, 7);
  assert(y[6 * 7] == 77);
  own.y.capacity = 6 * 7 - 1;
  fails(&own, MATRICES_VALUE_ERROR, "output `y`: 42 elements do not fit into a capacity of 41");
  own.y.capacity = 6 * 7;
  own.y.data = x;
  fails(&own, MATRICES_VALUE_ERROR, "output `y`: its memory overlaps that of input `x`");
  own.y.data = y;
  assert(matrices(&own) == MATRICES_OK);

  /* Strides: a transposed array, and one element that stands for all. */
  float transposed[3 * 6];
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k)
      transposed[k * 6 + i] = x[i * 3 + k];
  int64_t byColumns[2] = {1, 6}, same[1] = {0};
  own.x.data = transposed;
  own.x.strides = byColumns;
  memset(y, 0, sizeof y);
  assert(matrices(&own) == MATRICES_OK);
  check(&own, 6, 7);
  own.b.data = b + 1;
  own.b.strides = same;
  assert(matrices(&own) == MATRICES_OK);
  assert(own.y.data[0] == b[1] + x[0] * w[0] + x[1] * w[7] + x[2] * w[14]);
  own.b.strides = NULL;

  /* Mistakes. The message of a shape is that of graphc run. */
  setShapes(&own, 6, 7);
  own.x.shape[1] = 2;
  fails(&own, MATRICES_SHAPE_ERROR, "input `x`: expected f32[?,3], got [6,2]");
  setShapes(&own, 6, 7);
  own.x.shape[0] = -1;
  fails(&own, MATRICES_SHAPE_ERROR, "input `x`: expected f32[?,3], got [-1,3]");
  setShapes(&own, 6, 7);
  own.w.data = NULL;
  fails(&own, MATRICES_VALUE_ERROR, "input `w`: data is NULL");
  setShapes(&own, 6, 7);
  own.b.shape[0] = 6;
  fails(&own, MATRICES_SHAPE_ERROR, "add: extents differ along axis 1: 7 and 6");
  assert(strstr(matrices_message(&own), "matrices.mlir:22:8, in the add that makes `y`"));
  assert(strstr(matrices_message(&own), "p: f32[6,7]   b2: f32[1,6]"));
  assert(matrices_shapes(&own) == MATRICES_SHAPE_ERROR);
  own.b.shape[0] = 7;
  assert(matrices(&own) == MATRICES_OK && strcmp(matrices_message(&own), "") == 0);
  check(&own, 6, 7);

  /* More than any memory, or than 64 bits can count. */
  setShapes(&own, (int64_t)1 << 58, 7);
  fails(&own, MATRICES_VALUE_ERROR, "shape (288230376151711744, 7) is too large");
  setShapes(&own, INT64_MAX / 2, 7);
  fails(&own, MATRICES_SHAPE_ERROR, "input `x`: expected f32[?,3], got [4611686018427387903,3]");
  setShapes(&call, (int64_t)1 << 45, 7);
  fails(&call, MATRICES_OUT_OF_MEMORY, "no memory for 985162418487296 bytes");
  matrices_release(&call);
  matrices_release(&own);
  assert(own.y.data == y); /* the caller's stays */
  return 0;
}
