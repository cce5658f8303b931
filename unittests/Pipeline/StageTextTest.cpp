//===- StageTextTest.cpp - --from with texts that graphc has not written ----------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "Kernels/CompilerInterface.h"
#include "graphc/Import.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

using testing::HasSubstr;

const CompilerInterface &compiler() {
  static const CompilerInterface *loaded = *loadCompiler();
  return *loaded;
}

absl::StatusOr<std::string> translate(std::string_view text, std::string_view from,
                                      std::string_view to = "obj",
                                      const std::string &target = "x86-64-v4") {
  CompileOptions options;
  options.target = target;
  return compiler().translate(text, "stage.mlir", from, to, options);
}

std::string messageOf(const absl::Status &status) {
  return std::string(status.message().data(), status.message().size());
}

/// A row-wise softmax, a gather, a maximum's position and a check: loads of all kinds, joins,
/// calls.
constexpr std::string_view kGraph = R"(
func.func @main(%x: tensor<?x?xf32>, %i: tensor<?xi64>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi64>) {
  %s = graph.softmax %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = graph.take %x, %i {axis = 0} : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  %m = graph.argmax %x {axes = [1]} : (tensor<?x?xf32>) -> tensor<?xi64>
  return %s, %t, %m : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi64>
}
)";

std::string stageOf(std::string_view graph, std::string_view stage, const std::string &target) {
  auto module = parseGraph(graph);
  EXPECT_TRUE(module.ok()) << module.status();
  CompileOptions options;
  options.target = target;
  auto text = compiler().emit(*module, stage, options);
  EXPECT_TRUE(text.ok()) << text.status();
  return *text;
}

/// The text with its first `old` replaced.
std::string with(std::string text, std::string_view old, std::string_view now) {
  size_t at = text.find(old);
  EXPECT_NE(at, text.npos) << old << " is not in\n" << text;
  return at == text.npos ? text : text.replace(at, old.size(), now);
}

std::string withoutComments(const std::string &llvm) {
  std::istringstream in(llvm);
  std::string text, line;
  while (std::getline(in, line))
    text += line.substr(0, line.find(';')) + "\n";
  return text;
}

/// One way gives the same code as the other.
TEST(StageText, GoesOnWhereTheStageEnded) {
  for (const char *target : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    std::string linalg = stageOf(kGraph, "linalg", target);
    auto loops = translate(linalg, "linalg", "loops", target);
    ASSERT_TRUE(loops.ok()) << loops.status();
    EXPECT_EQ(*loops, stageOf(kGraph, "loops", target));
    std::string assembly = stageOf(kGraph, "asm", target);
    EXPECT_EQ(*translate(*loops, "loops", "asm", target), assembly);
    auto llvm = translate(*loops, "loops", "llvm", target);
    ASSERT_TRUE(llvm.ok()) << llvm.status();
    EXPECT_EQ(*llvm, stageOf(kGraph, "llvm", target));
    EXPECT_EQ(*translate(*llvm, "llvm", "asm", target), assembly);
    auto again = translate(*llvm, "llvm", "llvm", target);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(withoutComments(*again) == withoutComments(*llvm)); // predecessors in another order
    EXPECT_EQ(*translate(*llvm, "llvm", "obj", target),
              *translate(linalg, "linalg", "obj", target));
    EXPECT_EQ(*translate(linalg, "linalg", "linalg", target), linalg);
    EXPECT_EQ(*translate(*loops, "loops", "loops", target), *loops);
  }
}

struct Wrong {
  const char *old, *now, *message;
};

