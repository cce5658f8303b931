/*===- DriverControl.h - branches and loops of the driver --------------------===*\
 *
 * A part of Driver.c. As in Runtime/LoopRun.cpp a loop's states live where its results are,
 * sequences are read in place, a result with fewer rows than there are steps is a ring, and a step
 * of a loop whose sizes no element decides is calls of kernels whose pointers move. A body has a
 * state of its own, which is kept: nothing is allocated by a step.
 *
\*===----------------------------------------------------------------------===*/
#pragma once

/* One run of a step, without axes in front. */
typedef struct {
  const AotProgram *p;
  State *s;
  const AotStep *step;
  const AotControl *control;
  void **arrays;  /* of the step */
  void **scratch; /* behind them */
  const AotProgram *body;
  State *b;
} Run;

/*===--- arrays of the step ---------------------------------------------------===*/

static const AotArray *arrayOf(const Run *r, int32_t k) {
  return &r->p->arrays[r->p->numbers[r->step->arrays.first + k]];
}
/* How many axes in front the step's array has. */
static int32_t skipped(const Run *r, int32_t k) {
  return r->control->numLevels
             ? __builtin_popcount((uint32_t)r->p->numbers[r->control->levels.first + k])
             : 0;
}
static int32_t rankOf(const Run *r, int32_t k) {
  return arrayOf(r, k)->shape.count - skipped(r, k);
}
static int64_t extentOf(const Run *r, int32_t k, int32_t axis) {
  return r->s->sizes[r->p->numbers[arrayOf(r, k)->shape.first + skipped(r, k) + axis]];
}
/* The bytes of the array behind its first axes. */
static int64_t bytesBehind(const Run *r, int32_t k, int32_t axes) {
  int64_t bytes = arrayOf(r, k)->elementBytes;
  for (int32_t axis = axes; axis < rankOf(r, k); ++axis)
    bytes *= extentOf(r, k, axis);
  return bytes;
}
static int32_t resultOf(const Run *r, int32_t k) { return r->step->numInputs + k; }

static const AotTaps *sequenceOf(const Run *r, int32_t k) {
  return &r->p->taps[r->control->sequences.first + k];
}
static const AotTaps *stateTaps(const Run *r, int32_t k) {
  return &r->p->taps[r->control->states.first + k];
}
static int32_t firstState(const Run *r) { return 1 + r->control->sequences.count; }

static Track *inputTrack(const Run *r, int32_t k) { return &r->b->tracks[k]; }
static Track *outputTrack(const Run *r, int32_t k) {
  return &r->b->tracks[r->body->counts->numInputs + k];
}
static char *at(const Track *track, int64_t t) {
  if (t < track->from)
    return track->before + t * track->strideBefore;
  int64_t place = t - track->from;
  return track->data + (track->count ? place % track->count : place) * track->stride;
}

/*===--- messages -------------------------------------------------------------===*/

/* "f32[2,3]" of an output of the body; `array`: of the step's array instead, with `more` axes in
 * front, and behind `drop` others. */
static void putBrief(const Run *r, int32_t output, int32_t array, int32_t drop, int32_t more) {
  const AotOutput *o = &r->body->outputs[output];
  const AotArray *own = &r->body->arrays[o->array];
  const int32_t rank = o->rank + more;
  putRange(r->body, r->b, o->name);
  if (rank == 0)
    return;
  for (int32_t axis = 0; axis < rank; ++axis) {
    put(r->b, axis ? "," : "[");
    putNumber(r->b, array < 0 ? r->b->sizes[r->body->numbers[own->shape.first + axis]]
                              : extentOf(r, array, drop + axis));
  }
  put(r->b, "]");
}

