//===- StageTextTest.cpp - --from with texts that graphc has not written ----------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "Kernels/CompilerInterface.h"
#include "Messages.h"
#include "graphc/Emit.h"
#include "graphc/Import.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

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
  for (
      const Wrong &wrong : std::initializer_list<Wrong>{
          {"func.call @graphc.exp.f32(%in)", "func.call @graphc.exp.f32(%c)",
           "ValueError stage.mlir:11:10: a body uses its own values, arrays and sizes (func.call)"},
          {"linalg.yield %2", "linalg.yield %out",
           "ValueError stage.mlir:12:5: an accumulator is used by the reduction's join alone "
           "(linalg.yield)"},
          {"private @graphc.exp.f32(f32)", "private @graphc.expo.f32(f32)",
           "ValueError stage.mlir:11:10: 'func.call' op 'graphc.exp.f32' does not reference a "
           "valid function"},
          {"%2 = func.call @graphc.exp.f32(%in) : (f32) -> f32", "%2 = math.exp %in : f32",
           "ValueError stage.mlir:11:10: op that has no place in a body (math.exp)"},
          {"%c = arith.constant 1.0 : f32", "%c = math.absf %n : f32",
           "ValueError stage.mlir:6:18: use of value '%n' expects different type than prior uses: "
           "'f32' vs 'index'\nnote: prior use here"},
          {"%c = arith.constant 1.0 : f32", "%c = arith.addi %n, %n : index",
           "ValueError stage.mlir:6:8: op that has no place in a kernel (arith.addi)"},
          {"affine_map<(d0) -> (d0)>", "affine_map<(d0) -> (d0 mod 2)>",
           "ValueError stage.mlir:8:8: 'linalg.generic' op invalid indexing maps are "
           "non-invertible: ((d0) -> (d0 mod 2, d0 mod 2))"},
          {"[#id, #id]", "[affine_map<(d0) -> (d0 floordiv 2)>, #id]",
           "ValueError stage.mlir:8:8: an index is no sum of multiples of loops and a constant "
           "(linalg.generic)"},
          {"graphc.shared = 0 : i64", "graphc.shared = -1 : i64",
           "ValueError stage.mlir:4:1: graphc.shared is a number of loops (func.func)"},
          {"graphc.shared = 0 : i64", "graphc.shared = 7 : i64",
           "ValueError stage.mlir:8:8: kernel @f: graphc.shared is more than the parallel loops "
           "(linalg.generic)"},
          {"graphc.shared = 0 : i64", "graphc.shared = 0 : i64, graphc.split",
           "ValueError stage.mlir:4:1: kernel @f: graphc.split wants loops that all "
           "generics share (func.func)"},
          {"graphc.shared = 0 : i64", "passthrough = [\"naked\"]",
           "ValueError stage.mlir:4:1: 'passthrough' is no attribute of this stage (func.func)"},
          {"{graphc.kernel, ", "{",
           "ValueError stage.mlir:4:1: a function with a body is marked graphc.kernel (func.func)"},
          {"array<i64: 0>", "array<index: 0>",
           "ValueError stage.mlir:4:47: array<...> of a type that graphc does not use"},
          {"array<i64: 0>", "array<i64: 9>",
           "ValueError stage.mlir:4:1: kernel @f: graphc.dims names a size that is no argument "
           "(func.func)"},
          {"array<i64: 0>", "array<i64>",
           "ValueError stage.mlir:4:1: kernel @f: graphc.dims has not one size for each dynamic "
           "extent (func.func)"},
          {"@f(", "@llvm.memcpy(",
           "ValueError stage.mlir:4:1: a kernel's name is made of letters, digits, points and "
           "underscores (func.func)"},
          {"@f(", "@\"a\\0Ab\"(",
           "ValueError stage.mlir:4:1: a kernel's name is made of letters, digits, points and "
           "underscores (func.func)"},
          {"func.func @f", "memref.global @g : memref<4xf32>\nfunc.func @f",
           "ValueError stage.mlir: is no text of linalg: it looks like loops; --from=loops reads "
           "that"},
      }) {
    SCOPED_TRACE(wrong.now);
    auto result = translate(with(kLinalg, wrong.old, wrong.now), "linalg");
    EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
    EXPECT_EQ(whole(result.status()), wrong.message);
  }
  // A function for a dtype that it does not have; types that are none of graphc's; a tensor larger
  // than memory.
  for (auto [text, message] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"func.func private @graphc.sigmoid.i32(i32) -> i32",
            "ValueError stage.mlir:1:1: the dtype does not have that operation (func.func)"},
           {"func.func private @graphc.load.f32() -> f32",
            "ValueError stage.mlir:1:1: no scalar operation has that name (func.func)"},
           {"func.func private @graphc.exp.f32(f64) -> f64",
            "ValueError stage.mlir:1:1: the function's types are not those of its name "
            "(func.func)"},
           {"func.func @f(%x: tensor<4xcomplex<f32>>) attributes {graphc.kernel} { return }",
            "ValueError stage.mlir:1:1: a tensor is ranked, of at most 32 axes and of elements "
            "that graphc has (func.func)"},
           {"func.func @f(%x: tensor<*xf32>) attributes {graphc.kernel} { return }",
            "ValueError stage.mlir:1:1: a tensor is ranked, of at most 32 axes and of elements "
            "that graphc has (func.func)"},
           {"func.func @f(%x: memref<4xf32>) attributes {graphc.kernel} { return }",
            "ValueError stage.mlir: is no text of linalg: it looks like loops; --from=loops reads "
            "that"},
           {"func.func @f(%x: tensor<4611686018427387904x4611686018427387904xf64>) attributes "
            "{graphc.kernel} { return }",
            "ValueError stage.mlir:1:1: a tensor is larger than memory can be (func.func)"},
           {"module { module {} }",
            "ValueError stage.mlir:1:10: a module of kernels has functions only (builtin.module)"},
           {"func.func @f(", "ValueError stage.mlir:1:13: expected non-function type"},
           {"\xff\xfe", "ValueError stage.mlir:1:1: unexpected character"},
           {"", "OK"}}) // no kernels, no code
    EXPECT_EQ(whole(translate(text, "linalg").status()), message) << text;
}