TEST(StageText, LinalgThatIsNoneOfGraphcsIsAnError) {
  constexpr const char *kLinalg = R"(
#id = affine_map<(d0) -> (d0)>
func.func private @graphc.exp.f32(f32) -> f32
func.func @f(%x: tensor<?xf32> {graphc.dims = array<i64: 0>}, %n: index) -> tensor<?xf32>
    attributes {graphc.kernel, graphc.shared = 0 : i64} {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = func.call @graphc.exp.f32(%in) : (f32) -> f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
)";
  auto fine = translate(kLinalg, "linalg");
  ASSERT_TRUE(fine.ok()) << fine.status();
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           {"func.call @graphc.exp.f32(%in)", "func.call @graphc.exp.f32(%c)",
            "uses its own values"},
           {"linalg.yield %2", "linalg.yield %out", "used by the reduction's join alone"},
           {"private @graphc.exp.f32(f32)", "private @graphc.expo.f32(f32)", "does not reference"},
           {"%2 = func.call @graphc.exp.f32(%in) : (f32) -> f32", "%2 = math.exp %in : f32",
            "no place in a body"},
           {"%c = arith.constant 1.0 : f32", "%c = math.absf %n : f32", ""},
           {"%c = arith.constant 1.0 : f32", "%c = arith.addi %n, %n : index",
            "no place in a kernel"},
           {"affine_map<(d0) -> (d0)>", "affine_map<(d0) -> (d0 mod 2)>", ""},
           {"[#id, #id]", "[affine_map<(d0) -> (d0 floordiv 2)>, #id]", "no sum of multiples"},
           {"graphc.shared = 0 : i64", "graphc.shared = -1 : i64", "number of loops"},
           {"graphc.shared = 0 : i64", "graphc.shared = 7 : i64", "more than the parallel loops"},
           {"graphc.shared = 0 : i64", "passthrough = [\"naked\"]", "no attribute of this stage"},
           {"{graphc.kernel, ", "{", "is marked graphc.kernel"},
           {"array<i64: 0>", "array<index: 0>", "of a type that graphc does not use"},
           {"array<i64: 0>", "array<i64: 9>", "names a size that is no argument"},
           {"array<i64: 0>", "array<i64>", "one size for each dynamic extent"},
           {"@f(", "@llvm.memcpy(", "name is made of"},
           {"@f(", "@\"a\\0Ab\"(", "name is made of"},
           {"func.func @f", "memref.global @g : memref<4xf32>\nfunc.func @f", ""},
       }) {
    SCOPED_TRACE(wrong.now);
    auto result = translate(with(kLinalg, wrong.old, wrong.now), "linalg");
    EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
    EXPECT_THAT(messageOf(result.status()), HasSubstr(wrong.message));
  }
  // A function for a dtype that it does not have; types that are none of graphc's; a tensor larger
  // than memory.
  for (std::string_view text :
       {"func.func private @graphc.sigmoid.i32(i32) -> i32",
        "func.func private @graphc.load.f32() -> f32",
        "func.func private @graphc.exp.f32(f64) -> f64",
        "func.func @f(%x: tensor<4xcomplex<f32>>) attributes {graphc.kernel} { return }",
        "func.func @f(%x: tensor<*xf32>) attributes {graphc.kernel} { return }",
        "func.func @f(%x: memref<4xf32>) attributes {graphc.kernel} { return }",
        "func.func @f(%x: tensor<4611686018427387904x4611686018427387904xf64>) "
        "attributes {graphc.kernel} { return }",
        "module { module {} }", "func.func @f(", "\xff\xfe", ""}) {
    SCOPED_TRACE(std::string(text));
    auto result = translate(text, "linalg");
    if (text.empty())
      EXPECT_TRUE(result.ok()) << "no kernels, no code";
    else
      EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
  }
}

