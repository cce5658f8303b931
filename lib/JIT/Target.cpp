//===- JIT/Target.cpp - the processor that code is made for ---------------===//
#include "JIT/Target.h"

#include <unistd.h>

#include "Runtime/CpuIdentity.h"
#include "Support/Text.h"
#include "graphc/Status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace graphc {
namespace {

constexpr llvm::StringLiteral kBf16Suffix = "-bf16", kAmxSuffix = "-amx", kAmx = "amx-";
constexpr std::string_view kOtherArchitecture = "is of another architecture";

void setX86Facts(TargetDescription &target, llvm::function_ref<bool(llvm::StringRef)> has) {
  target.isX86 = true;
  target.hasAvx2 = has("avx2");
  target.hasFma = has("fma");
  target.hasF16C = has("f16c");
  // These imply F, which LLVM leaves out of the levels' lists.
  target.hasAvx512 = has("avx512bw") && has("avx512dq") && has("avx512vl");
  target.hasAvx512Bf16 = target.hasAvx512 && has("avx512bf16");
  target.hasAvx512Fp16 = target.hasAvx512 && has("avx512fp16");
  target.hasAmx = has("amx-tile") && has("amx-bf16");
  target.vectorBytes = target.hasAvx512 ? 64 : target.hasAvx2 && target.hasFma ? 32 : 16;
}

void setAArch64Facts(TargetDescription &target) {
  target.isAArch64 = true;
  target.hasFma = true;
  target.hasF16C = true;
  target.vectorBytes = 16;
}

TargetDescription detectHost() {
  TargetDescription target;
  target.name = "native";
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  const bool mayUseTiles = mayUseTileRegisters();
  for (auto &feature : features)
    if (feature.first().starts_with(kAmx) && !mayUseTiles)
      feature.second = false;
  std::vector<std::string> flags;
  for (const auto &feature : features)
    flags.push_back(((feature.second ? "+" : "-") + feature.first()).str());
  // Sorted, because the text is part of the key of cached code and a StringMap has no order.
  llvm::sort(flags);
  target.features = llvm::join(flags, ",");
  auto has = [&](llvm::StringRef feature) { return features.lookup(feature); };
  if (long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    target.l2Bytes = bytes;
  llvm::Triple triple(target.triple);
  if (triple.isX86()) {
    setX86Facts(target, has);
    target.isIntel = llvm::sys::detail::x86::getVendorSignature() ==
                     llvm::sys::detail::x86::VendorSignatures::GENUINE_INTEL;
    // Some hypervisors report a model number that LLVM takes for an older processor than its
    // features show, and the scheduling model with it.
    if (target.hasAmx)
      target.cpu = "sapphirerapids";
  } else if (triple.isAArch64()) {
    setAArch64Facts(target);
  }
  return target;
}

/// An x86-64 level of the psABI, perhaps with AVX512-BF16, or that and AMX.
TargetDescription x86Level(std::string_view name) {
  TargetDescription target;
  target.name = name;
  target.triple = "x86_64-unknown-linux-gnu";
  llvm::StringRef level = name;
  const bool hasAmx = level.consume_back(kAmxSuffix);
  const bool hasBf16 = level.consume_back(kBf16Suffix) || hasAmx;
  target.cpu = level.str();
  llvm::SmallVector<llvm::StringRef> features, more;
  llvm::X86::getFeaturesForCPU(target.cpu, features);
  if (hasBf16)
    more.push_back("avx512bf16");
  if (hasAmx)
    more.append({"amx-tile", "amx-bf16"});
  for (llvm::StringRef feature : more)
    target.features += (target.features.empty() ? "+" : ",+") + feature.str();
  features.append(more);
  setX86Facts(target,
              [&](llvm::StringRef feature) { return llvm::is_contained(features, feature); });
  if (!hostTarget().isX86)
    target.whyNotHere = kOtherArchitecture;
  else if (std::string lacking = missingFeatures(llvm::ArrayRef(features).drop_back(hasAmx ? 2 : 0),
                                                 llvm::sys::getHostCPUFeatures());
           !lacking.empty())
    target.whyNotHere = "lacks " + lacking;
  else if (hasAmx && !runsCodeFor(name))
    target.whyNotHere = "lacks AMX, or processes may not use it";
  return target;
}

TargetDescription aarch64Generic() {
  TargetDescription target;
  target.name = "aarch64";
  target.triple = "aarch64-unknown-linux-gnu";
  target.cpu = "generic";
  target.features = "+neon";
  setAArch64Facts(target);
  if (!hostTarget().isAArch64)
    target.whyNotHere = kOtherArchitecture;
  return target;
}

} // namespace

const TargetDescription &hostTarget() {
  static const TargetDescription host = detectHost();
  return host;
}

std::string missingFeatures(llvm::ArrayRef<llvm::StringRef> wanted,
                            const llvm::StringMap<bool> &host) {
  std::vector<std::string> missing;
  for (llvm::StringRef feature : wanted)
    // What detection does not know of is no reason to refuse.
    if (auto known = host.find(feature); known != host.end() && !known->second)
      missing.push_back(feature.str());
  llvm::sort(missing);
  return llvm::join(missing, ", ");
}

absl::Status checkRunsHere(const TargetDescription &target) {
  if (target.whyNotHere.empty())
    return absl::OkStatus();
  const TargetDescription &host = hostTarget();
  return makeError(ErrorKind::NotSupported, "code for " + target.name +
                                                " cannot run here: this processor, " + host.cpu +
                                                " of " + host.triple + ", " + target.whyNotHere);
}

absl::StatusOr<TargetDescription> parseTarget(std::string_view name) {
  if (absl::Status s = checkTarget(name); !s.ok())
    return s;
  if (name == "native") {
    const TargetDescription &host = hostTarget();
    if (host.isX86 || host.isAArch64)
      return host;
    return makeError(ErrorKind::NotSupported,
                     "no code generator for this processor, " + host.triple);
  }
  if (name.starts_with("x86-64")) {
#ifdef GRAPHC_TARGET_X86
    return x86Level(name);
#else
    return makeError(ErrorKind::NotSupported, "this build makes no code for " + std::string(name));
#endif
  }
#ifdef GRAPHC_TARGET_AARCH64
  return aarch64Generic();
#else
  return makeError(ErrorKind::NotSupported, "this build makes no code for aarch64");
#endif
}

} // namespace graphc
