//===- Support/StageOfText.cpp --------------------------------------------===//
#include "Support/StageOfText.h"

#include <algorithm>

#include "graphc/Status.h"

namespace graphc {
namespace {

/// What is looked at of a long text.
constexpr size_t kHead = 1 << 16;

std::string_view lineOf(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  line.remove_prefix(std::min(line.find_first_not_of(" \r"), line.size()));
  return line;
}

/// What the first word of a line that is no comment says.
std::string_view stageOfLine(std::string_view line) {
  struct Beginning {
    std::string_view word, stage;
  };
  constexpr Beginning kBeginnings[] = {
      {"kernel @", "kernels"},       {"program ", "kernels"}, {"source_filename ", "llvm"},
      {"target triple ", "llvm"},    {"define ", "llvm"},     {"declare ", "llvm"},
      {"; ModuleID ", "llvm"},       {"\t.file", "asm"},      {"\t.text", "asm"},
      {"target datalayout", "llvm"},
  };
  for (const Beginning &beginning : kBeginnings)
    if (line.starts_with(beginning.word))
      return beginning.stage;
  return "";
}

} // namespace

std::string_view stageOfText(std::string_view text) {
  std::string_view head = text.substr(0, kHead);
  // A model's first field is the version of its format, a small number.
  constexpr char kNewestFormat = 32;
  if (head.size() > 2 && head[0] == '\x08' && head[1] > 0 && head[1] < kNewestFormat &&
      head.find("func.func") == head.npos)
    return "onnx";
  for (std::string_view rest = head; !rest.empty();) {
    std::string_view line = lineOf(rest);
    if (std::string_view stage = stageOfLine(line); !stage.empty())
      return stage;
    // Text of kernels and of LLVM says it in the first line that is no comment.
    if (!line.empty() && !line.starts_with("//") && !line.starts_with(";"))
      break;
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  auto has = [&](std::string_view word) { return head.find(word) != head.npos; };
  if (has("graphc.kernel"))
    return has("memref<") ? "loops" : "linalg";
  if (has(" graph.") || has("\"graph."))
    return "graph";
  return "";
}

std::string stageHint(std::string_view stage) {
  if (stage == "onnx")
    return "like an ONNX model; a file's name that ends in .onnx says so";
  if (stage == "asm")
    return "like assembly, which is not read";
  return "like " + std::string(stage) + "; --from=" + std::string(stage) + " reads that";
}

absl::Status explainStage(const absl::Status &status, std::string_view text, std::string_view name,
                          std::string_view expected) {
  if (status.ok())
    return status;
  std::string_view stage = stageOfText(text);
  if (stage.empty() || stage == expected)
    return status;
  return makeError(ErrorKind::ValueError,
                   "is no text of " + std::string(expected) + ": it looks " + stageHint(stage),
                   Place(internFileName(name), 0, 0));
}

} // namespace graphc