TEST(StageText, LoopsThatAreNoneOfGraphcsAreAnError) {
  constexpr const char *kLoops = R"(
func.func @f(%x: memref<f32> {llvm.noalias}, %n: index) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %m = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1]
      : memref<f32> to memref<?xf32>
  %v = vector.load %m[%c0] : memref<?xf32>, vector<16xf32>
  %i = llvm.call_intrinsic "llvm.fptosi.sat"(%v) : (vector<16xf32>) -> vector<16xi32>
  %s = arith.sitofp %i : vector<16xi32> to vector<16xf32>
  vector.store %s, %m[%c0] : memref<?xf32>, vector<16xf32>
  %r = arith.constant 0 : i32
  return %r : i32
}
)";
  auto fine = translate(kLoops, "loops");
  ASSERT_TRUE(fine.ok()) << fine.status();
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           {"llvm.fptosi.sat", "llvm.memcpy.inline", "intrinsic that this stage does not use"},
           {"llvm.fptosi.sat", "llvm.x86.avx512.mask.getexp.ps.512", "immediate"},
           {"vector.load %m[%c0] :",
            "vector.load %m[%c0] {alignment = 4611686018427387904 : i64} :",
            "as aligned as their elements"},
           {"%r = arith", "%big = memref.alloca() : memref<1099511627776xi8>\n%r = arith", "small"},
           {"%r = arith", "%h = memref.alloc() : memref<4xi8>\n%r = arith", "no place in loops"},
           {"%r = arith", "%w = arith.constant dense<0> : vector<1000000xi8>\n%r = arith",
            "up to 64 lanes"},
           {"%r = arith", "%w = arith.constant dense<0> : vector<[4]xi8>\n%r = arith",
            "up to 64 lanes"},
           {"%r = arith", "%w = arith.constant 0 : i8388607\n%r = arith", "scalars"},
           {"%r = arith", "llvm.inline_asm \"hlt\", \"\" : () -> ()\n%r = arith",
            "assembly is empty"},
           {"attributes {graphc.kernel}", "attributes {graphc.kernel, llvm.linkage = 1}", ""},
           {"attributes {graphc.kernel}", "attributes {graphc.kernel, passthrough = [\"x\"]}",
            "no attribute of this stage"},
           {"@f(", "@llvm.trap(", "name is made of"},
           {"func.func @f",
            "func.func private @g(memref<f32>) attributes {graphc.kernel}\nfunc.func @f",
            "functions of one block"},
       }) {
    SCOPED_TRACE(wrong.now);
    auto result = translate(with(kLoops, wrong.old, wrong.now), "loops");
    EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
    EXPECT_THAT(messageOf(result.status()), HasSubstr(wrong.message));
  }
  // Of the stage, and yet not to be compiled: LLVM's verifier and the signature say so.
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           {"llvm.call_intrinsic \"llvm.fptosi.sat\"(%v) : (vector<16xf32>) -> vector<16xi32>",
            "llvm.call_intrinsic \"llvm.fptosi.sat\"(%v) : (vector<16xf32>) -> vector<8xi32>\n"
            "%unused = arith.constant dense<0> : vector<16xi32>",
            ""},
           {"%n: index", "%n: i16", ""},
       }) {
    SCOPED_TRACE(wrong.now);
    EXPECT_FALSE(translate(with(kLoops, wrong.old, wrong.now), "loops").ok());
  }
  // Instructions that the target lacks, at which LLVM ends the process.
  std::string loops = stageOf(kGraph, "loops", "x86-64-v4");
  EXPECT_THAT(messageOf(translate(loops, "loops", "obj", "x86-64").status()),
              HasSubstr("the target x86-64 has no AVX-512"));
  EXPECT_THAT(messageOf(translate(loops, "loops", "obj", "aarch64").status()),
              HasSubstr("the target aarch64 has no AVX-512"));
}

/// A kernel of everything that LLVM IR of graphc has.
constexpr std::string_view kLLVM = R"(source_filename = "kernels"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @f(ptr readonly %0, ptr readonly %1) #0 {
  %3 = load ptr, ptr %0, align 8, !invariant.load !1
  %4 = alloca i32, align 4
  %5 = getelementptr inbounds nuw float, ptr %3, i64 8
  %6 = load <16 x float>, ptr %5, align 4
  %7 = call <16 x float> @llvm.x86.avx512.mask.getexp.ps.512(<16 x float> %6, <16 x float> zeroinitializer, i16 -1, i32 4)
  %8 = call <16 x i32> @llvm.fptosi.sat.v16i32.v16f32(<16 x float> %7)
  %9 = sitofp <16 x i32> %8 to <16 x float>
  store <16 x float> %9, ptr %5, align 4
  %10 = call double asm "", "=x,0"(double 0.000000e+00)
  ret i32 0
}

declare <16 x float> @llvm.x86.avx512.mask.getexp.ps.512(<16 x float>, <16 x float>, i16, i32 immarg)
declare <16 x i32> @llvm.fptosi.sat.v16i32.v16f32(<16 x float>)

attributes #0 = { nounwind "graphc-noalias"="0,1" "prefer-vector-width"="512" "target-cpu"="x86-64-v4" "target-features" }

!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{}
)";

