/*===- Driver.c - runs the tables of Driver.h -------------------------------===*\
 *
 * This file is compiled to LLVM bitcode for each processor when graphc is built, and stands in
 * every library and object that graphc writes. It may use libc and libm, nothing else; it includes
 * no header of theirs, since there are none for another processor than the host's.
 *
 * A call's state (sizes, arenas, the message of the last error) hangs on the caller's structure, so
 * that calls with the same shapes allocate nothing and threads share nothing.
 *
\*===----------------------------------------------------------------------===*/
#include "Driver.h"

void *aligned_alloc(size_t alignment, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
void *memcpy(void *to, const void *from, size_t size);
size_t strlen(const char *text);

/* 64-byte aligned memory. */
typedef struct {
  char *data;
  int64_t bytes;
} Block;

typedef struct {
  int64_t offset, bytes;
} Hole;

/* Where a body's input or output is in step t of a loop: below `from` in the initial values of a
 * state, from then on in what the steps give, or in a ring of `count` buffers. */
typedef struct {
  char *before, *data;
  int64_t from, strideBefore, stride, count;
  int32_t array, drop; /* of the step: the array whose part it is, without so many first axes */
} Track;

/* A pointer of a kernel's table, which a step of a loop moves on. */
typedef struct {
  void **slot;
  const Track *track;
  int64_t begin;   /* bytes that are before a part */
  char *now, *end; /* `end` of a ring, where it starts anew */
  int64_t ring;    /* its bytes */
} Moving;

typedef struct State {
  char *message;
  int64_t messageLength, messageCapacity;
  int64_t *sizes;
  char *beyond;       /* by size: 1 where it does not fit into 64 bits, 0 otherwise */
  int64_t *offsets;   /* of arrays in the arena of their segment */
  int64_t *planned;   /* by segment: whether its sizes and places are those of this call */
  int64_t *scratchAt; /* by segment: where in its arena scratch memory begins */
  int64_t *arguments; /* of a step */
  void **memory;      /* by array */
  void **pointers;    /* of a step */
  Block *arenas;      /* by segment */
  Block *copies;      /* by input: where its elements are not row-major */
  Block *results;     /* by output: memory that the caller did not give */
  int64_t *inputBytes, *outputBytes;
  Hole *holes;
  struct State **bodies; /* made when they are run first */
  void **slices;         /* of a step that is a branch or loop: its arrays without axes in front */
  Track *tracks;         /* of a body: by input, then by output */
  Moving *moving;
  void **table; /* of a body: the pointers of all steps, and arguments */
  int64_t *tableArguments;
} State;

/* Stands in the caller's structure where there was no memory for a state. */
static State kNoState;

/* The most that an array may have, and all of a segment's: one more does not overflow. */
static const int64_t kMaxBytes = (int64_t)1 << 62, kMaxTotal = (int64_t)1 << 61;

static int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/*===--- messages -----------------------------------------------------------===*/

static void putText(State *s, const char *text, int64_t length) {
  if (s->messageLength + length + 1 > s->messageCapacity) {
    int64_t capacity = (s->messageLength + length + 1) * 2;
    char *larger = realloc(s->message, (size_t)capacity);
    if (!larger)
      return; /* a shorter message is better than none */
    s->message = larger;
    s->messageCapacity = capacity;
  }
  memcpy(s->message + s->messageLength, text, (size_t)length);
  s->messageLength += length;
  s->message[s->messageLength] = 0;
}

static void put(State *s, const char *text) { putText(s, text, (int64_t)strlen(text)); }

static void putCount(State *s, uint64_t rest) {
  char digits[20];
  int count = 0;
  do
    digits[sizeof digits - (size_t)++count] = (char)('0' + rest % 10);
  while (rest /= 10);
  putText(s, digits + sizeof digits - count, count);
}

static void putNumber(State *s, int64_t value) {
  if (value < 0)
    put(s, "-");
  putCount(s, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void putRange(const AotProgram *p, State *s, AotRange text) {
  putText(s, p->text + text.first, text.count);
}

static int64_t elementsOf(const AotProgram *p, const State *s, const AotArray *array) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < array->shape.count; ++axis)
    count *= s->sizes[p->numbers[array->shape.first + axis]];
  return count;
}

/* In the memory of its root. */
static int64_t bytesBefore(const AotProgram *p, const State *s, const AotArray *array) {
  int64_t count = 0;
  for (int32_t k = 0; k < array->begins.count; ++k)
    count += s->sizes[p->numbers[array->begins.first + k]];
  return count * array->elementBytes;
}

static char *memoryOf(const AotProgram *p, const State *s, const AotArray *array) {
  char *root = s->memory[array->root];
  return root ? root + bytesBefore(p, s, array) : NULL;
}

static int64_t readInteger(const char *data, int32_t bytes, int32_t isSigned) {
  switch (bytes) {
  case 1:
    return isSigned ? *(const int8_t *)data : *(const uint8_t *)data;
  case 2:
    return isSigned ? *(const int16_t *)data : *(const uint16_t *)data;
  case 4:
    return isSigned ? *(const int32_t *)data : (int64_t)*(const uint32_t *)data;
  default:
    return *(const int64_t *)data;
  }
}

/* The first index that an axis does not have: "index 7"; where all are in range, the first negative
   one: the check takes none. `step` is the one that failed. */
static void putIndex(const AotProgram *p, State *s, const AotMessage *m, const AotStep *step,
                     void **pointers) {
  if (m->indices < 0) {
    put(s, "an index");
    return;
  }
  const AotArray *array = &p->arrays[p->numbers[step->arrays.first + m->indices]];
  int64_t extent = s->sizes[m->extent], count = elementsOf(p, s, array);
  for (int takesNegative = 1; takesNegative >= 0; --takesNegative) {
    const char *data = pointers[m->indices];
    for (int64_t k = 0; k < count; ++k, data += array->elementBytes) {
      int64_t index = readInteger(data, array->elementBytes, array->isSigned);
      int isLarge = !array->isSigned && index < 0; /* beyond int64 */
      if (!isLarge && index >= (takesNegative ? -extent : 0) && index < extent)
        continue;
      put(s, "index ");
      if (isLarge)
        putCount(s, (uint64_t)index);
      else
        putNumber(s, index);
      return;
    }
  }
  put(s, "an index");
}

/* Its text, and the value of its size if it has one. */
static void putPiece(const AotProgram *p, State *s, const AotPiece *piece) {
  putRange(p, s, piece->text);
  if (piece->size >= 0 && s->beyond[piece->size])
    put(s, "more than 2^63");
  else if (piece->size >= 0)
    putNumber(s, s->sizes[piece->size]);
}

/* `step`: NULL for a check of sizes. */
static int32_t failWith(const AotProgram *p, State *s, int32_t number, const AotStep *step,
                        void **pointers) {
  const AotMessage *m = &p->messages[number];
  for (int32_t k = 0; k < m->pieces.count; ++k) {
    const AotPiece *piece = &p->pieces[m->pieces.first + k];
    putPiece(p, s, piece);
    if (piece->size == kAotIndex)
      putIndex(p, s, m, step, pointers);
  }
  return m->kind;
}

static int32_t outOfMemory(State *s, int64_t bytes) {
  put(s, "no memory for ");
  putNumber(s, bytes);
  put(s, " bytes");
  return kAotOutOfMemory;
}

/*===--- memory -------------------------------------------------------------===*/

/* What was there is lost. Never NULL but for an error. */
static int32_t reserve(State *s, Block *block, int64_t bytes) {
  if (block->data && block->bytes >= bytes)
    return 0;
  free(block->data);
  block->bytes = roundUp(bytes ? bytes : 1);
  block->data = aligned_alloc(64, (size_t)block->bytes);
  if (block->data)
    return 0;
  block->bytes = 0;
  return outOfMemory(s, bytes);
}

static State **stateField(const AotProgram *p, const char *call) {
  return (State **)(call + p->counts->stateField);
}

/* The parts of a state, behind one another; measures them where `s` is NULL. */
static size_t placeState(const AotCounts *c, State *s, char *memory) {
  size_t end = (sizeof(State) + 15) / 16 * 16;
#define PART(MEMBER, TYPE, COUNT)                                                                  \
  if (s)                                                                                           \
    s->MEMBER = (TYPE *)(memory + end);                                                            \
  end += sizeof(TYPE) * (size_t)(COUNT);
  PART(sizes, int64_t, c->numSizes)
  PART(offsets, int64_t, c->numArrays)
  PART(planned, int64_t, c->numSegments)
  PART(scratchAt, int64_t, c->numSegments)
  PART(arguments, int64_t, c->maxArguments)
  PART(memory, void *, c->numArrays)
  PART(pointers, void *, c->maxPointers)
  PART(arenas, Block, c->numSegments)
  PART(copies, Block, c->numInputs)
  PART(results, Block, c->numOutputs)
  PART(inputBytes, int64_t, c->numInputs)
  PART(outputBytes, int64_t, c->numOutputs)
  PART(holes, Hole, c->numArrays + 1)
  PART(bodies, State *, c->numBodies)
  PART(slices, void *, c->numBodies ? c->maxPointers : 0)
  PART(tracks, Track, c->allPointers ? c->numInputs + c->numOutputs : 0)
  PART(moving, Moving, c->allPointers)
  PART(table, void *, c->allPointers)
  PART(tableArguments, int64_t, c->allArguments)
  PART(beyond, char, c->numSizes)
#undef PART
  return (end + 63) / 64 * 64;
}

static void clearMessage(State *s) {
  s->messageLength = 0;
  if (s->message)
    s->message[0] = 0;
}

/* NULL where there is no memory. */
static State *newState(const AotProgram *p) {
  const AotCounts *c = p->counts;
  size_t bytes = placeState(c, NULL, NULL);
  char *memory = aligned_alloc(64, bytes);
  if (!memory)
    return NULL;
  for (size_t k = 0; k < bytes; ++k)
    memory[k] = 0;
  State *s = (State *)memory;
  placeState(c, s, memory);
  for (int32_t id = 0; id < c->numSizes; ++id)
    if (p->sizes[id].op == kAotConstant)
      s->sizes[id] = p->sizes[id].value;
  for (int32_t k = 0; k < c->constants.count; ++k)
    s->memory[p->numbers[c->constants.first + k]] = p->constants[k];
  return s;
}

static State *stateOf(const AotProgram *p, char *call) {
  State **field = stateField(p, call);
  if (*field && *field != &kNoState) {
    clearMessage(*field);
    return *field;
  }
  State *s = newState(p);
  *field = s ? s : &kNoState;
  return s;
}

const char *graphcAotMessage(const AotProgram *p, const char *call) {
  const State *s = *stateField(p, call);
  if (s == &kNoState)
    return "no memory for the call";
  return s && s->message ? s->message : "";
}

static void freeState(const AotProgram *p, State *s) {
  const AotCounts *c = p->counts;
  for (int32_t k = 0; k < c->numSegments; ++k)
    free(s->arenas[k].data);
  for (int32_t k = 0; k < c->numInputs; ++k)
    free(s->copies[k].data);
  for (int32_t k = 0; k < c->numOutputs; ++k)
    free(s->results[k].data);
  for (int32_t k = 0; k < c->numBodies; ++k) /* at most 64 levels deep */
    if (s->bodies[k])
      freeState(p->bodies[k], s->bodies[k]);
  free(s->message);
  free(s);
}

void graphcAotRelease(const AotProgram *p, char *call) {
  State **field = stateField(p, call);
  State *s = *field;
  *field = NULL;
  if (!s || s == &kNoState)
    return;
  for (int32_t k = 0; k < p->counts->numOutputs; ++k) {
    const AotOutput *o = &p->outputs[k];
    void **data = (void **)(call + o->field);
    if (o->rank > 0 && s->results[k].data && *data == s->results[k].data)
      *data = NULL;
  }
  freeState(p, s);
}

/*===--- sizes --------------------------------------------------------------===*/

/* What does not fit into 64 bits is marked, and so is what is computed from it: an extent that no
 * array can have is never taken for the small number that it would wrap to. */
static void evaluate(State *s, const AotSize *n, int32_t id) {
  int64_t a = s->sizes[n->a], b = s->sizes[n->b], value = 0;
  char beyond = s->beyond[n->a] || s->beyond[n->b];
  if (n->op == kAotSelect) {
    int32_t chosen = a ? n->b : n->c;
    s->sizes[id] = s->sizes[chosen];
    s->beyond[id] = s->beyond[n->a] || s->beyond[chosen];
    return;
  }
  if (beyond) {
    int isZero = (!a && !s->beyond[n->a]) || (!b && !s->beyond[n->b]);
    s->sizes[id] = 0;
    s->beyond[id] = !(n->op == kAotMul && isZero);
    return;
  }
  switch (n->op) {
  case kAotAdd:
    beyond = __builtin_add_overflow(a, b, &value);
    break;
  case kAotSub:
    beyond = __builtin_sub_overflow(a, b, &value);
    break;
  case kAotMul:
    beyond = __builtin_mul_overflow(a, b, &value);
    break;
  case kAotWrapAdd:
    value = (int64_t)((uint64_t)a + (uint64_t)b);
    break;
  case kAotWrapSub:
    value = (int64_t)((uint64_t)a - (uint64_t)b);
    break;
  case kAotWrapMul:
    value = (int64_t)((uint64_t)a * (uint64_t)b);
    break;
  case kAotFloorDiv:
    if (b == -1) /* INT64_MIN / -1 traps */
      beyond = __builtin_sub_overflow(0, a, &value);
    else if (b != 0)
      value = a / b - (a % b != 0 && (a < 0) != (b < 0));
    break;
  case kAotMod:
    if (b != 0 && b != -1)
      value = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    break;
  case kAotMax:
    value = a > b ? a : b;
    break;
  case kAotMin:
    value = a < b ? a : b;
    break;
  case kAotLess:
    value = a < b;
    break;
  default: /* kAotEqual */
    value = a == b;
  }
  s->sizes[id] = value;
  s->beyond[id] = beyond;
}

static int isComputed(const AotSize *n) {
  return n->op != kAotConstant && n->op != kAotDim && n->op != kAotElement;
}

/* -1, or the message of the check. */
static int32_t failureOf(const AotProgram *p, const State *s, const AotCheck *check) {
  if (check->predicate != kAotMustFit) {
    int64_t a = s->sizes[check->a], b = s->sizes[check->b];
    int isMet = check->predicate == kAotMustEqual       ? a == b
                : check->predicate == kAotMustLessEqual ? a <= b
                                                        : a < b;
    return isMet && !s->beyond[check->a] && !s->beyond[check->b] ? -1 : check->message;
  }
  int64_t bytes = check->a;
  int isMet = 1;
  for (int32_t k = 0; k < check->shape.count; ++k) {
    int32_t id = p->numbers[check->shape.first + k];
    int64_t extent = s->sizes[id];
    if (extent < 0 && !s->beyond[id])
      return check->messageIfNegative;
    if (s->beyond[id] || (extent > 0 && __builtin_mul_overflow(bytes, extent, &bytes)))
      isMet = 0;
  }
  return isMet && bytes <= kMaxBytes ? -1 : check->message;
}

/* The bytes of an array that was checked to fit. */
static int64_t bytesOf(const AotProgram *p, const State *s, AotRange shape, int32_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int32_t k = 0; k < shape.count; ++k)
    bytes *= s->sizes[p->numbers[shape.first + k]];
  return bytes;
}

