//===- ModelsTest.cpp - small models, good and bad -------------------------===//
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <thread>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "Import/TensorReader.h"
#include "graphc/Function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

using testing::EndsWith;

/// The shape of the only output for an input 0, 1, 2, ...
std::vector<int64_t> outputShape(const onnx::ModelProto &model, std::vector<int64_t> inputShape) {
  auto module = loadModel(model);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok())
    return {};
  auto values = evaluate(module->outputs, module->inputs, {counted(inputShape)});
  EXPECT_TRUE(values.ok()) << values.status();
  if (!values.ok())
    return {};
  return {values->front().shape().begin(), values->front().shape().end()};
}

std::string message(const absl::StatusOr<GraphModule> &module) {
  return std::string(module.status().message());
}

/// Axes are an attribute before set 13 and an input from then on.
TEST(OpsetVersions, axesOfUnsqueezeAndSqueeze) {
  onnx::ModelProto old = makeModel(11);
  addInput(old, "x", {2, 3});
  setInts(addNode(old, "Unsqueeze", {"x"}, {"u"}), "axes", {0, 3});
  setInts(addNode(old, "Squeeze", {"u"}, {"y"}), "axes", {0});
  addOutput(old, "y");
  EXPECT_EQ(outputShape(old, {2, 3}), (std::vector<int64_t>{2, 3, 1}));

  onnx::ModelProto recent = makeModel(13);
  addInput(recent, "x", {2, 3});
  addInts(recent, "both", {0, 3});
  addInts(recent, "first", {0});
  addNode(recent, "Unsqueeze", {"x", "both"}, {"u"});
  addNode(recent, "Squeeze", {"u", "first"}, {"y"});
  addOutput(recent, "y");
  EXPECT_EQ(outputShape(recent, {2, 3}), (std::vector<int64_t>{2, 3, 1}));
}

/// An input that an axis needs may be computed from constants: here [1] - [1].
TEST(Constants, areFolded) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2, 3});
  addInts(model, "one", {1});
  addNode(model, "Sub", {"one", "one"}, {"axis"});
  addNode(model, "Unsqueeze", {"x", "axis"}, {"y"});
  addOutput(model, "y");
  EXPECT_EQ(outputShape(model, {2, 3}), (std::vector<int64_t>{1, 2, 3}));
}

TEST(Constants, mustNotFollowFromInputs) {
  onnx::ModelProto model = makeModel(11);
  addInput(model, "x", {2, 3});
  addInput(model, "position", {}, onnx::TensorProto::INT64);
  addNode(model, "SequenceConstruct", {"x", "x"}, {"both"});
  addNode(model, "SequenceAt", {"both", "position"}, {"y"}).set_name("one");
  addOutput(model, "y");
  auto module = loadModel(model);
  EXPECT_EQ(errorKind(module.status()), ErrorKind::NotSupported);
  EXPECT_EQ(message(module), "node 2 (SequenceAt \"one\"): input 1 must be constant, but is "
                             "computed from the model's inputs");
}

/// 0 stands for the operand's extent, known or not.
TEST(Shapes, reshapeCopiesExtents) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {-1, 3, 4});
  addInts(model, "shape", {0, -1});
  addNode(model, "Reshape", {"x", "shape"}, {"y"});
  addOutput(model, "y");
  EXPECT_EQ(outputShape(model, {5, 3, 4}), (std::vector<int64_t>{5, 12}));
}

TEST(Errors, unsupportedOperatorsAreCounted) {
  onnx::ModelProto model = makeModel(15);
  addInput(model, "x", {2});
  addNode(model, "Bogus", {"x"}, {"a"});
  addNode(model, "StringNormalizer", {"a"}, {"b"});
  addNode(model, "Bogus", {"b"}, {"c"});
  addNode(model, "Relu", {"c"}, {"d"}).set_domain("com.example");
  addOutput(model, "d");
  auto module = loadModel(model);
  EXPECT_EQ(errorKind(module.status()), ErrorKind::NotSupported);
  EXPECT_THAT(message(module), EndsWith("uses operators that have no translation: Bogus (2), "
                                        "StringNormalizer (1; strings, which graphc has not), "
                                        "com.example.Relu (1)"));
}

