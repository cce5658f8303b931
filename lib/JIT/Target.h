//===- JIT/Target.h - the processor that code is made for -------*- C++ -*-===//
//
// One value that everything which depends on the processor reads: the width of the vector loops,
// which instructions an expansion may count on, and what LLVM is told.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

#include "Support/Optimizations.h"
#include "absl/status/statusor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

namespace graphc {

/// A processor. Values are made by hostTarget and parseTarget; cheap enough to copy.
struct TargetDescription {
  std::string name;          ///< as parseTarget takes it: "native", "x86-64-v3", ...
  std::string triple;        ///< LLVM's, "x86_64-unknown-linux-gnu"
  std::string cpu;           ///< LLVM's -mcpu
  std::string features;      ///< LLVM's -mattr, "+avx2,-sse4a"; may be empty
  int vectorBytes = 16;      ///< of one vector register
  int64_t l2Bytes = 1 << 20; ///< of a core's L2 cache; a usual size where it is not known
  bool isX86 = false;
  bool isAArch64 = false;
  std::string whyNotHere; ///< why this processor cannot run code for it; empty: it can

  // x86
  bool hasAvx2 = false;
  bool hasFma = false;    ///< also true on aarch64
  bool hasF16C = false;   ///< conversions f16 <-> f32; also true on aarch64
  bool hasAvx512 = false; ///< F, BW, DQ and VL
  bool hasAvx512Fp16 = false;
  bool hasAvx512Bf16 = false;
  bool hasAmx = false;  ///< tile and bf16, and processes may use it
  bool isIntel = false; ///< by its maker: loops are set up for its caches (LoopTargetOf.h)

  /// Of the loops stage.
  Optimizations optimizations = {};

  /// What distinguishes the code made for this target from that of others: part of a cache's key.
  std::string fingerprint() const {
    return triple + "/" + cpu + (isIntel ? "/Intel/" : "/") + features + "/" +
           optimizations.missing();
  }
};

/// The processor of this process, detected once. Thread-safe.
const TargetDescription &hostTarget();

/// NotSupported, naming target and processor, for code that this process cannot run.
absl::Status checkRunsHere(const TargetDescription &target);

/// Those of LLVM's feature names that `host` knows to be absent: "avx512bw, avx512vl".
std::string missingFeatures(llvm::ArrayRef<llvm::StringRef> wanted,
                            const llvm::StringMap<bool> &host);

/// `name` is native, x86-64, x86-64-v3, x86-64-v4, x86-64-v4-bf16 (with AVX512-BF16), x86-64-v4-amx
/// (with AMX, too) or aarch64.
/// Errors: ValueError for another name; NotSupported if this build has no code generator for it.
absl::StatusOr<TargetDescription> parseTarget(std::string_view name);

} // namespace graphc