/* As Plan::StepPlan::isIdle, of kernels without checks. */
static int isIdle(const AotProgram *p, const State *s, const AotStep *step) {
  if (step->kernel < 0 || step->failures.count > 0)
    return 0;
  for (int32_t k = step->numInputs; k < step->arrays.count; ++k)
    if (bytesOf(p, s, p->arrays[p->numbers[step->arrays.first + k]].shape, 1) != 0)
      return 0;
  return 1;
}

/* Of an input whose elements decide extents. */
static int32_t noData(const AotProgram *p, State *s, int32_t array) {
  for (int32_t k = 0; k < p->counts->numInputs; ++k)
    if (p->inputs[k].array == array)
      putRange(p, s, p->inputs[k].name);
  put(s, ": data is NULL");
  return kAotValueError;
}

/* The elements that the segment's sizes need, with what their indices are made of. */
static int32_t readElements(const AotProgram *p, State *s, const AotSegment *segment,
                            int *changed) {
  for (int32_t k = 0; k < segment->reads.count; ++k) {
    int32_t id = p->numbers[segment->reads.first + k];
    const AotSize *n = &p->sizes[id];
    if (isComputed(n))
      evaluate(s, n, id);
    if (n->op != kAotElement)
      continue;
    const AotArray *array = &p->arrays[n->a];
    int64_t index = s->sizes[n->b], count = elementsOf(p, s, array);
    const char *data = memoryOf(p, s, array);
    if (!data && !s->beyond[n->b] && index >= 0 && index < count)
      return noData(p, s, array->root);
    if (s->beyond[n->b] || index < 0 || index >= count) {
      put(s, "a size is element ");
      putNumber(s, index);
      put(s, " of an array of ");
      putNumber(s, count);
      return kAotIndexError;
    }
    int64_t value =
        readInteger(data + index * array->elementBytes, array->elementBytes, array->isSigned);
    if (value < 0 && !array->isSigned)
      value = INT64_MAX; /* no array has so many elements */
    *changed |= value != s->sizes[id];
    s->sizes[id] = value;
  }
  return 0;
}

