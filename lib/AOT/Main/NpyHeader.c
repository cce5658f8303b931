/*===- NpyHeader.c - the dict at the head of an NPY file ---------------------===*\
 *
 * The Python literals that occur in headers, and the words of Runtime/NpyHeader.cpp where they are
 * none.
 *
\*===----------------------------------------------------------------------===*/
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "Value.h"

typedef struct {
  const char *text;
  int64_t length, at;
} Header;

/* A zero byte within the text is like any other that is not expected. */
static char charAt(const Header *h) { return h->at < h->length ? h->text[h->at] : '\0'; }

static _Noreturn void failHere(const Header *h, const char *what) {
  fail("byte %lld of the header: %s", (long long)h->at, what);
}

static void skipSpace(Header *h) {
  while (charAt(h) == ' ' || charAt(h) == '\n' || charAt(h) == '\t' || charAt(h) == '\r')
    ++h->at;
}

static int take(Header *h, const char *word) {
  skipSpace(h);
  int64_t length = (int64_t)strlen(word);
  if (h->length - h->at < length || memcmp(h->text + h->at, word, (size_t)length))
    return 0;
  h->at += length;
  return 1;
}

static void expect(Header *h, const char *word) {
  if (!take(h, word))
    fail("byte %lld of the header: expected '%s'", (long long)h->at, word);
}

/* Without escapes: the names that headers may hold need none. */
static const char *takeString(Header *h, int64_t *length) {
  skipSpace(h);
  char quote = charAt(h);
  if (quote != '\'' && quote != '"')
    failHere(h, "expected a string");
  const char *begin = h->text + h->at + 1;
  const char *end = memchr(begin, quote, (size_t)(h->length - h->at - 1));
  if (!end)
    failHere(h, "string without end");
  *length = end - begin;
  h->at += *length + 2;
  return begin;
}

/* '<f8': byte order, kind, bytes. */
static int takeDType(Header *h, Value *value) {
  skipSpace(h);
  if (charAt(h) == '[')
    fail("structured dtypes are not supported");
  int64_t length;
  const char *text = takeString(h, &length);
  if (length == 3 && memchr("<>|=", text[0], 4)) {
    static const char kKinds[] = "biuf", kBytes[] = "1248";
    static const int32_t kDTypes[4][4] = {/* of 1, 2, 4 and 8 bytes; -1: none */
                                          {kAotBool, -1, -1, -1},
                                          {kAotInt8, kAotInt16, kAotInt32, kAotInt64},
                                          {kAotUInt8, kAotUInt16, kAotUInt32, kAotUInt64},
                                          {-1, kAotFloat16, kAotFloat32, kAotFloat64}};
    const char *kind = memchr(kKinds, text[1], 4), *bytes = memchr(kBytes, text[2], 4);
    value->dtype = kind && bytes ? kDTypes[kind - kKinds][bytes - kBytes] : -1;
    if (value->dtype >= 0)
      return text[0] == '>' && text[2] != '1';
  }
  fail("dtype '%.*s' is not supported", length < 40 ? (int)length : 40, text);
}

static void takeShape(Header *h, Value *value) {
  expect(h, "(");
  value->rank = 0;
  while (!take(h, ")")) {
    skipSpace(h);
    int isNegative = charAt(h) == '-';
    if (!isdigit((unsigned char)h->text[h->at + isNegative]))
      failHere(h, "expected an extent");
    char *end;
    errno = 0;
    long long extent = strtoll(h->text + h->at, &end, 10);
    if (errno)
      failHere(h, "extent is too large");
    if (extent < 0)
      failHere(h, "negative extent");
    if (value->rank == kMaxRank)
      failHere(h, "rank is above the maximum of 32");
    h->at = end - h->text;
    take(h, "L"); /* Python 2 wrote its long integers so */
    value->shape[value->rank++] = extent;
    if (take(h, ","))
      continue;
    if (value->rank == 1)
      failHere(h, "expected ','"); /* "(3)" is no tuple */
    expect(h, ")");
    break;
  }
}

int parseNpyHeader(const char *text, int64_t length, Value *value) {
  static const char *const kKeys[] = {"descr", "fortran_order", "shape"};
  Header h = {text, length, 0};
  int have[3] = {0, 0, 0}, swaps = 0;
  expect(&h, "{");
  while (!take(&h, "}")) {
    int64_t keyLength;
    const char *key = takeString(&h, &keyLength);
    expect(&h, ":");
    int k = 0;
    while (k < 3 &&
           ((int64_t)strlen(kKeys[k]) != keyLength || memcmp(kKeys[k], key, (size_t)keyLength)))
      ++k;
    if (k == 3)
      fail("byte %lld of the header: unknown key '%.*s'", (long long)h.at,
           keyLength < 40 ? (int)keyLength : 40, key);
    if (have[k]++)
      fail("byte %lld of the header: key '%s' is there twice", (long long)h.at, kKeys[k]);
    if (k == 0)
      swaps = takeDType(&h, value);
    else if (k == 2)
      takeShape(&h, value);
    else if (!(value->fortranOrder = take(&h, "True")) && !take(&h, "False"))
      failHere(&h, "expected True or False");
    if (take(&h, ","))
      continue;
    expect(&h, "}");
    break;
  }
  skipSpace(&h);
  if (h.at != h.length)
    failHere(&h, "text after the dict");
  for (int k = 0; k < 3; ++k)
    if (!have[k])
      fail("byte %lld of the header: no '%s' in the dict", (long long)h.at, kKeys[k]);
  return swaps;
}