// What a kernel of linalg is made of: a masked load, a sum, and a maximum's position.
TEST(StageText, KernelsOfAnotherFormAreErrors) {
  constexpr const char *kLinalg = R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @graphc.argmax.f32(f32, i64, f32, i64) -> (f32, i64)
func.func @f(%x: tensor<?x?xf32> {graphc.dims = array<i64: 0, 1>}, %n: index, %m: index)
    -> (tensor<?xf32>, tensor<?xi64>) attributes {graphc.kernel, graphc.shared = 0 : i64} {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i64
  %e = tensor.empty(%n) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %is = arith.cmpi slt, %i, %i : index
    %v = scf.if %is -> (f32) {
      %l = tensor.extract %x[%i, %i] : tensor<?x?xf32>
      scf.yield %l : f32
    } else {
      scf.yield %in : f32
    }
    %w = arith.addf %in, %v : f32
    %j = arith.addf %out, %w : f32
    linalg.yield %j : f32
  } -> tensor<?xf32>
  %ei = tensor.empty(%n) : tensor<?xi64>
  %startI = linalg.fill ins(%first : i64) outs(%ei : tensor<?xi64>) -> tensor<?xi64>
  %a:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start, %startI : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %p = arith.constant 1 : i64
    %b:2 = func.call @graphc.argmax.f32(%best, %at, %in, %p) : (f32, i64, f32, i64) -> (f32, i64)
    linalg.yield %b#0, %b#1 : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %s, %a#1 : tensor<?xf32>, tensor<?xi64>
}
)";
  auto fine = translate(kLinalg, "linalg");
  ASSERT_TRUE(fine.ok()) << fine.status();
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           {"%n: index, %m: index)", "%n: index, %m: index, %z: tensor<f32>)",
            "ValueError stage.mlir:5:1: kernel @f: arguments are ranked tensors and then sizes "
            "(func.func)"},
           {"outs(%start : tensor", "outs(%e : tensor",
            "ValueError stage.mlir:11:8: kernel @f: a reduction's init is no linalg.fill with a "
            "constant (linalg.generic)"},
           {"linalg.yield %j", "linalg.yield %in",
            "ValueError stage.mlir:23:10: an accumulator is used by the reduction's join alone "
            "(arith.addf)"},
           {"linalg.yield %j", "linalg.yield %w",
            "ValueError stage.mlir:23:10: an accumulator is used by the reduction's join alone "
            "(arith.addf)"},
           {"%j = arith.addf %out, %w : f32\n    linalg.yield %j", "linalg.yield %in",
            "ValueError stage.mlir:11:8: kernel @f: a reduction yields what no op of its body "
            "joined (linalg.generic)"},
           {"%j = arith.addf %out, %w", "%j = arith.negf %w",
            "ValueError stage.mlir:23:10: kernel @f: a join has two operands (arith.negf)"},
           {"%j = arith.addf %out, %w", "%j = arith.addf %w, %w",
            "ValueError stage.mlir:23:10: kernel @f: a join reads the accumulator (arith.addf)"},
           {"(%best, %at, %in, %p)", "(%best, %p, %in, %at)",
            "ValueError stage.mlir:32:12: kernel @f: two results are joined by graphc.argmax or "
            "graphc.argmin only (func.call)"},
           {"tensor.extract %x[%i, %i] : tensor<?x?xf32>", "tensor.extract %e[%i] : tensor<?xf32>",
            "ValueError stage.mlir:16:10: kernel @f: a branch is no masked load (scf.if)"},
           {"%l = tensor", "%u = arith.addf %in, %in : f32\n%l = tensor",
            "ValueError stage.mlir:16:10: kernel @f: a branch is more than a masked load (scf.if)"},
           {"scf.yield %l", "scf.yield %in",
            "ValueError stage.mlir:16:10: kernel @f: a branch is no masked load (scf.if)"},
           {"%w = arith.addf %in, %v",
            "%q = tensor.extract %e[%i] : tensor<?xf32>\n%w = arith.addf %in, %q",
            "ValueError stage.mlir:22:10: kernel @f: a load is from no array (tensor.extract)"},
           {"[#id, #row], iterator_types = [\"parallel\", \"reduction\"]",
            "[#id, affine_map<(d0, d1) -> (d1)>], iterator_types = [\"reduction\", \"parallel\"]",
            "ValueError stage.mlir:11:8: kernel @f: parallel loops stand before reductions "
            "(linalg.generic)"},
           {"[#id, #row], iterator", "[#id, affine_map<(d0, d1) -> (d1)>], iterator",
            "ValueError stage.mlir:11:8: kernel @f: a result's map is not its parallel loops in "
            "order (linalg.generic)"},
           {"outs(%start : tensor<?xf32>) {", "outs(%x : tensor<?x?xf32>) {",
            "ValueError stage.mlir:11:8: 'linalg.generic' op expected type of operand #1 "
            "('tensor<?x?xf32>') to match type of corresponding result ('tensor<?xf32>')"},
           {"return %s, %a#1", "return %e, %a#1",
            "ValueError stage.mlir:35:3: kernel @f: a kernel returns results of its generics, each "
            "once (func.return)"},
           {"return %s, %a#1 : tensor<?xf32>, tensor<?xi64>",
            "cf.br ^end\n^end:\nreturn %s, %a#1 : tensor<?xf32>, tensor<?xi64>",
            "ValueError stage.mlir:5:1: a kernel has one block (func.func)"},
           {"linalg.yield %j", "%u = arith.negf %j : f32\nlinalg.yield %j",
            "ValueError stage.mlir:23:10: what a reduction joins is what it yields, and nothing "
            "else (arith.addf)"},
           {"%p = arith", "%q = arith.constant dense<1> : vector<2xi64>\n%p = arith",
            "ValueError stage.mlir:31:10: values of a body are scalars (arith.constant)"},
           {"%w = arith.addf",
            "%p = arith.constant 1 : i64\n%b:2 = func.call @graphc.argmax.f32(%in, %p, %v, %p) : "
            "(f32, i64, f32, i64) -> (f32, i64)\n%w = arith.addf",
            "ValueError stage.mlir:23:8: positions are joined by reductions only (func.call)"},
           {"%w = arith.addf", "%q = arith.addf %x, %x : tensor<?x?xf32>\n%w = arith.addf",
            "ValueError stage.mlir:22:10: values of a body are scalars (arith.addf)"},
           {"%w = arith.addf", "%q = arith.constant dense<0> : tensor<2xi64>\n%w = arith.addf",
            "ValueError stage.mlir:22:10: values of a body are scalars (arith.constant)"},
           {"%start = linalg.fill ins(%zero : f32)", "%start = linalg.fill ins(%first : i64)",
            "ValueError stage.mlir:10:12: 'linalg.fill' op expected fill value type ('i64') to "
            "match output element type ('f32')"},
           {"graphc.shared = 0", "graphc.shared = 2",
            "ValueError stage.mlir:11:8: kernel @f: graphc.shared is more than the parallel loops "
            "(linalg.generic)"},
           {"func.func private", "func.func private @other(f32) -> f32\nfunc.func private",
            "ValueError stage.mlir:4:1: no scalar operation has that name (func.func)"},
       })
    EXPECT_EQ(whole(translate(with(kLinalg, wrong.old, wrong.now), "linalg").status()),
              wrong.message)
        << wrong.now;

  using Edits = std::vector<std::pair<const char *, const char *>>;
  for (auto &[edits, message] : std::initializer_list<std::pair<Edits, const char *>>{
           {{{"  %zero =", "  %k = arith.constant 3 : index\n  %zero ="},
             {"tensor.empty(%n) : tensor<?xf32>", "tensor.empty(%k) : tensor<?xf32>"}},
            "ValueError stage.mlir:10:8: kernel @f: a tensor's extent is no argument of the "
            "function (tensor.empty)"},
           {{{"  %s = linalg",
              "  %start2 = linalg.fill ins(%zero : f32) outs(%start : tensor<?xf32>) -> "
              "tensor<?xf32>\n  %s = linalg"},
             {"outs(%start : tensor<?xf32>) {", "outs(%start2 : tensor<?xf32>) {"}},
            "ValueError stage.mlir:12:8: kernel @f: an operand is neither an argument, a result "
            "nor tensor.empty (linalg.generic)"},
           {{{"[#id, #row]", "[#id, affine_map<(d0, d1) -> ()>, #row]"},
             {"%x : tensor<?x?xf32>) outs(%start :",
              "%x, %zero : tensor<?x?xf32>, f32) outs(%start :"},
             {"^bb0(%in: f32, ", "^bb0(%in: f32, %in0: f32, "}},
            "ValueError stage.mlir:11:8: operands are tensors (linalg.generic)"},
           {{{"  %zero =", "  %e2 = tensor.empty(%n, %m) : tensor<?x?xf32>\n  %zero ="},
             {"[#id, #row]", "[#id, #id, #row]"},
             {"%x : tensor<?x?xf32>) outs(%start :",
              "%x, %e2 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%start :"},
             {"^bb0(%in: f32, ", "^bb0(%in0: f32, %in: f32, "}},
            "ValueError stage.mlir:12:8: a body reads a tensor without elements (linalg.generic)"},
           {{{"[#id, #row, #row]", "[#id, #row, #row, #row]"},
             {"outs(%start, %startI : tensor<?xf32>, tensor<?xi64>)",
              "outs(%start, %startI, %start : tensor<?xf32>, tensor<?xi64>, tensor<?xf32>)"},
             {"%at: i64)", "%at: i64, %third: f32)"},
             {"linalg.yield %b#0, %b#1 : f32, i64", "linalg.yield %b#0, %b#1, %in : f32, i64, f32"},
             {"} -> (tensor<?xf32>, tensor<?xi64>)",
              "} -> (tensor<?xf32>, tensor<?xi64>, tensor<?xf32>)"},
             {"%a:2", "%a:3"}},
            "ValueError stage.mlir:28:10: a nest has one result, or a value and its position "
            "(linalg.generic)"},
       }) {
    std::string text = kLinalg;
    for (auto [old, now] : edits)
      text = with(text, old, now);
    EXPECT_EQ(whole(translate(text, "linalg").status()), message);
  }
}

