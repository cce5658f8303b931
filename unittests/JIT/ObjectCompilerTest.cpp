//===- unittests/JIT/ObjectCompilerTest.cpp - objects for all targets -----===//
#include <regex>
#include <set>
#include <thread>

#include "JIT/RuntimeSymbols.h"
#include "Messages.h"
#include "Runtime/CpuIdentity.h"
#include "TestKernels.h"
#include "absl/strings/str_replace.h"
#include "graphc/Status.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gmock/gmock.h"

namespace graphc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char *kAllTargets[] = {"native",         "x86-64",        "x86-64-v3", "x86-64-v4",
                                       "x86-64-v4-bf16", "x86-64-v4-amx", "aarch64"};

/// All conversions between floats and with integers, on scalars and vectors.
std::string conversions() {
  std::string text = "func.func @kernel(%f64: memref<f64>, %f32: memref<f32>, %f16: memref<f16>, "
                     "%bf16: memref<bf16>,"
                     " %i64: memref<i64>) -> i32 attributes {graphc.kernel} {\n"
                     "  %zero = arith.constant 0 : index\n";
  int count = 0;
  auto view = [](absl::string_view element) {
    return absl::StrReplaceAll(
        "memref.reinterpret_cast %T to offset: [0], sizes: [16], strides: [1] : memref<T> to "
        "memref<16xT>\n",
        {{"T", element}});
  };
  for (absl::string_view type : {"f64", "f32", "f16", "bf16", "i64"})
    text += "  %m" + std::string(type) + " = " + view(type);
  struct Case {
    absl::string_view op, from, to;
  };
  for (Case c :
       {Case{"truncf", "f64", "f32"}, Case{"truncf", "f64", "f16"}, Case{"truncf", "f64", "bf16"},
        Case{"truncf", "f32", "f16"}, Case{"truncf", "f32", "bf16"}, Case{"extf", "f16", "f32"},
        Case{"extf", "f16", "f64"}, Case{"extf", "bf16", "f32"}, Case{"extf", "bf16", "f64"},
        Case{"sitofp", "i64", "f64"}, Case{"uitofp", "i64", "f32"}, Case{"fptosi", "f64", "i64"},
        Case{"fptoui", "f32", "i64"}}) {
    std::string n = std::to_string(count++);
    text +=
        absl::StrReplaceAll("  %aN = vector.load %mFROM[%zero] : memref<16xFROM>, vector<16xFROM>\n"
                            "  %bN = arith.OP %aN : vector<16xFROM> to vector<16xTO>\n"
                            "  vector.store %bN, %mTO[%zero] : memref<16xTO>, vector<16xTO>\n"
                            "  %cN = memref.load %FROM[] : memref<FROM>\n"
                            "  %dN = arith.OP %cN : FROM to TO\n"
                            "  memref.store %dN, %TO[] : memref<TO>\n",
                            {{"N", n}, {"FROM", c.from}, {"TO", c.to}, {"OP", c.op}});
  }
  return text + "  %ok = arith.constant 0 : i32\n  return %ok : i32\n}\n";
}

/// What is asked of the machine that loads the object.
std::set<std::string> undefinedSymbols(const std::string &object, uint16_t machine) {
  std::set<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  EXPECT_TRUE(static_cast<bool>(file));
  auto &elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
  EXPECT_EQ(elf.getEMachine(), machine);
  for (auto symbol : elf.symbols())
    if (*symbol.getFlags() & llvm::object::SymbolRef::SF_Undefined)
      if (llvm::StringRef name = *symbol.getName(); !name.empty())
        names.insert(name.str());
  return names;
}

