//===- EmbeddedFiles.cpp - files that the build made, in the library ------===//
#include "AOT/EmbeddedFiles.h"

// The assembler puts the files there: as C++ arrays they would take the compiler seconds.
#define GRAPHC_BYTES(NAME, FILE)                                                                   \
  asm(".pushsection .rodata\n"                                                                     \
      ".balign 16\n" #NAME "Begin:\n"                                                              \
      ".incbin \"" GRAPHC_EMBEDDED_FOLDER "/" FILE "\"\n" #NAME "End:\n"                           \
      ".byte 0\n"                                                                                  \
      ".popsection\n");                                                                            \
  extern "C" const char NAME##Begin[], NAME##End[];

GRAPHC_BYTES(graphcDriverX86, "Driver.x86_64.bc")
GRAPHC_BYTES(graphcDriverAArch64, "Driver.aarch64.bc")
GRAPHC_BYTES(graphcMainObject, "Main.o")

namespace graphc {

std::string_view driverBitcode(bool forAArch64) {
  const char *begin = forAArch64 ? graphcDriverAArch64Begin : graphcDriverX86Begin;
  const char *end = forAArch64 ? graphcDriverAArch64End : graphcDriverX86End;
  return {begin, size_t(end - begin)};
}

std::string_view mainObject() {
  return {graphcMainObjectBegin, size_t(graphcMainObjectEnd - graphcMainObjectBegin)};
}

} // namespace graphc
