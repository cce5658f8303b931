/*===- Number.c - elements as numbers ---------------------------------------===*/
#include <math.h>
#include <string.h>

#include "Value.h"

int isFloat(int32_t dtype) { return dtype >= kAotFloat16; }
int isSignedInteger(int32_t dtype) { return dtype >= kAotInt8 && dtype <= kAotInt64; }

/*===--- halves: no compiler's library is there to convert them ---------------===*/

static int fractionBitsOf(int32_t dtype) { return dtype == kAotFloat16 ? 10 : 7; }
static int biasOf(int32_t dtype) { return dtype == kAotFloat16 ? 15 : 127; }

double fromHalf(int32_t dtype, uint16_t bits) {
  int fractionBits = fractionBitsOf(dtype);
  int exponent = (bits & 0x7fff) >> fractionBits, largest = 0x7fff >> fractionBits;
  int fraction = bits & ((1 << fractionBits) - 1);
  double value;
  if (exponent == largest)
    value = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp(fraction, 1 - biasOf(dtype) - fractionBits);
  else
    value = ldexp(fraction + (1 << fractionBits), exponent - biasOf(dtype) - fractionBits);
  return bits & 0x8000 ? -value : value;
}

uint16_t toHalf(int32_t dtype, double value) {
  int fractionBits = fractionBitsOf(dtype);
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  int infinity = 0x7fff & ~((1 << fractionBits) - 1);
  if (isnan(value))
    return (uint16_t)(sign | infinity | 1 << (fractionBits - 1));
  if (value == 0 || isinf(value))
    return (uint16_t)(sign | (value == 0 ? 0 : infinity));
  int exponent;
  frexp(value, &exponent);          /* |value| is in [2^(exponent - 1), 2^exponent) */
  int smallest = 2 - biasOf(dtype); /* exponent of the smallest normal number */
  int isNormal = exponent >= smallest;
  /* In units of the last place: exact, then rounded once. */
  double units = ldexp(fabs(value), fractionBits + 1 - (isNormal ? exponent : smallest));
  int whole = (int)rint(units);
  /* A carry out of the fraction moves the exponent up, as it should. */
  int64_t bits = isNormal ? ((int64_t)(exponent - smallest) << fractionBits) + whole : whole;
  return (uint16_t)(sign | (bits > infinity ? infinity : bits));
}

/* An integer as a double such that rounding it on to a half rounds once: where more than 53 bits
 * are there, those below the 43 highest at least become one that is set if any of them was. */
static double toDoubleSticky(uint64_t magnitude) {
  const uint64_t kLow = 0x7ff;
  if (magnitude >> 53 && (magnitude & kLow))
    magnitude = (magnitude & ~kLow) | (kLow + 1);
  return (double)magnitude;
}

/*===--- elements -------------------------------------------------------------===*/

Number loadNumber(int32_t dtype, const void *element) {
  Number n = {isFloat(dtype) ? kReal : isSignedInteger(dtype) ? kSigned : kUnsigned, 0, 0, 0};
  union {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    float f32;
  } e;
  memset(&e, 0, sizeof e);
  int32_t bytes = graphcMain.dtypes[dtype].bytes;
  if (bytes <= 4)
    memcpy(&e, element, (size_t)bytes);
  switch (dtype) {
  case kAotInt8:
    n.i = e.i8;
    break;
  case kAotInt16:
    n.i = e.i16;
    break;
  case kAotInt32:
    n.i = e.i32;
    break;
  case kAotInt64:
    memcpy(&n.i, element, sizeof n.i);
    break;
  case kAotBool:
  case kAotUInt8:
    n.u = e.u8;
    break;
  case kAotUInt16:
    n.u = e.u16;
    break;
  case kAotUInt32:
    n.u = e.u32;
    break;
  case kAotUInt64:
    memcpy(&n.u, element, sizeof n.u);
    break;
  case kAotFloat16:
  case kAotBFloat16:
    n.d = fromHalf(dtype, e.u16);
    break;
  case kAotFloat32:
    n.d = e.f32;
    break;
  default:
    memcpy(&n.d, element, sizeof n.d);
  }
  return n;
}

static uint64_t magnitudeOf(Number n) {
  return n.kind == kUnsigned ? n.u : n.i < 0 ? 0 - (uint64_t)n.i : (uint64_t)n.i;
}

static double toDouble(Number n) {
  return n.kind == kReal ? n.d : n.kind == kSigned ? (double)n.i : (double)n.u;
}

void storeNumber(int32_t dtype, void *element, Number n) {
  if (dtype == kAotFloat64) {
    double value = toDouble(n);
    memcpy(element, &value, sizeof value);
    return;
  }
  if (dtype == kAotFloat32) {
    float value = n.kind == kReal ? (float)n.d : n.kind == kSigned ? (float)n.i : (float)n.u;
    memcpy(element, &value, sizeof value);
    return;
  }
  if (isFloat(dtype)) {
    double value = n.kind == kReal ? n.d : toDoubleSticky(magnitudeOf(n));
    uint16_t bits = toHalf(dtype, n.kind == kSigned && n.i < 0 ? -value : value);
    memcpy(element, &bits, sizeof bits);
    return;
  }
  if (n.kind == kReal && n.d < 0)
    n.i = (int64_t)n.d;
  else if (n.kind == kReal)
    n.u = (uint64_t)n.d;
  uint64_t bits = n.kind == kSigned || (n.kind == kReal && n.d < 0) ? (uint64_t)n.i : n.u;
  memcpy(element, &bits, (size_t)graphcMain.dtypes[dtype].bytes); /* little-endian */
}

int fits(int32_t dtype, Number n) {
  if (n.kind == kReal) {
    if (!(n.d >= -0x1p63 && n.d < 0x1p64) || n.d != trunc(n.d))
      return 0;
    n = n.d < 0 ? (Number){kSigned, (int64_t)n.d, 0, 0} : (Number){kUnsigned, 0, (uint64_t)n.d, 0};
  }
  int bits = dtype == kAotBool ? 1 : 8 * graphcMain.dtypes[dtype].bytes;
  int isNegative = n.kind == kSigned && n.i < 0;
  uint64_t magnitude = magnitudeOf(n);
  if (!isSignedInteger(dtype))
    return !isNegative && (bits == 64 || magnitude >> bits == 0);
  return magnitude <= ((uint64_t)1 << (bits - 1)) - !isNegative;
}

int isExactIn(int32_t dtype, Number n) {
  char element[8];
  storeNumber(dtype, element, n);
  Number there = loadNumber(dtype, element);
  if (!(fabs(there.d) < 0x1p64) || !fits(kAotUInt64, (Number){kReal, 0, 0, fabs(there.d)}))
    return 0;
  int isNegative = n.kind == kSigned && n.i < 0;
  return (uint64_t)fabs(there.d) == magnitudeOf(n) && (there.d < 0) == isNegative;
}