TEST(StageText, LLVMThatIsNoneOfGraphcsIsAnError) {
  auto fine = translate(kLLVM, "llvm");
  ASSERT_TRUE(fine.ok()) << fine.status();
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           // words
           {"ret i32 0", "ret i32 0, !dbg !1",
            "stage.mlir:15:14: metadata that this stage does not use"},
           {"define i32", "module asm \"hlt\"\ndefine i32",
            "stage.mlir:5:1: 'module' is no word of this stage"},
           {"define i32", "@g = global i32 0\ndefine i32", "'global' is no word of this stage"},
           {"define i32", "define i32 section \"x\"", "'section' is no word of this stage"},
           {"load <16 x float>", "load atomic <16 x float>", "'atomic' is no word of this stage"},
           {"ptr %0,", "ptr byval(i32) %0,", "'byval' is no word of this stage"},
           {"@f(", "@\"f\"(", "a name that is not plain"},
           {"<16 x i32>", "<99999 x i32>", "vectors have up to 64 lanes, and there are no arrays"},
           {"alloca i32", "alloca [4 x i32]",
            "vectors have up to 64 lanes, and there are no arrays"},
           {"alloca i32", "alloca i128", "integers have up to 64 bits"},
           {"@llvm.fptosi.sat.", "@llvm.memcpy.inline.",
            "an intrinsic that this stage does not use"},
           {"#0 {", "#zero {", "attributes have a number"},
           {"ret i32 0", "ret i32 0 ^", "a character that this stage does not use"},
           {"\"target-features\"", "\"target-features", "a string that does not end on its line"},
           {"i64 8", "((((((((((((((((((i64 8))))))))))))))))))", "nested too deep"},
           // the parser
           {"ret i32 0", "ret i32", "stage.mlir:16:1: expected value token"},
           {"alloca i32", "alloca label", "stage.mlir:7:15: invalid type for alloca"},
           // the verifier
           {"ret i32 0", "ret i64 0", "stage.mlir:15:7: value doesn't match function result type"},
           {"readonly %0", "align 3 %0", ""},
           {"i32 4)", "i32 %a)", ""},
           // what graphc makes of them
           {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu",
            "stage.mlir:3:1: the text is for 'aarch64-unknown-linux-gnu', and the target x86-64-v4 "
            "is 'x86_64-unknown-linux-gnu'"},
           {"-n8:16:32:64", "-n8:16:32",
            "stage.mlir:2:1: the data layout is not that of the target x86-64-v4"},
           {"!\"Debug Info Version\"", "!\"cf-protection-branch\"",
            "stage.mlir:23:1: a module flag that this stage does not use"},
           {"\"x86-64-v4\"", "\"znver4\"",
            "stage.mlir:5:1: target-cpu is 'znver4', and that of the target x86-64-v4 is "
            "'x86-64-v4' (@f)"},
           {"\"target-features\"", "\"target-features\"=\"+soft-float\"",
            "target-features is '+soft-float', and that of the target x86-64-v4 is '' (@f)"},
           {"nounwind \"", "nounwind willreturn \"",
            "the attributes are not those of a kernel (@f)"},
           {"\"0,1\"", "\"0,x\"", "the attributes are not those of a kernel (@f)"},
           {"i32 @f(ptr readonly %0", "i32 @f(i64 %a, ptr readonly %0",
            "a kernel takes two pointers and returns i32 (@f)"},
           {"@f(", "@f-1(", "a kernel's name is made of letters, digits, '_' and '.' (@f-1)"},
           {"declare", "declare i32 @system(ptr)\ndeclare",
            "stage.mlir:18:1: kernels call intrinsics alone (@system)"},
           {"alloca i32", "alloca i32, i64 99999",
            "stage.mlir:7:3: what lies on the stack is small, and its size is known (alloca)"},
           {"alloca i32, align 4", "alloca i32, align 4096",
            "what lies on the stack is a number or a vector (alloca)"},
           {"alloca i32, align 4", "alloca { i32 }",
            "what lies on the stack is a number or a vector"},
           {"ptr %5, align 4\n  %7", "ptr %5, align 1073741824\n  %7",
            "stage.mlir:9:3: accesses are as aligned as their elements (load)"},
           {"float, ptr %3, i64 8", "{ i32, i32 }, ptr %3, i64 8, i32 1",
            "an address is a pointer and one index (getelementptr)"},
           {"i16 -1, i32 4)", "i16 -1, i32 9)",
            "stage.mlir:10:3: an immediate that the instruction has not (call)"},
           {"asm \"\"", "asm \"hlt\"", "inline assembly is empty, to hide a value (call)"},
           {"store <16 x float> %9,", "store ptr @f,",
            "a constant is a number, or one for each lane (store)"},
       }) {
    SCOPED_TRACE(wrong.now);
    auto result = translate(with(std::string(kLLVM), wrong.old, wrong.now), "llvm");
    EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
    std::string text = errorPlace(result.status()) ? errorPlace(result.status())->str() + ": " : "";
    EXPECT_THAT(text + messageOf(result.status()), HasSubstr(wrong.message));
  }
  EXPECT_EQ(messageOf(translate(kLLVM, "llvm", "obj", "x86-64").status()),
            "target-cpu is 'x86-64-v4', and that of the target x86-64 is 'x86-64' (@f)");
  std::string other =
      with(std::string(kLLVM), "\"target-cpu\"=\"x86-64-v4\"", "\"target-cpu\"=\"x86-64\"");
  EXPECT_EQ(messageOf(translate(with(other, "\"prefer-vector-width\"=\"512\" ", ""), "llvm", "obj",
                                "x86-64")
                          .status()),
            "the target x86-64 has no AVX-512 (call)");
}

