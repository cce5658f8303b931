//===- GraphTextErrorsTest.cpp - what reading says of bad text ------------===//
#include <functional>
#include <gtest/gtest.h>

#include "Kernels/CompilerInterface.h"
#include "Messages.h"
#include "graphc/Emit.h"
#include "graphc/Import.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Shared.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

std::string problem(std::string_view text, std::string_view entry = {}) {
  return whole(parseGraph(text, "f.mlir", entry).status());
}

//===--- nesting --------------------------------------------------------------===//

std::string times(int n, std::string_view text) {
  std::string result;
  for (int i = 0; i < n; ++i)
    result += text;
  return result;
}

/// "before", n times "open", "middle", n times "close", "after".
std::string nested(int n, std::string_view before, std::string_view open, std::string_view middle,
                   std::string_view close, std::string_view after) {
  return std::string(before) + times(n, open) + std::string(middle) + times(n, close) +
         std::string(after);
}

std::string chain(int n, std::string_view kind, std::string_view first, std::string_view open,
                  std::string_view close) {
  std::string k(kind), text = k + "a0 = " + std::string(first) + "\n";
  for (int i = 1; i < n; ++i)
    text += k + "a" + std::to_string(i) + " = " + std::string(open) + k + "a" +
            std::to_string(i - 1) + std::string(close) + "\n";
  return text + "func.func @main(%x: tensor<f32>) attributes {a = " + k + "a" +
         std::to_string(n - 1) + "} { return }\n";
}

struct Deep {
  std::string name;
  std::function<std::string(int)> text;
};

constexpr std::string_view kWith = "func.func @main(%x: tensor<f32>) attributes {a = ";
constexpr std::string_view kBody = "} {\n  return\n}\n";

const std::vector<Deep> &deepTexts() {
  static const auto &texts = *new std::vector<Deep>{
      {"lists", [](int n) { return nested(n, kWith, "[", "", "]", kBody); }},
      {"dictionaries", [](int n) { return nested(n, kWith, "{a = ", "1", "}", kBody); }},
      {"regions", [](int n) { return nested(n, "", "builtin.module {", "", "}", ""); }},
      {"generic regions",
       [](int n) { return nested(n, "", "\"builtin.module\"() ({ ", "", " }) : () -> ()", ""); }},
      {"tuples", [](int n) { return nested(n, kWith, "tuple<", "f32", ">", kBody); }},
      {"tensors", [](int n) { return nested(n, kWith, "tensor<", "f32", ">", kBody); }},
      {"function types", [](int n) { return nested(n, kWith, "() -> (", "", ")", kBody); }},
      {"elements",
       [](int n) { return nested(n, kWith, "dense<[", "1.0", "]> : tensor<f32>", kBody); }},
      {"brackets of elements",
       [](int n) {
         return std::string(kWith) + "dense<" + times(n, "[") + "1" + times(n, "]") +
                "> : tensor<f32>" + std::string(kBody);
       }},
      {"parentheses of affine maps",
       [](int n) {
         return nested(n, kWith, "", "affine_map<(d) -> (", "", "") + times(n, "(") + "d" +
                times(n, ")") + ")>" + std::string(kBody);
       }},
      {"signs of affine maps",
       [](int n) {
         return std::string(kWith) + "affine_map<(d) -> (" + times(n, "-") + "d)>" +
                std::string(kBody);
       }},
      {"sums of affine maps",
       [](int n) {
         return std::string(kWith) + "affine_map<(d, e) -> (d" + times(n, " + e * 2") + ")>" +
                std::string(kBody);
       }},
      {"remainders of affine maps",
       [](int n) {
         return std::string(kWith) + "affine_map<(d) -> (d" + times(n, " mod 7 floordiv 3") + ")>" +
                std::string(kBody);
       }},
      {"places",
       [](int n) {
         return "func.func @main() {\n  return loc(" + times(n, "callsite(") + "\"a\"" +
                times(n, " at \"b\")") + ")\n}\n";
       }},
      {"names of places",
       [](int n) {
         return "func.func @main() {\n  return loc(" + times(n, "\"a\"(") + "\"b\"" +
                times(n, ")") + ")\n}\n";
       }},
      {"dialects' types", [](int n) { return nested(n, kWith, "!func.x<", "", ">", kBody); }},
      {"aliases of attributes", [](int n) { return chain(n, "#", "[1]", "[", "]"); }},
      {"aliases of types", [](int n) { return chain(n, "!", "tuple<f32>", "tuple<", ">"); }},
      {"aliases of places", [](int n) { return chain(n, "#", "loc(\"a\")", "loc(\"b\"(", "))"); }},
  };
  return texts;
}

