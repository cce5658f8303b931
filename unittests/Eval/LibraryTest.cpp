//===- LibraryTest.cpp - golden calls as shared libraries -----------------===//
//
// A library and the JIT run the same kernels, so their results must agree to the bit; what differs
// is the driver, which is C with memory of its own.
//
//===----------------------------------------------------------------------===//
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "GoldenCalls.h"
#include "Kernels/CompilerInterface.h"
#include "graphc/Function.h"
#include "graphc/Import.h"
#include "graphc/OpDef.h"

namespace graphc {
namespace {

/// A structure as C lays it out on a 64-bit processor: each member aligned to its size.
class CallStructure {
public:
  size_t place(size_t bytes, size_t alignment) {
    size_t at = (bytes_.size() + alignment - 1) / alignment * alignment;
    bytes_.resize(at + bytes);
    return at;
  }
  size_t placeArray(size_t rank) { return place(8 * (rank + 2), 8); }
  template <class T> T &at(size_t offset) { return *reinterpret_cast<T *>(bytes_.data() + offset); }
  char *data() { return bytes_.data(); }

private:
  std::vector<char> bytes_;
};

class Library {
public:
  explicit Library(const GraphModule &module) {
    path_ = testing::TempDir() + "/graphc-library-" + std::to_string(getpid()) + ".so";
    const CompilerInterface *compiler = *loadCompiler();
    absl::StatusOr<LibraryFiles> files = compiler->compileLibrary(module, {"golden", "test"}, {});
    EXPECT_TRUE(files.ok()) << files.status();
    if (!files.ok())
      return;
    absl::Status linked = compiler->link(*files, path_);
    EXPECT_TRUE(linked.ok()) << linked;
    library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_TRUE(library_) << dlerror();
  }
  ~Library() {
    if (library_)
      dlclose(library_);
    std::filesystem::remove(path_);
  }
  bool isLoaded() const { return library_; }

  /// In a structure, as a C program would, complex numbers as pairs; empty after an error, which
  /// `message` tells.
  std::vector<Tensor> run(const std::vector<Tensor> &inputs, const Variables &outputs,
                          std::string &message) const {
    CallStructure call;
    for (const Tensor &value : inputs) {
      Tensor input = isComplex(value.dtype()) ? value.realView() : value;
      size_t size = size_t(byteSize(input.dtype())), rank = size_t(input.rank());
      size_t at = rank ? call.placeArray(rank) : call.place(size, size);
      if (rank == 0) {
        std::memcpy(call.data() + at, input.data(), size);
        continue;
      }
      call.at<const void *>(at) = input.data();
      for (size_t axis = 0; axis < rank; ++axis)
        call.at<int64_t>(at + 8 + 8 * axis) = input.shape()[axis];
    }
    std::vector<size_t> places;
    for (const Variable &output : outputs) {
      auto [dtype, rank] = member(output);
      size_t size = size_t(byteSize(dtype));
      places.push_back(rank ? call.placeArray(rank) : call.place(size, size));
    }
    call.place(8, 8);

    std::vector<Tensor> results;
    if (int code = function<int(void *)>("golden")(call.data()); code != 0) {
      message = function<const char *(void *)>("golden_message")(call.data());
    } else {
      for (size_t k = 0; k < outputs.size(); ++k) {
        std::vector<int64_t> shape;
        auto [dtype, rank] = member(outputs[k]);
        for (size_t axis = 0; axis < rank; ++axis)
          shape.push_back(call.at<int64_t>(places[k] + 8 + 8 * axis));
        Tensor result = *Tensor::allocate(dtype, shape);
        const void *data = rank ? call.at<void *>(places[k]) : call.data() + places[k];
        std::memcpy(result.data(), data, size_t(result.numBytes()));
        results.push_back(isComplex(outputs[k].dtype()) ? *result.complexView() : result);
      }
    }
    function<void(void *)>("golden_release")(call.data());
    return results;
  }

private:
  /// Dtype and rank of an output's member in the structure: complex numbers are pairs there.
  static std::pair<DType, size_t> member(const Variable &output) {
    bool isPairs = isComplex(output.dtype());
    return {realDType(output.dtype()), size_t(output.type().rank()) + (isPairs ? 1 : 0)};
  }

  template <class F> F *function(const char *name) const {
    return reinterpret_cast<F *>(dlsym(library_, name));
  }

  std::string path_;
  void *library_ = nullptr;
};

/// Whether routines compute some of it, which libraries do not have.
bool isComputedByTheHost(const GraphModule &module) {
  absl::StatusOr<std::string> kernels = (*loadCompiler())->emit(module, "kernels", {});
  return kernels.ok() && kernels->find("  host 0 (") != std::string::npos;
}

/// One line of every third op, and one that fails of every op that can, with every extent unknown
/// that is not 1.
TEST(Library, GoldenCallsAgreeWithTheJit) {
  std::set<std::pair<std::string, bool>> seen;
  int compared = 0, failed = 0;
  for (const GoldenLine &line : goldenLines()) {
    if (line.skip || !seen.insert({line.op, !line.error.empty()}).second)
      continue;
    if (line.error.empty() && seen.size() % 3 != 0)
      continue;
    GraphModule module;
    for (const Tensor &value : line.inputs) {
      std::vector<int64_t> shape(value.shape().begin(), value.shape().end());
      for (int64_t &extent : shape)
        extent = extent == 1 ? 1 : kDynamic;
      module.inputs.push_back(tensor(value.dtype(), shape));
    }
    std::optional<Variables> outputs = callGolden(line, module.inputs);
    if (!outputs)
      continue;
    module.outputs = *outputs;
    module.outputNames.resize(outputs->size());
    FunctionOptions options;
    options.onUnusedInput = OnUnusedInput::Ignore;
    absl::StatusOr<Function> jit = graphc::function(module, options);
    if (!jit.ok()) // refused while it is built
      continue;
    SCOPED_TRACE(line.id + " " + line.op + line.attrs.dump());
    if (isComputedByTheHost(module))
      continue;
    Library library(module);
    ASSERT_TRUE(library.isLoaded());
    std::vector<Tensor> inputs;
    for (const Tensor &value : line.inputs)
      inputs.push_back(value.contiguous());
    std::string message;
    std::vector<Tensor> got = library.run(inputs, *outputs, message);
    absl::StatusOr<Results> wanted = jit->call(inputs);
    if (!wanted.ok()) {
      ++failed;
      // A Status has its place beside the text, where a library has only the text.
      if (std::optional<Place> place = errorPlace(wanted.status())) {
        std::string line = "\n  at " + place->str();
        ASSERT_NE(message.find(line), message.npos) << message;
        message.erase(message.find(line), line.size());
      }
      EXPECT_EQ(message, std::string(wanted.status().message()));
      continue;
    }
    ++compared;
    ASSERT_EQ(got.size(), wanted->size()) << message;
    for (size_t k = 0; k < got.size(); ++k) {
      ASSERT_EQ(got[k].shape(), (*wanted)[k].shape());
      Tensor expected = (*wanted)[k].contiguous();
      EXPECT_EQ(std::memcmp(got[k].data(), expected.data(), size_t(got[k].numBytes())), 0)
          << "got\n"
          << got[k] << "\nwanted\n"
          << (*wanted)[k];
    }
  }
  EXPECT_GT(compared, 20);
  EXPECT_GT(failed, 5);
}

} // namespace
} // namespace graphc