/*===--- places in the arena ------------------------------------------------===*/

typedef struct {
  Hole *holes; /* by offset */
  int64_t count, end;
} Arena;

/* The smallest hole that fits, or the end. */
static int64_t allocate(Arena *arena, int64_t bytes) {
  int64_t best = -1;
  bytes = roundUp(bytes);
  for (int64_t k = 0; k < arena->count; ++k)
    if (arena->holes[k].bytes >= bytes &&
        (best < 0 || arena->holes[k].bytes < arena->holes[best].bytes))
      best = k;
  if (best < 0) {
    arena->end += bytes;
    return arena->end - bytes;
  }
  Hole *hole = &arena->holes[best];
  int64_t offset = hole->offset;
  hole->offset += bytes;
  hole->bytes -= bytes;
  if (hole->bytes == 0)
    for (--arena->count; best < arena->count; ++best)
      arena->holes[best] = arena->holes[best + 1];
  return offset;
}

static void release(Arena *arena, int64_t offset, int64_t bytes) {
  bytes = roundUp(bytes);
  if (bytes == 0)
    return;
  int64_t at = 0;
  while (at < arena->count && arena->holes[at].offset < offset)
    ++at;
  Hole *next = &arena->holes[at];
  if (at > 0 && next[-1].offset + next[-1].bytes == offset) {
    next[-1].bytes += bytes;
    if (at == arena->count || next[-1].offset + next[-1].bytes != next->offset)
      return;
    next[-1].bytes += next->bytes;
    for (--arena->count; at < arena->count; ++at)
      arena->holes[at] = arena->holes[at + 1];
    return;
  }
  if (at < arena->count && offset + bytes == next->offset) {
    next->offset = offset;
    next->bytes += bytes;
    return;
  }
  for (int64_t k = arena->count++; k > at; --k)
    arena->holes[k] = arena->holes[k - 1];
  *next = (Hole){offset, bytes};
}

