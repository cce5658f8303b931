/*===- ReadList.c - nested lists of numbers ----------------------------------===*/
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Value.h"

typedef struct {
  const char *text;
  size_t at;
  Value value;
  int64_t capacity;          /* elements that value.data has room for */
  int32_t depth;             /* lists that are open */
  int32_t known;             /* lists that have been opened inside each other */
  int32_t rank;              /* -1: not known yet */
  int64_t counts[kMaxRank];  /* elements so far of each open list */
  int64_t extents[kMaxRank]; /* of finished lists by depth; -1: none is */
} List;

static _Noreturn void failAt(const List *l, const char *format, ...) {
  enum { kShown = 40 };
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *what = allocate(length);
  va_start(arguments, format);
  vsprintf(what, format, arguments);
  va_end(arguments);
  fail("'%.*s%s' at character %zu: %s", kShown, l->text, strlen(l->text) > kShown ? "..." : "",
       l->at + 1, what);
}

static void skipSpace(List *l) {
  while (isspace((unsigned char)l->text[l->at]))
    ++l->at;
}

static void openList(List *l) {
  if (l->depth == kMaxRank)
    failAt(l, "lists are nested more than 32 deep");
  if (l->rank >= 0 && l->depth >= l->rank)
    failAt(l, "a list stands where others have a number");
  if (l->depth == l->known)
    l->extents[l->known++] = -1;
  l->counts[l->depth++] = 0;
  ++l->at;
}

static void closeList(List *l) {
  int32_t depth = l->depth - 1;
  int64_t count = l->counts[depth];
  /* A list with nothing in it says that no list is deeper. */
  if (count == 0 && l->depth == l->known && l->rank < 0)
    l->rank = l->depth;
  if (l->extents[depth] >= 0 && l->extents[depth] != count)
    failAt(l, "lists at one depth have %lld and %lld elements", (long long)l->extents[depth],
           (long long)count);
  l->extents[depth] = count;
  --l->depth;
  ++l->at;
}

/* Whether the word is what C++'s from_chars takes for a number, whole: strtod knows more. */
static int isReal(const char *word, size_t length) {
  size_t at = word[0] == '-';
  static const char *const kNames[] = {"inf", "infinity", "nan"};
  for (size_t k = 0; k < sizeof kNames / sizeof *kNames; ++k) {
    size_t i = 0;
    while (at + i < length && kNames[k][i] && tolower((unsigned char)word[at + i]) == kNames[k][i])
      ++i;
    if (at + i == length && !kNames[k][i])
      return 1;
  }
  size_t digits = 0;
  for (; at < length && isdigit((unsigned char)word[at]); ++at)
    ++digits;
  at += at < length && word[at] == '.';
  for (; at < length && isdigit((unsigned char)word[at]); ++at)
    ++digits;
  if (digits == 0 || at == length || (word[at] != 'e' && word[at] != 'E'))
    return digits > 0 && at == length;
  ++at;
  at += at < length && (word[at] == '+' || word[at] == '-');
  size_t first = at;
  while (at < length && isdigit((unsigned char)word[at]))
    ++at;
  return at == length && at > first;
}

/* The word as a number; 0 if it is none. `isRounded`: an integer of more than 64 bits. */
static int readNumber(const char *word, size_t length, Number *number, int *isRounded) {
  *number = (Number){kSigned, 0, 0, 0};
  *isRounded = 0;
  if ((length == 4 && !memcmp(word, "true", 4)) || (length == 5 && !memcmp(word, "false", 5))) {
    number->i = length == 4;
    return 1;
  }
  if (length > 0 && word[0] == '+')
    ++word, --length;
  size_t sign = length > 0 && word[0] == '-', digits = sign;
  while (digits < length && isdigit((unsigned char)word[digits]))
    ++digits;
  if (digits == length && digits > sign) {
    errno = 0;
    number->i = strtoll(word, NULL, 10);
    if (errno == 0)
      return 1;
    errno = 0;
    number->u = strtoull(word, NULL, 10);
    if (errno == 0 && !sign) {
      number->kind = kUnsigned;
      return 1;
    }
    *isRounded = 1;
  }
  if (length == 0 || !isReal(word, length))
    return 0;
  number->kind = kReal;
  number->d = strtod(word, NULL);
  return 1;
}

