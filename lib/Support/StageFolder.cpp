//===- StageFolder.cpp ----------------------------------------------------===//
#include "Support/StageFolder.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "Support/SystemError.h"

namespace graphc {

absl::Status StageFolder::write(std::string_view stage, std::string_view text) {
  if (!isOpen())
    return absl::OkStatus();
  std::error_code ignored; // opening the file tells what is wrong
  std::filesystem::create_directories(path_, ignored);
  std::string path = path_ + "/" + std::to_string(number_++) + "-" + std::string(stage) + ".txt";
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  return out ? absl::OkStatus() : systemError(path, errno);
}

} // namespace graphc
