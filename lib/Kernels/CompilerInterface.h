//===- CompilerInterface.h - what libgraphc asks of the compiler --*- C++ -*-===//
//
// The compiler half is a shared library of its own, with MLIR and LLVM inside, loaded when
// something must be compiled or graph text is read. This is all that libgraphc sees of it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "Runtime/ProgramFile.h"
#include "Support/Hash.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Import.h"
#include "graphc/Mode.h"
#include "graphc/Stage.h"

namespace graphc {

struct CompileOptions {
  Mode mode = {};
  std::string target = "native";
  /// Threads that compile.
  int compileThreads = 1;
  /// As FunctionOptions::cache.
  bool cache = true;
  /// Whether a Specialiser is wanted.
  bool specialises = false;
  /// Also puts the whole program into that folder, for loadProgram.
  std::optional<Hash128> storeAs;
  /// Folder to write each stage's text to; empty for none.
  std::string dumpStages;
  /// The program gets the facts that a profile tells.
  bool profile = false;
  /// Told of every stage.
  StageObserver observer;
  /// As FunctionOptions::rewrites.
  bool rewrites = true;
  /// The graph is what the stage "rewritten" made: nothing is rewritten again.
  bool isRewritten = false;
};

/// The stages in order, as `--emit` and, but for the last two, `--from` name them.
inline constexpr std::string_view kStages[] = {"graph", "rewritten", "kernels", "linalg",
                                               "loops", "llvm",      "asm",     "obj"};

/// What C programs link to or load: docs/AheadOfTime.md.
struct LibraryOptions {
  /// Starts the names of the library's functions; a C identifier.
  std::string name;
  /// The graph's file, for the header's introduction.
  std::string source;
  /// Not for C: what `link` makes a program of, without `name` and header.
  bool isProgram = false;
};
struct LibraryFiles {
  /// Bytes of a relocatable ELF object with the whole program.
  std::string object;
  /// Text of its C header.
  std::string header;
  /// As LibraryOptions say.
  bool isProgram = false;
};

/// Makes versions of a compiled program for calls whose extents are known. Thread-safe.
class Specialiser {
public:
  virtual ~Specialiser() = default;
  /// A program that does the same, and gives the same bits, for inputs of these extents (of all,
  /// one after the other) and calls with so many threads. Errors: Cancelled; what the general
  /// program raises for such inputs.
  virtual absl::StatusOr<std::shared_ptr<const Executable>> make(absl::Span<const int64_t> extents,
                                                                 int threads) const = 0;
};

struct CompiledProgram {
  std::shared_ptr<const Executable> executable;
  /// Null where CompileOptions want none, and where all extents are known and calls are long.
  std::shared_ptr<const Specialiser> specialiser = nullptr;
};

class CompilerInterface {
public:
  /// Code for this process.
  virtual absl::StatusOr<CompiledProgram> compile(const GraphModule &module,
                                                  const CompileOptions &options) const = 0;

  /// The same as bytes, for Function::save; none for a graph with host callbacks.
  virtual absl::StatusOr<ProgramImage> image(const GraphModule &module,
                                             const CompileOptions &options) const = 0;

  /// The result of a stage: text, or for "obj" the bytes of an object with the kernels alone.
  virtual absl::StatusOr<std::string> emit(const GraphModule &module, std::string_view stage,
                                           const CompileOptions &options) const = 0;
  /// The whole program as an object that needs libc and libm alone.
  virtual absl::StatusOr<LibraryFiles> compileLibrary(const GraphModule &module,
                                                      const LibraryOptions &library,
                                                      const CompileOptions &options) const = 0;
  /// The same from the text of the stage "kernels".
  virtual absl::StatusOr<LibraryFiles> compileLibrary(std::string_view kernels,
                                                      std::string_view name,
                                                      const LibraryOptions &library,
                                                      const CompileOptions &options) const = 0;
  /// Makes `path` of such an object: a program, if that is what it was made for, or a shared
  /// library. NotSupported for another processor's.
  virtual absl::Status link(const LibraryFiles &files, const std::string &path) const = 0;
  /// From the text of stage `from` (kernels, linalg, loops or llvm) to that stage or a later one.
  virtual absl::StatusOr<std::string> translate(std::string_view text, std::string_view name,
                                                std::string_view from, std::string_view to,
                                                const CompileOptions &options) const = 0;
  virtual absl::StatusOr<GraphModule> readGraph(std::string_view text, std::string_view name,
                                                std::string_view entry) const = 0;
  virtual absl::StatusOr<std::string> writeGraph(const GraphModule &module,
                                                 const PrintGraphOptions &options) const = 0;

protected:
  ~CompilerInterface() = default;
};

/// The compiler half; loads it on first use. Io if it cannot be loaded, RuntimeError where a fork
/// has made it unusable. Whoever calls it in a process that may fork has a CompilerWork
/// (Support/Fork.h) meanwhile. Thread-safe.
absl::StatusOr<const CompilerInterface *> loadCompiler();

} // namespace graphc

/// What libgraphc-compiler exports; see loadCompiler, which looks it up by its name.
extern "C" __attribute__((visibility("default"))) const graphc::CompilerInterface *
graphcCompilerEntry();
