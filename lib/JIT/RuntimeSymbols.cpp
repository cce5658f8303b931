//===- JIT/RuntimeSymbols.cpp - what generated code may call --------------===//
#include "JIT/RuntimeSymbols.h"

#include <cstring>
#include <math.h>

#include "graphc/Status.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"

namespace graphc {
namespace {

/// The address of one of the overloads that C++ adds to C's functions.
template <typename Signature> void *address(Signature *function) {
  return reinterpret_cast<void *>(function);
}

} // namespace

llvm::ArrayRef<RuntimeSymbol> runtimeSymbols() {
// A function for f64 and, with an f behind its name, for f32.
#define GRAPHC_1(NAME)                                                                             \
  {#NAME, address<double(double)>(&::NAME)}, {#NAME "f", address<float(float)>(&::NAME##f)}
#define GRAPHC_2(NAME)                                                                             \
  {#NAME, address<double(double, double)>(&::NAME)}, {                                             \
    #NAME "f", address<float(float, float)>(&::NAME##f)                                            \
  }
  static const RuntimeSymbol symbols[] = {
      GRAPHC_1(acos),
      GRAPHC_1(acosh),
      GRAPHC_1(asin),
      GRAPHC_1(asinh),
      GRAPHC_1(atan),
      GRAPHC_1(atanh),
      GRAPHC_1(cbrt),
      GRAPHC_1(ceil),
      GRAPHC_1(cos),
      GRAPHC_1(cosh),
      GRAPHC_1(erf),
      GRAPHC_1(erfc),
      GRAPHC_1(exp),
      GRAPHC_1(exp10),
      GRAPHC_1(exp2),
      GRAPHC_1(expm1),
      GRAPHC_1(fabs),
      GRAPHC_1(floor),
      GRAPHC_1(j0),
      GRAPHC_1(j1),
      GRAPHC_1(lgamma),
      GRAPHC_1(log),
      GRAPHC_1(log10),
      GRAPHC_1(log1p),
      GRAPHC_1(log2),
      GRAPHC_1(logb),
      GRAPHC_1(nearbyint),
      GRAPHC_1(rint),
      GRAPHC_1(round),
      GRAPHC_1(roundeven),
      GRAPHC_1(sin),
      GRAPHC_1(sinh),
      GRAPHC_1(sqrt),
      GRAPHC_1(tan),
      GRAPHC_1(tanh),
      GRAPHC_1(tgamma),
      GRAPHC_1(trunc),
      GRAPHC_1(y0),
      GRAPHC_1(y1),
      GRAPHC_2(atan2),
      GRAPHC_2(copysign),
      GRAPHC_2(fdim),
      GRAPHC_2(fmax),
      GRAPHC_2(fmin),
      GRAPHC_2(fmod),
      GRAPHC_2(hypot),
      GRAPHC_2(nextafter),
      GRAPHC_2(pow),
      GRAPHC_2(remainder),
      // sin, cos and tan of huge arguments
      {"sinl", address<long double(long double)>(&::sinl)},
      {"cosl", address<long double(long double)>(&::cosl)},
      {"tanl", address<long double(long double)>(&::tanl)},
      {"fma", address<double(double, double, double)>(&::fma)},
      {"fmaf", address<float(float, float, float)>(&::fmaf)},
      {"frexp", address<double(double, int *)>(&::frexp)},
      {"frexpf", address<float(float, int *)>(&::frexpf)},
      {"ldexp", address<double(double, int)>(&::ldexp)},
      {"ldexpf", address<float(float, int)>(&::ldexpf)},
      {"modf", address<double(double, double *)>(&::modf)},
      {"modff", address<float(float, float *)>(&::modff)},
      {"sincos", address<void(double, double *, double *)>(&::sincos)},
      {"sincosf", address<void(float, float *, float *)>(&::sincosf)},
      // LLVM makes calls of these out of loops and of large copies.
      {"memcpy", address<void *(void *, const void *, size_t)>(&::memcpy)},
      {"memmove", address<void *(void *, const void *, size_t)>(&::memmove)},
      {"memset", address<void *(void *, int, size_t)>(&::memset)},
      {"memcmp", address<int(const void *, const void *, size_t)>(&::memcmp)},
      {"bcmp", address<int(const void *, const void *, size_t)>(&::memcmp)},
  };
#undef GRAPHC_1
#undef GRAPHC_2
  return symbols;
}

absl::Status checkSymbols(const std::string &object, llvm::ArrayRef<llvm::StringRef> more) {
  static const auto &known = *[] {
    auto *names = new llvm::StringSet<>;
    for (const RuntimeSymbol &symbol : runtimeSymbols())
      names->insert(symbol.name);
    return names;
  }();
  auto failure = [](llvm::Error error) {
    return makeError(ErrorKind::Internal, "symbols of an object: " + toString(std::move(error)));
  };
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!file)
    return failure(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return failure(flags.takeError());
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return failure(name.takeError());
    // An ELF file's first symbol is undefined and has no name.
    if (!name->empty() && !known.contains(*name) && !llvm::is_contained(more, *name))
      return makeError(ErrorKind::Internal,
                       "generated code calls " + name->str() + ", which neither libc nor libm has");
  }
  return absl::OkStatus();
}

} // namespace graphc
