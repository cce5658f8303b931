//===- Main.cpp - a reader under libFuzzer -----------------------------------------===//
//
// GRAPHC_FUZZ_READER, set by the build, is one of Hostile/Readers.h.
//
//===----------------------------------------------------------------------===//
#include <cstddef>
#include <cstdint>

#include "Hostile/Readers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const graphc::test::Reader &reader = *graphc::test::findReader(GRAPHC_FUZZ_READER);
  (void)reader.read({reinterpret_cast<const char *>(bytes), size});
  return 0;
}
