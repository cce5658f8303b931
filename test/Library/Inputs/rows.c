#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "librows.h"

enum { kRows = 5, kColumns = 300 };

/* In double precision. tanh of a quotient is within 8 ULP; the sum, all of whose terms are
 * positive, is larger than each of them and has no more, and so has the difference, relative to
 * the sum: below 8 * 2^-23. */
static void check(const rows_call *call, const float *x, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0, tanhSum = 0;
    for (int64_t j = 0; j < columns; ++j)
      sum += exp(x[i * columns + j]);
    for (int64_t j = 0; j < columns; ++j)
      tanhSum += tanh(exp(x[i * columns + j]) / sum);
    for (int64_t j = 0; j < columns; ++j) {
      double y = call->y.data[i * columns + j];
      double expected = tanh(exp(x[i * columns + j]) / sum) - tanhSum;
      if (!(fabs(y - expected) <= 1e-6 * tanhSum)) {
        printf("row %d, column %d: %g instead of %g\n", (int)i, (int)j, y, expected);
        exit(1);
      }
    }
  }
}

int main(void) {
  static float x[kRows * kColumns];
  for (int i = 0; i < kRows * kColumns; ++i)
    x[i] = (float)(i * 37 % 101) / 25 - 2;
  rows_call call = {0};
  call.x.data = x;
  for (int64_t n = 0; n < kRows; ++n) {
    call.x.shape[0] = kRows - n;
    call.x.shape[1] = kColumns - 17 * n;
    call.n = 2 - 3 * n; /* 2, -1, -4, -7, -10 */
    static const int64_t length[kRows] = {11, 9, 8, 6, 5};
    if (rows(&call) != ROWS_OK) {
      puts(rows_message(&call));
      return 1;
    }
    check(&call, x, kRows - n, kColumns - 17 * n);
    assert(call.numbers.shape[0] == length[n]);
  }
  rows_release(&call);
  return 0;
}