TEST(StageText, LoopsThatAreNoneOfGraphcsAreAnError) {
  constexpr const char *kLoops = R"(
func.func @f(%x: memref<f32>, %n: index) -> i32 attributes {graphc.kernel} {
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
           {"llvm.fptosi.sat", "llvm.memcpy.inline",
            "ValueError stage.mlir:7:8: an intrinsic that this stage does not use "
            "(llvm.call_intrinsic)"},
           {"%r = arith",
            "%w = llvm.call_intrinsic \"llvm.fptosi.sat\"(%v) : (vector<16xf32>) -> vector<8xi32>\n"
            "%r = arith",
            "ValueError stage.mlir:10:8: a conversion of floats makes as many integers "
            "(llvm.call_intrinsic)"},
           {"%r = arith",
            "%z = arith.constant dense<0.0> : vector<32xbf16>\n"
            "%w = llvm.call_intrinsic \"llvm.x86.avx512bf16.dpbf16ps.512\"(%v, %z, %z) : "
            "(vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>\n%r = arith",
            "ValueError stage.mlir:11:6: the target x86-64-v4 has no AVX512-BF16 "
            "(llvm.call_intrinsic)"},
           {"%r = arith", "llvm.call_intrinsic \"llvm.x86.tilerelease\"() : () -> ()\n%r = arith",
            "ValueError stage.mlir:10:3: the target x86-64-v4 has no AMX (llvm.call_intrinsic)"},
           {"llvm.fptosi.sat", "llvm.x86.avx512.mask.getexp.ps.512",
            "ValueError stage.mlir:7:8: an immediate that the instruction has not "
            "(llvm.call_intrinsic)"},
           {"(%v) : (vector<16xf32>) ->", "(%v) : (vector<16xf32> {llvm.nonnull}) ->",
            "ValueError stage.mlir:7:8: a call of an intrinsic has operands and nothing more "
            "(llvm.call_intrinsic)"},
           {"vector.load %m[%c0] :",
            "vector.load %m[%c0] {alignment = 4611686018427387904 : i64} :",
            "ValueError stage.mlir:6:8: accesses are as aligned as their elements (vector.load)"},
           {"%r = arith", "%big = memref.alloca() : memref<1099511627776xi8>\n%r = arith",
            "ValueError stage.mlir:10:10: an alloca is small, and its size is known "
            "(memref.alloca)"},
           {"%r = arith", "%h = memref.alloc() : memref<4xi8>\n%r = arith",
            "ValueError stage.mlir:10:8: op that has no place in loops (memref.alloc)"},
           {"%r = arith", "%w = arith.constant dense<0> : vector<1000000xi8>\n%r = arith",
            "ValueError stage.mlir:10:8: values are scalars, vectors of up to 64 lanes, or memory "
            "of rank 0 and 1 (arith.constant)"},
           {"%r = arith", "%w = arith.constant dense<0> : vector<[4]xi8>\n%r = arith",
            "ValueError stage.mlir:10:8: values are scalars, vectors of up to 64 lanes, or memory "
            "of rank 0 and 1 (arith.constant)"},
           {"%r = arith", "%w = arith.constant 0 : i8388607\n%r = arith",
            "ValueError stage.mlir:10:8: values are scalars, vectors of up to 64 lanes, or memory "
            "of rank 0 and 1 (arith.constant)"},
           {"%r = arith", "llvm.inline_asm \"hlt\", \"\" : () -> ()\n%r = arith",
            "ValueError stage.mlir:10:3: inline assembly is empty, to hide a value "
            "(llvm.inline_asm)"},
           {"attributes {graphc.kernel}", "attributes {graphc.kernel, llvm.linkage = 1}",
            "ValueError stage.mlir:2:1: 'llvm.linkage' is no attribute of this stage (func.func)"},
           {"attributes {graphc.kernel}", "attributes {graphc.kernel, passthrough = [\"x\"]}",
            "ValueError stage.mlir:2:1: 'passthrough' is no attribute of this stage (func.func)"},
           {"attributes {graphc.kernel}", "attributes {graphc.kernel, graphc.seldom}",
            "ValueError stage.mlir:2:1: 'graphc.seldom' marks an scf.if (func.func)"},
           {"attributes {graphc.kernel}", "attributes {graphc.kernel, graphc.outline}",
            "ValueError stage.mlir:2:1: 'graphc.outline' marks an scf.for without results "
            "(func.func)"},
           {"@f(", "@llvm.trap(",
            "ValueError stage.mlir:2:1: a kernel's name is made of letters, digits, points and "
            "underscores (func.func)"},
           {"func.func @f",
            "func.func private @g(memref<f32>) attributes {graphc.kernel}\nfunc.func @f",
            "ValueError stage.mlir:2:1: a module of loops has functions of one block (func.func)"},
       }) {
    SCOPED_TRACE(wrong.now);
    auto result = translate(with(kLoops, wrong.old, wrong.now), "loops");
    EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
    EXPECT_EQ(whole(result.status()), wrong.message);
  }
  // Of the stage, and yet not to be compiled: LLVM's verifier and the signature say so.
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           {"llvm.call_intrinsic \"llvm.fptosi.sat\"(%v) : (vector<16xf32>) -> vector<16xi32>",
            "llvm.call_intrinsic \"llvm.fptosi.sat\"(%v) : (vector<16xf32>) -> vector<8xi32>\n"
            "%unused = arith.constant dense<0> : vector<16xi32>",
            "ValueError stage.mlir:9:21: use of value '%i' expects different type than prior uses: "
            "'vector<16xi32>' vs 'vector<8xi32>'\nnote: prior use here"},
           {"%n: index", "%n: i16",
            "ValueError stage.mlir:4:59: use of value '%n' expects different type than prior uses: "
            "'index' vs 'i16'\nnote: prior use here"},
           {"%n: index", "%n: index, %z: memref<f32>",
            "ValueError stage.mlir:2:1: a kernel takes memref<T> of rank 0 and then index "
            "(func.func)"},
           {"-> i32", "-> i64", "ValueError stage.mlir:2:1: a kernel returns i32 (func.func)"},
       }) {
    SCOPED_TRACE(wrong.now);
    std::string text = with(kLoops, wrong.old, wrong.now);
    if (std::string_view(wrong.now) == "-> i64")
      text = with(with(text, "constant 0 : i32", "constant 0 : i64"), "return %r : i32",
                  "return %r : i64");
    EXPECT_EQ(whole(translate(text, "loops").status()), wrong.message);
  }
  // Instructions that the target lacks, at which LLVM ends the process.
  std::string loops = stageOf(kGraph, "loops", "x86-64-v4");
  EXPECT_EQ(messageOf(translate(loops, "loops", "obj", "x86-64").status()),
            "the target x86-64 has no AVX-512 (llvm.call_intrinsic)");
  EXPECT_EQ(messageOf(translate(loops, "loops", "obj", "aarch64").status()),
            "the target aarch64 has no AVX-512 (llvm.call_intrinsic)");
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