/* Ends the process unless the number is one of the dtype. What is too small becomes zero. */
static void checkRange(const List *l, const char *word, int length, Number number, int isRounded) {
  int32_t dtype = l->value.dtype;
  const char *name = textAt(graphcMain.dtypes[dtype].name);
  if (isFloat(dtype)) {
    char element[8];
    storeNumber(dtype, element, number);
    double there = loadNumber(dtype, element).d;
    int hasDigit = 0;
    for (int i = 0; i < length; ++i)
      hasDigit |= isdigit((unsigned char)word[i]);
    if (isinf(there) && hasDigit)
      failAt(l, "%.*s is too large for dtype %s; write %s", length, word, name,
             there < 0 ? "-inf" : "inf");
    return;
  }
  if (!isRounded && fits(dtype, number))
    return;
  if (dtype == kAotBool)
    failAt(l, "%.*s is no value of dtype %s, which has 0 and 1, false and true", length, word,
           name);
  int bits = 8 * graphcMain.dtypes[dtype].bytes - isSignedInteger(dtype);
  failAt(l, "%.*s is no value of dtype %s, which has whole numbers from %lld to %llu", length, word,
         name, isSignedInteger(dtype) ? (long long)(INT64_MIN >> (63 - bits)) : 0LL,
         (unsigned long long)(~(uint64_t)0 >> (64 - bits)));
}

static char *nextElement(List *l) {
  int32_t bytes = graphcMain.dtypes[l->value.dtype].bytes;
  if (l->value.count == l->capacity) {
    int64_t capacity = 2 * l->capacity + 8;
    char *larger = allocate(capacity * bytes);
    if (l->value.count)
      memcpy(larger, l->value.data, (size_t)(l->value.count * bytes));
    free(l->value.data);
    l->value.data = larger;
    l->capacity = capacity;
  }
  return (char *)l->value.data + l->value.count++ * bytes;
}

static void readElement(List *l) {
  if (l->rank >= 0 && l->depth != l->rank)
    failAt(l, "a number stands where others have a list");
  l->rank = l->depth;
  const char *word = l->text + l->at;
  size_t length = 0;
  while (isalnum((unsigned char)word[length]) || (word[length] && strchr(".+-", word[length])))
    ++length;
  Number number;
  int isRounded;
  if (!readNumber(word, length, &number, &isRounded))
    failAt(l, length ? "'%.*s' is no number" : "expected a number", (int)length, word);
  int32_t dtype = l->value.dtype;
  checkRange(l, word, (int)length, number, isRounded);
  l->at += length;
  storeNumber(dtype, nextElement(l), number);
}

/* A list is opened, which nothing follows yet, or an element is complete. */
static int readPart(List *l) {
  skipSpace(l);
  char c = l->text[l->at];
  if (c == '[') {
    openList(l);
    return 0;
  }
  if (c == ']' && l->depth > 0 && l->counts[l->depth - 1] == 0)
    closeList(l);
  else
    readElement(l);
  return 1;
}

Value readList(const char *text, int32_t dtype) {
  List l = {.text = text, .rank = -1};
  l.value.dtype = dtype;
  do {
    if (!readPart(&l))
      continue;
    /* A comma, or the ends of lists. */
    while (l.depth > 0) {
      ++l.counts[l.depth - 1];
      skipSpace(&l);
      if (text[l.at] == ',') {
        ++l.at;
        break;
      }
      if (text[l.at] != ']')
        failAt(&l, "expected ',' or ']'");
      closeList(&l);
    }
  } while (l.depth > 0);
  skipSpace(&l);
  if (text[l.at])
    failAt(&l, "more follows after the value");
  l.value.rank = l.rank;
  memcpy(l.value.shape, l.extents, sizeof l.extents);
  if (!l.value.data)
    l.value.data = allocate(0);
  return l.value;
}
