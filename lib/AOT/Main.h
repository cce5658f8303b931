/*===- Main.h - what a stand-alone program knows of its graph --------------===*\
 *
 * A program made by `graphc compile --emit=exe` is the object that a library would be, with one
 * AotMain for its only global symbol, and the command line of the folder Main, which reads it. C
 * and C++, as Driver.h is.
 *
\*===----------------------------------------------------------------------===*/
#pragma once

#include "Driver.h"

#ifdef __cplusplus
namespace graphc {
#endif

/* As DType in graphc/DType.h; complex arrays are real ones of pairs here. */
enum {
  kAotBool,
  kAotInt8,
  kAotInt16,
  kAotInt32,
  kAotInt64,
  kAotUInt8,
  kAotUInt16,
  kAotUInt32,
  kAotUInt64,
  kAotFloat16,
  kAotBFloat16,
  kAotFloat32,
  kAotFloat64,
  kAotNumDTypes
};

/* Positions in the texts of AotMain, where each ends with a zero byte. */
typedef struct {
  int32_t name;      /* "float64" */
  int32_t shortName; /* "f64" */
  int32_t bytes;
  uint8_t castsSafelyTo[kAotNumDTypes]; /* canCastSafely, by dtype */
  uint8_t unused[3];
} AotDType;

typedef struct {
  int32_t name; /* as the user's graph has it; an output without one is "out" and its number */
  int32_t type; /* "tensor<?x3xf64>" */
  int32_t dtype;
} AotVariable;

typedef struct {
  int32_t function; /* "main" */
  int32_t source;   /* "axpy.mlir" */
  int32_t target;   /* "x86-64-v3" */
} AotOrigin;

typedef struct {
  const AotProgram *program;
  const AotOrigin *origin;
  const AotDType *dtypes;     /* by number */
  const AotVariable *inputs;  /* as AotProgram::inputs */
  const AotVariable *outputs; /* as AotProgram::outputs */
  const char *text;
  int32_t (*run)(const AotProgram *program, char *call);
  const char *(*message)(const AotProgram *program, const char *call);
} AotMain;

#ifdef __cplusplus
} /* namespace graphc */
#else
extern const AotMain graphcMain;
#endif
