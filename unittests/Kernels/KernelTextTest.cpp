//===- KernelTextTest.cpp - kernels and programs from text ----------------===//
//
// That every op's kernels are read back is shown in unittests/Eval/StagesTest.cpp, that code can be
// made of whatever is read in unittests/Pipeline/StageTextTest.cpp.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>
#include <random>

#include "Kernels/ReadKernels.h"
#include "absl/strings/str_replace.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

/// Two kernels and a program with everything that the text can say.
constexpr std::string_view kText =
    R"(kernel @softmax(%0: f32[n0, n1]) -> (%1: f32[n0, n1]) local (%2: f32[n0], %3: f64[n0]) shared 1 {
  for (i0 < n0, i1 < n1)
    %2[i0] = max(i1) %0[i0, i1]
  for (i0 < n0, i1 < n1)
    %3[i0] = sum.f64(i1) exp(sub(%0[i0, i1], %2[i0]))
  for (i0 < n0, i1 < n1)
    %1[i0, i1] = div(exp(sub(%0[i0, i1], %2[i0])), cast.f32(%3[i0]))
}

kernel @take(%0: i64[n0], %1: f32[n1, 4]) -> (%2: f32[n0, 4]) {
  for (i0 < n0, i1 < 4)
    v6 = and(ge(%0[i0], neg(n1)), lt(%0[i0], n1))
    check v6
    %2[i0, i1] = (v6 ? %1[%0[i0], i1] : nan)
}

program `two steps` {
  s0 = dim(input 0, 0)
  s1 = dim(input 1, 0)
  s2 = max(s0, 3)
  s3 = element(%1, 0)
  s4 = select(s2, s0, -5)
  check s0 == s1 else ShapeError "extents differ: {a} and {b}" at node 0
  check 4 bytes x [s0, 4] fit else ValueError at node 0
  %0: f32[s0, 4] = input 0 `x \` y`
  %1: i64[s1] = input 1 `i` declared [3]
  %2: f32[3] = constant 0
  %3: f32[s1, 4] = arena
  %4: f32[3] = output 1
  %5: f32[s1, 4] = output 0
  %6: f32[4, s1] = memory of %5
  kernel @take (%1, %0) -> (%3) sizes [s1, s0] work [s0 x 0.25] else IndexError "no \"index\"\n{b}" at node 0 extent s0 indices 0
  kernel @softmax (%3) -> (%5) sizes [s1, 4]
  copy (%2) -> (%4)
  return %6 `y`
  return %4
  node 0 = "take" at "a b.mlir":3:8 `t` (`x`: f32[s0, 4], `sum(i)`: i64[s1])
}

constants {
  0: f32[3] = [1.0, -2.5, 1e-07]
  1: i16[20] = "0001020304050607080900010203040506070809000102030405060708090001020304050607080a"
  2: i1[70] = true
}
)";

std::string withoutSymbols(std::string text) {
  for (size_t at; (at = text.find(" // ")) != text.npos;)
    text.erase(at, text.find('\n', at) - at);
  return text;
}

std::string errorOf(std::string_view text) {
  absl::StatusOr<KernelGraph> graph = readKernels(text, "a.k");
  if (graph.ok())
    return "none";
  EXPECT_EQ(errorKind(graph.status()), ErrorKind::ValueError) << graph.status();
  std::optional<Place> place = errorPlace(graph.status());
  EXPECT_TRUE(place && place->line > 0) << graph.status();
  return (place ? place->str() + ": " : "") +
         std::string(graph.status().message().data(), graph.status().message().size());
}

std::string with(std::string_view old, const std::string &now) {
  std::string text(kText);
  size_t at = text.find(old);
  EXPECT_NE(at, text.npos) << old;
  return at == text.npos ? text : text.replace(at, old.size(), now);
}

