//===- NGramsTest.cpp - TfIdfVectorizer beside what ONNX's tests have -------===//
//
// Numbers are counted by hand.
//
//===----------------------------------------------------------------------===//
#include "Import/OneNode.h"

namespace graphc::test {
namespace {

/// Of 1 and 3 alone, and of 1, 2 and 1, 3, with at most one number in between.
OneNode counting(const Tensor &x, const char *mode = "TF") {
  return OneNode(13, "TfIdfVectorizer")
      .given(x)
      .integers("ngram_counts", {0, 2})
      .integers("ngram_indexes", {2, 0, 1, 3})
      .integers("pool_int64s", {1, 3, 1, 2, 1, 3})
      .integer("min_gram_length", 1)
      .integer("max_gram_length", 2)
      .integer("max_skip_count", 1)
      .text("mode", mode);
}

TEST(TfIdfVectorizer, CountsInColumnsOfItsOwn) {
  const Tensor x = i64(Tensor({1, 2, 1, 3, 2}));
  EXPECT_EQ(counting(x).run()[0], f32(Tensor({1, 2, 2, 1})));
  EXPECT_EQ(counting(shaped(x.cast(DType::Int32), {1, 5})).run()[0],
            shaped(f32(Tensor({1, 2, 2, 1})), {1, 4}));
}

TEST(TfIdfVectorizer, Weighs) {
  const Tensor x = i64(Tensor({1, 2, 1, 3, 2})), few = i64(Tensor({1, 2}));
  EXPECT_EQ(counting(x, "TFIDF").floats("weights", {0.5, 2, 1, 3}).run()[0],
            f32(Tensor({0.5, 4, 2, 3})));
  EXPECT_EQ(counting(few, "IDF").floats("weights", {0.5, 2, 1, 3}).run()[0],
            f32(Tensor({0, 2, 1, 0})));
  EXPECT_EQ(counting(few, "IDF").run()[0], f32(Tensor({0, 1, 1, 0})));
}

/// Lines shorter than any n-gram, and none.
TEST(TfIdfVectorizer, ShortLines) {
  EXPECT_EQ(counting(*Tensor::zeros(DType::Int64, {0})).run()[0], f32(Tensor({0, 0, 0, 0})));
  EXPECT_EQ(counting(*Tensor::zeros(DType::Int64, {0, 3})).run()[0],
            *Tensor::zeros(DType::Float32, {0, 4}));
}

OneNode pool(std::vector<int64_t> counts, std::vector<int64_t> indexes, int64_t longest = 2,
             int64_t skips = 0, int64_t rank = 1, const char *mode = "TF") {
  return OneNode(13, "TfIdfVectorizer")
      .given(*Tensor::zeros(DType::Int64, std::vector<int64_t>(size_t(rank), 2)))
      .integers("ngram_counts", std::move(counts))
      .integers("ngram_indexes", std::move(indexes))
      .integers("pool_int64s", {1, 3, 1})
      .integer("min_gram_length", 1)
      .integer("max_gram_length", longest)
      .integer("max_skip_count", skips)
      .text("mode", mode);
}

TEST(TfIdfVectorizer, Mistakes) {
  auto of = [](OneNode node) { return error(node.load()); };
  const std::string at = "model.onnx: node 1 (TfIdfVectorizer): ";
  EXPECT_EQ(of(pool({0, 1}, {0, 1}, 0)), at + "n-grams of 1 to 0 parts");
  EXPECT_EQ(of(pool({0, 2}, {0, 1, 2})), at + "ngram_counts[1] is 2: n-grams of 2 parts do not fit "
                                              "into pool_int64s of 3");
  EXPECT_EQ(of(pool({0, 1}, {0})), at + "ngram_indexes has 1 numbers, pool_int64s more n-grams");
  EXPECT_EQ(of(pool({0, 1}, {0, 16777216})),
            at + "ngram_indexes has 16777216; from 0 to 16777215 are possible");
  EXPECT_EQ(of(pool({0, 1}, {0, 1}, 2, -1)), at + "max_skip_count is -1");
  EXPECT_EQ(of(pool({0, 1}, {0, 1}, 2, 0, 3)), at + "X is a vector or a matrix");
  EXPECT_EQ(of(pool({0, 1}, {0, 1}, 2, 0, 1, "TD")), at + "mode 'TD'");
  EXPECT_EQ(of(pool({0, 1}, {0, 1}).floats("weights", {1})), at + "1 weights for 2 columns");
  EXPECT_EQ(of(pool({0, 1}, {0, 1}).texts("pool_strings", {"a"})),
            at + "pool_strings: graphc has no strings");
  EXPECT_FALSE(pool({0, 1}, {0, 1}, 2, 2000000000).load().ok()); // what the file does not have
}

} // namespace
} // namespace graphc::test
