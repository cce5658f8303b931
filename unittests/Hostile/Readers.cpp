//===- Readers.cpp ---------------------------------------------------------------===//
#include "Hostile/Readers.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "API/SavedFunction.h"
#include "Graph/OnnxEntry.h"
#include "Kernels/CompilerInterface.h"
#include "Kernels/ReadKernels.h"
#include "Ops/IndexSpec.h"
#include "ParseValue.h"
#include "Runtime/ConfigText.h"
#include "Runtime/LiteralText.h"
#include "Runtime/ProgramFile.h"
#include "graphc/Import.h"
#include "graphc/Tensor.h"

#ifdef GRAPHC_FUZZ_TEXT
#include "Text/GraphText.h"
#endif

namespace graphc::test {
namespace {

/// A file of these bytes, for one call.
class File {
public:
  explicit File(std::string_view bytes) {
    int descriptor = mkstemp(path_.data());
    size_t written = 0;
    while (descriptor >= 0 && written < bytes.size()) {
      ssize_t count = write(descriptor, bytes.data() + written, bytes.size() - written);
      if (count <= 0)
        break;
      written += size_t(count);
    }
    if (descriptor >= 0)
      close(descriptor);
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string &path() const { return path_; }

private:
  static std::string base() {
    const char *folder = std::getenv("TMPDIR");
    return std::string(folder && *folder ? folder : "/tmp") + "/graphc-hostile-XXXXXX";
  }
  std::string path_ = base();
};

// Under libFuzzer the reader's own code is in the program, instrumented, in place of the library
// that would be loaded.
absl::Status readOnnx(std::string_view bytes) {
  File file(bytes);
#ifdef GRAPHC_FUZZ_ONNX
  absl::StatusOr<GraphModule> module = GraphModule();
  graphcOnnxEntry(file.path(), {}, &module);
  return module.status();
#else
  return loadOnnx(file.path()).status();
#endif
}
absl::Status readText(std::string_view bytes) {
#ifdef GRAPHC_FUZZ_TEXT
  return readGraphText(bytes, "<memory>", "").status();
#else
  return parseGraph(bytes).status();
#endif
}
absl::Status readNpy(std::string_view bytes) { return parseNpy(bytes).status(); }
absl::Status readNpz(std::string_view bytes) { return loadNpz(File(bytes).path()).status(); }
absl::Status readSavedFile(std::string_view bytes) {
  File file(bytes);
  if (absl::Status s = readSaved(file.path(), true).status(); !s.ok())
    return s;
  return loadSavedGraph(file.path()).status();
}
absl::Status readProgram(std::string_view bytes) {
  return programFromBytes(bytes) ? absl::OkStatus() : absl::InvalidArgumentError("no program");
}
absl::Status readKernelText(std::string_view bytes) {
  return readKernels(bytes, "<memory>").status();
}
/// `--input` literals, of several types.
absl::Status readLiteral(std::string_view bytes) {
  // What the user asks to be made, or names a file, is no claim of a file.
  for (std::string_view word : {"zeros", "random", ".np"})
    if (bytes.find(word) != bytes.npos)
      return absl::OkStatus();
  absl::Status status;
  for (DType dtype : {DType::Float32, DType::Int64, DType::Bool, DType::Float16})
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {kDynamic}, {2, kDynamic}, {kDynamic, 3}})
      status = parseValue(bytes, Type(dtype, shape)).status();
  return status;
}
/// A line for each variable of the environment: NAME=TEXT.
absl::Status readConfig(std::string_view bytes) {
  std::map<std::string, std::string> variables;
  for (size_t at = 0; at < bytes.size();) {
    size_t end = std::min(bytes.find('\n', at), bytes.size());
    std::string line(bytes.substr(at, end - at));
    if (size_t equals = line.find('='); equals != line.npos)
      variables[line.substr(0, equals)] = line.substr(equals + 1);
    at = end + 1;
  }
  Config read = configOf([&](const char *name) -> const char * {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  return isFloat(read.floatX) && read.threads >= 0 && read.specialisations >= 0
             ? absl::OkStatus()
             : absl::InternalError("settings that setConfig refuses");
}
/// Text of a stage behind the graph: MLIR's and LLVM's parsers, and the checks behind them.
template <const char *stage> absl::Status readStage(std::string_view bytes) {
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  CompileOptions options;
  options.target = "x86-64"; // the corpus'
  return (*compiler)->translate(bytes, "<memory>", stage, stage, options).status();
}
constexpr char kLinalg[] = "linalg", kLoops[] = "loops", kLlvm[] = "llvm";
absl::Status readIndex(std::string_view bytes) { return parseIndex(bytes).status(); }

} // namespace

const std::vector<Reader> &readers() {
  static const auto &all = *new std::vector<Reader>{
      {"onnx", readOnnx},
      {"text", readText},
      {"npy", readNpy},
      {"npz", readNpz},
      {"saved", readSavedFile},
      {"program", readProgram},
      {"kernels", readKernelText},
      {"literal", readLiteral},
      {"index", readIndex},
      {"config", readConfig},
      {"linalg", readStage<kLinalg>},
      {"loops", readStage<kLoops>},
      {"llvm", readStage<kLlvm>},
  };
  return all;
}

const Reader *findReader(std::string_view name) {
  for (const Reader &reader : readers())
    if (reader.name == name)
      return &reader;
  return nullptr;
}

} // namespace graphc::test
