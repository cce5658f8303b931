/*===- Value.h - values of a stand-alone program ----------------------------===*\
 *
 * The program is a process with one thing to do: what goes wrong is told on standard error, and
 * the process ends. So no function here returns an error, and memory lives until the end. Messages
 * and values are those of `graphc run`; a test compares the two.
 *
\*===----------------------------------------------------------------------===*/
#pragma once

#include "../Main.h"

enum { kMaxRank = 32 };

/* An array, row-major or, where `fortranOrder` is set, column-major. */
typedef struct {
  int32_t dtype, rank;
  int fortranOrder;
  int64_t shape[kMaxRank];
  int64_t count;
  void *data; /* aligned to 64 bytes */
} Value;

/* A number as it was read: no integer of 64 bits is rounded. */
typedef struct {
  enum { kSigned, kUnsigned, kReal } kind;
  int64_t i;
  uint64_t u;
  double d;
} Number;

/*===--- Failure.c ----------------------------------------------------------===*/

/* What is being read or written, for messages: "--input NAME: ", then "PATH: "; NULL: nothing. */
void setContext(const char *input, const char *path);
/* "error: CONTEXT: ...", after all that was printed, and the process ends with status 1; with 2
 * for wrong usage, and how to learn the right one. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void failUsage(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* `bytes` of memory, at least one, aligned to 64. */
void *allocate(int64_t bytes);
static inline const char *textAt(int32_t place) { return graphcMain.text + place; }

/*===--- Shape.c -------------------------------------------------------------===*/

/* "(2, 3)", "(2,)", "()", in memory that the next call uses again. */
const char *shapeText(const int64_t *shape, int32_t rank);
/* The bytes of the elements; 0 is returned where they are too many to be told. */
int countBytes(const Value *value, int64_t *bytes);
/* The same, an extent of 0 taken for 1, since it does not excuse the others; 0 where no array can
 * have as many. */
int64_t paddedBytes(const Value *value);

/*===--- Number.c -----------------------------------------------------------===*/

int isFloat(int32_t dtype);
int isSignedInteger(int32_t dtype);
/* The double that 16 bits stand for, and the bits nearest to a double, ties to even. */
double fromHalf(int32_t dtype, uint16_t bits);
uint16_t toHalf(int32_t dtype, double value);
Number loadNumber(int32_t dtype, const void *element);
/* Integers take what they can hold only (`fits`); floats round once. */
void storeNumber(int32_t dtype, void *element, Number number);
/* Whether the dtype, an integer or bool, has just this value. */
int fits(int32_t dtype, Number number);
/* Whether the float dtype has just this integer. */
int isExactIn(int32_t dtype, Number integer);

/*===--- values of the command line, and files --------------------------------===*/

/* ReadList.c: a number or nested lists of them, with elements of `dtype`. */
Value readList(const char *text, int32_t dtype);
/* MadeUp.c: "zeros" and "random", and the same with a shape, "random[2,3]", for an input, whose
 * number is the seed's. */
int isMadeUp(const char *text);
Value makeUp(const char *text, int32_t input);
/* Npy.c: an array from a file, and to one. */
Value readNpy(const char *path);
void writeNpy(const char *path, const Value *value);
/* NpyHeader.c: dtype, order and shape from the text of a header, which ends with a zero byte;
 * whether the bytes of the elements have to be swapped. */
int parseNpyHeader(const char *text, int64_t length, Value *value);
/* Print.c: "NAME: tensor<2xf64> = [1, 2]"; of many elements the middle is left out, unless
 * `full`. */
void printValue(const char *name, const Value *value, int full);