/* All sizes of a segment, its checks, and where its arrays lie. */
static int32_t plan(const AotProgram *p, State *s, int32_t number) {
  const AotSegment *segment = &p->segments[number];
  for (int32_t k = 0; k < segment->sizes.count; ++k) {
    int32_t id = p->numbers[segment->sizes.first + k];
    if (isComputed(&p->sizes[id]))
      evaluate(s, &p->sizes[id], id);
  }
  for (int32_t k = 0; k < segment->checks.count; ++k) {
    int32_t message = failureOf(p, s, &p->checks[p->numbers[segment->checks.first + k]]);
    if (message >= 0)
      return failWith(p, s, message, NULL, NULL);
  }
  Arena arena = {s->holes, 0, 0};
  int64_t scratch = 0;
  for (int32_t i = 0; i < segment->steps.count; ++i) {
    const AotStep *step = &p->steps[segment->steps.first + i];
    int64_t stepScratch = 0;
    for (int32_t k = 0; k < step->allocate.count; ++k) {
      int32_t a = p->numbers[step->allocate.first + k];
      s->offsets[a] =
          allocate(&arena, bytesOf(p, s, p->arrays[a].shape, p->arrays[a].elementBytes));
      if (arena.end > kMaxTotal)
        return outOfMemory(s, arena.end);
    }
    for (int32_t k = 0; k < step->release.count; ++k) {
      int32_t a = p->numbers[step->release.first + k];
      release(&arena, s->offsets[a], bytesOf(p, s, p->arrays[a].shape, p->arrays[a].elementBytes));
    }
    for (int32_t k = 0; k < step->scratch.count && !isIdle(p, s, step); ++k) {
      const AotScratch *wanted = &p->scratch[step->scratch.first + k];
      stepScratch += roundUp(bytesOf(p, s, wanted->shape, wanted->elementBytes));
      if (stepScratch > kMaxTotal)
        return outOfMemory(s, stepScratch);
    }
    scratch = stepScratch > scratch ? stepScratch : scratch;
    for (int32_t k = 0; k < step->sizes.count; ++k)
      if (s->beyond[p->numbers[step->sizes.first + k]]) { /* a number in an op's body */
        put(s, "a size does not fit into 64 bits");
        return kAotValueError;
      }
  }
  s->scratchAt[number] = arena.end;
  int32_t failed = reserve(s, &s->arenas[number], arena.end + scratch);
  if (failed)
    return failed;
  for (int32_t i = 0; i < segment->steps.count; ++i) {
    AotRange arrays = p->steps[segment->steps.first + i].allocate;
    for (int32_t k = 0; k < arrays.count; ++k) {
      int32_t a = p->numbers[arrays.first + k];
      s->memory[a] = s->arenas[number].data + s->offsets[a];
    }
  }
  s->planned[number] = 1;
  return 0;
}