attributes #0 = { nounwind "prefer-vector-width"="512" "target-cpu"="x86-64-v4" "target-features" }

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
            "ValueError stage.mlir:15:14: metadata that this stage does not use"},
           {"define i32", "module asm \"hlt\"\ndefine i32",
            "ValueError stage.mlir:5:1: 'module' is no word of this stage"},
           {"define i32", "@g = global i32 0\ndefine i32",
            "ValueError stage.mlir:5:6: 'global' is no word of this stage"},
           {"define i32", "define i32 section \"x\"",
            "ValueError stage.mlir:5:12: 'section' is no word of this stage"},
           {"load <16 x float>", "load atomic <16 x float>",
            "ValueError stage.mlir:9:13: 'atomic' is no word of this stage"},
           {"ptr %0,", "ptr byval(i32) %0,",
            "ValueError stage.mlir:6:22: 'byval' is no word of this stage"},
           {"@f(", "@\"f\"(", "ValueError stage.mlir:5:12: a name that is not plain"},
           {"<16 x i32>", "<99999 x i32>",
            "ValueError stage.mlir:11:20: vectors have up to 64 lanes, and there are no arrays"},
           {"alloca i32", "alloca [4 x i32]",
            "ValueError stage.mlir:7:18: vectors have up to 64 lanes, and there are no arrays"},
           {"alloca i32", "alloca i128", "ValueError stage.mlir:7:15: integers have up to 64 bits"},
           {"@llvm.fptosi.sat.", "@llvm.memcpy.inline.",
            "ValueError stage.mlir:11:24: an intrinsic that this stage does not use"},
           {"#0 {", "#zero {", "ValueError stage.mlir:5:49: attributes have a number"},
           {"ret i32 0", "ret i32 0 ^",
            "ValueError stage.mlir:15:13: a character that this stage does not use"},
           {"\"target-features\"", "\"target-features",
            "ValueError stage.mlir:21:81: a string that does not end on its line"},
           {"i64 8", "((((((((((((((((((i64 8))))))))))))))))))",
            "ValueError stage.mlir:8:65: nested too deep"},
           // the parser
           {"ret i32 0", "ret i32", "ValueError stage.mlir:16:1: expected value token"},
           {"alloca i32", "alloca label", "ValueError stage.mlir:7:15: invalid type for alloca"},
           // the verifier
           {"ret i32 0", "ret i64 0",
            "ValueError stage.mlir:15:7: value doesn't match function result type 'i32'"},
           {"readonly %0", "align 3 %0",
            "ValueError stage.mlir:5:25: alignment is not a power of two"},
           {"i32 4)", "i32 %a)", "ValueError stage.mlir:10:121: use of undefined value '%a'"},
           // what graphc makes of them
           {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu",
            "ValueError stage.mlir:3:1: the text is for 'aarch64-unknown-linux-gnu', and the "
            "target x86-64-v4 "
            "is 'x86_64-unknown-linux-gnu'"},
           {"-n8:16:32:64", "-n8:16:32",
            "ValueError stage.mlir:2:1: the data layout is not that of the target x86-64-v4"},
           {"!\"Debug Info Version\"", "!\"cf-protection-branch\"",
            "ValueError stage.mlir:23:1: a module flag that this stage does not use"},
           {"\"x86-64-v4\"", "\"znver4\"",
            "ValueError stage.mlir:5:1: target-cpu is 'znver4', and that of the target x86-64-v4 "
            "is "
            "'x86-64-v4' (@f)"},
           {"\"target-features\"", "\"target-features\"=\"+soft-float\"",
            "ValueError stage.mlir:5:1: target-features is '+soft-float', and that of the target "
            "x86-64-v4 is '' (@f)"},
           {"nounwind \"", "nounwind willreturn \"",
            "ValueError stage.mlir:5:1: the attributes are not those of a kernel (@f)"},
           {"nounwind ", "nounwind \"graphc-noalias\"=\"0\" ",
            "ValueError stage.mlir:5:1: the attributes are not those of a kernel (@f)"},
           {"i32 @f(ptr readonly %0", "i32 @f(i64 %a, ptr readonly %0",
            "ValueError stage.mlir:5:1: a kernel takes two pointers and returns i32 (@f)"},
           {"@f(", "@f-1(",
            "ValueError stage.mlir:5:1: a kernel's name is made of letters, digits, '_' and '.' "
            "(@f-1)"},
           {"declare", "declare i32 @system(ptr)\ndeclare",
            "ValueError stage.mlir:18:1: kernels call intrinsics alone (@system)"},
           {"alloca i32", "alloca i32, i64 99999",
            "ValueError stage.mlir:7:3: what lies on the stack is small, and its size is known "
            "(alloca)"},
           {"alloca i32, align 4", "alloca i32, align 4096",
            "ValueError stage.mlir:7:3: what lies on the stack is a number or a vector (alloca)"},
           {"alloca i32, align 4", "alloca { i32 }",
            "ValueError stage.mlir:7:3: what lies on the stack is a number or a vector (alloca)"},
           {"ptr %5, align 4\n  %7", "ptr %5, align 1073741824\n  %7",
            "ValueError stage.mlir:9:3: accesses are as aligned as their elements (load)"},
           {"float, ptr %3, i64 8", "{ i32, i32 }, ptr %3, i64 8, i32 1",
            "ValueError stage.mlir:8:3: an address is a pointer and one index (getelementptr)"},
           {"i16 -1, i32 4)", "i16 -1, i32 9)",
            "ValueError stage.mlir:10:3: an immediate that the instruction has not (call)"},
           {"load ptr, ptr %0", "load ptr, ptr %4",
            "ValueError stage.mlir: the LLVM IR is wrong: Instruction does not dominate all "
            "uses!\n  %4 = alloca i32, align 4\n  %3 = load ptr, ptr %4, align 8, !invariant.load "
            "!1"},
           {"asm \"\"", "asm \"hlt\"",
            "ValueError stage.mlir:14:3: inline assembly is empty, to hide a value (call)"},
           {"store <16 x float> %9,", "store ptr @f,",
            "ValueError stage.mlir:13:3: a constant is a number, or one for each lane (store)"},
       }) {
    SCOPED_TRACE(wrong.now);
    auto result = translate(with(std::string(kLLVM), wrong.old, wrong.now), "llvm");
    EXPECT_EQ(errorKind(result.status()), ErrorKind::ValueError) << result.status();
    EXPECT_EQ(whole(result.status()), wrong.message);
  }
  EXPECT_EQ(messageOf(translate(kLLVM, "llvm", "obj", "x86-64").status()),
            "target-cpu is 'x86-64-v4', and that of the target x86-64 is 'x86-64' (@f)");
  std::string other =
      with(std::string(kLLVM), "\"target-cpu\"=\"x86-64-v4\"", "\"target-cpu\"=\"x86-64\"");
  EXPECT_EQ(messageOf(translate(with(other, "\"prefer-vector-width\"=\"512\" ", ""), "llvm", "obj",
                                "x86-64")
                          .status()),
            "the target x86-64 has no AVX-512 (call)");
  std::string pairs = with(
      with(
          std::string(kLLVM),
          "@llvm.x86.avx512.mask.getexp.ps.512(<16 x float> %6, <16 x float> zeroinitializer, i16 "
          "-1, i32 4)",
          "@llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %6, <32 x bfloat> zeroinitializer, <32 x "
          "bfloat> zeroinitializer)"),
      "@llvm.x86.avx512.mask.getexp.ps.512(<16 x float>, <16 x float>, i16, i32 immarg)",
      "@llvm.x86.avx512bf16.dpbf16ps.512(<16 x float>, <32 x bfloat>, <32 x bfloat>)");
  EXPECT_EQ(messageOf(translate(pairs, "llvm", "obj", "x86-64-v4").status()),
            "the target x86-64-v4 has no AVX512-BF16 (call)");
}

