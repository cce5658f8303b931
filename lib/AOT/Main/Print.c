/*===- Print.c - outputs as `graphc run` prints them --------------------------===*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Value.h"

enum { kThreshold = 1000, kEdge = 3 }; /* as PrintOptions in graphc/Tensor.h */

/*===--- numbers ----------------------------------------------------------------===*/

/* Whether a decimal number is read as `value`, a magnitude of the dtype. */
static int readsBackAs(const char *text, int32_t dtype, double value) {
  switch (dtype) {
  case kAotFloat64:
    return strtod(text, NULL) == value;
  case kAotFloat32:
    return (double)strtof(text, NULL) == value;
  default:
    return toHalf(dtype, strtod(text, NULL)) == toHalf(dtype, value);
  }
}

/* The fewest digits that read back, of those the closest: `digits` without zeros at their end, but
 * for "0" itself, stand for 0.DIGITS * 10^(result + 1). More and more digits are tried; beside the
 * nearest decimal the next above, since above a power of two the interval of what reads back
 * reaches twice as far as below. */
static int shortestDigits(int32_t dtype, double magnitude, char *digits) {
  /* A normal number has as few digits as any decimal of that many digits that it is nearest to. */
  int smallest = dtype == kAotFloat64 && magnitude >= 0x1p-1022  ? 15
                 : dtype == kAotFloat32 && magnitude >= 0x1p-126 ? 6
                                                                 : 1;
  for (int count = smallest;; ++count) {
    char text[32];
    sprintf(text, "%.*e", count - 1, magnitude);
    char *e = strchr(text, 'e');
    int exponent = atoi(e + 1);
    memcpy(digits, text, 1);
    memcpy(digits + 1, text + 2, (size_t)(count - 1));
    digits[count] = 0;
    long long whole = strtoll(digits, NULL, 10);
    /* All digits of a double read back, 17 of them. */
    for (int next = 0; next < 2; ++next) {
      sprintf(text, "%llde%d", whole + next, exponent - count + 1);
      if (!readsBackAs(text, dtype, magnitude))
        continue;
      int length = sprintf(digits, "%lld", whole + next);
      exponent += length - count; /* 9 and 1 are 10 */
      while (length > 1 && digits[length - 1] == '0')
        digits[--length] = 0;
      return exponent;
    }
  }
}

static void printFloat(int32_t dtype, double value) {
  if (isnan(value)) {
    fputs("nan", stdout);
    return;
  }
  double magnitude = fabs(value);
  fputs(signbit(value) ? "-" : "", stdout);
  if (isinf(value) || magnitude == 0) {
    fputs(isinf(value) ? "inf" : "0", stdout);
    return;
  }
  char digits[32];
  int exponent = shortestDigits(dtype, magnitude, digits), length = (int)strlen(digits);
  if (magnitude < 1e-4 || magnitude >= 1e16)
    printf("%c%s%se%+03d", digits[0], length > 1 ? "." : "", digits + 1, exponent);
  else if (exponent < 0)
    printf("0.%.*d%s", -exponent - 1, 0, digits); /* a number of zeros */
  else if (length <= exponent + 1)
    printf("%s%.*s", digits, exponent + 1 - length, "0000000000000000");
  else
    printf("%.*s.%s", exponent + 1, digits, digits + exponent + 1);
}

static void printElement(int32_t dtype, const void *element) {
  Number n = loadNumber(dtype, element);
  if (dtype == kAotBool)
    fputs(n.u ? "true" : "false", stdout);
  else if (n.kind == kReal)
    printFloat(dtype, n.d);
  else if (n.kind == kSigned)
    printf("%lld", (long long)n.i);
  else
    printf("%llu", (unsigned long long)n.u);
}

/*===--- arrays -----------------------------------------------------------------===*/

/* The elements of the axes from `axis` on; at most 32 deep. */
static void printAxis(const Value *v, int32_t axis, const char *elements, int elide) {
  int32_t size = graphcMain.dtypes[v->dtype].bytes;
  if (axis == v->rank) {
    printElement(v->dtype, elements);
    return;
  }
  int64_t stride = size;
  for (int32_t inner = axis + 1; inner < v->rank; ++inner)
    stride *= v->shape[inner];
  int64_t extent = v->shape[axis];
  putchar('[');
  for (int64_t k = 0; k < extent; ++k) {
    if (k)
      fputs(", ", stdout);
    if (elide && k == kEdge && extent > 2 * kEdge) {
      fputs("..., ", stdout);
      k = extent - kEdge;
    }
    printAxis(v, axis + 1, elements + k * stride, elide);
  }
  putchar(']');
}

void printValue(const char *name, const Value *v, int full) {
  printf("%s: tensor<", name);
  /* An empty array has brackets to print: as many as it has places, were its zeros ones. */
  int64_t places = 1;
  for (int32_t axis = 0; axis < v->rank; ++axis) {
    printf("%lldx", (long long)v->shape[axis]);
    places *= v->shape[axis] > 0 ? v->shape[axis] : 1;
  }
  printf("%s> = ", textAt(graphcMain.dtypes[v->dtype].shortName));
  printAxis(v, 0, v->data, !full && places > kThreshold);
  putchar('\n');
}
