//===- unittests/Runtime/CodeFolderTest.cpp - compiled code on disk -------===//
#include "Runtime/CodeFolder.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Messages.h"
#include "Runtime/CodeLoader.h"
#include "graphc/Config.h"
#include "graphc/Status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Kind = CodeFolder::Kind;

class CodeFolderTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/graphc-folder-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    root = name;
  }
  void TearDown() override { fs::remove_all(root); }

  std::unique_ptr<CodeFolder> open(uint64_t maxBytes = 1 << 20) {
    auto folder = CodeFolder::open(root + "/cache", maxBytes);
    EXPECT_TRUE(folder.ok()) << folder.status();
    return folder.ok() ? *std::move(folder) : nullptr;
  }

  std::string root;
};

Hash128 key(uint64_t number) { return {number, ~number}; }

std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(CodeFolderTest, StoresAndFinds) {
  auto folder = open();
  EXPECT_FALSE(folder->find(key(1), Kind::Object));
  std::string code("\x7f"
                   "ELF\0code",
                   9);
  ASSERT_TRUE(folder->store(key(1), Kind::Object, "data", code).ok());
  auto entry = folder->find(key(1), Kind::Object);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->code, code);
  EXPECT_EQ(entry->data, "data");
  EXPECT_EQ(contents(entry->path).substr(0, code.size()), code) << "the file starts with the code";
  EXPECT_FALSE(folder->find(key(1), Kind::Library)) << "kinds are apart";
  EXPECT_FALSE(folder->find(key(2), Kind::Object));

  // Another process, and a newer version.
  auto other = open();
  EXPECT_TRUE(other->find(key(1), Kind::Object));
  ASSERT_TRUE(other->store(key(1), Kind::Object, "", "new").ok());
  EXPECT_EQ(folder->find(key(1), Kind::Object)->code, "new");
}

TEST_F(CodeFolderTest, OnlyTheUserMayOpenIt) {
  auto folder = open();
  struct stat info;
  ASSERT_EQ(stat(folder->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_TRUE(folder->store(key(1), Kind::Object, "", "code").ok());
  ASSERT_EQ(stat(folder->pathOf(key(1), Kind::Object).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);

  ASSERT_EQ(chmod(folder->path().c_str(), 0755), 0);
  EXPECT_TRUE(CodeFolder::open(root + "/cache").ok()) << "reading does no harm";
  ASSERT_EQ(chmod(folder->path().c_str(), 0720), 0);
  auto refused = CodeFolder::open(root + "/cache");
  EXPECT_EQ(errorKind(refused.status()), ErrorKind::Io);
  EXPECT_EQ(refused.status().message(),
            "the folder " + root +
                "/cache can be written by other users; code in it is not run (chmod go-w it)");
  ASSERT_EQ(chmod(folder->path().c_str(), 0700), 0);

  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder->path().c_str(), 12345, 12345), 0);
    refused = CodeFolder::open(root + "/cache");
    EXPECT_EQ(refused.status().message(),
              "the folder " + root + "/cache belongs to another user; code in it is not run");
    ASSERT_EQ(chown(folder->path().c_str(), 0, 0), 0);
    ASSERT_EQ(chown(folder->pathOf(key(1), Kind::Object).c_str(), 12345, 12345), 0);
    EXPECT_FALSE(open()->find(key(1), Kind::Object)) << "an entry of another user";
  }
}

TEST_F(CodeFolderTest, FoldersThatCannotBe) {
  std::ofstream(root + "/file") << "x";
  EXPECT_EQ(said(CodeFolder::open(root + "/file").status()),
            "Io: cannot open the folder " + root + "/file: Not a directory");
  EXPECT_EQ(said(CodeFolder::open(root + "/file/below").status()),
            "Io: cannot make the folder " + root + "/file/below: Not a directory");
  EXPECT_EQ(said(loadSharedObject("/nowhere/x.so", {}).status()),
            "Io: cannot load compiled code: /nowhere/x.so: cannot open shared object file: No such "
            "file or directory");
  EXPECT_EQ(said(loadSharedObject("libm.so.6", {"kernel"}).status()),
            "Internal: libm.so.6 has no kernel 'kernel'");
}

TEST_F(CodeFolderTest, LinksAreNotFollowed) {
  auto folder = open();
  ASSERT_TRUE(folder->store(key(1), Kind::Object, "", "code").ok());
  std::string path = folder->pathOf(key(1), Kind::Object);
  fs::rename(path, root + "/elsewhere");
  fs::create_symlink(root + "/elsewhere", path);
  EXPECT_FALSE(folder->find(key(1), Kind::Object));
}