TEST(Errors, operatorsOfOtherVersionsAreUnsupported) {
  onnx::ModelProto model = makeModel(8);
  addInput(model, "x", {2});
  addNode(model, "Where", {"x", "x", "x"}, {"y"});
  addOutput(model, "y");
  EXPECT_THAT(message(loadModel(model)), EndsWith("operators that have no translation: Where (1; "
                                                  "ONNX has it from version 9 on)"));
  model.mutable_opset_import(0)->set_version(11);
  addNode(model, "Upsample", {"y", "x"}, {"z"});
  EXPECT_THAT(message(loadModel(model)), EndsWith("operators that have no translation: Upsample "
                                                  "(1; ONNX has it up to version 9)"));
}

TEST(Errors, nameTheNode) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  addNode(model, "Add", {"x", "y"}, {"z"});
  addOutput(model, "z");
  EXPECT_THAT(message(loadModel(model)),
              EndsWith("node 1 (Add): 'y' is used before anything defines it"));
}

TEST(Errors, namesThatAreDefinedTwice) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  addNode(model, "Relu", {"x"}, {"y"});
  addNode(model, "Neg", {"x"}, {"y"});
  addOutput(model, "y");
  EXPECT_THAT(message(loadModel(model)), EndsWith("'y' is defined twice"));
}

TEST(Errors, sparseInitializers) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  model.mutable_graph()->add_sparse_initializer();
  addOutput(model, "x");
  EXPECT_THAT(message(loadModel(model)), EndsWith("has sparse initializers"));
}

TEST(Errors, attributesOfAnotherKind) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  setInts(addNode(model, "Softmax", {"x"}, {"y"}), "axis", {0});
  addOutput(model, "y");
  EXPECT_THAT(message(loadModel(model)),
              EndsWith("node 1 (Softmax): attribute axis is of kind INTS "
                       "where INT is expected"));
}

/// An input that has an initializer is no input of the graph.
TEST(Inputs, withInitializersAreConstant) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2}, onnx::TensorProto::INT64);
  addInput(model, "w", {2}, onnx::TensorProto::INT64);
  addInts(model, "w", {1, 2});
  addNode(model, "Add", {"x", "w"}, {"y"});
  addOutput(model, "y");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->inputs.size(), 1u);
}

/// Negative extents of inputs are unknown ones.
TEST(Inputs, negativeExtentsAreUnknown) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-5);
  addOutput(model, "x");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->outputs[0].type(), TensorType(DType::Float32, {kDynamic}));
}

/// Extents that the model states for a value are known from there on, and checked.
TEST(Inputs, statedShapesAreTakenOver) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {-1});
  addInput(model, "shape", {2}, onnx::TensorProto::INT64);
  addNode(model, "Reshape", {"x", "shape"}, {"y"});
  addOutput(model, "y");
  addInput(model, "y", {2, -1});
  *model.mutable_graph()->add_value_info() = model.graph().input(2);
  model.mutable_graph()->mutable_input()->RemoveLast();
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->outputs[0].type(), TensorType(DType::Float32, {2, kDynamic}));
  auto wrong =
      evaluate(module->outputs, module->inputs, {counted({6}), Tensor({3, 2}, DType::Int64)});
  EXPECT_EQ(errorKind(wrong.status()), ErrorKind::ShapeError);
}

/// Any byte but 0 is true.
TEST(Initializers, boolsAreBytes) {
  onnx::ModelProto model = makeModel(13);
  onnx::TensorProto &flags = addInts(model, "flags", {});
  flags.set_data_type(onnx::TensorProto::BOOL);
  flags.set_dims(0, 3);
  flags.set_raw_data(std::string("\0\1\2", 3));
  addOutput(model, "flags");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Constant::from(module->outputs[0])->data(), Tensor({0, 1, 1}, DType::Bool));
}