/// Operands of AMX's instructions that are numbers of registers: eight, of which a product has
/// three.
TEST(StageText, TileRegistersAreNumbers) {
  constexpr const char *kAmx = "x86-64-v4-amx";
  const std::string loops = R"(
func.func @f(%x: memref<f32>) -> i32 attributes {graphc.kernel} {
  %a = arith.constant 0 : i8
  %b = arith.constant 1 : i8
  %c = arith.constant 7 : i8
  llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%a, %b, %c) : (i8, i8, i8) -> ()
  %r = arith.constant 0 : i32
  return %r : i32
}
)";
  absl::StatusOr<std::string> fine = translate(loops, "loops", "llvm", kAmx);
  ASSERT_TRUE(fine.ok()) << fine.status();
  EXPECT_TRUE(translate(*fine, "llvm", "obj", kAmx).ok());
  const std::string message = "tile registers are different numbers from 0 to 7";
  for (const char *first : {"8", "-1", "7", "1"})
    EXPECT_EQ(
        whole(translate(with(loops, "0 : i8", first + std::string(" : i8")), "loops", "llvm", kAmx)
                  .status()),
        "ValueError stage.mlir:6:3: " + message + " (llvm.call_intrinsic)");
  for (const char *first : {"8", "-1", "7", "1"})
    EXPECT_EQ(
        messageOf(translate(with(*fine, "(i8 0", "(i8 " + std::string(first)), "llvm", "obj", kAmx)
                      .status()),
        message + " (call)");
  std::string without =
      with(std::string(kLLVM), "declare", "declare void @llvm.x86.tilerelease()\ndeclare");
  without = with(without, "  %9 =", "  call void @llvm.x86.tilerelease()\n  %9 =");
  EXPECT_EQ(messageOf(translate(without, "llvm", "obj", "x86-64-v4").status()),
            "the target x86-64-v4 has no AMX (call)");
}