TEST(GraphTextErrors, DeepTextIsRefused) {
  for (const Deep &deep : deepTexts())
    for (int n : {1001, 100000}) {
      std::string text = problem(deep.text(n));
      EXPECT_TRUE(text.starts_with("ValueError f.mlir:")) << deep.name << ": " << text;
      EXPECT_TRUE(text.ends_with(": nested deeper than 1000 levels")) << deep.name << ": " << text;
    }
}

TEST(GraphTextErrors, DeepTextOfOtherStagesIsRefused) {
  auto compiler = loadCompiler();
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  for (const char *from : {"linalg", "loops"})
    for (const Deep &deep : deepTexts()) {
      std::string text =
          whole((*compiler)->translate(deep.text(100000), "f", from, "llvm", {}).status());
      EXPECT_TRUE(text.starts_with("ValueError f:")) << deep.name << ": " << text;
      EXPECT_TRUE(text.ends_with(": nested deeper than 1000 levels")) << deep.name << ": " << text;
    }
}

// As deep as is let through: whatever the parser says, it comes back.
TEST(GraphTextErrors, TextOfTheGreatestDepthEnds) {
  for (const Deep &deep : deepTexts())
    EXPECT_EQ(problem(deep.text(300)).find("nested deeper"), std::string::npos) << deep.name;
  for (int n = 980; n < 1001; ++n)
    for (const Deep &deep : deepTexts())
      (void)parseGraph(deep.text(n), "f.mlir");
}

TEST(GraphTextErrors, WhereTextIsTooDeep) {
  EXPECT_EQ(problem("// one\n  " + times(1001, "[")),
            "ValueError f.mlir:2:1003: nested deeper than 1000 levels");
  EXPECT_EQ(problem("#a = !d.x<// >\n"),
            "ValueError f.mlir:1:11: a comment inside of a dialect's type or attribute");
}

// Each alias names the one before twice: forty lines that would be endless where they are written
// out.
TEST(GraphTextErrors, AliasesThatDouble) {
  auto doubling = [](int n, char kind, std::string_view first, std::string_view before,
                     std::string_view after) {
    std::string text = kind + std::string("a0 = ") + std::string(first) + "\n";
    for (int i = 1; i <= n; ++i) {
      std::string last = kind + std::string("a") + std::to_string(i - 1);
      text += kind + std::string("a") + std::to_string(i) + " = " + std::string(before) + last +
              ", " + last + std::string(after) + "\n";
    }
    std::string used = kind + std::string("a") + std::to_string(n);
    return text + (kind == '!' ? "func.func @f(%x: " + used + ") { return }\n"
                               : std::string(kWith) + used + std::string(kBody));
  };
  for (int n : {40, 900}) {
    EXPECT_EQ(problem(doubling(n, '!', "i32", "tuple<", ">")),
              "ValueError f.mlir:17:20: an alias that stands for more than 100000 others");
    EXPECT_EQ(problem(doubling(n, '#', "1", "[", "]")),
              "ValueError f.mlir:17:15: an alias that stands for more than 100000 others");
  }
  // Many aliases, none of them large, are text like any other.
  std::string many = "#a = [1]\n";
  for (int i = 0; i < 10000; ++i)
    many += "#b" + std::to_string(i) + " = [#a, #a]\n";
  EXPECT_EQ(problem(many + "func.func @f() { return }\n"), "OK");
}

