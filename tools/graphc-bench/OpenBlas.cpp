//===- OpenBlas.cpp -------------------------------------------------------===//
#include "OpenBlas.h"

#include <dlfcn.h>

#include <cstdlib>

namespace graphc::bench {
namespace {

template <class T>
using Gemm = void (*)(int order, int transA, int transB, int m, int n, int k, T alpha, const T *a,
                      int lda, const T *b, int ldb, T beta, T *c, int ldc);
template <class T>
using Gemv = void (*)(int order, int trans, int m, int n, T alpha, const T *a, int lda, const T *x,
                      int incx, T beta, T *y, int incy);

struct Library {
  Gemm<float> sgemm = nullptr;
  Gemm<double> dgemm = nullptr;
  Gemv<float> sgemv = nullptr;
  Gemv<double> dgemv = nullptr;
  void (*setThreads)(int) = nullptr;
  const char *(*config)() = nullptr;

  Library() {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return;
    find(library, "cblas_sgemm", sgemm);
    find(library, "cblas_dgemm", dgemm);
    find(library, "cblas_sgemv", sgemv);
    find(library, "cblas_dgemv", dgemv);
    find(library, "openblas_set_num_threads", setThreads);
    find(library, "openblas_get_config", config);
  }
  bool isUsable() const { return sgemm && dgemm && sgemv && dgemv && setThreads && config; }

private:
  template <class F> static void find(void *library, const char *name, F &function) {
    function = reinterpret_cast<F>(dlsym(library, name));
  }
};

const Library &library() {
  static const auto *const kLibrary = new Library();
  return *kLibrary;
}

// Of the CBLAS interface.
constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112;

/// One row or column is a product with a vector, for which the library has another function.
template <class T>
void multiplyOne(Gemm<T> gemm, Gemv<T> gemv, const Product &p, const T *a, const T *b, T *c) {
  bool isLeft = p.isLeftTransposed, isRight = p.isRightTransposed;
  int columnsOfA = isLeft ? p.m : p.k, columnsOfB = isRight ? p.k : p.n;
  if (p.m == 1)
    return gemv(kRowMajor, isRight ? kAsItIs : kTransposed, isRight ? p.n : p.k, columnsOfB, 1, b,
                columnsOfB, a, 1, 0, c, 1);
  if (p.n == 1)
    return gemv(kRowMajor, isLeft ? kTransposed : kAsItIs, isLeft ? p.k : p.m, columnsOfA, 1, a,
                columnsOfA, b, 1, 0, c, 1);
  gemm(kRowMajor, isLeft ? kTransposed : kAsItIs, isRight ? kTransposed : kAsItIs, p.m, p.n, p.k, 1,
       a, columnsOfA, b, columnsOfB, 0, c, p.n);
}

/// Of a batch one after the other: this version has no function for several.
template <class T>
void multiply(Gemm<T> gemm, Gemv<T> gemv, const Product &p, const T *a, const T *b, T *c) {
  for (int64_t i = 0; i < p.batch; ++i)
    multiplyOne(gemm, gemv, p, a + i * p.m * p.k, b + i * p.k * p.n, c + i * p.m * p.n);
}

} // namespace

void chooseOpenBlasCore() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f"))
    setenv("OPENBLAS_CORETYPE", "SkylakeX", /*overwrite=*/0);
#endif
}

std::string openBlasVersion() { return library().isUsable() ? library().config() : ""; }

std::vector<Hand> openBlasProduct(const Product &product, const Tensor &a, const Tensor &b,
                                  const Settings &settings) {
  if (!library().isUsable() || a.dtype() == DType::BFloat16)
    return {};
  library().setThreads(settings.threads);
  auto run = [=](void *const *results) {
    if (a.dtype() == DType::Float32)
      multiply<float>(library().sgemm, library().sgemv, product,
                      static_cast<const float *>(a.data()), static_cast<const float *>(b.data()),
                      static_cast<float *>(results[0]));
    else
      multiply<double>(library().dgemm, library().dgemv, product,
                       static_cast<const double *>(a.data()), static_cast<const double *>(b.data()),
                       static_cast<double *>(results[0]));
  };
  return {{"OpenBLAS", run}};
}

} // namespace graphc::bench