/* The step's own words around those of its body. `t`: the step of the loop, or -1. */
static int32_t failStep(const Run *r, int32_t kind, int64_t t) {
  const AotMessage *m = &r->p->messages[r->p->numbers[r->step->failures.first]];
  for (int32_t k = 0; k < m->pieces.count; ++k) {
    const AotPiece *piece = &r->p->pieces[m->pieces.first + k];
    putPiece(r->p, r->s, piece);
    if (piece->size != kAotWithin)
      continue;
    if (t >= 0) {
      put(r->s, "step ");
      putNumber(r->s, t);
      put(r->s, ": ");
    }
    if (r->b->message)
      put(r->s, r->b->message);
  }
  return kind;
}

/*===--- bodies ---------------------------------------------------------------===*/

static int32_t useBody(Run *r, int32_t number) {
  number += r->control->firstBody;
  r->body = r->p->bodies[number];
  if (!r->s->bodies[number])
    r->s->bodies[number] = newState(r->body);
  r->b = r->s->bodies[number];
  if (!r->b)
    return outOfMemory(r->s, (int64_t)placeState(r->body->counts, NULL, NULL));
  clearMessage(r->b);
  return 0;
}

/* What follows from the shapes of the body's inputs, whose tracks are known. */
static int32_t startBody(const Run *r) {
  const AotProgram *body = r->body;
  State *b = r->b;
  for (int32_t k = 0; k < body->counts->numInputs; ++k) {
    const AotInput *input = &body->inputs[k];
    const Track *track = inputTrack(r, k);
    for (int32_t axis = 0; axis < input->rank; ++axis) {
      int64_t wanted = body->extents[input->extents + axis];
      if (wanted < 0 || wanted == extentOf(r, track->array, track->drop + axis))
        continue;
      putRange(body, b, input->name);
      put(b, ": expected ");
      putRange(body, b, input->wanted);
      put(b, ", got ");
      for (int32_t i = 0; i < input->rank; ++i) {
        put(b, i ? "," : "[");
        putNumber(b, extentOf(r, track->array, track->drop + i));
      }
      put(b, "]");
      return kAotShapeError;
    }
  }
  int changed = 0;
  for (int32_t k = 0; k < body->counts->dims.count; ++k) {
    int32_t id = body->numbers[body->counts->dims.first + k];
    const Track *track = inputTrack(r, body->sizes[id].a);
    int64_t extent = extentOf(r, track->array, track->drop + body->sizes[id].b);
    changed |= b->sizes[id] != extent;
    b->sizes[id] = extent;
  }
  for (int32_t k = 0; k < body->counts->numSegments && changed; ++k)
    b->planned[k] = 0;
  return 0;
}

/* Whether an output of the body has the shape of its place in the step's arrays. */
static int32_t checkOutput(const Run *r, int32_t k) {
  const AotArray *own = &r->body->arrays[r->body->outputs[k].array];
  const Track *track = outputTrack(r, k);
  State *b = r->b;
  int isSame = 1;
  if (track->array < 0) /* whether the loop ends */
    return 0;
  for (int32_t axis = 0; axis < own->shape.count; ++axis)
    isSame &= b->sizes[r->body->numbers[own->shape.first + axis]] ==
              extentOf(r, track->array, track->drop + axis);
  if (isSame)
    return 0;
  int isState = r->control->isLoop && k < r->control->states.count;
  putRange(r->body, b, r->body->outputs[k].result);
  if (!r->control->isLoop || isState) {
    put(b, " was ");
    putBrief(r, k, track->array, track->drop, 0);
    put(b, " and becomes ");
    putBrief(r, k, -1, 0, 0);
    put(b, isState ? "; states keep their shapes" : "");
    return kAotShapeError;
  }
  put(b, " is ");
  putBrief(r, k, -1, 0, 0);
  put(b, ", and all have the shape of the first one: ");
  putBrief(r, k, track->array, track->drop - 1, 1);
  put(b, " with the axis of steps");
  return kAotShapeError;
}

static int isView(const Run *r, int32_t k) {
  return r->body->outputs[k].array != r->body->outputs[k].memory;
}

/* Of the array that an output is, or is a view of. */
static int64_t bytesOfMemory(const Run *r, int32_t k) {
  const AotArray *root = &r->body->arrays[r->body->outputs[k].memory];
  return bytesOf(r->body, r->b, root->shape, root->elementBytes);
}