// What only looks deep.
TEST(GraphTextErrors, BracketsThatDoNotNest) {
  std::string body = "func.func @main(%x: tensor<f32>) -> tensor<f32> attributes {s = \"" +
                     times(2000, "(<[{") + "\\\"" + times(2000, "[") + "\"} {\n  // " +
                     times(2000, "[") + "\n";
  for (int i = 0; i < 2000; ++i)
    body += "  %" + std::to_string(i) +
            " = graph.neg %x {} : (tensor<f32>) -> tensor<f32> loc(\"f\":1:1)\n";
  EXPECT_EQ(problem(body + "  return %0 : tensor<f32>\n}\n"), "OK");
  std::string sets;
  for (int i = 0; i < 2000; ++i)
    sets += "#s" + std::to_string(i) + " = affine_set<(d, e) : (d - 1 >= 0, e + 2 <= 7, d == 0)>\n";
  for (int i = 0; i < 2000; ++i)
    sets += "func.func @f" + std::to_string(i) + "() attributes {s = [-1, #s" + std::to_string(i) +
            "]} { return }\n";
  EXPECT_EQ(problem(sets, "f0"), "OK");
}

//===--- generic syntax ---------------------------------------------------------===//

constexpr std::string_view kFunction = R"("func.func"() ({
^bb0(%x: tensor<2xf32>):
  %0 = "graph.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  "func.return"(%0) : (tensor<2xf32>) -> ()
}) {function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "main"} : () -> ()
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kFunction);
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(GraphTextErrors, GenericSyntax) {
  EXPECT_EQ(problem(kFunction), "OK");
  EXPECT_EQ(problem(changed("function_type = (tensor<2xf32>) -> tensor<2xf32>, ", "")),
            "ValueError f.mlir:1:1: 'func.func' op requires attribute 'function_type'");
  EXPECT_EQ(problem(changed(", sym_name = \"main\"", "")),
            "ValueError f.mlir:1:1: 'func.func' op requires attribute 'sym_name'");
  EXPECT_EQ(problem("\"func.func\"() {sym_name = \"main\", "
                    "function_type = (tensor<2xf32>) -> tensor<2xf32>} : () -> ()\n"),
            "ValueError f.mlir:1:1: 'func.func' op requires one region");
  EXPECT_EQ(problem(changed("sym_name", "arg_attrs = [], sym_name")),
            "ValueError f.mlir:1:1: 'func.func' op expects argument attribute array to have the "
            "same number of elements as the number of function arguments, got 0, but expected 1");
  EXPECT_EQ(problem(changed("sym_name", "res_attrs = [], sym_name")),
            "ValueError f.mlir:1:1: 'func.func' op expects result attribute array to have the same "
            "number of elements as the number of function results, got 0, but expected 1");
  EXPECT_EQ(problem("\"builtin.module\"() ({}) : () -> ()\n"),
            "ValueError f.mlir:1:1: 'builtin.module' op region #0 ('bodyRegion') failed to verify "
            "constraint: region with 1 blocks");
  EXPECT_EQ(problem("\"builtin.module\"() : () -> ()\n"),
            "ValueError f.mlir:1:1: 'builtin.module' op requires one region");
  EXPECT_EQ(problem(changed("(%x: tensor<2xf32>)", "(%x: tensor<2xf32>, %y: tensor<2xf32>)")),
            "ValueError f.mlir:1:1: 'func.func' op entry block must have 1 arguments to match "
            "function signature");
  EXPECT_EQ(problem("%f = " + changed(": () -> ()", ": () -> i1")),
            "ValueError f.mlir:1:6: 'func.func' op requires zero results");
  EXPECT_EQ(problem(changed("(%x) :", "(%x) ({ \"graph.foo\"() : () -> () }) :")),
            "NotSupported f.mlir:3:8: graph.exp: an operation of a graph has no regions and no "
            "successors");
  EXPECT_EQ(problem(changed("(%x) :", "(%x)[^bb0] :")),
            "ValueError f.mlir:3:23: successors in non-terminator");
  EXPECT_EQ(problem(changed("(%x) :", "(%x) <{a = 1 : i64}> :")),
            "ValueError f.mlir:3:8: invalid properties {a = 1 : i64} for op graph.exp: extensible "
            "Dialects don't support properties");
  EXPECT_EQ(problem(changed("\"(%0) : (tensor<2xf32>)", "\"(%0) ({}) : (tensor<2xf32>)")),
            "NotSupported f.mlir:4:3: func.return: an operation of a graph has no regions and no "
            "successors");
  EXPECT_EQ(problem(changed("\"func.return\"(%0) : (tensor<2xf32>) -> ()",
                            "%1 = \"func.return\"(%0) : (tensor<2xf32>) -> i1")),
            "ValueError f.mlir:4:8: the function goes on after its return");
  EXPECT_EQ(problem(changed("(%0) : (tensor<2xf32>) -> ()\n",
                            "(%0) : (tensor<2xf32>) -> ()\n"
                            "  %1 = \"graph.exp\"(%0) : (tensor<2xf32>) -> tensor<2xf32>\n")),
            "ValueError f.mlir:4:3: the function goes on after its return");
  EXPECT_EQ(problem(changed("(%0) :", "(%x) :")), "OK");
  EXPECT_EQ(problem(changed("(%x) : (tensor<2xf32>) ->", "(%x) : (tensor<3xf32>) ->")),
            "ValueError f.mlir:3:20: use of value '%x' expects different type than prior uses: "
            "'tensor<3xf32>' vs 'tensor<2xf32>'\nnote: prior use here");
  EXPECT_EQ(problem(changed("(%x) :", "(%0) :")),
            "ValueError f.mlir:3:8: an operand is used before it is defined");
}

