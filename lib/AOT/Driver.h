/*===- Driver.h - a program as tables, for a driver in C --------------------===*\
 *
 * What a library made by graphc consists of besides its kernels: a Program (Runtime/Program.h) and
 * its layout as constant tables, which ProgramTables.cpp writes, and the driver that runs them,
 * which Driver.c is. This header is C and C++, so that both see the same structures. They hold
 * fixed-width integers only and so look the same on every processor.
 *
 * "first" members are positions in `numbers` or another table; a range is a first and a count.
 *
\*===----------------------------------------------------------------------===*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
namespace graphc {
#endif

/* A range of a table. */
typedef struct {
  int32_t first, count;
} AotRange;

/* As SizeOp in graphc/Host.h. */
enum {
  kAotConstant,
  kAotDim, /* a = input, b = axis */
  kAotElement,
  kAotAdd,
  kAotSub,
  kAotMul,
  kAotFloorDiv,
  kAotMod,
  kAotMax,
  kAotMin,
  kAotLess,
  kAotEqual,
  kAotSelect,
  kAotWrapAdd,
  kAotWrapSub,
  kAotWrapMul
};
typedef struct {
  int32_t op, a, b, c;
  int64_t value;
} AotSize;

/* As Predicate in graphc/Host.h. */
enum { kAotMustEqual, kAotMustLessEqual, kAotMustLess, kAotMustFit };
typedef struct {
  int32_t predicate, a, b;
  int32_t message;
  int32_t messageIfNegative; /* of kAotMustFit: an extent of `shape` */
  AotRange shape;            /* of `numbers`: sizes; `a` is the bytes of an element */
} AotCheck;

/* An error: a number that the function returns, and its text in pieces. */
typedef struct {
  int32_t kind;
  AotRange pieces;
  int32_t indices; /* which of the step's arrays has the index that is out of range; -1: none */
  int32_t extent;  /* the size that it is out of */
} AotMessage;
/* Text, and then the value of a size, or one of these. */
enum {
  kAotNoSize = -1,
  kAotIndex = -2, /* the index that is out of range */
  kAotWithin = -3 /* what the body of a branch or loop says */
};
typedef struct {
  AotRange text;
  int32_t size;
} AotPiece;

/* Memory, and how it is seen: as Program::Array, but memory is looked up by `root`. */
typedef struct {
  int32_t root, elementBytes, isSigned;
  int32_t source;  /* of a root in a body: the number of the input, or of the output behind all
                      inputs, whose memory it is; -1 for others */
  AotRange shape;  /* of `numbers`: sizes */
  AotRange begins; /* likewise: their sum is the number of elements before it in the root */
} AotArray;

/* Memory that a kernel's code asked for. elementBytes = 0: a copy of a constant, which a library
   does not keep. */
typedef struct {
  AotRange shape;
  int32_t elementBytes;
} AotScratch;

/* Other numbers for `kernel`. */
enum {
  kAotCopy = -1,   /* the elements of the first array to the second */
  kAotControl = -2 /* a branch or loop, `control` */
};
typedef struct {
  int32_t kernel;
  int32_t control, numInputs;
  int32_t split; /* size of the outermost loop that is passed as begin and end; -1: none */
  AotRange arrays, sizes, scratch;
  AotRange failures;          /* of `numbers`: messages, by element check */
  AotRange allocate, release; /* of `numbers`: arrays of the arena, before and after the step */
} AotStep;

/* What a loop's body reads of a sequence or state: `taps` are of `numbers`. */
typedef struct {
  AotRange taps;
  int32_t lead, margin;                /* of sequences */
  int32_t history, hasAxis, keepsLast; /* of states */
} AotTaps;

/* As Program::Control. Its bodies are programs with states of their own; their inputs and outputs
 * have no fields. The name of a body's input is as messages call it; that of an output its dtype,
 * and its rank that which messages show. */
typedef struct {
  int32_t isLoop, givesExtents, hasUntil, goesBackwards, stacksBackwards;
  int32_t numLevels;
  AotRange levels;            /* of `numbers`: by array, a bit for each axis in front that it has */
  AotRange sequences, states; /* of `taps` */
  int32_t firstBody;
} AotControl;

/* As ProgramLayout::Segment; what ranges over `numbers` are sizes, checks and outputs. */
typedef struct {
  AotRange steps, reads, sizes, checks, outputs;
} AotSegment;

/* In the structure of a call, at `field`: the value itself where the rank is 0; else for an input
 * {const void *data; int64_t shape[rank]; const int64_t *strides;}, for an output
 * {void *data; int64_t shape[rank]; int64_t capacity;}. */
typedef struct {
  int32_t field, rank, elementBytes;
  int32_t array;   /* with its memory */
  int32_t extents; /* first in `extents`: -1 where any extent will do */
  AotRange name;   /* of `text`: "input `x`" */
  AotRange wanted; /* of `text`: "f32[?,3]" */
} AotInput;
typedef struct {
  int32_t field, rank, elementBytes;
  int32_t memory;  /* the array that is first written in its memory */
  int32_t array;   /* the one with its shape */
  int32_t segment; /* after whose sizes its shape is known */
  AotRange name;   /* "output `y`" */
  AotRange result; /* of a body, as messages call what it is of: "state 1" */
} AotOutput;

typedef struct {
  int32_t numSizes, numArrays, numSegments, numInputs, numOutputs, numConstants;
  int32_t numBodies;
  int32_t maxPointers, maxArguments; /* of a step */
  int32_t allPointers, allArguments; /* of all steps of a body; 0 for another program */
  int32_t stateField;                /* in the structure of a call: a pointer of the driver's */
  AotRange dims;                     /* of `numbers`: the sizes that are extents of inputs */
  AotRange constants;                /* of `numbers`: the arrays with the constants' memory */
} AotCounts;

typedef int32_t (*AotKernel)(void **buffers, const int64_t *sizes);

typedef struct AotProgram {
  const AotCounts *counts;
  const AotSize *sizes;
  const AotCheck *checks;
  const AotMessage *messages;
  const AotPiece *pieces;
  const AotArray *arrays;
  const AotScratch *scratch;
  const AotStep *steps;
  const AotSegment *segments;
  const AotInput *inputs;
  const AotOutput *outputs;
  const int32_t *numbers;
  const int64_t *extents;
  const char *text;
  void *const *constants;
  const AotKernel *kernels;
  const AotControl *controls;
  const AotTaps *taps;
  const struct AotProgram *const *bodies;
} AotProgram;

/* Errors of the driver's own, as ErrorKind in graphc/Status.h. */
enum {
  kAotValueError = 2,
  kAotShapeError = 3,
  kAotIndexError = 4,
  kAotNotSupported = 18,
  kAotOutOfMemory = 22
};

#ifdef __cplusplus
} /* namespace graphc */
#else

/* The functions of a library NAME, with its program: NAME, NAME_shapes, NAME_message, NAME_release.
 * `call` is the structure that its header declares. Calls with different structures may run at the
 * same time. */
int32_t graphcAotRun(const AotProgram *program, char *call);
int32_t graphcAotShapes(const AotProgram *program, char *call);
const char *graphcAotMessage(const AotProgram *program, const char *call);
void graphcAotRelease(const AotProgram *program, char *call);

#endif
