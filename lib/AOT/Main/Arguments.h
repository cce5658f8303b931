/*===- Arguments.h - values in the structure of a call -------------------------===*/
#pragma once

#include "Value.h"

/* The value as the input wants it, with another dtype where that loses nothing; else ends the
 * process. */
void checkArgument(int32_t input, Value *value);
/* Into the structure of the call; the memory stays the value's. */
void placeArgument(char *call, int32_t input, const Value *value);
/* An output of a call that has been made; the memory is the call's. */
Value resultOf(char *call, int32_t output);
