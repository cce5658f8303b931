//===- Runtime/HugePages.h - large pieces of memory ---------------*- C++ -*-===//
#pragma once

#include <cstddef>

namespace graphc {

/// Asks the system for huge pages behind fresh memory, where it is large enough to have some. New
/// memory is then faulted in 2 MiB at a time, and a pass over it needs few entries of the table of
/// pages. Nothing happens where the system does not know such a thing.
void preferHugePages(void *memory, size_t bytes);

} // namespace graphc