/* Whether the place that a view has in the step's arrays is as large as the viewed array. */
static int fitsItsPlace(const Run *r, int32_t k) {
  const AotProgram *body = r->body;
  const Track *track = outputTrack(r, k);
  int64_t place = body->arrays[body->outputs[k].memory].elementBytes;
  if (track->array >= 0) /* else it is whether the loop ends */
    for (int32_t axis = 0; axis < body->arrays[body->outputs[k].array].shape.count; ++axis)
      place *= extentOf(r, track->array, track->drop + axis);
  return bytesOfMemory(r, k) == place;
}

/* Runs the body on the memory that its inputs have in step t, segment by segment. Its outputs are
 * where their tracks say, or memory of the body's own where only extents are wanted. */
static int32_t runBody(const Run *r, int64_t t, int forExtents) {
  const AotProgram *body = r->body;
  State *b = r->b;
  for (int32_t k = 0; k < body->counts->numInputs; ++k)
    b->memory[body->inputs[k].array] = at(inputTrack(r, k), t);
  int32_t failed = 0;
  for (int32_t number = 0; number < body->counts->numSegments && !failed; ++number) {
    AotRange outputs = body->segments[number].outputs;
    failed = prepareSegment(body, b, number);
    for (int32_t i = 0; i < outputs.count && !failed; ++i) {
      int32_t k = body->numbers[outputs.first + i];
      /* A view's shape may be known after its array only; one that does not fit is run to the end
       * to tell it. */
      if (forExtents || (isView(r, k) && !fitsItsPlace(r, k))) {
        failed = reserve(b, &b->results[k], bytesOfMemory(r, k));
        b->memory[body->outputs[k].memory] = b->results[k].data;
      } else {
        failed = isView(r, k) ? 0 : checkOutput(r, k);
        b->memory[body->outputs[k].memory] = at(outputTrack(r, k), t);
      }
    }
    if (!failed)
      failed = runSteps(body, b, number);
  }
  for (int32_t k = 0; k < body->counts->numOutputs && !failed && !forExtents; ++k)
    if (isView(r, k))
      failed = checkOutput(r, k);
  return failed;
}

/* The extents of the body's outputs in [first, end), one after the other, to the step's result. */
static int32_t runForExtents(const Run *r, int32_t first, int32_t end) {
  int64_t *to = r->arrays[resultOf(r, 0)], *stop = to + extentOf(r, resultOf(r, 0), 0);
  int32_t failed = runBody(r, 0, 1);
  for (int32_t k = first; k < end && !failed; ++k) {
    const AotOutput *output = &r->body->outputs[k];
    int32_t shape = r->body->arrays[output->array].shape.first;
    for (int32_t axis = 0; axis < output->rank && to != stop; ++axis)
      *to++ = r->b->sizes[r->body->numbers[shape + axis]];
  }
  return failed;
}

/*===--- branches -------------------------------------------------------------===*/

static int32_t runBranch(Run *r) {
  int64_t chosen;
  memcpy(&chosen, r->arrays[0], sizeof chosen);
  int32_t failed = useBody(r, chosen != 0 ? 0 : 1);
  if (failed)
    return failed;
  const AotCounts *c = r->body->counts;
  for (int32_t k = 0; k < c->numInputs; ++k)
    *inputTrack(r, k) = (Track){.data = r->arrays[1 + k], .array = 1 + k};
  failed = startBody(r);
  if (!failed && r->control->givesExtents) {
    failed = runForExtents(r, 0, c->numOutputs);
  } else if (!failed) {
    for (int32_t k = 0; k < c->numOutputs; ++k)
      *outputTrack(r, k) = (Track){.data = r->arrays[resultOf(r, k)], .array = resultOf(r, k)};
    failed = runBody(r, 0, 0);
  }
  return failed ? failStep(r, failed, -1) : 0;
}

/*===--- loops ----------------------------------------------------------------===*/