/*===--- the caller's arrays ------------------------------------------------===*/

/* Elements of any strides to row-major ones. */
static void copyStrided(char *to, const char *from, const int64_t *shape, const int64_t *strides,
                        int32_t rank, int64_t elementBytes, int64_t *index) {
  for (int32_t axis = 0; axis < rank; ++axis)
    index[axis] = 0;
  for (;;) {
    int64_t stride = strides[rank - 1] * elementBytes, extent = shape[rank - 1];
    for (int64_t k = 0; k < extent; ++k, to += elementBytes)
      memcpy(to, from + k * stride, (size_t)elementBytes);
    int32_t axis = rank - 2;
    for (; axis >= 0; --axis) {
      from += strides[axis] * elementBytes;
      if (++index[axis] < shape[axis])
        break;
      from -= shape[axis] * strides[axis] * elementBytes;
      index[axis] = 0;
    }
    if (axis < 0)
      return;
  }
}

static int isRowMajor(const int64_t *shape, const int64_t *strides, int32_t rank) {
  int64_t stride = 1;
  for (int32_t axis = rank; axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != stride)
      return 0;
    stride *= shape[axis];
  }
  return 1;
}

static int32_t wrongShape(const AotProgram *p, State *s, const AotInput *input,
                          const int64_t *shape) {
  putRange(p, s, input->name);
  put(s, ": expected ");
  putRange(p, s, input->wanted);
  put(s, ", got [");
  for (int32_t axis = 0; axis < input->rank; ++axis) {
    if (axis)
      put(s, ",");
    putNumber(s, shape[axis]);
  }
  put(s, "]");
  return kAotShapeError;
}

