#include "GoldenVectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

namespace graphc {
namespace {

/// Numbers as JSON has them: integers of 64 bits stay exact, "nan" and "inf" are strings.
double toDouble(const nlohmann::json &value) {
  if (!value.is_string())
    return value.get<double>();
  std::string text = value.get<std::string>();
  return text == "nan" ? NAN : text == "inf" ? INFINITY : -INFINITY;
}

template <class T> T toElement(const nlohmann::json &value) {
  if constexpr (std::is_same_v<T, bool>)
    return value.get<int>() != 0;
  else if constexpr (std::is_integral_v<T>)
    return value.get<T>();
  else if constexpr (std::is_same_v<T, double>)
    return toDouble(value);
  else
    return T(float(toDouble(value))); // shortest decimals of float32 read back through double
}

GoldenLine toLine(const nlohmann::json &json) {
  GoldenLine line{json["id"], json["op"], json.value("error", ""), json["attrs"], {}, {}, {}, {}};
  for (const nlohmann::json &array : json["inputs"])
    line.inputs.push_back(goldenTensor(array));
  if (json.contains("outputs"))
    for (const nlohmann::json &array : json["outputs"])
      line.outputs.push_back(goldenTensor(array));
  if (json.contains("grads")) {
    for (const nlohmann::json &array : json["w"])
      line.w.push_back(goldenTensor(array));
    for (const nlohmann::json &array : json["grads"])
      line.grads.push_back(array.is_null() ? Tensor() : goldenTensor(array));
  }
  if (json.contains("tol")) {
    const nlohmann::json &tol = json["tol"];
    line.skip = tol.value("skip", false);
    if (!line.skip) {
      line.rtol = tol.value("rtol", 0.0);
      line.atol = tol.value("atol", 0.0);
    }
  }
  return line;
}

/// Families with lines for ops of gradients, and the inputs with respect to which they are.
constexpr std::pair<const char *, size_t> kDerived[] = {
    {"prod", 0},   {"conv1d", 0}, {"conv1d", 1}, {"conv2d", 0}, {"conv2d", 1},
    {"conv3d", 0}, {"conv3d", 1}, {"pool", 0},   {"pad", 0},    {"take", 0}};

/// Whether the op of the family's gradients computes that of the line.
bool hasOwnOp(const GoldenLine &line) {
  static const std::set<std::string> copying = {"edge", "reflect", "symmetric", "wrap"};
  return line.op != "pad" || copying.count(line.attrs["mode"].get<std::string>());
}

/// README.md there says how gradients are compared.
std::optional<GoldenLine> derived(const GoldenLine &line, size_t i) {
  if (line.grads.empty() || !line.grads[i].defined() || line.skip || !hasOwnOp(line))
    return std::nullopt;
  GoldenLine gradient = line;
  std::string suffix = "_gradient" + std::to_string(i);
  gradient.id += suffix;
  gradient.op += suffix;
  gradient.inputs.push_back(line.w[0]);
  gradient.outputs = {line.grads[i]};
  gradient.w.clear();
  gradient.grads.clear();
  bool isSingle = line.grads[i].dtype() == DType::Float32;
  gradient.rtol = line.rtol.value_or(isSingle ? 1e-4 : 1e-9);
  gradient.atol = line.atol.value_or(isSingle ? 1e-6 : 1e-12);
  return gradient;
}

} // namespace

Tensor goldenTensor(const nlohmann::json &array) {
  std::string name = array["dtype"].get<std::string>();
  std::vector<int64_t> shape = array["shape"].get<std::vector<int64_t>>();
  std::optional<DType> dtype = parseDType(name);
  if (!dtype) {
    ADD_FAILURE() << "unknown dtype " << name;
    return Tensor();
  }
  absl::StatusOr<Tensor> tensor = Tensor::allocate(*dtype, shape);
  if (!tensor.ok()) {
    ADD_FAILURE() << tensor.status();
    return Tensor();
  }
  if (isComplex(*dtype)) { // pairs
    nlohmann::json parts = {{"dtype", dtypeName(realDType(*dtype))}, {"shape", shape}};
    parts["shape"].push_back(2);
    for (const nlohmann::json &pair : array["data"])
      for (const nlohmann::json &part : pair)
        parts["data"].push_back(part);
    if (array["data"].empty())
      return *tensor;
    return *goldenTensor(parts).complexView();
  }
  dispatch(*dtype, [&](auto zero) {
    using T = decltype(zero);
    int64_t i = 0;
    for (const nlohmann::json &value : array["data"])
      tensor->mutableFlat<T>()[i++] = toElement<T>(value);
  });
  return *tensor;
}

/// Puts the right numbers in the place of wrong ones, as corrections.json has them.
void correct(nlohmann::json &line) {
  static const auto &corrections = *[] {
    std::ifstream in(std::string(GRAPHC_TEST_DATA) + "/../../test/Data/golden/corrections.json");
    EXPECT_TRUE(in.good());
    return new nlohmann::json(nlohmann::json::parse(in));
  }();
  auto found = corrections.find(line["id"].get<std::string>());
  if (found == corrections.end())
    return;
  for (const auto &[element, value] : (*found)["elements"].items())
    line["outputs"][0]["data"][std::stoul(element)] = value;
}

const std::vector<GoldenLine> &goldenLines() {
  static const std::vector<GoldenLine> &lines = *[] {
    auto *all = new std::vector<GoldenLine>;
    for (const char *file :
         {"elementwise", "reductions", "linalg", "shape", "indexing", "nn", "numpy", "tails",
          "gradients", "ordering", "linear", "special", "composites", "complex"}) {
      std::string path =
          std::string(GRAPHC_TEST_DATA) + "/../../test/Data/golden/" + file + ".jsonl";
      std::ifstream in(path);
      EXPECT_TRUE(in.good()) << path;
      for (std::string text; std::getline(in, text);) {
        nlohmann::json json = nlohmann::json::parse(text);
        correct(json);
        GoldenLine line = toLine(json);
        for (auto [family, i] : kDerived)
          if (line.op == family)
            if (std::optional<GoldenLine> gradient = derived(line, i))
              all->push_back(*std::move(gradient));
        all->push_back(std::move(line));
      }
    }
    return all;
  }();
  return lines;
}

std::vector<std::string> workingFamilies(const GoldenCounts &counts) {
  std::vector<std::string> names;
  for (const auto &[family, count] : counts)
    if (count.waiting < count.lines)
      names.push_back(family);
  return names;
}

} // namespace graphc