TEST(KernelText, SaysEverything) {
  absl::StatusOr<KernelGraph> graph = readKernels(kText, "a.k");
  ASSERT_TRUE(graph.ok()) << graph.status();
  // Short values stand where they are used, and sizes have numbers in the order of use.
  std::string condition = "and(ge(%0[i0], neg(n2)), lt(%0[i0], n2))";
  std::string printed = with("    v6 = and(ge(%0[i0], neg(n1)), lt(%0[i0], n1))\n    check v6\n"
                             "    %2[i0, i1] = (v6",
                             "    check " + condition + "\n    %2[i0, i1] = (" + condition);
  printed.replace(printed.find("f32[n1, 4]"), 10, "f32[n2, 4]");
  EXPECT_EQ(withoutSymbols(toString(*graph)), printed);
  const Kernel &softmax = graph->kernels[0], &take = graph->kernels[1];
  EXPECT_EQ(softmax.name, "softmax");
  EXPECT_EQ(softmax.numShared, 1);
  EXPECT_EQ(softmax.numSizeArguments, 2);
  EXPECT_EQ(softmax.splitExtent, 0);
  EXPECT_EQ(softmax.nests[1].accumulator, DType::Float64);
  EXPECT_EQ(take.numShared, 2) << "of a single nest: all that are parallel";
  ASSERT_EQ(take.checks.size(), 1u);
  const Program &p = graph->program;
  EXPECT_EQ(p.name, "two steps");
  EXPECT_TRUE(p.kernels[0].splits);
  EXPECT_EQ(p.inputs[0].name, "x ` y");
  EXPECT_EQ(p.inputs[0].shape, (std::vector<int64_t>{kDynamic, 4}));
  EXPECT_EQ(p.inputs[1].shape, (std::vector<int64_t>{3}));
  EXPECT_EQ(p.failures[0].message, "no \"index\"\n{b}");
  EXPECT_EQ(p.nodes[0].place.str(), "a b.mlir:3:8");
  EXPECT_EQ(p.steps[0].splitSize, p.steps[0].sizes[0]) << "the extent of the outermost loop";
  EXPECT_EQ(p.steps[0].work[0].nanoseconds, 0.25f);
  EXPECT_TRUE(p.constants[0].identical(Tensor({1, -2.5, 1e-7}, DType::Float32)));
  EXPECT_EQ(p.constants[1].flat<int16_t>()[19], 0x0a08) << "bytes stand as in memory";
  EXPECT_EQ(p.constants[2].flat<bool>()[69], true);
}

/// What is used twice has a name: v and the number of its node.
TEST(KernelText, NamesOfValues) {
  std::string text = "kernel @f(%0: f32[n0]) -> (%1: f32[n0]) {\n  for (i0 < n0)\n"
                     "    v2 = exp(%0[i0])\n    %1[i0] = mul(v2, v2)\n}\n\nprogram {\n}\n";
  absl::StatusOr<KernelGraph> graph = readKernels(text, "a.k");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->kernels[0].nests[0].body.size(), 4u);
  EXPECT_EQ(withoutSymbols(toString(*graph)), text);
}

/// Where nothing beside a constant says its dtype, the text does.
TEST(KernelText, DTypesOfConstants) {
  auto bodyOf = [](std::string type, std::string value) {
    return "kernel @f() -> (%0: " + type + "[n0]) {\n  for (i0 < n0)\n    %0[i0] = " + value +
           "\n}\n\nprogram {\n}\n";
  };
  for (auto [type, value] : std::vector<std::pair<const char *, const char *>>{
           {"f32", "2.5"},
           {"i1", "true"},
           {"i1", "lt(f64(1.0), 2.0)"},
           {"f16", "cast.f16(i8(-128))"},
           {"ui64", "add(ui64(18446744073709551615), 1)"},
           {"f32", "select(false, f32(0x7fc00001), -inf)"},
           {"i64", "add(i0, size(8))"},
           {"f32", "add(cast.f32(i0), add(f32(0.0), 1e-40))"},
           {"f32", "add(0.1, fma(f32(1.0), 2.0, 3e+30))"}}) {
    std::string text = bodyOf(type, value);
    absl::StatusOr<KernelGraph> graph = readKernels(text, "a.k");
    ASSERT_TRUE(graph.ok()) << graph.status() << text;
    EXPECT_EQ(withoutSymbols(toString(*graph)), text);
  }
  EXPECT_EQ(errorOf(bodyOf("f32", "add(1.0, 2.0)")),
            "a.k:3:14: add of constants whose dtype is not said: f32(2.0)");
  EXPECT_EQ(errorOf(bodyOf("ui8", "add(ui8(256), 2)")), "a.k:3:22: '256' is no value of ui8");
  EXPECT_EQ(errorOf(bodyOf("ui8", "cast.ui8(2)")),
            "a.k:3:14: cast of constants whose dtype is not said: f32(2.0)");
}