/* Shape and memory of an input; strided elements are copied where they may be read. */
static int32_t readInput(const AotProgram *p, State *s, char *call, int32_t k, int reads,
                         int runs) {
  const AotInput *input = &p->inputs[k];
  char *field = call + input->field;
  if (input->rank == 0) {
    s->memory[input->array] = field;
    s->inputBytes[k] = 0; /* it cannot overlap */
    return 0;
  }
  char *data = *(char **)field;
  const int64_t *shape = (const int64_t *)(field + sizeof(void *));
  const int64_t *strides = *(const int64_t *const *)(shape + input->rank);
  int64_t bytes = input->elementBytes;
  int empty = 0;
  for (int32_t axis = 0; axis < input->rank; ++axis) {
    int64_t wanted = p->extents[input->extents + axis];
    if (shape[axis] < 0 || (wanted >= 0 && shape[axis] != wanted))
      return wrongShape(p, s, input, shape);
    empty |= shape[axis] == 0;
  }
  for (int32_t axis = 0; axis < input->rank; ++axis)
    if (shape[axis] > 0 &&
        (__builtin_mul_overflow(bytes, shape[axis], &bytes) || bytes > kMaxBytes))
      return wrongShape(p, s, input, shape);
  bytes = empty ? 0 : bytes;
  if (!data && bytes > 0 && runs) {
    putRange(p, s, input->name);
    put(s, ": data is NULL");
    return kAotValueError;
  }
  s->inputBytes[k] = bytes;
  if (reads && data && strides && bytes > 0 && !isRowMajor(shape, strides, input->rank)) {
    int64_t index[32];
    int32_t failed = reserve(s, &s->copies[k], bytes);
    if (failed)
      return failed;
    copyStrided(s->copies[k].data, data, shape, strides, input->rank, input->elementBytes, index);
    data = s->copies[k].data;
    s->inputBytes[k] = 0; /* the copy overlaps nothing */
  }
  s->memory[input->array] = data;
  return 0;
}

