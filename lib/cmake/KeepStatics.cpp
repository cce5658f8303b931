//===- KeepStatics.cpp - of libgraphc-compiler: no destructors at exit ------------===//
//
// LLVM and MLIR make static objects when they are first needed, some of them by a thread that
// compiles in the background (Runtime/Background.h). Their destructors would run before what waits
// for that thread, which was registered earlier, and take from it what it works with. The process
// ends anyway: the library's own registrations come to nothing.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("hidden"))) int
__cxa_atexit(void (* /*destructor*/)(void *), void * /*object*/, void * /*library*/) { // NOLINT
  return 0;
}
