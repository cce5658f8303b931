/*===- Shape.c - shapes as text, and what they take ---------------------------===*/
#include <stdio.h>

#include "Value.h"

const char *shapeText(const int64_t *shape, int32_t rank) {
  static char text[kMaxRank * 22 + 3];
  int end = sprintf(text, "(");
  for (int32_t axis = 0; axis < rank; ++axis)
    end += sprintf(text + end, "%s%lld", axis ? ", " : "", (long long)shape[axis]);
  sprintf(text + end, rank == 1 ? ",)" : ")");
  return text;
}

int countBytes(const Value *value, int64_t *bytes) {
  *bytes = graphcMain.dtypes[value->dtype].bytes;
  for (int32_t axis = 0; axis < value->rank; ++axis)
    if (__builtin_mul_overflow(*bytes, value->shape[axis], bytes))
      return 0;
  return 1;
}

int64_t paddedBytes(const Value *value) {
  int64_t bytes = graphcMain.dtypes[value->dtype].bytes;
  for (int32_t axis = 0; axis < value->rank; ++axis)
    if (value->shape[axis] > 0 && __builtin_mul_overflow(bytes, value->shape[axis], &bytes))
      return 0;
  return bytes <= (int64_t)1 << 62 ? bytes : 0;
}
