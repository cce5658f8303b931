//===- ProductCases.cpp - matrix products and a convolution ---------------===//
#include <dlfcn.h>

#include "Compare.h"
#include "HandLoops.h"
#include "Inputs.h"
#include "absl/strings/str_format.h"

namespace graphc::bench {
namespace {

/// OpenBLAS, if the machine has it: a matrix product that is worth comparing with is not written by
/// hand in an afternoon.
struct OpenBlas {
  using Sgemm = void (*)(int order, int transA, int transB, int m, int n, int k, float alpha,
                         const float *a, int lda, const float *b, int ldb, float beta, float *c,
                         int ldc);
  using Dgemm = void (*)(int order, int transA, int transB, int m, int n, int k, double alpha,
                         const double *a, int lda, const double *b, int ldb, double beta, double *c,
                         int ldc);
  using SetThreads = void (*)(int);
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
  SetThreads setThreads = nullptr;

  OpenBlas() {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return;
    sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
    dgemm = reinterpret_cast<Dgemm>(dlsym(library, "cblas_dgemm"));
    setThreads = reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads"));
  }
  bool usable() const { return sgemm && dgemm && setThreads; }
};

const OpenBlas &openBlas() {
  static const auto *const kLibrary = new OpenBlas();
  return *kLibrary;
}

/// a b, or a b^T.
template <class T>
absl::StatusOr<Subject> productOf(int n, bool transposed, const Settings &settings) {
  constexpr bool kSingle = sizeof(T) == sizeof(float);
  DType dtype = DTypeOf<T>::value;
  Tensor a = makeInput(dtype, {n, n}, -1.0, 1.0, 6), b = makeInput(dtype, {n, n}, -1.0, 1.0, 7);
  Variable va = tensor(dtype, {kDynamic, kDynamic}, "a"),
           vb = tensor(dtype, {kDynamic, kDynamic}, "b");
  openBlas().setThreads(settings.threads);
  auto peer = [=](void *memory) {
    constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112; // of the CBLAS interface
    constexpr int kA = kAsItIs;
    const int kB = transposed ? kTransposed : kAsItIs;
    const T *x = static_cast<const T *>(a.data()), *y = static_cast<const T *>(b.data());
    T *c = static_cast<T *>(memory);
    if constexpr (kSingle)
      openBlas().sgemm(kRowMajor, kA, kB, n, n, n, 1, x, n, y, n, 0, c, n);
    else
      openBlas().dgemm(kRowMajor, kA, kB, n, n, n, 1, x, n, y, n, 0, c, n);
  };
  std::string name =
      absl::StrFormat("gemm%s_%s_%d", transposed ? "_abt" : "", kSingle ? "f32" : "f64", n);
  Variable product = dot(va, transposed ? transpose(vb) : vb);
  return compare({name, {va, vb}, product, {a, b}}, peer, settings);
}

absl::StatusOr<Subject> convolution(const Settings &settings) {
  constexpr int64_t kChannels = 64, kSide = 56;
  Tensor x = makeInput(DType::Float32, {1, kChannels, kSide, kSide}, -1.0, 1.0, 40);
  Tensor w = makeInput(DType::Float32, {kChannels, kChannels, 3, 3}, -0.041666666666666664,
                       0.041666666666666664, 41);
  Tensor b = makeInput(DType::Float32, {kChannels}, -0.1, 0.1, 42);
  Variable vx = tensor(DType::Float32, {1, kChannels, kSide, kSide}, "x");
  Variable vw = tensor(DType::Float32, {kChannels, kChannels, 3, 3}, "w");
  Variable vb = tensor(DType::Float32, {kChannels}, "b");
  ConvOptions options;
  options.padding = 1;
  options.filterFlip = false;
  Variable result = relu(conv2d(vx, vw, options) + dimshuffle(vb, {-1, 0, -1, -1}));
  int64_t scratchSize = handConvScratch(kChannels, kChannels, kSide, kSide);
  auto scratch = std::make_shared<std::vector<float>>(size_t(scratchSize));
  auto peer = [=](void *memory) {
    handConv3x3(static_cast<const float *>(x.data()), static_cast<const float *>(w.data()),
                static_cast<const float *>(b.data()), static_cast<float *>(memory), scratch->data(),
                kChannels, kChannels, kSide, kSide);
  };
  Settings single = settings;
  single.threads = 1;
  return compare({"conv3x3", {vx, vw, vb}, result, {x, w, b}}, peer, single);
}

} // namespace

void addProducts(std::vector<Case> &cases) {
  if (openBlas().usable())
    for (int n : {256, 512, 1024}) {
      cases.push_back({absl::StrFormat("gemm_f32_%d", n),
                       absl::StrFormat("%d^3 product f32 beside OpenBLAS", n),
                       {},
                       [n](const Settings &s) { return productOf<float>(n, false, s); }});
      cases.push_back({absl::StrFormat("gemm_f64_%d", n),
                       absl::StrFormat("%d^3 product f64 beside OpenBLAS", n),
                       {},
                       [n](const Settings &s) { return productOf<double>(n, false, s); }});
    }
  if (openBlas().usable())
    cases.push_back(
        {"gemm_abt_f32_512", "512^3 product a b^T f32 beside OpenBLAS", {}, [](const Settings &s) {
           return productOf<float>(512, true, s);
         }});
  cases.push_back(
      {"conv3x3", "relu(conv 3x3 + b), 64 channels of 56x56, one thread", {}, convolution});
}

} // namespace graphc::bench