TEST(GraphTextErrors, Constants) {
  auto constant = [](const std::string &text, const std::string &type = "tensor<2xf32>") {
    return problem("func.func @main() -> " + type + " {\n  %0 = " + text +
                   "\n  return %0 : " + type + "\n}\n");
  };
  EXPECT_EQ(constant("graph.constant dense<1.0> : tensor<2xf32>"), "OK");
  EXPECT_EQ(problem("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                    "  %0 = \"graph.constant\"(%x) {value = dense<1.0> : tensor<2xf32>} : "
                    "(tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"),
            "ValueError f.mlir:2:8: constant: it has one result and no operands");
  EXPECT_EQ(constant("graph.constant sparse<[[0]], [1.0]> : tensor<2xf32>"),
            "ValueError f.mlir:2:23: constant: expected dense elements, as in dense<[1, 2]> : "
            "tensor<2xi64>");
  EXPECT_EQ(constant("graph.constant dense_resource<foo> : tensor<2xf32>"),
            "ValueError f.mlir:2:23: constant: expected dense elements, as in dense<[1, 2]> : "
            "tensor<2xi64>");
  EXPECT_EQ(constant("graph.constant 1.0 : f32"),
            "ValueError f.mlir:2:23: constant: expected dense elements, as in dense<[1, 2]> : "
            "tensor<2xi64>");
  EXPECT_EQ(
      constant("\"graph.constant\"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf64>",
               "tensor<3xf64>"),
      "TypeError f.mlir:2:8: constant: the value is tensor<2xf32>, the text declares "
      "tensor<3xf64>");
  EXPECT_EQ(constant("\"graph.constant\"() {value = 1} : () -> tensor<2xf32>"),
            "ValueError f.mlir:2:8: constant: there are no dense elements");
  EXPECT_EQ(constant("\"graph.constant\"() : () -> tensor<2xf32>"),
            "ValueError f.mlir:2:8: constant: there are no dense elements");
  EXPECT_EQ(constant("graph.constant dense<1.0> : vector<2xf32>", "vector<2xf32>"),
            "TypeError f.mlir:2:8: vector<2xf32> is not a tensor of known rank");
  EXPECT_EQ(constant("graph.constant dense<1> : tensor<2xi4>", "tensor<2xi4>"),
            "TypeError f.mlir:2:8: no dtype is called i4");
}