TEST(Errors, initializerOfAnotherSize) {
  onnx::ModelProto model = makeModel(13);
  addInts(model, "w", {1, 2}).set_dims(0, 3);
  addOutput(model, "w");
  EXPECT_THAT(message(loadModel(model)),
              EndsWith("initializer 'w': holds 2 numbers where its shape (3,) needs 3"));
}

/// A weight in a file of its own beside the model.
struct External {
  onnx::ModelProto model = makeModel(13);
  External(const std::string &location, const std::string &offset) {
    onnx::TensorProto &weight = addInts(model, "w", {});
    weight.set_dims(0, 2);
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    auto add = [&](const std::string &key, const std::string &value) {
      onnx::StringStringEntryProto *entry = weight.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    add("offset", offset);
    addOutput(model, "w");
  }
};

TEST(ExternalData, isReadAtItsOffset) {
  const int64_t numbers[] = {7, 8, 9};
  scratchFile("weights.bin", std::string(reinterpret_cast<const char *>(numbers), sizeof(numbers)));
  auto module = loadModel(External("weights.bin", "8").model);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Constant::from(module->outputs[0])->data(), Tensor({8, 9}, DType::Int64));
}

TEST(ExternalData, mistakes) {
  std::string file = scratchFile("weights.bin", std::string(24, '\0'));
  EXPECT_THAT(message(loadModel(External("weights.bin", "16").model)),
              "initializer 'w': needs 16 bytes from offset 16 of " + file + ", which has 24");
  EXPECT_THAT(message(loadModel(External("weights.bin", "-8").model)),
              "initializer 'w': its external data has the offset '-8'");
  External longer("weights.bin", "0");
  onnx::StringStringEntryProto *length =
      longer.model.mutable_graph()->mutable_initializer(0)->add_external_data();
  length->set_key("length");
  length->set_value("24");
  EXPECT_THAT(message(loadModel(longer.model)),
              EndsWith("its external data has 24 bytes where its shape needs 16"));
  for (const char *location : {"../weights.bin", "a/../../weights.bin", "/etc/hostname", ""})
    EXPECT_THAT(message(loadModel(External(location, "0").model)),
                std::string("initializer 'w': its external data has the location '") + location +
                    "', which is not a file beside the model or below");
}

TEST(ExternalData, filesThatCannotBeRead) {
  std::filesystem::path folder = std::filesystem::path(scratchFile("x.bin", "")).parent_path();
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::create_symlink("loop", folder / "loop");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::string prefix = "initializer 'w': cannot read its data: ";
  for (auto [location, why] :
       {std::pair("missing.bin", "No such file or directory"), std::pair("folder", "is a folder"),
        std::pair("loop", "Too many levels of symbolic links"),
        std::pair("pipe", "is no regular file")}) {
    auto module = loadModel(External(location, "0").model);
    EXPECT_EQ(errorKind(module.status()), ErrorKind::Io);
    EXPECT_EQ(message(module), prefix + (folder / location).string() + ": " + why);
  }
}

/// Nor may a link beside the model lead elsewhere.
TEST(ExternalData, linksOutOfTheFolderAreRefused) {
  std::string inside = scratchFile("weights.bin", std::string(24, '\7'));
  std::filesystem::path folder = std::filesystem::path(inside).parent_path();
  std::filesystem::path elsewhere = folder.string() + "-elsewhere";
  std::filesystem::create_directories(elsewhere);
  std::ofstream(elsewhere / "secret.bin") << std::string(24, 's');
  std::filesystem::create_symlink(elsewhere / "secret.bin", folder / "link.bin");
  std::filesystem::create_directory_symlink(elsewhere, folder / "linked");
  std::filesystem::create_symlink("weights.bin", folder / "near.bin");
  for (const char *location : {"link.bin", "linked/secret.bin"})
    EXPECT_THAT(message(loadModel(External(location, "0").model)),
                EndsWith("its external data has the location '" + std::string(location) +
                         "', which is not a file beside the model or below"));
  EXPECT_TRUE(loadModel(External("near.bin", "0").model).ok());
  std::filesystem::remove_all(elsewhere);
}