TEST(ObjectCompiler, EveryTargetNeedsLibmAndLibcOnly) {
  std::set<std::string> allowed;
  for (const RuntimeSymbol &symbol : runtimeSymbols())
    allowed.insert(symbol.name);
  for (const char *name : kAllTargets) {
    auto target = parseTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    for (const std::string &text : {std::string(kScalar), std::string(kVector), conversions()}) {
      auto object = compileText(text, *target);
      ASSERT_TRUE(object.ok()) << object.status();
      uint16_t machine = target->isAArch64 ? llvm::ELF::EM_AARCH64 : llvm::ELF::EM_X86_64;
      for (const std::string &symbol : undefinedSymbols(*object, machine))
        EXPECT_TRUE(allowed.count(symbol)) << symbol << " for " << name;
    }
  }
}

TEST(ObjectCompiler, AssemblyUsesTheWidthOfTheTarget) {
  auto assembly = [](const char *name) {
    auto context = makeContext();
    auto module = parse(*context, kVector);
    auto compiler = ObjectCompiler::create(*parseTarget(name));
    EXPECT_TRUE(compiler.ok());
    auto ir = (*compiler)->toIR(*module);
    EXPECT_TRUE(ir.ok());
    return *(*compiler)->assembly(*ir->module);
  };
  EXPECT_THAT(assembly("x86-64-v4"), HasSubstr("zmm"));
  EXPECT_THAT(assembly("x86-64-v3"), HasSubstr("ymm"));
  EXPECT_THAT(assembly("x86-64-v3"), Not(HasSubstr("zmm")));
  EXPECT_THAT(assembly("x86-64"), Not(HasSubstr("ymm")));
  EXPECT_THAT(assembly("aarch64"), HasSubstr(".4s"));
}

TEST(ObjectCompiler, NoUnwindTables) {
  auto object = compileText(kScalar);
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_THAT(*object, Not(HasSubstr(".eh_frame")));
}