static int32_t addSequences(const Run *r, int64_t steps, int32_t input) {
  for (int32_t k = 0; k < r->control->sequences.count; ++k) {
    const AotTaps *taps = sequenceOf(r, k);
    int64_t bytes = bytesBehind(r, 1 + k, 1);
    /* As many steps as it is enough for; the last of them is first where it goes backwards. */
    int64_t most = extentOf(r, 1 + k, 0) - taps->margin;
    int back = r->control->goesBackwards;
    for (int32_t i = 0; i < taps->taps.count; ++i) {
      int64_t first = r->p->numbers[taps->taps.first + i] + taps->lead + (back ? most - 1 : 0);
      char *data = r->arrays[1 + k];
      *inputTrack(r, input++) = (Track){.data = steps > 0 ? data + first * bytes : data,
                                        .stride = back ? -bytes : bytes,
                                        .array = 1 + k,
                                        .drop = 1};
    }
  }
  return input;
}

/* Buffers of the ring that a result with fewer rows than there are steps is; 0: it is none. */
static int64_t ringOf(const Run *r, int32_t k, int64_t steps) {
  int64_t rows = extentOf(r, resultOf(r, k), 0);
  return rows < steps ? rows : 0;
}

static int32_t addStates(const Run *r, int64_t steps, int32_t input) {
  int32_t ring = 0;
  for (int32_t k = 0; k < r->control->states.count; ++k) {
    const AotTaps *taps = stateTaps(r, k);
    int32_t initial = firstState(r) + k;
    int64_t bytes = bytesBehind(r, initial, taps->hasAxis);
    int64_t count = taps->keepsLast            ? taps->history + 1
                    : r->control->givesExtents ? 0
                                               : ringOf(r, k, steps);
    char *values = taps->keepsLast            ? r->scratch[ring++]
                   : r->control->givesExtents ? NULL
                                              : r->arrays[resultOf(r, k)];
    for (int32_t i = 0; i < taps->taps.count; ++i) {
      int32_t tap = r->p->numbers[taps->taps.first + i];
      char *before = r->arrays[initial];
      Track *track = inputTrack(r, input++);
      *track = (Track){.before = before + (taps->history + tap) * bytes,
                       .data = values,
                       .from = -tap,
                       .strideBefore = bytes,
                       .stride = bytes,
                       .count = count,
                       .array = initial,
                       .drop = taps->hasAxis};
    }
    *outputTrack(r, k) = (Track){
        .data = values, .stride = bytes, .count = count, .array = initial, .drop = taps->hasAxis};
  }
  return input;
}

/* Results that are no states, and whether the loop ends. */
static void addResults(const Run *r, int64_t steps) {
  int32_t end = r->step->arrays.count - r->step->numInputs - 1, k = r->control->states.count;
  for (; k < end; ++k) {
    int64_t bytes = bytesBehind(r, resultOf(r, k), 1);
    int back = r->control->stacksBackwards && steps > 0;
    char *data = r->arrays[resultOf(r, k)];
    *outputTrack(r, k) = (Track){.data = back ? data + (steps - 1) * bytes : data,
                                 .stride = back ? -bytes : bytes,
                                 .count = back ? 0 : ringOf(r, k, steps),
                                 .array = resultOf(r, k),
                                 .drop = 1};
  }
  if (r->control->hasUntil)
    *outputTrack(r, k) = (Track){.data = r->scratch[r->step->scratch.count - 1], .array = -1};
}

static int ends(const Run *r, int64_t t) {
  return r->control->hasUntil && *at(outputTrack(r, r->body->counts->numOutputs - 1), t) != 0;
}

/* Sizes depend on elements: each step looks at them. */
static int32_t runLooking(const Run *r, int64_t steps, int64_t *done) {
  for (int64_t t = 0; t < steps; ++t) {
    *done = t;
    int32_t failed = runBody(r, t, 0);
    if (failed)
      return failed;
    *done = t + 1;
    if (ends(r, t))
      break;
  }
  return 0;
}

