//===- Runtime/CpuIdentity.cpp - which processor this is ------------------===//
#include "Runtime/CpuIdentity.h"

#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

namespace graphc {
namespace {

#if defined(__x86_64__)

void addLeaf(Hasher &hasher, unsigned leaf, unsigned subleaf, bool withEbx) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx))
    hasher.add(eax).add(withEbx ? ebx : 0u).add(ecx).add(edx);
}

void addCpu(Hasher &hasher) {
  addLeaf(hasher, 0, 0, true);           // maker
  addLeaf(hasher, 1, 0, false);          // model and features; ebx has the number of the core
  addLeaf(hasher, 7, 0, true);           // AVX2, AVX-512, AMX
  addLeaf(hasher, 7, 1, false);          // AVX-VNNI, AVX512-BF16
  addLeaf(hasher, 0x80000001, 0, false); // LZCNT, FMA4
  // The registers that the operating system saves.
  unsigned eax, ebx, ecx = 0, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_OSXSAVE)) {
    __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    hasher.add(eax).add(edx);
  }
}

#elif defined(__linux__)

void addCpu(Hasher &hasher) {
  hasher.add(getauxval(AT_HWCAP)).add(getauxval(AT_HWCAP2));
  if (const char *platform = reinterpret_cast<const char *>(getauxval(AT_PLATFORM)))
    hasher.addString(platform);
}

#endif

} // namespace

Hash128 cpuIdentity() {
  static const Hash128 identity = [] {
    Hasher hasher;
    addCpu(hasher);
    return hasher.finish128();
  }();
  return identity;
}

bool runsCodeFor(std::string_view target) {
  if (target == "native")
    return true;
#if defined(__x86_64__)
  if (target == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3");
  if (target == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
  if (target == "x86-64-v4-bf16")
    return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512bf16");
  return target == "x86-64";
#else
  return target == "aarch64";
#endif
}

} // namespace graphc
