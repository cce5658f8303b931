//===- NetworkCases.cpp - training, attention, a block of a transformer ---===//
#include <array>
#include <cmath>

#include "Compare.h"
#include "Inputs.h"

namespace graphc::bench {
namespace {

//===--- a step of gradient descent ---------------------------------------------===//

absl::StatusOr<Subject> mlpStep(const Settings &settings) {
  constexpr int64_t kBatch = 64;
  constexpr std::array<int64_t, 4> kWidths = {784, 512, 512, 10};
  Tensor x = makeInput(DType::Float32, {kBatch, kWidths[0]}, 0.0, 1.0, 10),
         t = makeInput(DType::Int64, {kBatch}, 0.0, 10.0, 11);
  Variable vx = fmatrix("x"), vt = lvector("t"), h = vx;
  std::vector<SharedVariable> parameters;
  double flops = 0, bytes = 0;
  for (size_t layer = 0; layer < 3; ++layer) {
    int64_t from = kWidths[layer], to = kWidths[layer + 1];
    // 1 / 28 for the first, 1 / sqrt(512) for the others
    double bound = 1 / std::sqrt(double(from));
    std::string number(1, char('1' + layer));
    Tensor weights = makeInput(DType::Float32, {from, to}, -bound, bound, 12 + 2 * layer),
           biases = makeInput(DType::Float32, {to}, -0.01, 0.01, 13 + 2 * layer);
    parameters.push_back(shared(weights, "W" + number));
    parameters.push_back(shared(biases, "b" + number));
    h = dot(h, parameters[2 * layer]) + parameters[2 * layer + 1];
    if (layer < 2)
      h = relu(h);
    flops += (layer > 0 ? 6.0 : 4.0) * double(kBatch * from * to); // the input has no gradient
    bytes += double(weights.numBytes() + biases.numBytes());
  }
  Variable isTarget = eq(dimshuffle(vt, {0, -1}), arange(10));
  Variable loss = -sum(where(isTarget, logSoftmax(h), 0.0f)) / float(kBatch);
  Variables wrt(parameters.begin(), parameters.end());
  Variables gradients = grad(loss, wrt);
  Example example{"mlp_step", {vx, vt}, {loss}, {x, t}};
  example.results = {"loss"};
  for (size_t i = 0; i < parameters.size(); ++i) {
    example.updates.emplace_back(parameters[i], parameters[i] - 0.01f * gradients[i]);
    example.results.emplace_back(parameters[i].name());
  }
  example.cost = {flops, bytes + double(x.numBytes()), bytes};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

//===--- an encoder -------------------------------------------------------------===//

constexpr int64_t kTokens = 128, kWidth = 512, kHeads = 8, kHead = kWidth / kHeads, kInner = 2048;

struct EncoderWeights {
  std::vector<std::pair<std::string, Tensor>> values;
  uint64_t seed = 21;

  Constant add(const char *name, const std::vector<int64_t> &shape, double low, double high) {
    values.emplace_back(name, makeInput(DType::Float32, shape, low, high, seed++));
    return constant(values.back().second);
  }
};

Variable layerNorm(const Variable &x, const Variable &g, const Variable &c) {
  ReductionOptions last;
  last.axes = Axis(-1);
  last.keepDims = true;
  return (x - mean(x, last)) / sqrt(var(x, last) + 1e-5f) * g + c;
}

/// [1, tokens, width] to [1, heads, tokens, width / heads].
Variable heads(const Variable &x) {
  return transpose(reshape(x, {1, kTokens, kHeads, kHead}), {0, 2, 1, 3});
}

absl::StatusOr<Subject> encoder(const Settings &settings) {
  EncoderWeights in;
  const double kBound = 0.044194173824159216; // 1 / sqrt(512)
  Tensor tokens = makeInput(DType::Float32, {1, kTokens, kWidth}, -1.0, 1.0, 20);
  Variable x = tensor(DType::Float32, {1, kTokens, kWidth}, "x");
  auto linear = [&](const char *weights, const char *bias, int64_t from, int64_t to, double bound) {
    Variable w = in.add(weights, {from, to}, -bound, bound), b = in.add(bias, {to}, -0.1, 0.1);
    return [=](const Variable &v) { return dot(v, w) + b; };
  };
  auto norm = [&](const char *gain, const char *shift) {
    Variable g = in.add(gain, {kWidth}, 0.5, 1.5), c = in.add(shift, {kWidth}, -0.5, 0.5);
    return [=](const Variable &v) { return layerNorm(v, g, c); };
  };
  auto query = linear("Wq", "bq", kWidth, kWidth, kBound);
  auto key = linear("Wk", "bk", kWidth, kWidth, kBound);
  auto value = linear("Wv", "bv", kWidth, kWidth, kBound);
  auto output = linear("Wo", "bo", kWidth, kWidth, kBound);
  auto firstNorm = norm("g1", "c1");
  auto widen = linear("W1", "b1", kWidth, kInner, kBound);
  auto narrow = linear("W2", "b2", kInner, kWidth, kBound / 2);
  auto secondNorm = norm("g2", "c2");

  Variable keys = transpose(heads(key(x)), {0, 1, 3, 2});
  Variable p = softmax(matmul(heads(query(x)), keys) * 0.125f);
  Variable mixed =
      reshape(transpose(matmul(p, heads(value(x))), {0, 2, 1, 3}), {1, kTokens, kWidth});
  Variable y = firstNorm(x + output(mixed));
  Variable f = widen(y);
  f = 0.5f * f * (1.0f + erf(f / 1.4142135623730951f));
  Example example{"encoder", {x}, {secondNorm(y + narrow(f))}, {tokens}};
  example.constants = in.values;
  double bytes = double(tokens.numBytes());
  for (const auto &[name, weights] : in.values)
    bytes += double(weights.numBytes());
  double perToken = double(4 * kWidth * kWidth + 2 * kWidth * kInner + 2 * kTokens * kWidth);
  example.cost = {2 * double(kTokens) * perToken, bytes, double(tokens.numBytes())};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

//===--- attention ----------------------------------------------------------------===//

/// `heads` of `tokens` queries, keys and values of kHead numbers each.
absl::StatusOr<Subject> attention(int64_t heads, int64_t tokens, const Settings &settings) {
  Variables in;
  std::vector<Tensor> values;
  for (const char *name : {"q", "k", "v"}) {
    values.push_back(
        makeInput(DType::Float32, {heads, tokens, kHead}, -1.0, 1.0, 110 + values.size()));
    in.push_back(tensor(DType::Float32, {kDynamic, kDynamic, kHead}, name));
  }
  Variable p = softmax(matmul(in[0], transpose(in[1], {0, 2, 1})) * 0.125f);
  std::string name = "attention_" + std::to_string(heads) + "x" + std::to_string(tokens);
  Example example{name, in, {matmul(p, in[2])}, values};
  example.formula = "attention";
  double matrix = double(values[0].numBytes());
  example.cost = {double(heads * tokens * tokens) * double(4 * kHead + 5), 3 * matrix, matrix};
  return compare(std::move(example), std::vector<Hand>(), settings);
}

//===--- whole networks -------------------------------------------------------------===//

/// A network of ONNX's backend tests with weights of its own (test/Data/onnx/seeded), on one
/// picture whose element i of n is i / n.
absl::StatusOr<Subject> network(const std::string &file, const Settings &settings) {
  absl::StatusOr<GraphModule> module = loadOnnx(GRAPHC_BENCH_NETWORKS "/" + file + ".onnx");
  if (!module.ok())
    return module.status();
  Variable x = module->inputs.at(0);
  x.setName("x");
  Tensor picture = *Tensor::zeros(DType::Float32, x.type().shape());
  int64_t count = picture.numElements();
  for (int64_t i = 0; i < count; ++i)
    static_cast<float *>(picture.data())[i] = float(double(i) / double(count));
  Example example{"network_" + file, {x}, module->outputs, {picture}};
  example.formula = example.name;
  example.slack = 10; // ONNX Runtime's answer is that near to one in double precision
  return compare(std::move(example), std::vector<Hand>(), settings);
}

} // namespace

void addNetworks(std::vector<Case> &cases) {
  cases.push_back({"mlp_step",
                   "one step of gradient descent, 784-512-512-10, batch of 64",
                   {.ratio = 1.0},
                   mlpStep,
                   &groups::kNetworks});
  cases.push_back({"encoder",
                   "a block of a transformer: 128 tokens, width 512, 8 heads",
                   {.ratio = 1.0},
                   encoder,
                   &groups::kNetworks});
  for (const char *file : {"resnet50", "squeezenet", "inception_v1", "shufflenet"})
    cases.push_back({std::string("network_") + file,
                     std::string(file) + ", one picture",
                     {.ratio = 1.0},
                     [=](const Settings &s) { return network(file, s); },
                     &groups::kNetworks});
  for (auto [heads, tokens] :
       {std::pair<int64_t, int64_t>(8, 128), {8, 512}, {8, 1024}, {1, 4096}}) {
    std::string size = std::to_string(heads) + "x" + std::to_string(tokens);
    cases.push_back({"attention_" + size,
                     "attention, heads x tokens " + size + ", 64 numbers each",
                     {.ratio = 0.87}, // a factor of 1.15 ahead
                     [=](const Settings &s) { return attention(heads, tokens, s); },
                     &groups::kAttention});
  }
}

} // namespace graphc::bench