/// The order of arguments is that of their numbers, whatever is used first.
TEST(KernelText, NumbersOfSizes) {
  absl::StatusOr<KernelGraph> graph =
      readKernels("kernel @f(%0: f32[n7]) -> (%1: f32[n9, n7]) {\n  for (i0 < n9, i1 < n7)\n"
                  "    %1[i0, i1] = %0[i1]\n}\n",
                  "a.k");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Kernel &kernel = graph->kernels[0];
  EXPECT_EQ(kernel.numSizeArguments, 2);
  EXPECT_EQ(kernel.sizes[size_t(kernel.nests[0].extents[0])].value, 1);
  EXPECT_EQ(kernel.sizes[size_t(kernel.nests[0].extents[1])].value, 0);
}

struct Wrong {
  const char *old, *now, *message;
};

TEST(KernelText, WrongKernels) {
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           {"kernel @softmax", "karnel @softmax",
            "a.k:1:1: expected 'kernel', 'program' or the end of the text"},
           {"@softmax", "@a.b",
            "a.k:1:8: a kernel's name is made of letters, digits and '_', and may end in .NUMBER"},
           {"@softmax", "softmax",
            "a.k:1:8: expected a kernel's name (@name) instead of 'softmax'"},
           {"@take", "@softmax", "a.k:10:1: @softmax is there twice"},
           {"%0: f32", "%1: f32", "a.k:1:17: expected %0"},
           {"%0: f32", "%0: f33", "a.k:1:21: expected a dtype (f32, i64, ...)"},
           {"f32[n0, n1])", "f32[n0, s1])",
            "a.k:1:29: expected a size (n0 or a number) instead of 's1'"},
           {"f32[n0, n1])", "f32[n0, -1])", "a.k:1:29: expected an extent instead of '-1'"},
           {" local (%2: f32[n0], %3: f64[n0])", "", "a.k:3:5: there is no %2"},
           {"-> (%1: f32[n0, n1]) local (%2: f32[n0], %3: f64[n0])", "-> ()",
            "a.k:1:37: a kernel has an output"},
           {"%3: f64[n0])", "%3: f64[n0], %4: f64[n0])", "a.k:1:110: %4 is not stored"},
           {" shared 1", "",
            "a.k:1:88: a kernel of several nests says how many loops they share, as in 'shared 1'"},
           {"shared 1", "shared 2", "a.k:2:3: the nest has not the 2 loops that all nests share"},
           {"shared 1", "shared 0", "a.k:4:3: nests that share no loops have no parallel ones"},
           {"i1 < n1", "i2 < n1", "a.k:2:17: expected 'i1' instead of 'i2'"},
           {"for (i0 < n0, i1 < n1)\n    %3", "for (i0 < n1, i1 < n1)\n    %3",
            "a.k:4:3: the loops are not those of the shape of %3"},
           {"%3[i0] =", "%3[i0, i1] =", "a.k:4:3: the loops are not those of the shape of %3"},
           {"%3[i0] =", "%2[i0] =", "a.k:4:3: %2 is stored twice"},
           {"%3[i0] =", "%0[i0] =", "a.k:4:3: %0 is an input, and is not stored"},
           {"%3[i0] =", "%9[i0] =", "a.k:5:5: there is no %9"},
           {"%3[i0] =", "%3[i1] =", "a.k:5:8: expected 'i0' instead of 'i1'"},
           {"%1[i0, i1] =", "%1[i0, i1, i2] =", "a.k:7:16: more indices than loops"},
           {"max(i1)", "", "a.k:3:15: expected what joins the other loops, as in sum.f32(i1)"},
           {"max(i1)", "max()", "a.k:3:18: expected 'i1' instead of ')'"},
           {"sum.f64", "sum",
            "a.k:5:14: sum and prod name the dtype that they join in, a number's, as in "
            "sum.f32(i1), and others none"},
           {"max(i1)", "xor(i1)", "a.k:3:22: xor is not defined for f32"},
           {"max(i1)", "argmax(i1)", "a.k:3:25: a position is of i64"},
           {"%2[i0])), cast", "%3[i0])), cast", "a.k:7:42: expected a value of f32, not of f64"},
           {"sub(%0[i0, i1], %2[i0])", "sub(%0[i0, i1], %3[i0])",
            "a.k:5:46: %3 is loaded before it is stored"},
           {"%2[i0])), cast", "%2[0])), cast",
            "a.k:7:45: nests share the first 1 loops: this index is i0"},
           {"%0[i0, i1]", "%0[i0]", "a.k:3:27: expected ',' instead of ']'"},
           {"%0[i0, i1]", "%0[i0, i2]", "a.k:3:29: there is no i2"},
           {"%0[i0, i1]", "%0[i0, 1.5]", "a.k:3:29: '1.5' is no value of i64"},
           {"i1] : nan", "4] : nan", "none"},
           {"(v6 ? %1[%0[i0], i1] : nan)", "%1[%0[i0], 4]",
            "a.k:14:29: an index beyond the axis, which has 4 elements"},
           {"%1: f32[n1, 4]) -> (%2: f32[n0, 4]) {\n  for (i0 < n0, i1 < 4)\n    v6",
            "%1: f32[n1, 3]) -> (%2: f32[n0, 4]) {\n  for (i0 < n0, i1 < 4)\n    v6",
            "a.k:32:3: %0 and the kernel's %1: 12 elements and 9"},
           {": nan)", ": 7)", "none"},
           {": nan)", ": true)", "a.k:14:41: expected a value of f32, not of i1"},
           {"(v6 ?", "(%0[i0] ?", "a.k:14:19: expected a value of i1, not of i64"},
           {"check v6", "check v7", "a.k:13:11: 'v7' is no value"},
           {"check v6", "check n0", "a.k:13:11: expected a value of i1, not of i64"},
           {"v6 = and(ge(%0[i0], neg(n1)), lt(%0[i0], n1))", "v6 = 3",
            "a.k:12:10: a constant that has a name must have a dtype: f32(2.0)"},
           {"check v6", "v6 = n0", "a.k:13:5: 'v6' is there twice"},
           {"v6 = and", "i0 = and", "a.k:12:5: expected a value (v0) instead of 'i0'"},
           {"exp(", "expo(", "a.k:5:26: 'expo' is no value"},
           {"exp(", "cast(", "a.k:5:26: 'cast' is no value"},
           {"exp(", "exp.f32(", "a.k:5:26: 'exp.f32' is no value"},
           {"neg(n1)", "exp(n1)", "a.k:12:25: exp is not defined for i64"},
           {"neg(n1)", "size(n1)", "a.k:12:30: expected an extent instead of 'n1'"},
           {"neg(n1)", "\"n1\"", "a.k:12:25: expected a value instead of 'n1'"},
           {"neg(n1)", "neg(n1", "a.k:12:32: expected ')' instead of ','"},
           {"neg(n1)", "`n1", "a.k:12:25: a string that does not end on its line"},
       }) {
    SCOPED_TRACE(wrong.now);
    EXPECT_EQ(errorOf(with(wrong.old, wrong.now)), wrong.message);
  }
  std::string deep = "kernel @f(%0: f32[n0]) -> (%1: f32[n0]) {\n  for (i0 < n0)\n    %1[i0] = ";
  for (int i = 0; i < 100000; ++i)
    deep += "neg(";
  EXPECT_EQ(errorOf(deep), "a.k:3:818: nested deeper than 200 levels");
  std::string loops = "kernel @f() -> (%0: f32[n0]) {\n  for (";
  for (int i = 0; i < 65; ++i)
    loops += (i ? ", i" : "i") + std::to_string(i) + " < 1";
  EXPECT_EQ(errorOf(loops + ")"), "a.k:2:580: a nest has at most 64 loops");
  std::string twice(kText.substr(0, kText.find("program")));
  EXPECT_EQ(errorOf(twice + "kernel @take.2" + twice.substr(twice.find("(%0: i64"))),
            "a.k:17:1: @take.2 is the same as the kernel before with that name");
}

