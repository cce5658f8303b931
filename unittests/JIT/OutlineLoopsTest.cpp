//===- unittests/JIT/OutlineLoopsTest.cpp - loops as functions ------------===//
#include "JIT/OutlineLoops.h"

#include "TestKernels.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"

namespace graphc::testing {
namespace {

using ::testing::ElementsAre;

/// out[i] = 3 x[i] + ... + 3 x[i] for i in [lower, 16): a loop of some 2 `terms` ops that reads
/// values and constants from outside of it.
std::string loop(absl::string_view out, absl::string_view lower, int terms,
                 absl::string_view mark = "{graphc.outline}") {
  std::string body, sum = "%zero";
  for (int i = 0; i < terms; ++i) {
    std::string n = std::to_string(i);
    body += "    %a" + n + " = arith.mulf %x_i, %three : f32\n    %s" + n + " = arith.addf " + sum +
            ", %a" + n + " : f32\n";
    sum = "%s" + n;
  }
  return absl::StrReplaceAll(
      "  scf.for %i = LOWER to %n step %c1 {\n"
      "    %x_i = memref.load %x[%i] : memref<16xf32>\n"
      "BODY    memref.store SUM, OUT[%i] : memref<16xf32>\n"
      "  } MARK\n",
      {{"LOWER", lower}, {"BODY", body}, {"SUM", sum}, {"OUT", out}, {"MARK", mark}});
}

std::string kernel(const std::string &loops) {
  std::string text = "func.func @kernel(%px: memref<f32>, %pa: memref<f32>, %pb: memref<f32>, "
                     "%n: index, %m: index) -> i32 attributes {graphc.kernel} {\n"
                     "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
                     "  %zero = arith.constant 0.0 : f32\n  %three = arith.constant 3.0 : f32\n";
  for (absl::string_view name : {"x", "a", "b"})
    text += absl::StrReplaceAll("  %N = memref.reinterpret_cast %pN to offset: [0], sizes: [16], "
                                "strides: [1] : memref<f32> to memref<16xf32>\n",
                                {{"N", name}});
  return text + loops + "  %ok = arith.constant 0 : i32\n  return %ok : i32\n}\n";
}

std::vector<std::string> objectsOf(const std::string &text, int threads) {
  auto context = makeContext();
  auto module = parse(*context, text);
  auto compiler = ObjectCompiler::create(hostTarget());
  auto objects = (*compiler)->compileOnThreads(*module, threads);
  EXPECT_TRUE(objects.ok()) << objects.status();
  return objects.ok() ? *std::move(objects) : std::vector<std::string>();
}

/// The symbols of what is outlined, with the number of its module.
std::vector<std::pair<std::string, size_t>> outlined(const std::string &text, size_t modules) {
  auto context = makeContext();
  auto module = parse(*context, text);
  std::vector<std::pair<std::string, size_t>> list;
  for (const auto &[op, each] : outlineLoops(*module, modules))
    list.push_back({each.symbol, each.module});
  return list;
}

TEST(OutlineLoops, OfObjectsThatCallEachOther) {
  // Zero iterations of the second one where m is 16.
  std::string text = kernel(loop("%a", "%c0", 60) + loop("%b", "%m", 70));
  for (int threads : {1, 2, 3}) {
    std::vector<std::string> objects = objectsOf(text, threads);
    ASSERT_EQ(objects.size(), threads == 1 ? 1u : 2u);
    auto session = Session::get();
    auto code = (*session)->loadKernels(objects, {"kernel"});
    ASSERT_TRUE(code.ok()) << code.status();
    for (int64_t from : {2, 16}) {
      std::vector<float> x(16), a(16, -1), b(16, -1);
      for (int i = 0; i < 16; ++i)
        x[size_t(i)] = float(i);
      void *buffers[] = {x.data(), a.data(), b.data()};
      int64_t sizes[] = {16, from};
      EXPECT_EQ((*code)->function(0)(buffers, sizes), 0);
      for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(a[size_t(i)], float(180 * i));
        EXPECT_EQ(b[size_t(i)], i < from ? -1 : float(210 * i));
      }
    }
  }
}

TEST(OutlineLoops, AsManyAsBalanceModules) {
  std::string large = loop("%a", "%c0", 100), other = loop("%b", "%c0", 100);
  EXPECT_TRUE(outlined(kernel(large + other), 1).empty());
  // The kernel keeps what makes it no smaller than the other module.
  EXPECT_THAT(outlined(kernel(large + other), 2), ElementsAre(std::pair("kernel.part0", 1)));
  EXPECT_THAT(outlined(kernel(large + other + loop("%b", "%m", 80)), 3),
              ElementsAre(std::pair("kernel.part0", 1), std::pair("kernel.part1", 2)));
  // Nearly all of a kernel is as long to compile in another module.
  EXPECT_TRUE(outlined(kernel(large), 2).empty());
  EXPECT_TRUE(outlined(kernel(loop("%a", "%c0", 30) + loop("%b", "%c0", 30)), 2).empty())
      << "too little for a module";
  EXPECT_TRUE(outlined(kernel(loop("%a", "%c0", 100, "") + other), 1).empty());
  EXPECT_THAT(outlined(kernel(loop("%a", "%c0", 100, "") + other), 2),
              ElementsAre(std::pair("kernel.part0", 1)));
}

/// Vectors, masks and 16-bit floats from outside of a loop, whose counter has no sign.
TEST(OutlineLoops, TakeWhatTheyReadFromOutside) {
  std::string text =
      "func.func @kernel(%px: memref<f16>, %pa: memref<f16>, %n: index) -> i32 attributes "
      "{graphc.kernel} {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
      "  %two = arith.constant 2 : index\n";
  for (absl::string_view name : {"x", "a"})
    text += absl::StrReplaceAll("  %N = memref.reinterpret_cast %pN to offset: [0], sizes: [64], "
                                "strides: [1] : memref<f16> to memref<64xf16>\n",
                                {{"N", name}});
  text += "  %mask = vector.create_mask %n : vector<16xi1>\n"
          "  %v = vector.load %x[%c0] : memref<64xf16>, vector<16xf16>\n"
          "  %number = memref.load %x[%two] : memref<64xf16>\n"
          "  %all = vector.broadcast %number : f16 to vector<16xf16>\n"
          "  scf.for unsigned %i = %c0 to %c1 step %c1 {\n";
  std::string sum = "%v";
  for (int i = 0; i < 70; ++i) {
    std::string n = std::to_string(i);
    text += "    %s" + n + " = arith.addf " + sum + ", %all : vector<16xf16>\n";
    sum = "%s" + n;
  }
  text += "    vector.maskedstore %a[%c0], %mask, " + sum +
          " : memref<64xf16>, vector<16xi1>, vector<16xf16>\n  } {graphc.outline}\n";
  for (int i = 0; i < 170; ++i) // the kernel's
    text += "  %k" + std::to_string(i) + " = memref.load %x[%two] : memref<64xf16>\n";
  text += "  %ok = arith.constant 0 : i32\n  return %ok : i32\n}\n";
  std::vector<std::string> objects = objectsOf(text, 2);
  ASSERT_EQ(objects.size(), 2u);
  auto session = Session::get();
  auto code = (*session)->loadKernels(objects, {"kernel"});
  ASSERT_TRUE(code.ok()) << code.status();
  // Of f16: 1 is 0x3c00, 2 is 0x4000, 71 is 0x5470.
  std::vector<uint16_t> x(64, 0x3c00), a(64, 0x4000);
  void *buffers[] = {x.data(), a.data()};
  int64_t sizes[] = {5};
  EXPECT_EQ((*code)->function(0)(buffers, sizes), 0);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(a[i], i < 5 ? 0x5470 : 0x4000) << i;
}

TEST(OutlineLoops, NamesOfPartsAreNoKernels) {
  std::string loops = loop("%a", "%c0", 60) + loop("%b", "%m", 70), other = kernel("");
  other.replace(other.find("@kernel"), 7, "@kernel.part1");
  for (const std::string &text : {kernel(loops) + other, other + kernel(loops)}) {
    auto context = makeContext();
    auto module = parse(*context, text);
    auto compiler = ObjectCompiler::create(hostTarget());
    EXPECT_TRUE((*compiler)->compileOnThreads(*module, 1).ok());
    module = parse(*context, text);
    EXPECT_THAT(
        (*compiler)->compileOnThreads(*module, 2).status().message(),
        ::testing::HasSubstr("two functions are called kernel.part1, a kernel or a part of one"));
  }
}

TEST(OutlineLoops, OfOneWithinAnotherTheOuterOne) {
  std::string text = kernel("  scf.for %j = %c0 to %c1 step %c1 {\n" + loop("%a", "%c0", 60) +
                            "  } {graphc.outline}\n" + loop("%b", "%c0", 70, ""));
  EXPECT_THAT(outlined(text, 2), ElementsAre(std::pair("kernel.part0", 1)));
  EXPECT_EQ(objectsOf(text, 2).size(), 2u);
  EXPECT_EQ(objectsOf("", 2).size(), 1u) << "no kernel";
}

} // namespace
} // namespace graphc::testing
