//===- Stages.cpp ---------------------------------------------------------===//
#include "Stages.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "Support/SystemError.h"

namespace graphc {

absl::Status Stages::saw(std::string_view stage, std::string text) {
  if (!dumpFolder_.empty()) {
    std::error_code ignored; // opening the file tells what is wrong
    std::filesystem::create_directories(dumpFolder_, ignored);
    std::string path =
        dumpFolder_ + "/" + std::to_string(number_++) + "-" + std::string(stage) + ".txt";
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out)
      return systemError(path, errno);
  }
  if (stage == wanted_)
    text_ = std::move(text);
  return absl::OkStatus();
}

} // namespace graphc
