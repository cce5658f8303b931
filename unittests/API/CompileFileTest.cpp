//===- CompileFileTest.cpp - functions of files, and the cache of them ----===//
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "Messages.h"
#include "graphc/Config.h"
#include "graphc/Function.h"

namespace graphc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kText = R"(
func.func @step(%x: tensor<?xf32>, %w: tensor<?xf32>) -> (tensor<?xf32> {graph.name = "sum"}, tensor<2xi64>) {
  %c = graph.constant dense<[1, 2]> : tensor<2xi64>
  %0 = graph.add %x, %w : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %c : tensor<?xf32>, tensor<2xi64>
}
)";

/// A folder with a graph file and an empty cache, which the process uses while this lives.
class CompileFile : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/graphc-files-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    folder = name;
    file = (folder / "step.mlir").string();
    std::ofstream(file) << kText;
    Config changed = before;
    changed.cacheDir = (folder / "cache").string();
    ASSERT_TRUE(setConfig(changed).ok());
  }
  void TearDown() override {
    EXPECT_TRUE(setConfig(before).ok());
    fs::remove_all(folder);
  }

  std::vector<fs::path> stored(std::string_view extension) const {
    std::vector<fs::path> files;
    std::error_code none;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder / "cache", none))
      if (entry.path().extension() == extension)
        files.push_back(entry.path());
    return files;
  }

  Config before = config();
  fs::path folder;
  std::string file;
};

/// All that a caller sees of a Function of kText.
void expectStep(const absl::StatusOr<Function> &f) {
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->name(), "step");
  EXPECT_EQ(f->inputNames(), (std::vector<std::string>{"x", "w"}));
  EXPECT_EQ(f->outputNames(), (std::vector<std::string>{"sum", "c"}));
  EXPECT_EQ(f->inputTypes()[0], Type(TensorType(DType::Float32, {kDynamic})));
  EXPECT_EQ(f->outputTypes()[0], Type(TensorType(DType::Float32, {kDynamic})));
  EXPECT_EQ(f->outputTypes()[1], Type(TensorType(DType::Int64, {2})));
  Tensor x({1, 2, 3}, DType::Float32), w({10, 20, 30}, DType::Float32);
  absl::StatusOr<Results> r = (*f)(x, w);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)["sum"], Tensor({11, 22, 33}, DType::Float32));
  EXPECT_EQ((*r)[1], Tensor({1, 2}, DType::Int64));
  absl::Status wrong = (*f)(x, Tensor({1, 2}, DType::Float32)).status();
  EXPECT_EQ(wrong.message().substr(0, wrong.message().find('\n')),
            "add: extents differ along axis 0: 3 and 2 (an extent broadcasts only where its type "
            "says 1: declare it so, or use specifyShape)")
      << wrong;
  ASSERT_TRUE(errorPlace(wrong));
  EXPECT_NE(errorPlace(wrong)->str().find("step.mlir:4:8"), std::string::npos) << wrong;
}

// A program with large constants is not stored; nor must the one that computed them be, in its
// name.
TEST_F(CompileFile, ComputedConstantsAreNotTheProgram) {
  std::ofstream(file) << R"(
func.func @main(%x: tensor<f64>) -> tensor<2200000xf64> {
  %a = graph.constant dense<0> : tensor<i64>
  %b = graph.constant dense<2200000> : tensor<i64>
  %s = graph.constant dense<1> : tensor<i64>
  %c = graph.arange %a, %b, %s {dtype = f64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2200000xf64>
  %0 = graph.add %c, %x : (tensor<2200000xf64>, tensor<f64>) -> tensor<2200000xf64>
  return %0 : tensor<2200000xf64>
}
)";
  for (int time : {1, 2}) {
    absl::StatusOr<Function> f = compileFile(file);
    ASSERT_TRUE(f.ok()) << f.status();
    ASSERT_EQ(f->inputNames(), std::vector<std::string>{"x"}) << time;
    absl::StatusOr<Results> r = (*f)(0.5);
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0].flat<double>()[2199999], 2199999.5);
  }
}

