//===- Runtime/ThreadBlocks.h - memory that a thread uses again --*- C++ -*-===//
#pragma once

#include <cstddef>

namespace graphc {

/// Blocks of the C library that this thread has given back, for its next ones of the same size. The
/// library keeps a few small ones for each thread; all others it merges and splits again, which
/// takes as long as a small product. At most 1 MB for each thread. Sizes that are not kept, and
/// programs under a sanitizer, which watches the library's blocks, have malloc and free.
void *takeBlock(size_t size);
/// `size` as it was taken, on whatever thread. Null: nothing.
void giveBlock(void *block, size_t size);

/// False under a sanitizer.
bool keepsBlocks();

} // namespace graphc
