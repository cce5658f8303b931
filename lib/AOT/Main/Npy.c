/*===- Npy.c - arrays from and to NPY files -----------------------------------===*\
 *
 * The format: numpy.org, NEP 1 and numpy.lib.format. Magic string, version, length of the header,
 * the header (a Python dict in text), the elements.
 *
\*===----------------------------------------------------------------------===*/
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "Value.h"

typedef struct {
  FILE *file;
  int64_t position, remaining;
} Source;

static Source openSource(const char *path) {
  struct stat info;
  /* Before it is opened: opening a pipe waits for its writer. */
  if (stat(path, &info) != 0)
    fail("%s", strerror(errno));
  if (S_ISDIR(info.st_mode))
    fail("is a folder");
  if (!S_ISREG(info.st_mode))
    fail("is no regular file");
  Source source = {fopen(path, "rb"), 0, info.st_size};
  if (!source.file)
    fail("%s", strerror(errno));
  return source;
}

static void readBytes(Source *s, void *out, int64_t count) {
  if (count > s->remaining)
    fail("ends at byte %lld, %lld bytes wanted from byte %lld",
         (long long)(s->position + s->remaining), (long long)count, (long long)s->position);
  if (count > 0 && fread(out, 1, (size_t)count, s->file) != (size_t)count)
    fail("byte %lld: %s", (long long)s->position,
         ferror(s->file) ? strerror(errno) : "the file became shorter");
  s->position += count;
  s->remaining -= count;
}

static int readHeader(Source *s, Value *value) {
  unsigned char preamble[8], lengthBytes[4] = {0, 0, 0, 0};
  if (s->remaining < (int64_t)sizeof preamble)
    fail("not an NPY file: too short");
  readBytes(s, preamble, sizeof preamble);
  if (memcmp(preamble, "\x93NUMPY", 6) != 0)
    fail("not an NPY file: it does not begin with \\x93NUMPY");
  if (preamble[6] < 1 || preamble[6] > 3 || preamble[7] != 0)
    fail("NPY version %d.%d is not supported", preamble[6], preamble[7]);
  readBytes(s, lengthBytes, preamble[6] == 1 ? 2 : 4);
  int64_t length = 0;
  for (int k = 3; k >= 0; --k)
    length = length << 8 | lengthBytes[k];
  if (length > s->remaining)
    fail("the header of %lld bytes goes beyond the end", (long long)length);
  /* NumPy itself reads no longer ones unless it is told to: 10,000. */
  if (length > 1 << 20)
    fail("the header has %lld bytes", (long long)length);
  char *text = allocate(length + 1);
  readBytes(s, text, length);
  text[length] = 0;
  return parseNpyHeader(text, length, value);
}

static void swapBytes(char *bytes, int64_t count, int32_t size) {
  for (; count-- > 0; bytes += size)
    for (int32_t k = 0; k < size / 2; ++k) {
      char byte = bytes[k];
      bytes[k] = bytes[size - 1 - k];
      bytes[size - 1 - k] = byte;
    }
}

Value readNpy(const char *path) {
  Source source = openSource(path);
  Value value;
  memset(&value, 0, sizeof value);
  int swaps = readHeader(&source, &value);
  int64_t bytes;
  if (!countBytes(&value, &bytes))
    fail("the shape is too large");
  /* Before anything is allocated. */
  if (bytes != source.remaining)
    fail("shape %s of %s takes %lld bytes; there are %lld from byte %lld",
         shapeText(value.shape, value.rank), textAt(graphcMain.dtypes[value.dtype].name),
         (long long)bytes, (long long)source.remaining, (long long)source.position);
  if (!paddedBytes(&value))
    fail("the shape is too large");
  value.data = allocate(bytes);
  readBytes(&source, value.data, bytes);
  fclose(source.file);
  int32_t size = graphcMain.dtypes[value.dtype].bytes;
  value.count = bytes / size;
  if (swaps)
    swapBytes(value.data, value.count, size);
  char *elements = value.data;
  for (int64_t k = 0; value.dtype == kAotBool && k < bytes; ++k)
    elements[k] = elements[k] != 0;
  return value;
}

void writeNpy(const char *path, const Value *value) {
  if (value->dtype == kAotBFloat16)
    fail("NPY has no dtype for bfloat16: cast to float32 to save");
  int32_t size = graphcMain.dtypes[value->dtype].bytes;
  char kind = value->dtype == kAotBool        ? 'b'
              : isFloat(value->dtype)         ? 'f'
              : isSignedInteger(value->dtype) ? 'i'
                                              : 'u';
  enum { kBefore = 10 }; /* magic, version and length */
  char header[1024];     /* rank 32 needs less */
  int length = kBefore + sprintf(header + kBefore,
                                 "{'descr': '%c%c%d', 'fortran_order': False, 'shape': %s, }",
                                 size == 1 ? '|' : '<', kind, (int)size,
                                 shapeText(value->shape, value->rank));
  int total = (length + 1 + 63) / 64 * 64;
  memset(header + length, ' ', (size_t)(total - length));
  header[total - 1] = '\n';
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = (char)((total - kBefore) & 0xff);
  header[9] = (char)((total - kBefore) >> 8);
  FILE *file = fopen(path, "wb");
  size_t bytes = (size_t)(value->count * size);
  if (!file || fwrite(header, 1, (size_t)total, file) != (size_t)total ||
      fwrite(value->data, 1, bytes, file) != bytes || fclose(file) != 0)
    fail("%s", strerror(errno));
}