TEST(KernelText, WrongPrograms) {
  for (const Wrong &wrong : std::initializer_list<Wrong>{
           {"s1 = dim", "s7 = dim", "a.k:19:3: expected 's1' instead of 's7'"},
           {"dim(input 1, 0)", "dam(input 1, 0)", "a.k:19:8: 'dam' is no operation on sizes"},
           {"dim(input 1, 0)", "dim(input 1, 1)", "a.k:19:8: there is no such axis of an input"},
           {"max(s0, 3)", "max(s5, 3)", "a.k:20:12: there is no s5"},
           {"element(%1, 0)", "element(%7, 0)", "a.k:21:16: there is no such array"},
           {"element(%1, 0)", "element(%0, 0)",
            "a.k:21:16: an element that is a size is an integer"},
           {"s0 == s1", "s0 >= s1", "a.k:23:12: expected '==' instead of '>'"},
           {"ShapeError", "Error", "a.k:23:23: 'Error' is no kind of error"},
           {"at node 0", "at node 1", "a.k:23:72: there is no such node"},
           {"4 bytes", "9 bytes", "a.k:24:11: an element has 1 to 8 bytes"},
           {"%1: i64[s1]", "%2: i64[s1]", "a.k:26:3: expected %1"},
           {"input 1 `i`", "input 2 `i`", "a.k:26:23: inputs stand in their order"},
           {"declared [3]", "complex declared [3]",
            "a.k:26:29: complex numbers are pairs of f32 or f64"},
           {"declared [3]", "declared [3, 4]", "a.k:26:29: the declared shape has another rank"},
           {"arena", "attic", "a.k:28:20: expected 'arena' instead of 'attic'"},
           {"= output 1", "= output 2", "a.k:29:23: there is no such output"},
           {"memory of %5", "memory of %6", "a.k:31:30: there is no %6"},
           {"kernel @take (", "kernel @tuke (", "a.k:32:3: there is no kernel @tuke"},
           {"(%1, %0)", "(%1)", "a.k:32:3: the kernel has 2 inputs and 1 outputs"},
           {"(%1, %0)", "(%0, %0)", "a.k:32:3: %0 is of f32, and the kernel's %0 of i64"},
           {"sizes [s1, s0]", "sizes [s1]", "a.k:32:3: the kernel takes 2 sizes"},
           {"s0 x 0.25", "s0 x 0.25f", "a.k:32:59: that is no number of nanoseconds"},
           {"extent s0 indices 0", "extent s0 indices 3",
            "a.k:32:129: expected one of the step's arrays instead of '3'"},
           {"(%3) -> (%5) sizes [s1, 4]", "(%3) -> (%5) sizes [s1, 4] else ValueError",
            "a.k:33:3: the kernel has 0 checks, and each has an 'else'"},
           {"copy (%2)", "copy (%1)", "a.k:34:3: a copy is from one array to one of its dtype"},
           {"copy (%2) -> (%4)", "host 0 (%2) -> (%4)",
            "a.k:34:3: a host call cannot be read: its function is in the program that built the "
            "graph"},
           {"return %4", "return %2", "a.k:17:1: %2 is not in the memory of output 1"},
           {"node 0 = ", "node 1 = ", "a.k:37:8: nodes stand in their order"},
           {"sizes [s1, s0]", "sizes [s1, s3]", "none"},
           {"element(%1, 0)", "element(%6, 0)",
            "a.k:21:16: an element that is a size is an integer"},
           {"0: f32[3]", "1: f32[3]", "a.k:41:3: constants stand in their order"},
           {"[1.0, -2.5, 1e-07]", "[1.0, -2.5]",
            "a.k:41:15: there are 8 bytes of elements, and not as many as the shape has"},
           {"[1.0, -2.5, 1e-07]", "[1.0, -2.5, x]", "a.k:41:27: expected a value of f32"},
           {"0: f32[3]", "0: f32[9223372036854775807, 9223372036854775807]",
            "a.k:41:54: shape (9223372036854775807, 9223372036854775807) is too large"},
           {"%2: f32[3]", "%2: f32[4]", "a.k:17:1: %2 has another type than its constant"},
           {"080a\"", "080\"",
            "a.k:42:16: there are 39 bytes of elements, and not as many as the shape has"},
           {"080a\"", "080A\"", "a.k:42:16: elements are two hexadecimal digits for each byte"},
           {"i1[70] = true", "i1[2] = \"0102\"", "a.k:43:14: a value of i1 is 0 or 1"},
           {"i1[70] = true", "i1[2] = maybe", "a.k:43:14: expected a value of i1"},
       }) {
    SCOPED_TRACE(wrong.now);
    EXPECT_EQ(errorOf(with(wrong.old, wrong.now)), wrong.message);
  }
  // A size that is read after it is needed.
  std::string late = with("s3 = element(%1, 0)", "s3 = element(%7, 0)");
  late.insert(late.find("  kernel @take (%1"), "  %7: i64[s3] = arena\n");
  late.insert(late.find("  copy (%2)"), "  copy (%7) -> (%7)\n");
  EXPECT_EQ(errorOf(late), "a.k:17:1: malformed program: a size is needed before it is known");
}