/// MLIR would take a number beyond the greatest of its type for infinity.
TEST(GraphTextErrors, NumbersThatAreTooLarge) {
  auto constant = [](const std::string &value, const std::string &type) {
    return problem("func.func @main() -> " + type + " {\n  // 1.0e999 : f32 dense<1.0e999>\n" +
                   "  %0 = graph.constant dense<" + value + "> : " + type +
                   "\n  return %0 : " + type + "\n}\n");
  };
  EXPECT_EQ(constant("1.0e400", "tensor<f64>"),
            "ValueError f.mlir:3:29: 1.0e400 is too large for f64; write infinity as its bits, "
            "0x7FF0000000000000");
  EXPECT_EQ(constant("[[1.0, -2.0], [-3.5E+38, 1.0e39]]", "tensor<2x2xf32>"),
            "ValueError f.mlir:3:54: 1.0e39 is too large for f32; write infinity as its bits, "
            "0x7F800000");
  EXPECT_EQ(constant("[65520.0, 1.0]", "tensor<2xf16>"),
            "ValueError f.mlir:3:30: 65520.0 is too large for f16; write infinity as its bits, "
            "0x7C00");
  EXPECT_EQ(constant("3.4e38", "tensor< 3 x bf16 >"),
            "ValueError f.mlir:3:29: 3.4e38 is too large for bf16; write infinity as its bits, "
            "0x7F80");
  EXPECT_EQ(constant(times(50, "9") + ".0e999", "tensor<f64>"),
            "ValueError f.mlir:3:29: " + times(40, "9") +
                "... is too large for f64; write infinity as its bits, 0x7FF0000000000000");
  EXPECT_EQ(constant("0x7F800000", "tensor<2xf32>"), "OK");
  EXPECT_EQ(constant("[65519.0, -65504.0]", "tensor<2xf16>"), "OK");
  EXPECT_EQ(constant("1.0e39", "tensor<2xf64>"), "OK");
  EXPECT_EQ(constant("1.0e-400", "tensor<f64>"), "OK") << "numbers are rounded, the smallest to 0";
  auto attribute = [](const std::string &alpha) {
    return problem(
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = graph.elu %x {alpha = " + alpha +
        "} : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n");
  };
  EXPECT_EQ(attribute("-1.0e400"),
            "ValueError f.mlir:2:31: 1.0e400 is too large for f64; write infinity as its bits, "
            "0x7FF0000000000000");
  EXPECT_EQ(attribute("1.0e400 : f64"),
            "ValueError f.mlir:2:30: 1.0e400 is too large for f64; write infinity as its bits, "
            "0x7FF0000000000000");
  EXPECT_EQ(attribute("1.0e39 : f64"), "OK");
  EXPECT_EQ(attribute("0x7FF0000000000000 : f64"), "OK");
  // Integers: MLIR's own words.
  EXPECT_EQ(constant("300", "tensor<i8>"),
            "ValueError f.mlir:3:29: integer constant out of range for type");
  EXPECT_EQ(
      constant("[1, -1]", "tensor<2xui8>"),
      "ValueError f.mlir:3:34: expected unsigned integer elements, but parsed negative value");
  EXPECT_EQ(constant("99999999999999999999", "tensor<i64>"),
            "ValueError f.mlir:3:29: integer constant out of range for type");
}

TEST(GraphTextErrors, Files) {
  EXPECT_EQ(problem(""), "ValueError f.mlir: the file has no function (func.func @main)");
  std::string f = "func.func @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n";
  EXPECT_EQ(problem(f, "g"), "KeyError f.mlir: no function @g; the file has @f");
  EXPECT_EQ(problem(f + f), "ValueError f.mlir:2:1: @f is there twice");
  std::string g = f;
  g[11] = 'g';
  EXPECT_EQ(problem(f + g), "KeyError f.mlir: no function @main; the file has @f, @g");
  EXPECT_EQ(problem("func.func private @f(tensor<f32>)\n"),
            "ValueError f.mlir:1:1: function @f has no body");
  EXPECT_EQ(problem("builtin.module {}\nbuiltin.module {}\n"),
            "NotSupported f.mlir:1:1: builtin.module at the top of a graph file");
  EXPECT_EQ(problem("ML\xefR"),
            "ValueError f.mlir: bytecode that graphc has not written; hand it over as text");
}

TEST(GraphTextErrors, Globals) {
  auto global = [](const std::string &declaration, const std::string &load) {
    return problem(declaration + "\nfunc.func @main() -> tensor<2xf64> {\n  %w = " + load +
                   "\n  return %w : tensor<2xf64>\n}\n");
  };
  std::string w = "ml_program.global private @w(dense<[1.0, 2.0]> : tensor<2xf64>) : tensor<2xf64>";
  std::string changing = w;
  changing.replace(w.find("@w"), 0, "mutable ");
  std::string load = "ml_program.global_load_const @w : tensor<2xf64>";
  EXPECT_EQ(global(w, load), "OK");
  EXPECT_EQ(global(w, "ml_program.global_load @w : tensor<2xf64>"), "OK");
  EXPECT_EQ(global(changing, "ml_program.global_load @w : tensor<2xf64>"), "OK");
  EXPECT_EQ(global(changing, load), "TypeError f.mlir:3:8: global @w is mutable; "
                                    "ml_program.global_load reads it");
  EXPECT_EQ(global(w, "ml_program.global_load_const @v : tensor<2xf64>"),
            "KeyError f.mlir:3:8: there is no global @v");
  EXPECT_EQ(global(w, "ml_program.global_load_const @w::@x : tensor<2xf64>"),
            "KeyError f.mlir:3:8: there is no global @x");
  EXPECT_EQ(problem(w + "\nfunc.func @main() {\n  %w = ml_program.global_load_const @w : "
                        "tensor<3xf32>\n  return\n}\n"),
            "TypeError f.mlir:3:8: global @w is tensor<2xf64>, the text declares tensor<3xf32>");
  EXPECT_EQ(global(w + "\n" + w, load), "ValueError f.mlir:2:1: @w is there twice");
  EXPECT_EQ(global("ml_program.global private mutable @w : tensor<2xf64>", load),
            "ValueError f.mlir:1:1: global @w: there are no dense elements");
  EXPECT_EQ(global("ml_program.global private @w(#ml_program.extern : tensor<2xf64>) : "
                   "tensor<2xf64>",
                   load),
            "ValueError f.mlir:1:1: global @w: there are no dense elements");
  EXPECT_EQ(
      global("ml_program.global private @w(dense<1.0> : tensor<2xf64>) : tensor<?xf64>", load),
      "TypeError f.mlir:1:1: global @w: the value is tensor<2xf64>, the text declares "
      "tensor<?xf64>");
  EXPECT_EQ(global("ml_program.global private @w(dense<1.0> : tensor<2000x1000xf64>) : "
                   "tensor<2000x1000xf64>",
                   load),
            "ValueError f.mlir:1:1: global @w: the splats of the file claim more than 2097152 "
            "bytes: write its elements, or a graph.constant, which is computed");
  EXPECT_EQ(global("\"ml_program.global\"() {sym_name = \"w\"} : () -> ()", load),
            "ValueError f.mlir:1:1: 'ml_program.global' op requires attribute 'type'");
  EXPECT_EQ(global(w, "\"ml_program.global_load\"() : () -> tensor<2xf64>"),
            "ValueError f.mlir:3:8: 'ml_program.global_load' op requires attribute 'global'");
  EXPECT_EQ(problem(w + "\nfunc.func @main(%x: tensor<2xf64>) {\n  ml_program.global_store @w = "
                        "%x : tensor<2xf64>\n  return\n}\n"),
            "NotSupported f.mlir:3:3: ml_program.global_store is no op of a graph");
}

TEST(GraphTextErrors, Functions) {
  auto function = [](std::string_view body) {
    return problem("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n" + std::string(body) +
                   "}\n");
  };
  EXPECT_EQ(function(""), "ValueError f.mlir:1:1: the function does not return");
  EXPECT_EQ(function("  return\n"),
            "TypeError f.mlir:2:3: the function returns other types than it declares");
  EXPECT_EQ(function("  %0 = graph.constant dense<1> : tensor<i64>\n  return %0 : tensor<i64>\n"),
            "TypeError f.mlir:3:3: the function returns other types than it declares");
  EXPECT_EQ(function("  func.return %x : tensor<2xf32>\n^bb1:\n  return %x : tensor<2xf32>\n"),
            "NotSupported f.mlir:1:1: a graph's function has one block");
  EXPECT_EQ(function("  %0 = func.call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"),
            "NotSupported f.mlir:2:8: func.call is no op of a graph");
  EXPECT_EQ(function("  %0 = graph.exp %1 : (tensor<2xf32>) -> tensor<2xf32>\n"
                     "  %1 = graph.exp %x : (tensor<2xf32>) -> tensor<2xf32>\n"
                     "  return %0 : tensor<2xf32>\n"),
            "ValueError f.mlir:2:8: an operand is used before it is defined");
  EXPECT_EQ(function("  %0:2 = graph.exp %x : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"),
            "TypeError f.mlir:2:10: exp: 1 result, the text declares 2");
  EXPECT_EQ(function("  %0 = graph.exp %x : (tensor<2xf32>) -> tensor<*xf32>\n"),
            "TypeError f.mlir:2:8: tensor<*xf32> is not a tensor of known rank");
  EXPECT_EQ(function("  %0 = graph.exp %x : (tensor<2xf32>) -> tensor<2xf8E5M2>\n"),
            "TypeError f.mlir:2:8: no dtype is called f8E5M2");
  EXPECT_EQ(function("  %0 = graph.exp %x\n"), "ValueError f.mlir:2:20: expected ':'");
  EXPECT_EQ(problem("func.func @main(%x: memref<2xf32>) { return }\n"),
            "TypeError f.mlir:1:17: memref<2xf32> is not a tensor of known rank");
}

//===--- writing ------------------------------------------------------------------===//

TEST(GraphTextErrors, Writing) {
  Variable x(TensorType(DType::Float32, {2}), "x");
  auto problem = [](const GraphModule &module) { return whole(printGraph(module).status()); };
  Variable y(TensorType(DType::Float32, {2}), "y");
  EXPECT_TRUE(problem({.inputs = {x}, .outputs = {x + y}, .outputNames = {""}})
                  .starts_with("MissingInput "));
  EXPECT_TRUE(problem({.inputs = {x}, .outputs = {x + y}, .outputNames = {""}})
                  .ends_with(": variable 'y' is no input of the graph"));
  SharedVariable w0 = shared(Tensor({1.0, 2.0}), "w");
  EXPECT_TRUE(problem({.inputs = {x}, .outputs = {x * w0}, .outputNames = {""}})
                  .ends_with(": variable 'w' is no input of the graph: text has no values that are "
                             "shared; list it among the inputs, or save a Function "
                             "(Function::save)"));
  EXPECT_EQ(problem({.inputs = {x, w0}, .outputs = {x * w0}, .outputNames = {""}}), "OK");
  OpDef own{.name = "mine",
            .operands = {{"x"}},
            .type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
              return std::vector<Type>{r.type(0)};
            },
            .emit = [](Emitter &, const Arrays &in, const Attributes &) { return in; }};
  Variable mine = (*defineOp(own))(x);
  EXPECT_TRUE(problem({.inputs = {x}, .outputs = {mine}, .outputNames = {""}})
                  .ends_with(": op 'mine' has no text form: it is not in the registry"));
  Constant w(Tensor({1.0, 2.0})), main(Tensor({1.0}));
  main.setName("main");
  EXPECT_EQ(problem({.inputs = {x}, .outputs = {x}, .outputNames = {""}, .globals = {{x}}}),
            "ValueError global 'x' is no constant");
  EXPECT_TRUE(problem({.inputs = {x}, .outputs = {x}, .outputNames = {""}, .globals = {{w}}})
                  .ends_with(": a global has no name"));
  EXPECT_TRUE(problem({.inputs = {x}, .outputs = {x}, .outputNames = {""}, .globals = {{main}}})
                  .ends_with(": two things are called @main"));
}

} // namespace
} // namespace graphc
