/*===- MadeUp.c - arrays of zeros and of random numbers -----------------------===*/
#include <math.h>
#include <string.h>

#include "Value.h"

/* The Mersenne Twister of 64 bits (Matsumoto and Nishimura, "Mersenne Twister", 1998, and
 * Nishimura, "Tables of 64-bit Mersenne Twisters", 2000), which is std::mt19937_64. */
enum { kWords = 312, kShift = 156 };
typedef struct {
  uint64_t words[kWords];
  int at;
} Twister;

static void seed(Twister *t, uint64_t value) {
  for (int k = 0; k < kWords; ++k) {
    t->words[k] = value;
    value = 6364136223846793005u * (value ^ value >> 62) + (uint64_t)k + 1;
  }
  t->at = kWords;
}

static uint64_t nextBits(Twister *t) {
  if (t->at == kWords) {
    const uint64_t kLow = 0x7fffffff;
    for (int k = 0; k < kWords; ++k) {
      uint64_t x = (t->words[k] & ~kLow) | (t->words[(k + 1) % kWords] & kLow);
      t->words[k] = t->words[(k + kShift) % kWords] ^ x >> 1 ^ (x & 1 ? 0xb5026f5aa96619e9u : 0);
    }
    t->at = 0;
  }
  uint64_t x = t->words[t->at++];
  x ^= (x >> 29) & 0x5555555555555555u;
  x ^= (x << 17) & 0x71d67fffeda60000u;
  x ^= (x << 37) & 0xfff7eee000000000u;
  return x ^ x >> 43;
}

/* "[2,3]" after the word, or the input's shape, where unknown extents are 1. */
static void readShape(const char *text, const char *after, int32_t input, Value *value) {
  const AotInput *wanted = &graphcMain.program->inputs[input];
  value->rank = wanted->rank;
  for (int32_t axis = 0; axis < wanted->rank; ++axis) {
    int64_t extent = graphcMain.program->extents[wanted->extents + axis];
    value->shape[axis] = extent < 0 ? 1 : extent;
  }
  if (!*after)
    return;
  Value extents = readList(after, kAotInt64);
  if (extents.rank != 1)
    fail("'%s' at character %d: expected a shape such as [2,3]", text, (int)(after - text) + 1);
  if (extents.count > kMaxRank)
    fail("rank %lld is above the maximum of 32", (long long)extents.count);
  value->rank = (int32_t)extents.count;
  memcpy(value->shape, extents.data, (size_t)extents.count * sizeof *value->shape);
}

int isMadeUp(const char *text) {
  return strncmp(text, "zeros", 5) == 0 || strncmp(text, "random", 6) == 0;
}

Value makeUp(const char *text, int32_t input) {
  int isRandom = *text == 'r';
  Value value;
  memset(&value, 0, sizeof value);
  value.dtype = graphcMain.inputs[input].dtype;
  readShape(text, text + (isRandom ? 6 : 5), input, &value);
  for (int32_t axis = 0; axis < value.rank; ++axis)
    if (value.shape[axis] < 0)
      fail("negative extent in shape %s", shapeText(value.shape, value.rank));
  int64_t bytes;
  if (!paddedBytes(&value))
    fail("shape %s is too large", shapeText(value.shape, value.rank));
  countBytes(&value, &bytes);
  int32_t size = graphcMain.dtypes[value.dtype].bytes;
  value.count = bytes / size;
  char *elements = value.data = allocate(bytes);
  memset(elements, 0, (size_t)bytes);
  Twister twister;
  seed(&twister, 1 + (uint64_t)input); /* as graphc run: inputs differ */
  for (int64_t k = 0; isRandom && k < value.count; ++k) {
    Number n = {kReal, 0, 0, ldexp((double)(nextBits(&twister) >> 11), -53)};
    if (!isFloat(value.dtype))
      n.d = floor(n.d * (value.dtype == kAotBool ? 2 : 10));
    storeNumber(value.dtype, elements + k * size, n);
  }
  return value;
}
