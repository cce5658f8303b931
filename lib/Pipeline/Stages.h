//===- Stages.h - the way of a graph, watched ---------------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "Kernels/CompilerInterface.h"
#include "Support/StageFolder.h"

namespace graphc {

/// Sees every stage's result go by: writes it to the folder of `--dump-stages`, and keeps the one
/// that `--emit` asked for.
class Stages {
public:
  /// `wanted` is the stage to keep; empty for none.
  Stages(const CompileOptions &options, std::string_view wanted)
      : folder_(options.dumpStages), wanted_(wanted) {}

  /// For the whole program as an object, with a header.
  Stages(const CompileOptions &options, const LibraryOptions &library)
      : folder_(options.dumpStages), libraryOptions_(&library) {}

  /// For the whole program as an image.
  Stages(const CompileOptions &options, ProgramImage *image)
      : folder_(options.dumpStages), image_(image) {}

  /// Whether anybody looks at this stage's text: making it costs time.
  bool looksAt(std::string_view stage) const { return folder_.isOpen() || stage == wanted_; }
  /// Whether anybody looks at a stage of the code generator.
  bool looksAtCode() const {
    return looksAt("linalg") || looksAt("loops") || looksAt("llvm") || looksAt("asm") ||
           looksAt("obj");
  }
  bool wantsText() const { return !wanted_.empty(); }
  std::string_view wanted() const { return wanted_; }
  /// Of all that was seen.
  size_t numBytes() const { return numBytes_; }
  bool wantsLibrary() const { return libraryOptions_ != nullptr; }
  const LibraryOptions &libraryOptions() const { return *libraryOptions_; }
  LibraryFiles &library() { return library_; }
  /// Where the program's image goes; null if nobody wants it.
  ProgramImage *image() { return image_; }
  /// Whether the stages after this one are needed at all.
  bool endsAt(std::string_view stage) const { return stage == wanted_ && !folder_.isOpen(); }
  /// Io if the dump cannot be written.
  absl::Status saw(std::string_view stage, std::string text) {
    numBytes_ += text.size();
    absl::Status status = folder_.write(stage, text);
    if (stage == wanted_)
      text_ = std::move(text);
    return status;
  }

  const std::string &text() const { return text_; }

private:
  StageFolder folder_;
  std::string wanted_, text_;
  size_t numBytes_ = 0;
  const LibraryOptions *libraryOptions_ = nullptr;
  LibraryFiles library_;
  ProgramImage *image_ = nullptr;
};

} // namespace graphc
