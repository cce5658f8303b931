/*===- Arguments.c - values as inputs take them --------------------------------===*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Arguments.h"

/* "f32[?,3]", in new memory. */
static const char *briefType(int32_t dtype, const int64_t *shape, int32_t rank) {
  char *text = allocate(16 + 22 * rank);
  int end = sprintf(text, "%s", textAt(graphcMain.dtypes[dtype].shortName));
  for (int32_t axis = 0; axis < rank; ++axis) {
    end += sprintf(text + end, axis ? "," : "[");
    if (shape[axis] < 0)
      end += sprintf(text + end, "?");
    else
      end += sprintf(text + end, "%lld", (long long)shape[axis]);
  }
  if (rank > 0)
    sprintf(text + end, "]");
  return text;
}

static const int64_t *extentsOf(int32_t input) {
  const AotProgram *p = graphcMain.program;
  return p->extents + p->inputs[input].extents;
}

/* "main: argument 0 ('x') wants f32[?,3] but got f32[1,2]...". */
static _Noreturn void refuse(int32_t input, const Value *value, const char *why) {
  const AotVariable *variable = &graphcMain.inputs[input];
  const char *function = textAt(graphcMain.origin->function), *name = textAt(variable->name);
  fail("%s: argument %d%s%s%s wants %s but got %s%s", *function ? function : "function", (int)input,
       *name ? " ('" : "", name, *name ? "')" : "",
       briefType(variable->dtype, extentsOf(input), graphcMain.program->inputs[input].rank),
       briefType(value->dtype, value->shape, value->rank), why);
}

/* F-040 to F-043 of graphc's semantics: which dtypes a value may have for an input. */
static int isConvertible(const Value *value, int32_t dtype) {
  if (graphcMain.dtypes[value->dtype].castsSafelyTo[dtype])
    return 1;
  if (value->rank > 0 || value->dtype == kAotBool)
    return 0; /* arrays: no look at the elements */
  Number n = loadNumber(value->dtype, value->data);
  if (n.kind == kReal) /* to an integer that is the same, which has no -0 */
    return dtype != kAotBool && !isFloat(dtype) && fits(dtype, n) && !(n.d == 0 && signbit(n.d));
  return isFloat(dtype) ? isExactIn(dtype, n) : fits(dtype, n);
}

static void convert(Value *value, int32_t dtype) {
  int32_t from = graphcMain.dtypes[value->dtype].bytes, to = graphcMain.dtypes[dtype].bytes;
  char *elements = value->data, *converted = allocate(value->count * to);
  for (int64_t k = 0; k < value->count; ++k)
    storeNumber(dtype, converted + k * to, loadNumber(value->dtype, elements + k * from));
  free(value->data);
  value->data = converted;
  value->dtype = dtype;
}

/* The elements' distances where they are not row-major; NULL where they are. */
static const int64_t *stridesOf(const Value *value) {
  if (!value->fortranOrder)
    return NULL;
  int64_t *strides = allocate(kMaxRank * (int64_t)sizeof *strides), stride = 1;
  for (int32_t axis = 0; axis < value->rank; ++axis) {
    strides[axis] = stride;
    stride *= value->shape[axis];
  }
  return strides;
}

void checkArgument(int32_t input, Value *value) {
  int32_t dtype = graphcMain.inputs[input].dtype, rank = graphcMain.program->inputs[input].rank;
  if (value->rank != rank)
    refuse(input, value, "");
  char why[128];
  if (value->dtype != dtype && !isConvertible(value, dtype)) {
    snprintf(why, sizeof why, ": a cast to %s could lose values; cast the value",
             textAt(graphcMain.dtypes[dtype].name));
    refuse(input, value, why);
  }
  const int64_t *wanted = extentsOf(input);
  for (int32_t axis = 0; axis < rank; ++axis)
    if (wanted[axis] >= 0 && wanted[axis] != value->shape[axis]) {
      snprintf(why, sizeof why, ": its type says that axis %d has extent %lld", (int)axis,
               (long long)wanted[axis]);
      refuse(input, value, why);
    }
  if (value->dtype != dtype)
    convert(value, dtype);
}

void placeArgument(char *call, int32_t input, const Value *value) {
  const AotInput *place = &graphcMain.program->inputs[input];
  char *field = call + place->field;
  if (place->rank == 0) {
    memcpy(field, value->data, (size_t)place->elementBytes);
    return;
  }
  *(void **)field = value->data;
  int64_t *shape = (int64_t *)(field + sizeof(void *));
  memcpy(shape, value->shape, (size_t)place->rank * sizeof *shape);
  *(const int64_t **)(shape + place->rank) = stridesOf(value);
}

Value resultOf(char *call, int32_t output) {
  const AotOutput *place = &graphcMain.program->outputs[output];
  char *field = call + place->field;
  Value value;
  memset(&value, 0, sizeof value);
  value.dtype = graphcMain.outputs[output].dtype;
  value.rank = place->rank;
  value.count = 1;
  value.data = field;
  if (place->rank > 0) {
    value.data = *(void **)field;
    memcpy(value.shape, field + sizeof(void *), (size_t)place->rank * sizeof *value.shape);
  }
  for (int32_t axis = 0; axis < place->rank; ++axis)
    value.count *= value.shape[axis];
  return value;
}