/* Tables of all steps' pointers and arguments; then `moving` are those that a step moves. */
static int32_t fillTables(const Run *r, int64_t *warm) {
  const AotProgram *body = r->body;
  State *b = r->b;
  int32_t inputs = body->counts->numInputs, numMoving = 0;
  char *scratch = b->arenas[0].data + b->scratchAt[0];
  void **pointers = b->table;
  int64_t *arguments = b->tableArguments;
  for (int32_t k = 0; k < inputs; ++k)
    b->memory[body->inputs[k].array] = at(inputTrack(r, k), 0);
  for (int32_t k = 0; k < body->counts->numOutputs; ++k)
    b->memory[body->outputs[k].memory] = at(outputTrack(r, k), 0);
  for (int32_t i = 0; i < body->segments[0].steps.count; ++i) {
    const AotStep *step = &body->steps[i];
    fillStep(body, b, step, scratch, pointers, arguments);
    for (int32_t k = 0; k < step->arrays.count; ++k) {
      const AotArray *array = &body->arrays[body->numbers[step->arrays.first + k]];
      int32_t source = body->arrays[array->root].source;
      if (source < 0)
        continue;
      const Track *track = &b->tracks[source];
      *warm = track->from > *warm ? track->from : *warm;
      if (track->from > 0 || track->stride != 0)
        b->moving[numMoving++] =
            (Moving){.slot = &pointers[k], .track = track, .begin = bytesBefore(body, b, array)};
    }
    pointers += step->arrays.count + step->scratch.count;
    arguments += step->sizes.count + 2;
  }
  return numMoving;
}

static void move(Moving *moving, int32_t count, int64_t t, int64_t warm) {
  for (Moving *m = moving; m < moving + count; ++m) {
    const Track *track = m->track;
    if (t <= warm) { /* the first steps read initial values */
      m->now = at(track, t) + m->begin;
      m->ring = track->count * track->stride;
      m->end = m->ring ? track->data + m->ring + m->begin : NULL;
    } else {
      m->now += track->stride;
      if (m->now == m->end)
        m->now -= m->ring;
    }
    *m->slot = m->now;
  }
}

/* Sizes and memory are those of the first step. */
static int32_t runSteady(const Run *r, int64_t steps, int64_t *done) {
  const AotProgram *body = r->body;
  State *b = r->b;
  *done = 0;
  int32_t failed = prepareSegment(body, b, 0);
  for (int32_t k = 0; k < body->counts->numOutputs && !failed; ++k)
    failed = checkOutput(r, k);
  if (failed)
    return failed;
  int64_t warm = 0;
  int32_t numMoving = fillTables(r, &warm);
  const AotStep *first = body->steps, *end = first + body->segments[0].steps.count;
  for (int64_t t = 0; t < steps; ++t) {
    move(b->moving, numMoving, t, warm);
    void **pointers = b->table;
    int64_t *arguments = b->tableArguments;
    for (const AotStep *step = first; step < end; ++step) {
      failed = callStep(body, b, step, pointers, arguments);
      if (failed) {
        *done = t;
        return failed;
      }
      pointers += step->arrays.count + step->scratch.count;
      arguments += step->sizes.count + 2;
    }
    *done = t + 1;
    if (ends(r, t))
      break;
  }
  return 0;
}

static void keepLast(const Run *r, int64_t done) {
  for (int32_t k = 0; k < r->control->states.count; ++k) {
    const AotTaps *taps = stateTaps(r, k);
    const Track *track = outputTrack(r, k);
    const char *initial = r->arrays[firstState(r) + k];
    if (!taps->keepsLast || track->stride == 0)
      continue;
    const char *last =
        done > 0 ? at(track, done - 1) : initial + (taps->history - 1) * track->stride;
    memcpy(r->arrays[resultOf(r, k)], last, (size_t)track->stride);
  }
}

