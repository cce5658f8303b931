//===- Command.cpp --------------------------------------------------------===//
#include "Command.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "Support/ReadFile.h"

namespace graphc {

void Common::addTo(CLI::App &app) {
  app.add_option("FILE", file, "Graph text (.mlir), an ONNX model (.onnx), or - for standard input")
      ->required();
  app.add_option("--entry", entry, "Function of the file; default: main, or the only one");
  app.add_option("--mode", mode, "fast_run, fast_compile or interpreter")->capture_default_str();
  app.add_option("--target", target, "native, x86-64, x86-64-v3, x86-64-v4 or aarch64")
      ->capture_default_str();
  app.add_option(
      "--threads", threads,
      "Greatest number of threads of a call; 0: one per processor [GRAPHC_THREADS, else 1]");
  app.add_option("--dump-stages", dumpStages, "Folder to write the text of every stage to");
  app.add_flag("--no-cache", noCache, "Do not keep compiled code, nor look for it");
}

FunctionOptions Common::functionOptions() const {
  FunctionOptions options;
  options.mode = mode;
  options.threads = threads;
  options.target = target;
  options.dumpStages = dumpStages;
  options.cache = !noCache;
  return options;
}

static bool endsWith(const std::string &text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

absl::StatusOr<GraphModule> loadModule(const Common &common) {
  if (endsWith(common.file, ".onnx"))
    return loadOnnx(common.file);
  if (common.file != "-")
    return loadGraph(common.file, common.entry);
  absl::StatusOr<std::string> text = readStandardInput();
  if (!text.ok())
    return text.status();
  return parseGraph(*text, "<stdin>", common.entry);
}

absl::StatusOr<Function> loadFunction(const Common &common, const FunctionOptions &options) {
  if (common.file != "-")
    return compileFile(common.file, options, common.entry);
  absl::StatusOr<GraphModule> module = loadModule(common);
  return module.ok() ? function(*module, options) : module.status();
}

std::string outputName(const std::vector<std::string> &names, size_t i) {
  if (i < names.size() && !names[i].empty())
    return names[i];
  return "out" + std::to_string(i);
}

absl::Status writeOutput(const std::string &path, std::string_view bytes) {
  if (path.empty() || path == "-") {
    std::cout << bytes << std::flush;
    return absl::OkStatus();
  }
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out)
    return makeError(ErrorKind::Io, path + ": " + std::strerror(errno));
  return absl::OkStatus();
}

} // namespace graphc