TEST(StageText, NestsOfManyLoopsAreAnError) {
  // 65 loops: those of two arrays, and one more.
  std::string loops, rows, columns, kinds, extents;
  for (int i = 0; i < 65; ++i) {
    loops += (i ? ", d" : "d") + std::to_string(i);
    kinds += i ? ", \"reduction\"" : "\"reduction\"";
    if (i < 64)
      (i < 32 ? rows : columns) += (i % 32 ? ", d" : "d") + std::to_string(i);
    extents += i < 32 ? "1x" : "";
  }
  std::string array = "tensor<" + extents + "f32>";
  std::string text = "func.func @f(%x: " + array +
                     ", %y: tensor<1xf32>) -> tensor<f32> attributes "
                     "{graphc.kernel, graphc.shared = 0 : i64} {\n"
                     "  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : tensor<f32>\n"
                     "  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>\n"
                     "  %r = linalg.generic {indexing_maps = [affine_map<(" +
                     loops + ") -> (" + rows + ")>, affine_map<(" + loops + ") -> (" + columns +
                     ")>, affine_map<(" + loops + ") -> (d64)>, affine_map<(" + loops +
                     ") -> ()>], iterator_types = [" + kinds + "]} ins(%x, %x, %y : " + array +
                     ", " + array +
                     ", tensor<1xf32>) outs(%s : "
                     "tensor<f32>) {\n  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):\n"
                     "    %sum = arith.addf %out, %a : f32\n    linalg.yield %sum : f32\n"
                     "  } -> tensor<f32>\n  return %r : tensor<f32>\n}\n";
  EXPECT_EQ(whole(translate(text, "linalg").status()),
            "ValueError stage.mlir:5:8: a nest has at most 64 loops (linalg.generic)");
}