/* Exchanges the rows in [first, end), the last one with the first one and so on. */
static void reverseRows(char *first, char *end, int64_t bytes) {
  for (end -= bytes; first < end; first += bytes, end -= bytes)
    for (int64_t i = 0; i < bytes; ++i) {
      char byte = first[i];
      first[i] = end[i];
      end[i] = byte;
    }
}
/* The rows of results that are rings, the oldest first. */
static void putInOrder(const Run *r, int64_t done) {
  int32_t numResults = r->step->arrays.count - r->step->numInputs - 1;
  for (int32_t k = 0; k < numResults; ++k) {
    const Track *track = outputTrack(r, k);
    int keepsLast = k < r->control->states.count && stateTaps(r, k)->keepsLast;
    if (keepsLast || track->count < 2 || done <= track->count)
      continue;
    char *oldest = at(track, done), *end = track->data + track->count * track->stride;
    reverseRows(track->data, oldest, track->stride);
    reverseRows(oldest, end, track->stride);
    reverseRows(track->data, end, track->stride);
  }
}

static int32_t runLoop(Run *r) {
  int64_t steps, done = 0;
  memcpy(&steps, r->arrays[0], sizeof steps);
  int32_t failed = useBody(r, 0);
  if (failed)
    return failed;
  int32_t input = addStates(r, steps, addSequences(r, steps, 0));
  for (int32_t k = firstState(r) + r->control->states.count; k < r->step->numInputs; ++k)
    *inputTrack(r, input++) = (Track){.data = r->arrays[k], .array = k};
  if (r->control->givesExtents) {
    int64_t *to = r->arrays[resultOf(r, 0)];
    for (int64_t k = 0; k < extentOf(r, resultOf(r, 0), 0); ++k)
      to[k] = 0;
  } else {
    addResults(r, steps);
  }
  if (steps > 0) {
    const AotProgram *body = r->body;
    failed = startBody(r);
    if (!failed && r->control->givesExtents)
      failed = runForExtents(r, r->control->states.count,
                             body->counts->numOutputs - r->control->hasUntil);
    else if (!failed && body->counts->numSegments == 1 && body->segments[0].reads.count == 0)
      failed = runSteady(r, steps, &done);
    else if (!failed)
      failed = runLooking(r, steps, &done);
  }
  if (failed)
    return failStep(r, failed, done);
  if (r->control->givesExtents)
    return 0;
  keepLast(r, done);
  putInOrder(r, done);
  memcpy(r->arrays[r->step->arrays.count - 1], &done, sizeof done);
  return 0;
}

/*===--- axes in front --------------------------------------------------------===*/

/* Each slice along the axes in front; inputs have some of them. */
static int32_t runControl(const AotProgram *p, State *s, const AotStep *step, void **pointers) {
  Run r = {.p = p,
           .s = s,
           .step = step,
           .control = &p->controls[step->control],
           .arrays = pointers,
           .scratch = pointers + step->arrays.count};
  int32_t numLevels = r.control->numLevels;
  if (numLevels == 0)
    return r.control->isLoop ? runLoop(&r) : runBranch(&r);
  const AotArray *last = arrayOf(&r, step->arrays.count - 1);
  int64_t total = 1;
  for (int32_t level = 0; level < numLevels; ++level)
    total *= s->sizes[p->numbers[last->shape.first + level]];
  r.arrays = s->slices;
  int32_t failed = 0;
  for (int64_t position = 0; position < total && !failed; ++position) {
    for (int32_t k = 0; k < step->arrays.count; ++k) {
      uint32_t levels = (uint32_t)p->numbers[r.control->levels.first + k];
      int64_t index = 0, left = total;
      for (int32_t level = 0; level < numLevels; ++level) {
        int64_t extent = s->sizes[p->numbers[last->shape.first + level]];
        left /= extent;
        if (levels >> level & 1)
          index = index * extent + position / left % extent;
      }
      s->slices[k] = (char *)pointers[k] + index * bytesBehind(&r, k, 0);
    }
    failed = r.control->isLoop ? runLoop(&r) : runBranch(&r);
  }
  return failed;
}
