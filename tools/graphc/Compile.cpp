//===- Compile.cpp - graphc compile ---------------------------------------===//
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>

#include "API/Runner.h"
#include "Command.h"
#include "Kernels/CompilerInterface.h"
#include "Profiling.h"
#include "Progress.h"
#include "Runtime/ThreadPool.h"
#include "Support/ReadFile.h"
#include "graphc/Export.h"

namespace graphc {
namespace {

struct CompileVerb {
  Common common;
  std::string emit = "linalg", from = "graph", out, name;
  std::optional<int> opset;

  bool toFile() const { return !out.empty() && out != "-"; }
  /// Whether FILE is a graph, and not kernels.
  bool fromGraph() const { return from == "graph" || from == "rewritten"; }
  /// Whether it has a program around the kernels.
  bool hasProgram() const { return fromGraph() || from == "kernels"; }
  bool wantsLibrary() const { return emit == "lib" || (emit == "obj" && hasProgram()); }
  bool wantsProgram() const { return emit == "exe"; }
  bool wantsFunction() const { return emit == "function"; }
  bool wantsOnnx() const { return emit == "onnx"; }
};

bool isLetterOrDigit(char c) { return std::isalnum(static_cast<unsigned char>(c)); }

std::string fileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// "build/libfoo" of "build/libfoo.so.1" and of "build/libfoo.o".
std::string withoutEnding(const std::string &path) {
  size_t name = path.size() - fileName(path).size();
  size_t dot = std::min(path.find(".so.", name), path.rfind('.'));
  return dot == path.npos || dot < name ? path : path.substr(0, dot);
}

std::string headerPath(const std::string &path) { return withoutEnding(path) + ".h"; }

/// "foo" of "build/libfoo.so" and of "foo.o"; what no C name has becomes an underscore.
std::string libraryName(const std::string &path) {
  std::string name = fileName(withoutEnding(path));
  if (name.compare(0, 3, "lib") == 0)
    name = name.substr(3);
  for (char &c : name)
    if (!isLetterOrDigit(c))
      c = '_';
  return name;
}

/// The stage's place among kStages; the end for a library.
size_t stageNumber(const std::string &stage) {
  return size_t(std::find(std::begin(kStages), std::end(kStages), stage) - std::begin(kStages));
}

/// Wrong usage where options do not go together.
void checkUsage(const CompileVerb &verb) {
  verb.common.checkUsage();
  if (!hasCode(verb.common.mode))
    throw CLI::ValidationError("--mode=" + verb.common.mode,
                               "compiles nothing; the other modes do");
  if (verb.from != "graph" && !verb.common.gradients.empty())
    throw CLI::ValidationError("--grad", "takes a graph, and not what --from=" + verb.from +
                                             " is the text of");
  if (stageNumber(verb.emit) < stageNumber(verb.from))
    throw CLI::ValidationError("--emit=" + verb.emit,
                               "that stage comes before --from=" + verb.from);
  if ((verb.emit == "lib" || verb.wantsProgram()) && !verb.hasProgram())
    throw CLI::ValidationError("--emit=" + verb.emit,
                               "takes a graph or kernels; the text of --from=" + verb.from +
                                   " has no program around its kernels");
  if (verb.emit == "lib" && fileName(verb.out).find(".so") == std::string::npos)
    throw CLI::ValidationError("--emit=lib", "writes a library and its header; give -o libNAME.so");
  if (verb.wantsProgram() && !verb.toFile())
    throw CLI::ValidationError("--emit=exe", "writes a program; give -o PROGRAM");
  if (verb.wantsFunction() && (!verb.fromGraph() || verb.from == "rewritten"))
    throw CLI::ValidationError("--emit=function", "takes a graph");
  if (verb.wantsFunction() && !verb.toFile())
    throw CLI::ValidationError("--emit=function",
                               "writes a file for `graphc run` and loadFunction; give -o FILE");
  if (verb.wantsOnnx() && !verb.fromGraph())
    throw CLI::ValidationError("--emit=onnx", "takes a graph");
  if (verb.wantsOnnx() && !verb.toFile())
    throw CLI::ValidationError("--emit=onnx", "writes a model; give -o FILE.onnx");
  if (verb.opset && !verb.wantsOnnx())
    throw CLI::ValidationError("--opset", "is for --emit=onnx");
  if (verb.wantsLibrary() && verb.toFile() && headerPath(verb.out) == verb.out)
    throw CLI::ValidationError("-o " + verb.out,
                               "that is where the C header goes; name it .so or .o");
  std::vector<Written> written;
  if (verb.toFile())
    written.push_back({"-o " + verb.out, verb.out});
  if (verb.toFile() && verb.wantsOnnx())
    written.push_back({"the weights of -o " + verb.out, verb.out + ".data"});
  if (verb.toFile() && verb.wantsLibrary())
    written.push_back({"the C header of -o " + verb.out, headerPath(verb.out)});
  addProfileFiles(verb.common.profiles, written);
  checkApart(written, {verb.common.file});
}

LibraryOptions libraryOptions(const CompileVerb &verb) {
  LibraryOptions library;
  library.source = fileName(verb.common.file);
  library.isProgram = verb.wantsProgram();
  if (!library.isProgram)
    library.name = !verb.name.empty() ? verb.name : verb.toFile() ? libraryName(verb.out) : "graph";
  return library;
}

absl::Status write(const CompileVerb &verb, const CompilerInterface &compiler,
                   const LibraryFiles &files) {
  if (!verb.toFile())
    return writeOutput(verb.out, files.object);
  absl::Status written =
      verb.emit == "obj" ? writeOutput(verb.out, files.object) : compiler.link(files, verb.out);
  if (!written.ok() || files.isProgram)
    return written;
  absl::Status header = writeOutput(headerPath(verb.out), files.header);
  if (!header.ok())
    std::remove(verb.out.c_str()); // of no use without it
  return header;
}

/// The graph as an ONNX model, as it was read: rewriting makes ops that ONNX has not.
absl::Status exportOnnx(const CompileVerb &verb) {
  absl::StatusOr<GraphModule> module = loadModule(verb.common);
  if (!module.ok())
    return module.status();
  if (absl::Status s = nameOutputs(*module); !s.ok())
    return s;
  SaveOnnxOptions options;
  options.opset = verb.opset.value_or(options.opset);
  return saveOnnx(*module, verb.out, options);
}

absl::Status compile(const CompileVerb &verb) {
  checkUsage(verb);
  Progress progress("compiling " + verb.common.file);
  if (verb.wantsOnnx())
    return exportOnnx(verb);
  if (verb.wantsFunction()) {
    absl::StatusOr<Function> f = loadFunction(verb.common, verb.common.functionOptions());
    if (!f.ok())
      return f.status();
    if (absl::Status s = f->save(verb.out); !s.ok() || !f->profile())
      return s;
    return writeProfile(*f->profile(), verb.common.profiles);
  }
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  CompileWatch watch(verb.common);
  CompileOptions options;
  options.mode = verb.common.wholeMode();
  if (absl::Status s = checkMode(options.mode); !s.ok())
    return s;
  options.rewrites = !verb.common.noRewrites;
  options.target = verb.common.target;
  options.dumpStages = verb.common.dumpStages;
  options.cache = !verb.common.noCache;
  options.compileThreads = verb.common.threads.value_or(1);
  if (options.compileThreads == 0)
    options.compileThreads = usableThreads();
  options.observer = watch.observer();
  options.isRewritten = verb.from == "rewritten";
  bool wantsFiles = verb.wantsProgram() || verb.wantsLibrary();
  absl::StatusOr<LibraryFiles> files;
  absl::StatusOr<std::string> result;
  if (verb.fromGraph()) {
    absl::StatusOr<GraphModule> module = loadModule(verb.common, watch.observer());
    if (!module.ok())
      return module.status();
    if (wantsFiles) {
      if (absl::Status s = nameOutputs(*module); !s.ok())
        return s;
      files = (*compiler)->compileLibrary(*module, libraryOptions(verb), options);
    } else {
      result = (*compiler)->emit(*module, verb.emit, options);
    }
  } else {
    const std::string &name = verb.common.file;
    absl::StatusOr<std::string> text = readText(name);
    if (!text.ok())
      return text.status();
    if (wantsFiles)
      files = (*compiler)->compileLibrary(*text, name, libraryOptions(verb), options);
    else
      result = (*compiler)->translate(*text, name, verb.from, verb.emit, options);
  }
  if (wantsFiles && !files.ok())
    return files.status();
  if (!wantsFiles && !result.ok())
    return result.status();
  absl::Status written =
      wantsFiles ? write(verb, **compiler, *files) : writeOutput(verb.out, *result);
  return written.ok() ? watch.done() : written;
}

} // namespace

void addCompile(CLI::App &app, absl::Status &status) {
  auto verb = std::make_shared<CompileVerb>();
  CLI::App *sub = app.add_subcommand("compile", "Print a stage of compilation, or write code");
  verb->common.addFile(*sub);
  verb->common.addCompilation(*sub, "compilation");
  verb->common.addWatching(*sub, "each stage of compilation took and made");
  std::vector<std::string> stages(std::begin(kStages), std::end(kStages));
  stages.insert(stages.end(), {"lib", "exe", "function", "onnx"});
  sub->add_option(
         "--emit", verb->emit,
         "The stage to write; obj: an object of the whole program and a C header; lib: a "
         "shared library and a C header; exe: a program to run; function: graph and code for "
         "`graphc run` and loadFunction; onnx: a model for other programs")
      ->check(CLI::IsMember(stages))
      ->capture_default_str();
  sub->add_option("--from", verb->from, "The stage that FILE is the text of; others come after it")
      ->check(CLI::IsMember(
          std::vector<std::string>{"graph", "rewritten", "kernels", "linalg", "loops", "llvm"}))
      ->capture_default_str();
  sub->add_option("-o,--out", verb->out, "File to write; default: standard output");
  sub->add_option("--opset", verb->opset, "Version of ONNX's operators for onnx (default: 18)")
      ->check(CLI::Range(17, 21));
  sub->add_option("--name", verb->name,
                  "Start of a library's C names (default: from the name of the file written)");
  sub->callback([verb, &status] { status = compile(*verb); });
}

} // namespace graphc