/// Texts with words exchanged, lost or doubled, bytes changed and ends cut off: they are read, and
/// then print and read the same again, or they are an error.
TEST(KernelText, DamagedTexts) {
  std::mt19937 random(3);
  auto below = [&](size_t end) { return size_t(random() % end); };
  std::vector<std::string> words;
  for (char c : kText) {
    bool inWord = isalnum(c) || c == '_' || c == '.';
    if (words.empty() || !inWord || !isalnum(words.back().back()))
      words.emplace_back();
    words.back() += c;
  }
  int read = 0;
  constexpr int kCount = 5000;
  for (int i = 0; i < kCount; ++i) {
    std::string damaged;
    if (i % 4 == 0) {
      damaged = kText;
      damaged[below(damaged.size())] ^= char(1 << below(8));
    } else if (i % 4 == 1) {
      damaged = kText.substr(0, below(kText.size()));
    } else {
      std::vector<std::string> changed = words;
      for (size_t changes = 1 + below(3); changes > 0; --changes)
        changed[below(changed.size())] = i % 4 == 2 ? changed[below(changed.size())] : "";
      for (const std::string &word : changed)
        damaged += word;
    }
    absl::StatusOr<KernelGraph> graph = readKernels(damaged, "a.k");
    if (!graph.ok()) {
      EXPECT_TRUE(errorPlace(graph.status())) << graph.status();
      continue;
    }
    ++read;
    std::string text = toString(*graph);
    absl::StatusOr<KernelGraph> again = readKernels(text, "b.k");
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_EQ(toString(*again), text);
    for (size_t k = 0; k < graph->kernels.size(); ++k)
      EXPECT_EQ(again->kernels[k].content(), graph->kernels[k].content()) << text;
  }
  EXPECT_GT(read, kCount / 50);
  EXPECT_LT(read, kCount);
}

} // namespace
} // namespace graphc