static int32_t readInputs(const AotProgram *p, State *s, char *call, int runs) {
  const AotCounts *c = p->counts;
  int reads = runs || p->segments[0].reads.count > 0;
  for (int32_t k = 0; k < c->numInputs; ++k) {
    int32_t failed = readInput(p, s, call, k, reads, runs);
    if (failed)
      return failed;
  }
  int changed = 0;
  for (int32_t k = 0; k < c->dims.count; ++k) {
    int32_t id = p->numbers[c->dims.first + k];
    const AotSize *n = &p->sizes[id];
    int64_t extent = ((const int64_t *)(call + p->inputs[n->a].field + sizeof(void *)))[n->b];
    changed |= s->sizes[id] != extent;
    s->sizes[id] = extent;
  }
  for (int32_t k = 0; k < c->numSegments && changed; ++k)
    s->planned[k] = 0;
  return 0;
}

static int overlap(const char *a, int64_t aBytes, const char *b, int64_t bBytes) {
  return aBytes > 0 && bBytes > 0 && a < b + bBytes && b < a + aBytes;
}

static int32_t overlapError(const AotProgram *p, State *s, AotRange output, AotRange other) {
  putRange(p, s, output);
  put(s, ": its memory overlaps that of ");
  putRange(p, s, other);
  return kAotValueError;
}

/* No input may lie in the memory of an output, be it the caller's or that of an earlier call. */
static int32_t checkInputs(const AotProgram *p, State *s, const char *call, int32_t k,
                           const char *data, int64_t bytes) {
  for (int32_t i = 0; i < p->counts->numInputs; ++i) {
    const AotInput *input = &p->inputs[i];
    if (input->rank > 0 &&
        overlap(data, bytes, *(char *const *)(call + input->field), s->inputBytes[i]))
      return overlapError(p, s, p->outputs[k].name, input->name);
  }
  return 0;
}

/* An output's memory must be no other output's, nor an input's. */
static int32_t checkOthers(const AotProgram *p, State *s, const char *call, int32_t k,
                           const char *data, int64_t bytes) {
  for (int32_t i = 0; i < p->counts->numOutputs; ++i)
    if (i != k && p->outputs[i].rank > 0 &&
        overlap(data, bytes, s->memory[p->outputs[i].memory], s->outputBytes[i]))
      return overlapError(p, s, p->outputs[k].name, p->outputs[i].name);
  return checkInputs(p, s, call, k, data, bytes);
}

/* A caller's memory for an output must be large enough, and nobody else's. */
static int32_t checkMemory(const AotProgram *p, State *s, const char *call, int32_t k,
                           const char *data, int64_t capacity) {
  const AotOutput *output = &p->outputs[k];
  int64_t bytes = s->outputBytes[k];
  if (capacity < bytes / output->elementBytes) {
    putRange(p, s, output->name);
    put(s, ": ");
    putNumber(s, bytes / output->elementBytes);
    put(s, " elements do not fit into a capacity of ");
    putNumber(s, capacity);
    return kAotValueError;
  }
  return checkOthers(p, s, call, k, data, bytes);
}

static int32_t giveMemory(const AotProgram *p, State *s, char *call, int32_t k) {
  const AotOutput *output = &p->outputs[k];
  const AotArray *array = &p->arrays[output->memory];
  char *field = call + output->field;
  if (output->rank == 0) {
    s->memory[output->memory] = field;
    return 0;
  }
  s->outputBytes[k] = bytesOf(p, s, array->shape, output->elementBytes);
  char **data = (char **)field;
  Block *own = &s->results[k];
  if (*data && *data != own->data) {
    int64_t capacity = ((const int64_t *)(field + sizeof(void *)))[output->rank];
    s->memory[output->memory] = *data;
    return checkMemory(p, s, call, k, *data, capacity);
  }
  int32_t failed = checkOthers(p, s, call, k, own->data, own->bytes);
  if (failed)
    return failed;
  *data = NULL;
  failed = reserve(s, own, s->outputBytes[k]);
  s->memory[output->memory] = *data = own->data;
  return failed;
}

static void writeShape(const AotProgram *p, State *s, char *call, int32_t k) {
  const AotOutput *output = &p->outputs[k];
  int64_t *shape = (int64_t *)(call + output->field + sizeof(void *));
  for (int32_t axis = 0; axis < output->rank; ++axis)
    shape[axis] = s->sizes[p->numbers[p->arrays[output->array].shape.first + axis]];
}

/*===--- running ------------------------------------------------------------===*/

static int32_t runControl(const AotProgram *p, State *s, const AotStep *step, void **pointers);