/// While somebody exchanges a file beside the model for a link to one elsewhere, and back, nothing
/// of that is read: each step of a path is opened once, and not looked up again by its name.
TEST(ExternalData, linksThatAppearAreRefused) {
  std::string inside = scratchFile("exchanged.bin", std::string(24, '\7'));
  std::filesystem::path folder = std::filesystem::path(inside).parent_path();
  std::filesystem::path elsewhere = folder.string() + "-elsewhere";
  std::filesystem::create_directories(elsewhere);
  std::ofstream(elsewhere / "exchanged.bin") << std::string(24, 's');
  std::atomic<bool> stops = false;
  std::atomic<int> rounds = 0;
  std::thread exchanges([&] {
    const std::filesystem::path next = folder / "next.bin", held = folder / "held";
    std::filesystem::create_directory(held);
    std::ofstream(held / "exchanged.bin") << std::string(24, '\7');
    while (!stops) {
      std::filesystem::create_symlink(elsewhere / "exchanged.bin", next);
      std::filesystem::rename(next, folder / "exchanged.bin");
      std::ofstream(next) << std::string(24, '\7');
      std::filesystem::rename(next, folder / "exchanged.bin");
      std::filesystem::create_directory_symlink(elsewhere, folder / "below");
      std::filesystem::remove(folder / "below");
      std::filesystem::rename(held, folder / "below");
      std::filesystem::rename(folder / "below", held);
      ++rounds;
    }
  });
  int seen = 0;
  for (const char *location : {"exchanged.bin", "below/exchanged.bin"}) {
    onnx::TensorProto weight = External(location, "0").model.graph().initializer(0);
    for (const int last = rounds + 200; rounds < last && seen == 0;) {
      absl::StatusOr<Tensor> value = readTensor(weight, folder.string());
      seen += value.ok() && value->flat<int64_t>()[0] != 0x0707070707070707;
    }
    EXPECT_EQ(seen, 0) << "a file elsewhere was read through " << location;
  }
  stops = true;
  exchanges.join();
  std::filesystem::remove_all(elsewhere);
}

/// A link to an absolute path is followed where that is in the folder.
TEST(ExternalData, absoluteLinksIntoTheFolder) {
  std::string inside = scratchFile("target.bin", std::string(24, '\7'));
  std::filesystem::path folder = std::filesystem::path(inside).parent_path();
  std::filesystem::create_directory(folder / "deep");
  std::filesystem::create_symlink(inside, folder / "deep" / "absolute.bin");
  std::filesystem::create_symlink("../target.bin", folder / "deep" / "up.bin");
  std::filesystem::create_symlink("../../target.bin", folder / "deep" / "beyond.bin");
  for (const char *location : {"deep/absolute.bin", "deep/up.bin"})
    EXPECT_TRUE(loadModel(External(location, "0").model).ok()) << location;
  EXPECT_THAT(message(loadModel(External("deep/beyond.bin", "0").model)),
              EndsWith("which is not a file beside the model or below"));
}

/// A file that many tensors lie in is opened once.
TEST(ExternalData, staysOpen) {
  std::string inside = scratchFile("once.bin", std::string(24, '\7'));
  ExternalFiles files(std::filesystem::path(inside).parent_path().string());
  onnx::TensorProto weight = External("once.bin", "8").model.graph().initializer(0);
  ASSERT_TRUE(readTensor(weight, files).ok());
  std::filesystem::remove(inside);
  EXPECT_TRUE(readTensor(weight, files).ok());
}

