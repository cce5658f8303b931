//===- unittests/Support/WriteFileTest.cpp --------------------------------===//
#include "Support/WriteFile.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>

#include "Messages.h"
#include "gtest/gtest.h"

namespace graphc {
namespace {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/graphc-write-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  static std::string contents(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  int64_t numFiles() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }
  std::string folder;
};

TEST_F(WriteFile, ReplacesFilesAndWhatLinksLeadTo) {
  std::string file = folder + "/file", link = folder + "/link";
  ASSERT_TRUE(replaceFile(file, "one").ok());
  std::ifstream old(file);
  fs::create_symlink("file", link);
  ASSERT_TRUE(replaceFile(link, "other", /*isProgram=*/true).ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(contents(file), "other");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(old), {}), "one");
  EXPECT_EQ(numFiles(), 2);
  struct stat info;
  ASSERT_EQ(stat(file.c_str(), &info), 0);
  EXPECT_TRUE(info.st_mode & S_IXUSR);
}

TEST_F(WriteFile, SaysWhyItCannot) {
  EXPECT_EQ(said(replaceFile("/no/such/folder/x", "")),
            "Io: /no/such/folder/x: No such file or directory");
  EXPECT_EQ(said(replaceFile(folder, "x")), "Io: " + folder + ": Is a directory");
  EXPECT_EQ(said(replaceFile("/dev/full", "x")), "Io: /dev/full: No space left on device");
  EXPECT_TRUE(replaceFile("/dev/null", "x").ok());
}

TEST_F(WriteFile, ChangesNothingWhereItCannotWriteAll) {
  std::string file = folder + "/file";
  ASSERT_TRUE(replaceFile(file, "one").ok());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit few = {2, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  absl::Status status = replaceFile(file, "other");
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(said(status), "Io: " + file + ": File too large");
  EXPECT_EQ(contents(file), "one");
  EXPECT_EQ(numFiles(), 1);
}

} // namespace
} // namespace graphc