/// What the reader of kernels lets through, the code generator can do: every operation and every
/// way to join, on every dtype.
TEST(StageText, KernelsOfEveryOperationAndDType) {
  std::vector<std::string> values;
  for (int op = int(ScalarOp::Load) + 1; op <= int(ScalarOp::Cast); ++op) {
    std::string operands = "%0[i0, i1]";
    for (int k = 1; k < numScalarOperands(ScalarOp(op)); ++k)
      operands += ", %0[i0, i1]";
    if (ScalarOp(op) == ScalarOp::Select)
      operands = "true, %0[i0, i1], %0[i0, i1]";
    values.push_back(std::string(scalarOpName(ScalarOp(op))) + "(" + operands + ")");
  }
  int accepted = 0;
  auto tryKernel = [&](std::string_view from, std::string_view to, const std::string &value) {
    bool isJoin = value.find("(i1)") != value.npos;
    std::string text = "kernel @f(%0: " + std::string(from) +
                       "[n0, n1]) -> (%1: " + std::string(to) + (isJoin ? "[n0]" : "[n0, n1]") +
                       ") {\n  for (i0 < n0, i1 < n1)\n    %1[i0" + (isJoin ? "" : ", i1") +
                       "] = " + value + "\n}\n";
    if (!translate(text, "kernels", "kernels").ok())
      return false;
    ++accepted;
    for (const char *target : {"x86-64", "x86-64-v4", "aarch64"}) {
      auto code = translate(text, "kernels", "loops", target);
      EXPECT_TRUE(code.ok()) << code.status() << text;
    }
    return true;
  };
  for (int d = 0; d < kNumRealDTypes; ++d) {
    std::string_view dtype = dtypeShortName(DType(d));
    for (const std::string &value : values)
      if (value.substr(0, 5) != "cast(")
        (void)(tryKernel(dtype, dtype, value) || tryKernel(dtype, "i1", value));
    for (int other = 0; other < kNumRealDTypes; ++other) {
      std::string to(dtypeShortName(DType(other)));
      EXPECT_TRUE(tryKernel(dtype, to, "cast." + to + "(%0[i0, i1])"));
      for (std::string join : {"sum.", "prod."})
        EXPECT_EQ(tryKernel(dtype, dtype, join + to + "(i1) %0[i0, i1]"), to != "i1");
    }
    for (const char *join : {"max", "min", "and", "or", "xor", "argmax", "argmin"})
      tryKernel(dtype, join[0] == 'a' && join[1] == 'r' ? "i64" : dtype,
                join + std::string("(i1) %0[i0, i1]"));
  }
  // 12 operations and cast on all dtypes, and what floats have.
  EXPECT_GT(accepted, 13 * 12 + 169 + 4 * 40);
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
    EXPECT_EQ(whole(translate(bytecode, from).status()),
              "ValueError a stage is read as text, not as bytecode");
}

/// Texts with words exchanged, lines lost or doubled, and bytes changed end in code or an error.
TEST(StageText, DamagedTexts) {
  std::mt19937 random(5);
  auto below = [&](size_t end) { return size_t(random() % end); };
  const char *given = getenv("GRAPHC_TEST_DAMAGED");
  int count = given ? atoi(given) : 300;
  for (const char *from : {"kernels", "linalg", "loops", "llvm"}) {
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
      if (from == std::string_view("kernels") && i % 8 == 1) {
        auto library = compiler().compileLibrary(damaged, "stage.kernels", {"f", ""}, {});
        EXPECT_TRUE(library.ok() || errorKind(library.status()) == ErrorKind::ValueError)
            << library.status();
      }
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