TEST(OpsetVersions, unknownOnesAreRefused) {
  for (int version : {0, 99}) {
    onnx::ModelProto model = makeModel(version);
    addInput(model, "x", {2});
    addOutput(model, "x");
    auto module = loadModel(model);
    EXPECT_EQ(errorKind(module.status()), ErrorKind::NotSupported);
    EXPECT_THAT(message(module),
                EndsWith("is written for version " + std::to_string(version) +
                         " of ONNX's operators; 1 to 26 are known: convert it to version " +
                         (version == 0 ? "1" : "26") + ", the nearest"));
  }
}

onnx::ModelProto smallNetwork() {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {1, 2, 4, 4});
  addInts(model, "shape", {0, -1});
  setInts(addNode(model, "MaxPool", {"x"}, {"p"}), "kernel_shape", {2, 2});
  addNode(model, "Reshape", {"p", "shape"}, {"r"});
  setInt(addNode(model, "Softmax", {"r"}, {"y"}), "axis", -1);
  addOutput(model, "y");
  return model;
}

/// Operators with many numbers in attributes and constants, which flipped bits make huge.
onnx::ModelProto variedNetwork() {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {1, 2, 4, 4});
  addInput(model, "w", {2, 3, 3, 3});
  addInts(model, "sizes", {1, 2, 6, 6});
  addNode(model, "Resize", {"x", "", "", "sizes"}, {"r"});
  onnx::NodeProto &up = addNode(model, "ConvTranspose", {"r", "w"}, {"c"});
  setInts(up, "strides", {2, 2});
  setInts(up, "pads", {1, 1, 1, 1});
  onnx::NodeProto &pool = addNode(model, "MaxPool", {"c"}, {"m", "where"});
  setInts(pool, "kernel_shape", {2, 2});
  setInts(pool, "dilations", {2, 2});
  addInts(model, "pads", {0, 0, 1, 1, 0, 0, 2, 2});
  addNode(model, "Pad", {"m", "pads"}, {"p"});
  addInts(model, "first", {0, 1});
  addInts(model, "last", {3, 9});
  addInts(model, "axes", {1, 3});
  addInts(model, "two", {2});
  addNode(model, "Slice", {"p", "first", "last", "axes"}, {"s"});
  setInt(addNode(model, "TopK", {"s", "two"}, {"v", "i"}), "axis", 2);
  addInts(model, "batches", {2, 3, 2, 1});
  addNode(model, "Expand", {"v", "batches"}, {"e"});
  addNode(model, "ConstantOfShape", {"sizes"}, {"z"});
  addNode(model, "Tile", {"z", "sizes"}, {"t"});
  setInt(addNode(model, "Split", {"i"}, {"a", "b"}), "axis", 2);
  setInts(addNode(model, "ReduceMean", {"e"}, {"y"}), "axes", {2, 3});
  for (const char *name : {"y", "t", "a"})
    addOutput(model, name);
  return model;
}

/// A few bytes that ask for gigabytes: numbers that a translation must know are not computed at
/// that price, and what need not be known is not computed at all.
TEST(HostileFiles, hugeConstantsAreNotFolded) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  addInts(model, "huge", {int64_t(1) << 33});
  addNode(model, "ConstantOfShape", {"huge"}, {"zeros"});
  setInt(addNode(model, "ReduceSum", {"zeros"}, {"sum"}), "keepdims", 1);
  setInt(addNode(model, "Cast", {"sum"}, {"axis"}), "to", onnx::TensorProto::INT64);
  addNode(model, "Unsqueeze", {"x", "axis"}, {"y"}).set_name("wrap");
  addOutput(model, "y");
  auto module = loadModel(model);
  EXPECT_EQ(errorKind(module.status()), ErrorKind::NotSupported);
  EXPECT_EQ(message(module), "node 4 (Unsqueeze \"wrap\"): input 1: full: needs more than "
                             "1048576 iterations\n  full(f32, i64[1])");

  onnx::ModelProto unused = makeModel(13);
  addInts(unused, "huge", {int64_t(1) << 33});
  addNode(unused, "ConstantOfShape", {"huge"}, {"zeros"});
  addInts(unused, "wide", {1 << 20, 1});
  addNode(unused, "Expand", {"zeros", "wide"}, {"y"});
  addOutput(unused, "y");
  EXPECT_TRUE(loadModel(unused).ok());
}

