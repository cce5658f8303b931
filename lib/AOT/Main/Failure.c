/*===- Failure.c - the end of a program where something is wrong ------------===*/
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "Value.h"

static const char *contextInput, *contextPath;

void setContext(const char *input, const char *path) {
  contextInput = input;
  contextPath = path;
}

static void say(const char *format, va_list arguments) {
  fflush(stdout);
  fputs("error: ", stderr);
  if (contextInput)
    fprintf(stderr, "--input %s: ", contextInput);
  if (contextPath)
    fprintf(stderr, "%s: ", contextPath);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
  exit(1);
}

void failUsage(const char *program, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s -h tells how it is used\n", program);
  exit(2);
}

void *allocate(int64_t bytes) {
  void *memory = aligned_alloc(64, ((size_t)bytes + 64) / 64 * 64);
  if (!memory)
    fail("no memory for %lld bytes", (long long)bytes);
  return memory;
}