// A compiler keeps its passes: what it compiled before, and on which thread, leaves no trace.
TEST(ObjectCompiler, EqualObjectsAtAnyTime) {
  auto compiler = ObjectCompiler::create(hostTarget());
  ASSERT_TRUE(compiler.ok());
  const std::string texts[] = {std::string(kVector), conversions(), std::string(kScalar)};
  std::vector<std::string> expected;
  for (const std::string &text : texts) {
    auto object = compileText(text); // by a compiler of its own
    ASSERT_TRUE(object.ok());
    expected.push_back(*object);
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto context = makeContext();
      for (size_t i = 0; i < 12; ++i) {
        size_t k = (i + size_t(t)) % 3;
        auto module = parse(*context, texts[k]);
        auto object = (*compiler)->compile(*module);
        EXPECT_TRUE(object.ok() && *object == expected[k]) << "text " << k;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Target, NamesAndFacts) {
  EXPECT_EQ(parseTarget("x86-64")->vectorBytes, 16);
  EXPECT_EQ(parseTarget("x86-64-v3")->vectorBytes, 32);
  EXPECT_TRUE(parseTarget("x86-64-v3")->hasFma && parseTarget("x86-64-v3")->hasF16C);
  EXPECT_FALSE(parseTarget("x86-64-v3")->hasAvx512);
  EXPECT_EQ(parseTarget("x86-64-v4")->vectorBytes, 64);
  EXPECT_TRUE(parseTarget("aarch64")->hasFma);
  EXPECT_EQ(parseTarget("native")->vectorBytes, hostTarget().vectorBytes);
  EXPECT_NE(parseTarget("x86-64")->fingerprint(), parseTarget("x86-64-v3")->fingerprint());
  auto unknown = parseTarget("pdp11");
  EXPECT_EQ(errorKind(unknown.status()), ErrorKind::ValueError);
  EXPECT_EQ(unknown.status().message(),
            "unknown target 'pdp11'; the targets are native, x86-64, "
            "x86-64-v3, x86-64-v4, x86-64-v4-bf16, x86-64-v4-amx, aarch64");
}

// What detection knows to be absent, in order; what it does not know of is no reason.
TEST(Target, FeaturesThatAreMissing) {
  llvm::StringMap<bool> host;
  host["avx2"] = host["fma"] = true;
  host["avx512vl"] = host["avx512bw"] = false;
  EXPECT_EQ(missingFeatures({"avx2", "x87", "fma"}, host), "");
  EXPECT_EQ(missingFeatures({"avx512vl", "avx2", "avx512bw"}, host), "avx512bw, avx512vl");
}

TEST(Target, OnlyCodeOfThisArchitectureRunsHere) {
  EXPECT_TRUE(checkRunsHere(hostTarget()).ok());
  bool arm = hostTarget().isAArch64;
  EXPECT_TRUE(checkRunsHere(*parseTarget(arm ? "aarch64" : "x86-64")).ok());
  absl::Status status = checkRunsHere(*parseTarget(arm ? "x86-64" : "aarch64"));
  EXPECT_EQ(errorKind(status), ErrorKind::NotSupported);
  EXPECT_EQ(std::string(status.message()), std::string("code for ") + (arm ? "x86-64" : "aarch64") +
                                               " cannot run here: this processor, " +
                                               hostTarget().cpu + " of " + hostTarget().triple +
                                               ", is of another architecture");
}

// Of the processor's instructions, and of what processes may use of them.
TEST(Target, TileRegisters) {
  const TargetDescription target = *parseTarget("x86-64-v4-amx");
  EXPECT_TRUE(target.hasAmx && target.hasAvx512Bf16 && target.hasAvx512);
  EXPECT_FALSE(parseTarget("x86-64-v4-bf16")->hasAmx);
  EXPECT_EQ(hostTarget().hasAmx, mayUseTileRegisters());
  EXPECT_TRUE(hostTarget().hasAmx || hostTarget().features.find("+amx") == std::string::npos);
  if (!runsCodeFor("x86-64-v4-bf16") || mayUseTileRegisters())
    GTEST_SKIP();
  EXPECT_EQ(std::string(checkRunsHere(target).message()),
            "code for x86-64-v4-amx cannot run here: this processor, " + hostTarget().cpu + " of " +
                hostTarget().triple + ", lacks AMX, or processes may not use it");
}

TEST(Session, EqualNamesInDifferentLoads) {
  auto session = Session::get();
  ASSERT_TRUE(session.ok());
  auto object = compileText(kScalar);
  ASSERT_TRUE(object.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        auto code = (*session)->loadKernels({*object}, {"kernel", "kernel"});
        ASSERT_TRUE(code.ok()) << code.status();
        ASSERT_EQ((*code)->size(), 2u);
        float x = 1, y = 2, z = 3, out = 0;
        void *buffers[] = {&x, &y, &z, &out};
        EXPECT_EQ((*code)->function(1)(buffers, nullptr), 0);
        EXPECT_EQ(out, 7.0f);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Session, Errors) {
  auto session = Session::get();
  ASSERT_TRUE(session.ok());
  auto object = compileText(kScalar);
  ASSERT_TRUE(object.ok());
  auto missing = (*session)->loadKernels({*object}, {"other"});
  EXPECT_EQ(said(missing.status()), "Internal: JIT: Symbols not found: [ other ]");
  auto twice = (*session)->loadKernels({*object, *object}, {"kernel"});
  // The number says how often the session was used.
  EXPECT_EQ(std::regex_replace(said(twice.status()), std::regex("kernels[0-9]+"), "kernelsN"),
            "Internal: JIT: In kernelsN, duplicate definition of symbol 'kernel'");
  EXPECT_EQ(errorKind((*session)->loadKernels({"not an object"}, {"kernel"}).status()),
            ErrorKind::Internal);
  // Truncated objects are refused, and crash nothing.
  for (size_t size = 0; size < object->size(); size += 97)
    EXPECT_FALSE((*session)->loadKernels({object->substr(0, size)}, {"kernel"}).ok());
  // And the session works on.
  EXPECT_TRUE((*session)->loadKernels({*object}, {"kernel"}).ok());
}

} // namespace
} // namespace graphc::testing