TEST(HostileFiles, shapesHaveNoMillionExtents) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {1});
  addInput(model, "shape", {1000000000}, onnx::TensorProto::INT64);
  addNode(model, "Reshape", {"x", "shape"}, {"y"});
  addOutput(model, "y");
  EXPECT_THAT(message(loadModel(model)), EndsWith("input 1 has 1000000000 numbers; at most 32 make "
                                                  "sense"));
}

TEST(DamagedFiles, areGoodBeforeTheyAreDamaged) {
  EXPECT_TRUE(loadModel(smallNetwork()).ok());
  auto varied = loadModel(variedNetwork());
  EXPECT_TRUE(varied.ok()) << varied.status();
}

/// Zeros for a model's inputs, unless they are many; dynamic extents are 1.
std::optional<std::vector<Tensor>> zerosFor(const GraphModule &module) {
  std::vector<Tensor> values;
  for (const Variable &input : module.inputs) {
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (int64_t extent : input.type().shape()) {
      shape.push_back(extent == kDynamic ? 1 : extent);
      if (__builtin_mul_overflow(count, shape.back(), &count) || count > 1 << 16)
        return std::nullopt;
    }
    values.push_back(*Tensor::zeros(input.dtype(), shape));
  }
  return values;
}

/// Evaluates a model and calls what was compiled of it, as long as that takes little: both succeed
/// or give an error of the same kind. Whether they did.
bool runBoth(const GraphModule &module, const Function &compiled) {
  std::optional<std::vector<Tensor>> values = zerosFor(module);
  if (!values)
    return false;
  EvaluationBudget budget{1 << 16};
  auto evaluated = evaluate(module.outputs, module.inputs, *values, &budget);
  if (errorKind(evaluated.status()) == ErrorKind::NotSupported)
    return false; // more than the budget
  auto called = compiled.call(*values);
  EXPECT_EQ(errorKind(evaluated.status()), errorKind(called.status())) << evaluated.status() << "\n"
                                                                       << called.status();
  return true;
}

/// Whatever a damaged file gives, an error or another model, which gives an error or compiles and
/// runs: it must not crash.
TEST(DamagedFiles, giveErrorsOrRun) {
  for (const onnx::ModelProto &model : {smallNetwork(), variedNetwork()}) {
    const std::string good = model.SerializeAsString();
    int loaded = 0, ran = 0;
    auto tryFile = [&](const std::string &bytes) {
      auto module = load(scratchFile("damaged.onnx", bytes));
      if (!module.ok())
        return;
      ++loaded;
      absl::StatusOr<Function> compiled =
          function(*module, {.onUnusedInput = OnUnusedInput::Ignore, .cache = false});
      EXPECT_TRUE(compiled.ok() || !compiled.status().message().empty());
      ran += compiled.ok() && runBoth(*module, *compiled);
    };
    for (size_t length = 0; length < good.size(); ++length)
      tryFile(good.substr(0, length));
    std::mt19937 random(20240611);
    for (int i = 0; i < 2000; ++i) {
      std::string bad = good;
      for (int flips = 1 + int(random() % 3); flips > 0; --flips)
        bad[random() % bad.size()] ^= char(1 << random() % 8);
      tryFile(bad);
    }
    EXPECT_GT(loaded, 50); // names of nodes and the like may be anything
    EXPECT_GT(ran, 10);    // the others are beyond the budget
  }
}

} // namespace
} // namespace graphc::test
