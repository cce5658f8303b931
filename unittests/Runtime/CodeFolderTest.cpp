//===- unittests/Runtime/CodeFolderTest.cpp - compiled code on disk -------===//
#include "Runtime/CodeFolder.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <random>
#include <sys/file.h>
#include <sys/resource.h>
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

TEST_F(CodeFolderTest, PipesAreNotWaitedFor) {
  auto folder = open();
  ASSERT_EQ(mkfifo(folder->pathOf(key(1), Kind::Library).c_str(), 0600), 0);
  EXPECT_FALSE(folder->find(key(1), Kind::Library));
  ASSERT_TRUE(folder->store(key(1), Kind::Library, "", "code").ok());
  EXPECT_TRUE(folder->find(key(1), Kind::Library));
}

TEST_F(CodeFolderTest, FailedWritesLeaveNothing) {
  auto folder = open();
  // The file may not be as long.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit shorter = {1000, before.rlim_max};
  auto handler = signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &shorter), 0);
  absl::Status status = folder->store(key(1), Kind::Library, "", std::string(2000, 'c'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_THAT(said(status), ::testing::MatchesRegex("Io: cannot write .*: File too large"));
  EXPECT_TRUE(fs::is_empty(folder->path()));
  // A folder that is gone.
  fs::remove_all(folder->path());
  EXPECT_EQ(said(folder->store(key(1), Kind::Library, "", "code")),
            "Io: cannot write to " + folder->path() + ": No such file or directory");
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
  // Keys are such that the folder is looked through before each.
  EXPECT_LE(total, 40000u + 1100);
  EXPECT_FALSE(folder->find(key(1), Kind::Object));
  EXPECT_TRUE(folder->find(key(0), Kind::Object)) << "old, but used";
  EXPECT_TRUE(folder->find(key(99), Kind::Object));
}

/// Processes that each write an entry and know nothing of each other's keep to the bound all the
/// same, though few of them look at all entries: those whose keys are the least.
TEST_F(CodeFolderTest, FewLookAtAllEntries) {
  constexpr uint64_t kMaxBytes = 400'000;
  const std::string code(1000, 'c');
  auto total = [&] {
    uint64_t bytes = 0;
    for (const auto &file : fs::directory_iterator(root + "/cache"))
      bytes += file.file_size();
    return bytes;
  };
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(open(kMaxBytes)->store({random(), random()}, Kind::Object, "", code).ok());
    if (i % 20 == 0) {
      EXPECT_LE(total(), kMaxBytes + kMaxBytes / 2) << i;
    }
  }
  EXPECT_GE(total(), kMaxBytes / 2);

  // 16 times an entry (1056, 2056 bytes) of 400,000: of random numbers from 0 to 1 those below
  // 0.042 and 0.082.
  auto folder = open(kMaxBytes);
  constexpr uint64_t kPart = uint64_t(1) << 63;
  for (uint64_t i = 0; i < 500; ++i)
    ASSERT_TRUE(folder->store({kPart + i, i}, Kind::Object, "", code).ok());
  EXPECT_GT(total(), kMaxBytes);
  ASSERT_TRUE(folder->store({kPart / 8, 0}, Kind::Object, "", code).ok());
  EXPECT_GT(total(), kMaxBytes);
  ASSERT_TRUE(folder->store({kPart / 8, 0}, Kind::Object, "", std::string(2000, 'c')).ok());
  EXPECT_LE(total(), kMaxBytes);
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

/// What the entry with this number contains: up to 200 KB, so that writing it takes a while.
std::string longCode(uint64_t number) {
  std::string code(1000 + 20000 * number, '\0');
  std::minstd_rand random(static_cast<unsigned>(number + 1));
  for (char &byte : code)
    byte = static_cast<char>(random() >> 8);
  return code;
}

/// What is being written, or was when its writer ended.
size_t unfinished(const std::string &folder) {
  size_t count = 0;
  for (const auto &file : fs::directory_iterator(folder))
    count += file.path().filename().string().starts_with(".new-");
  return count;
}

/// Processes that store and find without end, of which each is killed at some moment: entries are
/// whole or not there, at any time; nobody waits for one that is dead; and what the dead leave is
/// no more than what may be in work at once.
TEST_F(CodeFolderTest, KilledWriters) {
  constexpr uint64_t kKeys = 10;
  constexpr size_t kWriters = 3, kKills = 300;
  constexpr uint64_t kMaxBytes = 400'000; // of 900,000: entries are removed all the time
  auto folder = open(kMaxBytes);
  struct Writer {
    pid_t pid = 0;
    int ready = -1; ///< has a byte as soon as the writer has stored something
  };
  auto start = [&](unsigned seed) {
    Writer writer;
    int ends[2];
    if (pipe(ends) != 0)
      return Writer{};
    writer.pid = fork();
    writer.ready = ends[0];
    if (writer.pid != 0) {
      close(ends[1]);
      return writer;
    }
    std::minstd_rand random(seed);
    auto mine = CodeFolder::open(root + "/cache", kMaxBytes);
    for (bool first = true; mine.ok(); first = false) {
      uint64_t number = random() % kKeys;
      std::string code = longCode(number);
      absl::Status stored = (*mine)->store(key(number), Kind::Object, "d", code);
      auto found = (*mine)->find(key(number), Kind::Object); // another may have removed it
      if (!stored.ok() || (found && found->code != code))
        _exit(1);
      if (first && ::write(ends[1], "r", 1) != 1)
        _exit(2);
    }
    _exit(3);
  };

  std::minstd_rand random(7);
  std::vector<Writer> writers(kWriters);
  for (Writer &writer : writers)
    writer = start(unsigned(random()));
  size_t inWork = 0;
  for (size_t kill = 0; kill < kKills; ++kill) {
    Writer &writer = writers[kill % kWriters];
    ASSERT_GT(writer.pid, 0);
    pollfd ready{writer.ready, POLLIN, 0};
    // Far more than it takes: whoever waits for a dead writer's lock waits for ever.
    ASSERT_EQ(poll(&ready, 1, /*milliseconds=*/60'000), 1);
    EXPECT_TRUE(ready.revents & POLLIN) << "it ended by itself";
    usleep(unsigned(random() % 3000));
    ASSERT_EQ(::kill(writer.pid, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(writer.pid, &status, 0), writer.pid);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself with " << WEXITSTATUS(status);
    close(writer.ready);
    inWork += unfinished(root + "/cache") > 0;
    for (uint64_t number = 0; number < kKeys; ++number)
      if (auto entry = folder->find(key(number), Kind::Object)) {
        EXPECT_EQ(entry->data, "d");
        EXPECT_TRUE(entry->code == longCode(number)) << number;
      }
    writer = kill + kWriters < kKills ? start(unsigned(random())) : Writer{};
  }
  EXPECT_GT(inWork, kKills / 10) << "kills come in the midst of writing";
  // Each removes what the dead have left before it writes, one thing at a time.
  EXPECT_LE(unfinished(root + "/cache"), 2 * kWriters);

  // Every file is one that was being written, or a whole entry.
  size_t entries = 0, files = 0;
  for ([[maybe_unused]] const auto &file : fs::directory_iterator(root + "/cache"))
    ++files;
  for (uint64_t number = 0; number < kKeys; ++number)
    entries += folder->find(key(number), Kind::Object).has_value();
  EXPECT_EQ(files, entries + unfinished(root + "/cache"));
  EXPECT_GT(entries, 0u);

  // The next one who writes finds nothing left over when it is done.
  ASSERT_TRUE(open()->store(key(0), Kind::Object, "d", longCode(0)).ok());
  EXPECT_EQ(unfinished(root + "/cache"), 0u);
  EXPECT_TRUE(folder->find(key(0), Kind::Object));
}

TEST_F(CodeFolderTest, WhatIsInWorkIsLeftAlone) {
  auto folder = open();
  ASSERT_TRUE(folder->store(key(1), Kind::Object, "", "code").ok());
  const std::string work = folder->path() + "/.new-abcdef";
  fs::create_directory(work);
  std::ofstream(work + "/code.o") << "half";
  int descriptor = ::open(work.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  // A first store looks through the folder.
  ASSERT_TRUE(open()->store(key(2), Kind::Object, "", "code").ok());
  EXPECT_EQ(unfinished(folder->path()), 1u);
  close(descriptor);
  ASSERT_TRUE(open()->store(key(2), Kind::Object, "", "code").ok());
  EXPECT_EQ(unfinished(folder->path()), 0u);

  // What earlier versions left goes when it is old.
  for (const char *name : {"/.new-1-1.o", "/.new-1-2.o"})
    std::ofstream(folder->path() + name) << "half";
  fs::last_write_time(folder->path() + "/.new-1-1.o",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(open()->store(key(1), Kind::Object, "", "code").ok());
  EXPECT_FALSE(fs::exists(folder->path() + "/.new-1-1.o"));
  EXPECT_TRUE(fs::exists(folder->path() + "/.new-1-2.o"));
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
