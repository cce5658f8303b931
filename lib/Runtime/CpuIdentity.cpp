//===- Runtime/CpuIdentity.cpp - which processor this is ------------------===//
#include "Runtime/CpuIdentity.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

#include "Support/Text.h"

namespace graphc {
namespace {

#if defined(__x86_64__)

void addLeaf(Hasher &hasher, unsigned leaf, unsigned subleaf, bool withEbx) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx))
    hasher.add(eax).add(withEbx ? ebx : 0u).add(ecx).add(edx);
}

/// The registers that the operating system saves.
uint64_t savedRegisters() {
  unsigned eax, ebx, ecx = 0, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
    return 0;
  __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return uint64_t(edx) << 32 | eax;
}

void addCpu(Hasher &hasher) {
  addLeaf(hasher, 0, 0, true);           // maker
  addLeaf(hasher, 1, 0, false);          // model and features; ebx has the number of the core
  addLeaf(hasher, 7, 0, true);           // AVX2, AVX-512, AMX
  addLeaf(hasher, 7, 1, false);          // AVX-VNNI, AVX512-BF16
  addLeaf(hasher, 0x80000001, 0, false); // LZCNT, FMA4
  hasher.add(savedRegisters()).add(mayUseTileRegisters());
}

bool askForTileRegisters() {
  constexpr unsigned kAmxBf16 = 1u << 22, kAmxTile = 1u << 24; // of CPUID's leaf 7, in EDX
  constexpr uint64_t kSaved = 3u << 17;                        // their configuration and data
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(edx & kAmxBf16) || !(edx & kAmxTile) ||
      (savedRegisters() & kSaved) != kSaved)
    return false;
#ifdef __linux__
  constexpr long kRequest = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, of arch_prctl(2)
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return true;
#endif
}

#elif defined(__linux__)

void addCpu(Hasher &hasher) {
  hasher.add(getauxval(AT_HWCAP)).add(getauxval(AT_HWCAP2));
  if (const char *platform = reinterpret_cast<const char *>(getauxval(AT_PLATFORM)))
    hasher.addString(platform);
}

#endif

std::atomic<bool> areTileRegistersPretended = false;

} // namespace

bool mayUseTileRegisters() {
#if defined(__x86_64__)
  static const bool may = askForTileRegisters();
  return may;
#else
  return false;
#endif
}

void pretendTileRegisters(bool are) { areTileRegistersPretended = are; }

Hash128 cpuIdentity() {
  static const Hash128 identity = [] {
    Hasher hasher;
    addCpu(hasher);
    return hasher.finish128();
  }();
  return identity;
}

absl::Status checkTarget(std::string_view name) {
  if (std::ranges::find(kTargets, name) != std::end(kTargets))
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError, "unknown target '" + std::string(name) +
                                              "'; the targets are " + join(kTargets, ", "));
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
  if (target == "x86-64-v4-amx")
    return runsCodeFor("x86-64-v4-bf16") && (mayUseTileRegisters() || areTileRegistersPretended);
  return target == "x86-64";
#else
  return target == "aarch64";
#endif
}

} // namespace graphc
