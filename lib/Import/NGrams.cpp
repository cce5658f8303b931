//===- NGrams.cpp - TfIdfVectorizer of numbers -----------------------------===//
//
// How often each n-gram of a pool is in each line: of every distance between its parts, the places
// at which all parts are equal, counted.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Import/Translations.h"

namespace graphc {
namespace {

/// N-grams of one length: a row of the pool each.
struct Grams {
  int64_t length = 0, count = 0;
  Ints parts;
};

struct Vocabulary {
  std::vector<Grams> grams;
  Ints columns; ///< of the result, by n-gram
  int64_t width = 0;
};

/// More columns than any vocabulary has are a mistake, and an array of that width.
constexpr int64_t kMostColumns = int64_t(1) << 24;

Vocabulary wrong(OnnxNode &n, const std::string &message) {
  n.fail(ErrorKind::ValueError, message);
  return {};
}

Vocabulary vocabularyOf(OnnxNode &n) {
  const Ints starts = n.getInts("ngram_counts").value_or(Ints()),
             columns = n.getInts("ngram_indexes").value_or(Ints()),
             pool = n.getInts("pool_int64s").value_or(Ints());
  const int64_t shortest = n.requireInt("min_gram_length"),
                longest = n.requireInt("max_gram_length");
  if (shortest < 1 || longest < shortest)
    return wrong(n, "n-grams of " + std::to_string(shortest) + " to " + std::to_string(longest) +
                        " parts");
  Vocabulary result;
  int64_t before = 0;
  for (size_t k = 0; k < starts.size(); ++k) {
    const int64_t length = int64_t(k) + 1, begin = starts[k],
                  end = k + 1 < starts.size() ? starts[k + 1] : int64_t(pool.size());
    if (begin < 0 || end < begin || end > int64_t(pool.size()) || (end - begin) % length != 0)
      return wrong(n, "ngram_counts[" + std::to_string(k) + "] is " + std::to_string(begin) +
                          ": n-grams of " + std::to_string(length) +
                          " parts do not fit into pool_int64s of " + std::to_string(pool.size()));
    const int64_t count = (end - begin) / length;
    if (before + count > int64_t(columns.size()))
      return wrong(n, "ngram_indexes has " + std::to_string(columns.size()) +
                          " numbers, pool_int64s more n-grams");
    if (length >= shortest && length <= longest && count > 0) {
      result.grams.push_back({length, count, Ints(pool.begin() + begin, pool.begin() + end)});
      result.columns.insert(result.columns.end(), columns.begin() + before,
                            columns.begin() + before + count);
    }
    before += count;
  }
  for (int64_t column : columns) {
    if (column < 0 || column >= kMostColumns)
      return wrong(n, "ngram_indexes has " + std::to_string(column) + "; from 0 to " +
                          std::to_string(kMostColumns - 1) + " are possible");
    result.width = std::max(result.width, column + 1);
  }
  return result;
}

/// [lines, n-grams] int64: at how many places of a line each is, with its parts `apart`.
Variable countsOf(OnnxNode &n, const Variable &lines, const Grams &grams, int64_t apart) {
  Variable places = maximum(shape(lines, 1) - (grams.length - 1) * apart, int64_t(0)), found;
  for (int64_t part = 0; part < grams.length; ++part) {
    Ints wanted;
    for (int64_t gram = 0; gram < grams.count; ++gram)
      wanted.push_back(grams.parts[size_t(gram * grams.length + part)]);
    Variable here = subtensor(n.at(lines), {Slice(), Slice(part * apart, places + part * apart)});
    Variable equal = eq(n.at(expandDims(n.at(here), Axis(2))), n.vector(wanted));
    found = part == 0 ? equal : logicalAnd(found, equal);
  }
  return sum(cast(found, DType::Int64), Axis(1));
}

Variables tfIdfVectorizer(OnnxNode &n) {
  if (n.hasAttribute("pool_strings"))
    return {n.unsupported("pool_strings: graphc has no strings")};
  Variable x = n.in(0);
  const Vocabulary vocabulary = vocabularyOf(n);
  const int64_t skips = n.requireInt("max_skip_count");
  const std::string mode = n.getString("mode", "");
  const std::optional<std::vector<float>> weights = n.getFloats("weights");
  if (!n.status().ok())
    return {};
  if (skips < 0)
    return {n.fail(ErrorKind::ValueError, "max_skip_count is " + std::to_string(skips))};
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return {n.unsupported("mode '" + mode + "'")};
  if (weights && int64_t(weights->size()) != vocabulary.width)
    return {n.fail(ErrorKind::ValueError, std::to_string(weights->size()) + " weights for " +
                                              std::to_string(vocabulary.width) + " columns")};
  if (x.rank() < 1 || x.rank() > 2)
    return {n.fail(ErrorKind::ShapeError, "X is a vector or a matrix")};
  Variable lines = x.rank() == 1 ? expandDims(n.at(x), Axis(0)) : x;
  lines = cast(n.at(lines), DType::Int64);
  std::vector<Operand> counts;
  for (const Grams &grams : vocabulary.grams) {
    // Parts of one alone have no distance.
    const int64_t farthest = grams.length == 1 ? 0 : skips;
    if (!n.affords(std::min<int64_t>(farthest, int64_t(1) << 30) * (grams.length * 8 + 4)))
      return {};
    Variable all;
    for (int64_t skipped = 0; skipped <= farthest; ++skipped) {
      Variable some = countsOf(n, lines, grams, skipped + 1);
      all = skipped == 0 ? some : all + some;
    }
    counts.push_back(all);
  }
  Variable result = zeros({shape(lines, 0), vocabulary.width}, DType::Float32);
  if (!counts.empty())
    result = incTake(n.at(result), n.vector(vocabulary.columns),
                     cast(concatenate(counts, 1), DType::Float32), {.axis = 1});
  if (mode == "IDF")
    result = cast(gt(result, 0.0f), DType::Float32);
  if (mode != "TF" && weights)
    result = mul(n.at(result), n.vector(*weights));
  return {x.rank() == 1 ? squeeze(n.at(result), Axis(0)) : result};
}

} // namespace

absl::Span<const Translation> ngramTranslations() {
  static constexpr Translation kTable[] = {
      {"TfIdfVectorizer", tfIdfVectorizer, 9, "pool_int64s"},
  };
  return kTable;
}

} // namespace graphc