TEST_F(CompileFile, IsCompiledOnce) {
  expectStep(compileFile(file));
  ASSERT_EQ(stored(".so").size(), 1u);
  fs::file_time_type made = fs::last_write_time(stored(".so")[0]);
  // The stored program answers even where the kernels could not be found.
  for (const fs::path &kernel : stored(".o"))
    fs::remove(kernel);
  expectStep(compileFile(file));
  EXPECT_EQ(stored(".so").size(), 1u);
  EXPECT_EQ(fs::last_write_time(stored(".so")[0]), made);
  EXPECT_TRUE(stored(".o").empty()) << "nothing was compiled";
}

// F-217: stored code has its graph from the file, when it is asked for.
// Stages are those of the function itself.
TEST_F(CompileFile, SubsetsShowNoStages) {
  const fs::path stages = folder / "stages";
  Function f = *compileFile(file, {.dumpStages = stages.string()});
  auto shown = [&] {
    std::vector<std::pair<fs::path, fs::file_time_type>> files;
    for (const fs::directory_entry &entry : fs::directory_iterator(stages))
      files.emplace_back(entry.path(), entry.last_write_time());
    std::sort(files.begin(), files.end());
    return files;
  };
  auto before = shown();
  EXPECT_FALSE(before.empty());
  ASSERT_TRUE(f.call({Tensor({1}, DType::Float32), Tensor({2}, DType::Float32)}, {},
                     {.outputSubset = OutputSubset({1})})
                  .ok());
  EXPECT_EQ(shown(), before);
}

TEST_F(CompileFile, SubsetsOfOutputs) {
  Tensor x({1}, DType::Float32);
  CallOptions second = {.outputSubset = std::vector<size_t>{1}};
  absl::StatusOr<Function> stored;
  for (int i = 0; i < 2; ++i) { // compiled, then stored
    stored = compileFile(file);
    absl::StatusOr<Results> some = stored->call({x, x}, {}, second);
    ASSERT_TRUE(some.ok()) << some.status();
    EXPECT_EQ((*some)[0], Tensor({1, 2}, DType::Int64));
  }
  stored = compileFile(file);
  std::ofstream(file, std::ios::app) << "\n";
  EXPECT_EQ(said(stored->call({x, x}, {}, second).status()),
            "Io: " + file +
                ": has changed since a function was made of it; what was stored of that function "
                "has no graph");
}

// F-200: a program knows that x has two elements, which the graph's types do not say of %1.
TEST_F(CompileFile, WhatWasStoredCanBeSaved) {
  std::ofstream(file) << R"(
func.func @main(%x: tensor<?xf64>) -> (tensor<2xf64>, tensor<?xf64>) {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %0 = graph.add %x, %c : (tensor<?xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = graph.neg %x : (tensor<?xf64>) -> tensor<?xf64>
  return %0, %1 : tensor<2xf64>, tensor<?xf64>
}
)";
  std::string saved = (folder / "saved.graphc").string();
  for (int time : {1, 2}) {
    absl::StatusOr<Function> f = compileFile(file);
    ASSERT_TRUE(f.ok()) << f.status();
    ASSERT_TRUE(f->save(saved).ok());
    for (bool trust : {true, false}) {
      absl::StatusOr<Function> loaded = loadFunction(saved, {.trustCode = trust});
      ASSERT_TRUE(loaded.ok()) << loaded.status() << time;
      EXPECT_EQ((*(*loaded)(Tensor({1.0, 2.0})))[1], Tensor({-1.0, -2.0}));
    }
  }
}

TEST_F(CompileFile, WhatTheProgramDependsOnIsInItsKey) {
  ASSERT_TRUE(compileFile(file).ok());
  ASSERT_TRUE(compileFile(file, {.mode = "fast_compile"}).ok());
  EXPECT_EQ(stored(".so").size(), 2u);
  ASSERT_TRUE(compileFile(file, {.target = "x86-64"}).ok());
  EXPECT_EQ(stored(".so").size(), 3u);
  ASSERT_TRUE(compileFile(file, {}, "step").ok());
  EXPECT_EQ(stored(".so").size(), 4u);
  fs::copy(file, folder / "copy.mlir");
  ASSERT_TRUE(compileFile((folder / "copy.mlir").string()).ok());
  EXPECT_EQ(stored(".so").size(), 5u) << "its messages name the file";
  std::ofstream(file, std::ios::app) << "// changed\n";
  ASSERT_TRUE(compileFile(file).ok());
  EXPECT_EQ(stored(".so").size(), 6u);
  ASSERT_TRUE(compileFile(file, {.acceptInplace = true}).ok());
  EXPECT_EQ(stored(".so").size(), 7u);
}