/// Every truncation and a flipped bit in every byte are seen.
TEST_F(CodeFolderTest, DamagedEntriesAreMissing) {
  auto folder = open();
  std::string code(50, 'c'), path = folder->pathOf(key(7), Kind::Library);
  ASSERT_TRUE(folder->store(key(7), Kind::Library, "some data", code).ok());
  std::string good = contents(path);
  auto write = [&](const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  for (size_t size = 0; size < good.size(); ++size) {
    write(good.substr(0, size));
    EXPECT_FALSE(folder->find(key(7), Kind::Library)) << size;
  }
  for (size_t bit = 0; bit < good.size() * 8; bit += 7) {
    std::string bad = good;
    bad[bit / 8] ^= static_cast<char>(1 << bit % 8);
    write(bad);
    EXPECT_FALSE(folder->find(key(7), Kind::Library)) << bit;
  }
  write(good + "x");
  EXPECT_FALSE(folder->find(key(7), Kind::Library));
  write(good);
  EXPECT_TRUE(folder->find(key(7), Kind::Library));
  // An intact entry under a wrong name.
  fs::rename(path, folder->pathOf(key(8), Kind::Library));
  EXPECT_FALSE(folder->find(key(8), Kind::Library));
  // Storing repairs.
  ASSERT_TRUE(folder->store(key(8), Kind::Library, "", code).ok());
  EXPECT_TRUE(folder->find(key(8), Kind::Library));
}

TEST_F(CodeFolderTest, FailedWritesLeaveNothing) {
  auto folder = open();
  absl::Status status = folder->store(key(1), Kind::Library, "", [](const std::string &path) {
    std::ofstream(path) << "half";
    return makeError(ErrorKind::Internal, "the linker failed");
  });
  EXPECT_EQ(status.message(), "the linker failed");
  EXPECT_TRUE(fs::is_empty(folder->path()));
  // A writer that writes nothing.
  status = folder->store(key(1), Kind::Library, "",
                         [](const std::string &) { return absl::OkStatus(); });
  EXPECT_EQ(errorKind(status), ErrorKind::Io);
}

TEST_F(CodeFolderTest, OldestGoFirst) {
  auto folder = open(/*maxBytes=*/40000);
  std::string code(1000, 'c');
  auto age = [&](uint64_t number, int hours) {
    fs::last_write_time(folder->pathOf(key(number), Kind::Object),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(folder->store(key(i), Kind::Object, "", code).ok());
    age(i, static_cast<int>(1000 - i));
    if (i == 5) {
      EXPECT_TRUE(folder->find(key(0), Kind::Object)); // used now
    }
  }
  uint64_t total = 0;
  for (const auto &file : fs::directory_iterator(folder->path()))
    total += file.file_size();
  // Looked at every 32 stores of about 1100 bytes.
  EXPECT_LE(total, 40000u + 32 * 1100);
  EXPECT_FALSE(folder->find(key(1), Kind::Object));
  EXPECT_TRUE(folder->find(key(0), Kind::Object)) << "old, but used";
  EXPECT_TRUE(folder->find(key(99), Kind::Object));
}

TEST_F(CodeFolderTest, ManyProcessesAtOnce) {
  open();
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      // Each writes all entries and reads them; an entry is always whole.
      auto folder = CodeFolder::open(root + "/cache");
      bool good = folder.ok();
      for (uint64_t round = 0; good && round < 20; ++round)
        for (uint64_t i = 0; good && i < 10; ++i) {
          good =
              (*folder)
                  ->store(key(i), Kind::Object, "d", std::string(5000, static_cast<char>('a' + i)))
                  .ok();
          auto entry = (*folder)->find(key(i), Kind::Object);
          good = good && entry && entry->code == std::string(5000, static_cast<char>('a' + i));
        }
      _exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (pid_t pid : children) {
    int status = -1;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  size_t files = 0;
  for ([[maybe_unused]] const auto &file : fs::directory_iterator(root + "/cache"))
    ++files;
  EXPECT_EQ(files, 10u) << "no temporary files stay";
}

TEST_F(CodeFolderTest, Configured) {
  Config before = config(), changed = before;
  Config wrong = before;
  wrong.floatX = DType::Int32;
  EXPECT_EQ(said(setConfig(wrong)), "ValueError: floatX must be a float dtype, not int32");
  changed.cacheDir = root + "/configured";
  ASSERT_TRUE(setConfig(changed).ok());
  auto folder = CodeFolder::configured();
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->path(), root + "/configured");
  EXPECT_EQ(CodeFolder::configured(), folder);
  changed.cacheDir = std::string(kNoCache);
  ASSERT_TRUE(setConfig(changed).ok());
  EXPECT_FALSE(CodeFolder::configured());
  ASSERT_TRUE(setConfig(before).ok());
}

TEST(CodeKey, DependsOnEverything) {
  Hash128 base = codeKey("content", "options", "native");
  EXPECT_EQ(base, codeKey("content", "options", "native"));
  for (Hash128 other :
       {codeKey("contenT", "options", "native"), codeKey("content", "", "native"),
        codeKey("content", "options", "x86-64"), codeKey("contento", "ptions", "native")})
    EXPECT_FALSE(base == other);
}

} // namespace
} // namespace graphc