/* The step's pointers and arguments for the sizes and memory that there are now. */
static void fillStep(const AotProgram *p, State *s, const AotStep *step, char *scratch,
                     void **pointers, int64_t *arguments) {
  int32_t count = 0, sizes = 0;
  for (; count < step->arrays.count; ++count)
    pointers[count] = memoryOf(p, s, &p->arrays[p->numbers[step->arrays.first + count]]);
  for (int32_t k = 0; k < step->scratch.count; ++k) {
    const AotScratch *wanted = &p->scratch[step->scratch.first + k];
    pointers[count++] = wanted->elementBytes ? scratch : NULL;
    scratch += roundUp(bytesOf(p, s, wanted->shape, wanted->elementBytes));
  }
  for (; sizes < step->sizes.count; ++sizes)
    arguments[sizes] = s->sizes[p->numbers[step->sizes.first + sizes]];
  if (step->split >= 0) {
    arguments[sizes] = 0;
    arguments[sizes + 1] = s->sizes[step->split];
  }
}

static int32_t callStep(const AotProgram *p, State *s, const AotStep *step, void **pointers,
                        int64_t *arguments) {
  if (step->kernel >= 0) {
    if (isIdle(p, s, step))
      return 0;
    int32_t failed = p->kernels[step->kernel](pointers, arguments);
    return failed ? failWith(p, s, p->numbers[step->failures.first + failed - 1], step, pointers)
                  : 0;
  }
  if (step->kernel == kAotControl)
    return runControl(p, s, step, pointers);
  const AotArray *from = &p->arrays[p->numbers[step->arrays.first]];
  int64_t bytes = bytesOf(p, s, from->shape, from->elementBytes);
  if (bytes > 0)
    memcpy(pointers[1], pointers[0], (size_t)bytes);
  return 0;
}

/* Sizes and places of a segment, unless they are those of the last call. */
static int32_t prepareSegment(const AotProgram *p, State *s, int32_t number) {
  int changed = 0;
  int32_t failed = readElements(p, s, &p->segments[number], &changed);
  for (int32_t k = number; k < p->counts->numSegments && changed; ++k)
    s->planned[k] = 0;
  return failed || s->planned[number] ? failed : plan(p, s, number);
}

/* Of a segment that is prepared, and whose outputs have memory. */
static int32_t runSteps(const AotProgram *p, State *s, int32_t number) {
  AotRange steps = p->segments[number].steps;
  char *scratch = s->arenas[number].data + s->scratchAt[number];
  int32_t failed = 0;
  for (int32_t k = 0; k < steps.count && !failed; ++k) {
    const AotStep *step = &p->steps[steps.first + k];
    fillStep(p, s, step, scratch, s->pointers, s->arguments);
    failed = callStep(p, s, step, s->pointers, s->arguments);
  }
  return failed;
}

static int32_t runSegment(const AotProgram *p, State *s, char *call, int32_t number) {
  const AotSegment *segment = &p->segments[number];
  int32_t failed = prepareSegment(p, s, number);
  for (int32_t k = 0; k < segment->outputs.count && !failed; ++k)
    failed = giveMemory(p, s, call, p->numbers[segment->outputs.first + k]);
  return failed ? failed : runSteps(p, s, number);
}

#include "DriverControl.h"

int32_t graphcAotRun(const AotProgram *p, char *call) {
  State *s = stateOf(p, call);
  if (!s)
    return kAotOutOfMemory;
  for (int32_t k = 0; k < p->counts->numOutputs; ++k)
    s->outputBytes[k] = 0;
  int32_t failed = readInputs(p, s, call, 1);
  for (int32_t k = 0; k < p->counts->numSegments && !failed; ++k)
    failed = runSegment(p, s, call, k);
  for (int32_t k = 0; k < p->counts->numOutputs && !failed; ++k)
    writeShape(p, s, call, k);
  return failed;
}

int32_t graphcAotShapes(const AotProgram *p, char *call) {
  State *s = stateOf(p, call);
  if (!s)
    return kAotOutOfMemory;
  int32_t failed = readInputs(p, s, call, 0);
  if (!failed)
    failed = prepareSegment(p, s, 0);
  for (int32_t k = 0; k < p->counts->numOutputs && !failed; ++k) {
    if (p->outputs[k].segment > 0) {
      putRange(p, s, p->outputs[k].name);
      put(s, ": its shape depends on values that the call computes");
      return kAotNotSupported;
    }
    writeShape(p, s, call, k);
  }
  return failed;
}