// Numbers that pairs stand for in the program.
TEST_F(CompileFile, ComplexOutputs) {
  std::ofstream(file) << R"(
func.func @main(%x: tensor<f64>) -> tensor<complex<f64>> {
  %i = graph.constant dense<(0.0, 2.0)> : tensor<complex<f64>>
  %0 = graph.mul %x, %i : (tensor<f64>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0 : tensor<complex<f64>>
}
)";
  for (int time : {1, 2}) {
    absl::StatusOr<Function> f = compileFile(file);
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(stored(".so").size(), 1u);
    EXPECT_EQ(f->outputTypes()[0], Type(DType::Complex128, {})) << time;
    EXPECT_TRUE((f->bind<std::complex<double>(double)>()).ok()) << time;
    absl::StatusOr<Results> r = (*f)(2.5);
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], Tensor(std::complex<double>(0, 5))) << time;
  }
}

// How arguments are converted is no matter of the program; what updates and givens make of it is.
TEST_F(CompileFile, OptionsOfTheSecondFunction) {
  Tensor x({1.0, 2.0}), w({10, 20}, DType::Float32);
  for (int time : {1, 2}) {
    EXPECT_FALSE((*compileFile(file))(x, w).ok()) << time;
    EXPECT_TRUE((*compileFile(file, {.allowInputDowncast = true}))(x, w).ok()) << time;
  }
  for (const fs::path &program : stored(".so"))
    fs::remove(program);
  SharedVariable calls = shared(0.0, "calls");
  Function counts = *compileFile(file, {.updates = {{calls, calls + 1.0}}});
  EXPECT_TRUE(stored(".so").empty());
  expectStep(counts); // one call of it is an error
  EXPECT_EQ(calls.get(), Tensor(1.0));
  expectStep(compileFile(file));
  EXPECT_EQ(calls.get(), Tensor(1.0));
}

TEST_F(CompileFile, ADamagedProgramIsCompiledAgain) {
  expectStep(compileFile(file));
  fs::path program = stored(".so")[0];
  auto size = fs::file_size(program);
  fs::resize_file(program, size / 2);
  expectStep(compileFile(file));
  EXPECT_EQ(fs::file_size(program), size);
}

TEST_F(CompileFile, NothingIsKeptWhereThatIsNotWanted) {
  expectStep(compileFile(file, {.cache = false}));
  expectStep(compileFile(file, {.mode = "interpreter"}));
  EXPECT_FALSE(fs::exists(folder / "cache"));
}

TEST_F(CompileFile, UnusedInputsAreRefusedEveryTime) {
  std::ofstream(file) << R"(
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
)";
  ASSERT_TRUE(compileFile(file, {.onUnusedInput = OnUnusedInput::Ignore}).ok());
  EXPECT_EQ(errorKind(compileFile(file).status()), ErrorKind::UnusedInput);
}

TEST_F(CompileFile, Errors) {
  absl::Status missing = compileFile((folder / "none.mlir").string()).status();
  EXPECT_EQ(errorKind(missing), ErrorKind::Io);
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), (folder / "none.mlir").string() + ": No such file or directory");
  EXPECT_EQ(compileFile(file, {}, "main").status().message(),
            "no function @main; the file has @step");
  EXPECT_EQ(errorKind(compileFile(file, {.mode = "slow"}).status()), ErrorKind::ValueError);
  EXPECT_EQ(errorKind(compileFile(file, {.target = "z80"}).status()), ErrorKind::ValueError);
}

} // namespace
} // namespace graphc
