//===- unittests/JIT/LinkerTest.cpp - shared objects by lld ---------------===//
#include "JIT/Linker.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>

#include "Messages.h"
#include "Runtime/CodeLoader.h"
#include "Support/WriteFile.h"
#include "TestKernels.h"
#include "graphc/Status.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ELFTypes.h"
#include "gmock/gmock.h"

namespace graphc::testing {
namespace {

using ::testing::AnyOf;
using ::testing::StartsWith;

std::string temporaryFile(const std::string &name) {
  return ::testing::TempDir() + "/graphc-linker-" + std::to_string(getpid()) + "-" + name;
}

/// Links to the file `path`.
absl::Status linkTo(const std::string &path, const std::string &object,
                    const std::string &soName = "") {
  absl::StatusOr<std::string> bytes = linkSharedObject({object}, soName);
  return bytes.ok() ? replaceFile(path, *bytes, /*isProgram=*/true) : bytes.status();
}

/// The DT_NEEDED entries of a shared object.
std::vector<std::string> neededLibraries(const std::string &path) {
  using File = llvm::object::ELF64LEObjectFile;
  std::vector<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  EXPECT_TRUE(static_cast<bool>(file));
  if (!file)
    return names;
  auto &elf = llvm::cast<File>(*file->getBinary()).getELFFile();
  auto entries = elf.dynamicEntries();
  EXPECT_TRUE(static_cast<bool>(entries));
  uint64_t strings = 0;
  for (auto &entry : *entries)
    if (entry.getTag() == llvm::ELF::DT_STRTAB)
      strings = entry.getVal();
  for (auto &entry : *entries)
    if (entry.getTag() == llvm::ELF::DT_NEEDED) {
      auto bytes = elf.toMappedAddr(strings + entry.getVal());
      EXPECT_TRUE(static_cast<bool>(bytes));
      names.push_back(reinterpret_cast<const char *>(*bytes));
    }
  return names;
}

TEST(Linker, SharedObjectRunsAndNeedsNoLibrary) {
  auto object = compileText(kVector);
  ASSERT_TRUE(object.ok()) << object.status();
  std::string path = temporaryFile("vector.so");
  absl::Status status = linkTo(path, *object);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(neededLibraries(path).empty());

  auto code = loadSharedObject(path, {"kernel"});
  ASSERT_TRUE(code.ok()) << code.status();
  float x[3] = {1, 2, 3}, y[3] = {4, 5, 6}, z[3] = {2, 2, 2}, out[3] = {};
  void *buffers[] = {x, y, z, out};
  int64_t size = 3;
  EXPECT_EQ((*code)->function(0)(buffers, &size), 0);
  EXPECT_THAT(out, ::testing::ElementsAre(9, 12, 15));
  std::filesystem::remove(path);
}

TEST(Linker, LibmIsTheOnlyOtherLibrary) {
  auto object = compileText(R"(
    func.func @kernel(%x: memref<f32>, %out: memref<f32>) -> i32 attributes {graphc.kernel} {
      %0 = memref.load %x[] : memref<f32>
      %1 = llvm.intr.sin(%0) : (f32) -> f32
      memref.store %1, %out[] : memref<f32>
      %ok = arith.constant 0 : i32
      return %ok : i32
    })");
  ASSERT_TRUE(object.ok()) << object.status();
  std::string path = temporaryFile("sin.so");
  absl::Status status = linkTo(path, *object, "libsin.so");
  ASSERT_TRUE(status.ok()) << status;
  std::vector<std::string> needed = neededLibraries(path);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_THAT(needed[0], StartsWith("libm.so"));

  auto code = loadSharedObject(path, {"kernel"});
  ASSERT_TRUE(code.ok()) << code.status();
  float x = 0.5f, out = 0;
  void *buffers[] = {&x, &out};
  EXPECT_EQ((*code)->function(0)(buffers, nullptr), 0);
  EXPECT_EQ(out, std::sin(0.5f));
  std::filesystem::remove(path);
}

TEST(Linker, OtherSymbolsAreRefused) {
  constexpr const char *kText = R"(
    func.func @kernel(%x: memref<f32>, %n: index) -> i32 attributes {graphc.kernel} {
      %0 = memref.load %x[] : memref<f32>
      %exponent = arith.index_cast %n : index to i32
      %1 = llvm.call_intrinsic "llvm.powi"(%0, %exponent) : (f32, i32) -> f32
      memref.store %1, %x[] : memref<f32>
      %ok = arith.constant 0 : i32
      return %ok : i32
    })";
  // Before there is a file,
  absl::Status status = compileText(kText).status();
  EXPECT_EQ(said(status),
            "Internal: generated code calls __powisf2, which neither libc nor libm has");

  // and of an object from elsewhere.
  auto context = makeContext();
  auto module = parse(*context, kText);
  auto compiler = ObjectCompiler::create(hostTarget(), {});
  ASSERT_TRUE(compiler.ok());
  auto ir = (*compiler)->toIR(*module);
  ASSERT_TRUE(ir.ok());
  auto object = (*compiler)->object(*ir->module);
  ASSERT_TRUE(object.ok()) << object.status();
  status = linkSharedObject({*object}).status();
  // The number of the file is the process's.
  EXPECT_EQ(std::regex_replace(said(status), std::regex("fd/[0-9]+"), "fd/N"),
            "Internal: cannot link: ld.lld: error: undefined symbol: __powisf2\n>>> referenced "
            "by kernels\n>>>               /proc/self/fd/N:(kernel)");

  auto session = Session::get();
  ASSERT_TRUE(session.ok());
  auto code = (*session)->loadKernels({*object}, {"kernel"});
  EXPECT_EQ(said(code.status()), "Internal: JIT: Symbols not found: [ __powisf2 ]");
}

TEST(Linker, ForeignAndMalformedObjectsAreRefused) {
  auto foreign = parseTarget(hostTarget().isAArch64 ? "x86-64" : "aarch64");
  ASSERT_TRUE(foreign.ok());
  auto object = compileText(kScalar, *foreign);
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ(errorKind(linkSharedObject({*object}).status()), ErrorKind::NotSupported);
  EXPECT_EQ(errorKind(linkSharedObject({"not an object"}).status()), ErrorKind::Internal);
}

TEST(Linker, SeveralThreads) {
  auto object = compileText(kScalar);
  ASSERT_TRUE(object.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        std::string path = temporaryFile(std::to_string(t) + ".so");
        EXPECT_TRUE(linkTo(path, *object).ok());
        EXPECT_TRUE(loadSharedObject(path, {"kernel"}).ok());
        EXPECT_EQ(errorKind(loadSharedObject(path, {"missing"}).status()), ErrorKind::Internal);
        std::filesystem::remove(path);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Linker, MissingFile) {
  EXPECT_EQ(errorKind(loadSharedObject("/no/such/file.so", {}).status()), ErrorKind::Io);
}

} // namespace
} // namespace graphc::testing
