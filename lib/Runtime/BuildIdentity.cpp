//===- Runtime/BuildIdentity.cpp ------------------------------------------===//
#include "Runtime/BuildIdentity.h"

#include <cstring>
#include <link.h>

namespace graphc {
namespace {

struct Search {
  ElfW(Addr) inside; // an address of this library
  Hash128 found;
};

size_t padded(size_t size) { return (size + 3) & ~size_t(3); }

/// The descriptor of the note NT_GNU_BUILD_ID, whose owner is "GNU".
void readNotes(const char *notes, size_t size, Hash128 &found) {
  ElfW(Nhdr) note;
  while (size >= sizeof(note)) {
    std::memcpy(&note, notes, sizeof(note));
    size_t whole = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > size)
      return;
    const char *name = notes + sizeof(note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      Hasher hasher;
      hasher.addBytes(name + padded(note.n_namesz), note.n_descsz);
      found = hasher.finish128();
      return;
    }
    notes += whole;
    size -= whole;
  }
}

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool isOurs = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    ElfW(Addr) begin = info->dlpi_addr + segment.p_vaddr;
    isOurs |= segment.p_type == PT_LOAD && search.inside >= begin &&
              search.inside < begin + segment.p_memsz;
  }
  for (int i = 0; isOurs && i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      readNotes(reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz,
                search.found);
  }
  return isOurs;
}

} // namespace

Hash128 buildIdentity() {
  static const Hash128 identity = [] {
    Search search = {reinterpret_cast<ElfW(Addr)>(&buildIdentity), {}};
    dl_iterate_phdr(visit, &search);
    return search.found;
  }();
  return identity;
}

} // namespace graphc
