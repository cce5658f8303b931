#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "librows.h"

enum { kRows = 5, kColumns = 300 };

/* In double precision. tanh of a quotient is within 8 ULP; the sum, all of whose terms are
 * positive, is larger than each of them and has no more, and so has the difference, relative to
 * the sum: below 8 * 2^-23. The factor adds 4 ULP. */
static void check(const rows_call *call, const float *x, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0, tanhSum = 0;
    for (int64_t j = 0; j < columns; ++j)
      sum += exp(x[i * columns + j]);
    for (int64_t j = 0; j < columns; ++j)
      tanhSum += tanh(exp(x[i * columns + j]) / sum);
    for (int64_t j = 0; j < columns; ++j) {
      double y = call->y.data[i * columns + j];
      double quotient = exp(x[i * columns + j]) / sum;
      double expected = (tanh(quotient) - tanhSum) * quotient;
      if (!(fabs(y - expected) <= 1.5e-6 * tanhSum * quotient)) {
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
    /* 40 and the floor of half of 3, -15, -33, -51 and -69. */
    static const int64_t length[kRows] = {41, 32, 23, 14, 5};
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