/// The parser calls itself for brackets, operators and aliases.
TEST(StageText, DeepTextsAreAnError) {
  auto repeat = [](std::string_view part) {
    std::string text;
    for (int i = 0; i < 100000; ++i)
      text += part;
    return text;
  };
  std::string chain = "#a0 = [1]\n";
  for (int i = 0; i < 3000; ++i)
    chain += "#a" + std::to_string(i + 1) + " = [#a" + std::to_string(i) + "]\n";
  for (const std::string &text :
       {"func.func private @f(" + repeat("tuple<"), repeat("module {"),
        "module attributes {a = " + repeat("[") + "}",
        "func.func private @f() loc(" + repeat("fused["),
        "#m = affine_map<(d0) -> (" + repeat("-") + "d0)>",
        "#m = affine_map<(d0) -> (d0" + repeat(" + \n d0") + ")>", chain + "module {}"})
    for (const char *from : {"linalg", "loops"}) {
      auto result = translate(text, from);
      EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
      EXPECT_TRUE(errorPlace(result.status())) << result.status();
      auto graph = parseGraph(text, "deep.mlir");
      EXPECT_EQ(errorKind(graph.status()), ErrorKind::ValueError) << graph.status();
    }
}

TEST(StageText, BytecodeIsAnError) {
  auto module = parseGraph(kGraph);
  std::string bytecode = *printGraph(*module, {.bytecode = true});
  for (const char *from : {"linalg", "loops"})
    EXPECT_THAT(messageOf(translate(bytecode, from).status()), HasSubstr("not as bytecode"));
}

/// Texts with words exchanged, lines lost or doubled, and bytes changed end in code or an error.
TEST(StageText, DamagedTexts) {
  std::mt19937 random(5);
  auto below = [&](size_t end) { return size_t(random() % end); };
  const char *given = getenv("GRAPHC_TEST_DAMAGED");
  int count = given ? atoi(given) : 300;
  for (const char *from : {"linalg", "loops", "llvm"}) {
    std::string text = stageOf(kGraph, from, "x86-64-v4");
    // Words, with what separates them.
    std::vector<std::string> words;
    for (char c : text) {
      bool inWord = isalnum(c) || c == '_' || c == '.' || c == '%' || c == '#' || c == '@';
      if (words.empty() || !inWord || !isalnum(words.back().back()))
        if (!(inWord && !words.empty() && strchr("%#@._", words.back().back())))
          words.emplace_back();
      words.back() += c;
    }
    int read = 0;
    for (int i = 0; i < count; ++i) {
      std::string damaged;
      if (i % 4 == 0) {
        damaged = text;
        damaged[below(damaged.size())] ^= char(1 << below(8));
      } else {
        std::vector<std::string> changed = words;
        for (size_t changes = 1 + below(3); changes > 0; --changes) {
          size_t at = below(changed.size()), other = below(changed.size());
          // A word for one of its kind is a change that the parser is likely to let through.
          for (int tries = 0; tries < 200 && changed[at][0] != changed[other][0]; ++tries)
            other = below(changed.size());
          changed[at] = i % 4 == 3 ? "" : changed[other];
        }
        for (const std::string &word : changed)
          damaged += word;
      }
      auto result = translate(damaged, from, "obj");
      read += result.ok();
      if (!result.ok()) {
        EXPECT_FALSE(messageOf(result.status()).empty());
      }
    }
    EXPECT_GT(read, count / 50) << "some changes make another kernel";
    EXPECT_LT(read, count);
  }
}

} // namespace
} // namespace graphc
