//===- NarrowTypesTest.cpp - floats of 8 bits, integers of 4 and 2 ---------------===//
//
// The values of all codes and of conversions are compared with onnxruntime's in CasesTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

// Numbers of element types that the message in hand has no names for.
constexpr int kE4M3FN = 17, kE5M2 = 19, kUInt4 = 21, kInt4 = 22, kFloat4 = 23, kE8M0 = 24,
              kUInt2 = 25, kInt2 = 26;

onnx::TensorProto &addTensor(onnx::ModelProto &model, const std::string &name, int type,
                             std::vector<int64_t> shape) {
  onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t extent : shape)
    tensor.add_dims(extent);
  return tensor;
}

Tensor onlyOutput(const onnx::ModelProto &model, const std::vector<Tensor> &inputs = {}) {
  auto module = loadModel(model);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok())
    return Tensor(0.0);
  auto results = evaluate(module->outputs, module->inputs, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : Tensor(0.0);
}

/// 1.0 and -1.5 of E4M3FN are 0x38 and 0xbc.
TEST(NarrowTypes, areStoredInAllWays) {
  const Tensor expected = Tensor({1, -1.5}).cast(DType::Float16);
  for (int way : {0, 1, 2}) {
    onnx::ModelProto model = makeModel(21);
    onnx::TensorProto &tensor = addTensor(model, "w", kE4M3FN, {2});
    if (way == 0) {
      tensor.set_raw_data("\x38\xbc");
    } else if (way == 1) {
      tensor.add_int32_data(0x38);
      tensor.add_int32_data(0xbc);
    } else {
      scratchFile("narrow.bin", std::string("..\x38\xbc", 4));
      tensor.set_data_location(onnx::TensorProto::EXTERNAL);
      for (auto [key, value] : {std::pair("location", "narrow.bin"), std::pair("offset", "2"),
                                std::pair("length", "2")}) {
        tensor.add_external_data()->set_key(key);
        tensor.mutable_external_data()->rbegin()->set_value(value);
      }
    }
    addOutput(model, "w");
    EXPECT_EQ(onlyOutput(model), expected) << way;
  }
}

/// Bytes in a file are those that a model may have itself, of every type.
TEST(ExternalData, ofEveryType) {
  std::string bytes;
  for (int k = 0; k < 32; ++k)
    bytes.push_back(char(k % 2)); // whatever it is, it is a number
  scratchFile("every.bin", bytes);
  for (int type = 1; type <= kInt2; ++type) {
    if (type == onnx::TensorProto::STRING || type == onnx::TensorProto::COMPLEX64 ||
        type == onnx::TensorProto::COMPLEX128)
      continue;
    onnx::ModelProto model = makeModel(21);
    addTensor(model, "w", type, {4}); // of 8 bytes at most
    const int bits = type >= kUInt2 ? 2 : type >= kUInt4 && type != kE8M0 ? 4 : 8;
    onnx::TensorProto &own = *model.mutable_graph()->mutable_initializer(0);
    addOutput(model, "w");
    for (int size = bits; size <= 64; size *= 2) {
      own.set_raw_data(bytes.substr(0, size_t(size / 2)));
      if (!loadModel(model).ok())
        continue;
      Tensor expected = onlyOutput(model);
      own.clear_raw_data();
      own.set_data_location(onnx::TensorProto::EXTERNAL);
      own.add_external_data()->set_key("location");
      own.mutable_external_data(0)->set_value("every.bin");
      EXPECT_EQ(onlyOutput(model), expected) << type;
      break;
    }
    EXPECT_EQ(own.data_location(), onnx::TensorProto::EXTERNAL) << type;
  }
}

/// Two elements a byte, the first in its lower bits; the last byte of an odd number has one.
TEST(NarrowTypes, fourBitsArePacked) {
  auto values = [](int type) {
    onnx::ModelProto model = makeModel(21);
    onnx::TensorProto &tensor = addTensor(model, "w", type, {3});
    tensor.add_int32_data(0x81);
    tensor.add_int32_data(0x0f);
    addOutput(model, "w");
    return onlyOutput(model);
  };
  EXPECT_EQ(values(kInt4), Tensor({1, -8, -1}, DType::Int8));
  EXPECT_EQ(values(kUInt4), Tensor({1, 8, 15}, DType::UInt8));
  EXPECT_EQ(values(kFloat4), Tensor({0.5, -0.0, -6.0}).cast(DType::Float16));
}

TEST(NarrowTypes, sizesAreChecked) {
  onnx::ModelProto model = makeModel(21);
  onnx::TensorProto &tensor = addTensor(model, "w", kInt4, {5});
  tensor.set_raw_data("12");
  addOutput(model, "w");
  EXPECT_EQ(error(loadModel(model)),
            "model.onnx: initializer 'w': holds 2 bytes where its shape (5,) needs 3");
  tensor.set_data_type(kInt2);
  EXPECT_EQ(onlyOutput(model), Tensor({1, 0, -1, 0, -2}, DType::Int8)); // 0x31, 0x32
  tensor.set_data_type(kUInt2);
  EXPECT_EQ(onlyOutput(model), Tensor({1, 0, 3, 0, 2}, DType::UInt8));
  tensor.set_data_type(kInt2 + 1);
  EXPECT_EQ(error(loadModel(model)),
            "model.onnx: initializer 'w': is of element type 27, which graphc has not");
}

/// What is only moved keeps its type: CastLike and the zero point of QuantizeLinear ask for it.
TEST(NarrowTypes, areRemembered) {
  for (const char *last : {"CastLike", "QuantizeLinear"}) {
    onnx::ModelProto model = makeModel(21);
    addInput(model, "x", {2});
    addTensor(model, "zero", kInt4, {1, 1}).set_raw_data(std::string(1, '\0'));
    addTensor(model, "one", onnx::TensorProto::FLOAT, {}).add_float_data(1);
    addNode(model, "Transpose", {"zero"}, {"moved"});
    addNode(model, "Squeeze", {"moved"}, {"z"});
    if (std::string(last) == "CastLike")
      addNode(model, last, {"x", "z"}, {"y"});
    else
      addNode(model, last, {"x", "one", "z"}, {"y"});
    addOutput(model, "y");
    Tensor y = onlyOutput(model, {Tensor({-3.0, 7.0}).cast(DType::Float32)});
    EXPECT_EQ(y, Tensor({-3, 7}, DType::Int8)) << last;
  }
}

/// Beyond the greatest number, after rounding: ONNX's text.
TEST(NarrowTypes, overflowWithoutSaturation) {
  auto converted = [](int type, std::vector<double> values) {
    onnx::ModelProto model = makeModel(21);
    addInput(model, "x", {int64_t(values.size())});
    onnx::NodeProto &node = addNode(model, "Cast", {"x"}, {"y"});
    setInt(node, "to", type);
    setInt(node, "saturate", 0);
    addOutput(model, "y");
    Tensor x = *Tensor::fromSpan(absl::MakeConstSpan(values), {int64_t(values.size())});
    Tensor y = onlyOutput(model, {x.cast(DType::Float32)}).cast(DType::Float64);
    absl::Span<const double> numbers = y.flat<double>();
    return std::vector<double>(numbers.begin(), numbers.end());
  };
  using testing::ElementsAre;
  using testing::IsNan;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(converted(kE4M3FN, {464, 465, 480, -480}),
              ElementsAre(448, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(converted(kE5M2, {61439, 61440, 65504, -65504}),
              ElementsAre(57344, infinity, infinity, -infinity));
}

/// Powers of 2: ONNX's text says what is beyond the least and the greatest, and its round_modes.
TEST(NarrowTypes, powersOfTwo) {
  const double least = std::ldexp(1.0, -127), most = std::ldexp(1.0, 127), nan = std::nan(""),
               infinity = std::numeric_limits<double>::infinity();
  auto converted = [](const char *mode, bool saturate, std::vector<double> values) {
    onnx::ModelProto model = makeModel(25);
    addInput(model, "x", {int64_t(values.size())}, onnx::TensorProto::DOUBLE);
    onnx::NodeProto &node = addNode(model, "Cast", {"x"}, {"y"});
    setInt(node, "to", kE8M0);
    setInt(node, "saturate", saturate);
    if (mode) {
      onnx::AttributeProto &attribute = *node.add_attribute();
      attribute.set_name("round_mode");
      attribute.set_type(onnx::AttributeProto::STRING);
      attribute.set_s(mode);
    }
    addOutput(model, "y");
    if (mode && std::string(mode) == "even")
      return std::vector<double>{double(
          error(loadModel(model)) == "model.onnx: node 1 (Cast): attribute round_mode is 'even'")};
    Tensor x = *Tensor::fromSpan(absl::MakeConstSpan(values), {int64_t(values.size())});
    Tensor y = onlyOutput(model, {x});
    EXPECT_EQ(y.dtype(), DType::Float32);
    Tensor wide = y.cast(DType::Float64);
    return std::vector<double>(wide.flat<double>().begin(), wide.flat<double>().end());
  };
  using testing::ElementsAre;
  using testing::IsNan;
  std::vector<double> x = {1, 1.1, 1.5, 1.7, 2, 3, 0.3};
  EXPECT_THAT(converted(nullptr, true, x), ElementsAre(1, 2, 2, 2, 2, 4, 0.5));
  EXPECT_THAT(converted("up", true, x), ElementsAre(1, 2, 2, 2, 2, 4, 0.5));
  EXPECT_THAT(converted("down", true, x), ElementsAre(1, 1, 1, 1, 2, 2, 0.25));
  EXPECT_THAT(converted("nearest", true, x), ElementsAre(1, 1, 2, 2, 2, 4, 0.25));
  std::vector<double> ends = {0, least, least / 2, most, 1.2 * most, 2 * most, infinity, nan};
  for (const char *mode : {"up", "down", "nearest"})
    EXPECT_THAT(converted(mode, true, ends),
                ElementsAre(least, least, least, most, most, most, most, IsNan()));
  EXPECT_THAT(converted("nearest", false, ends),
              ElementsAre(IsNan(), least, IsNan(), most, most, IsNan(), IsNan(), IsNan()));
  EXPECT_THAT(converted("even", true, x), ElementsAre(1));
}

/// Integers of 2 bits are cut, and quantized to, as ONNX's other integers are.
TEST(NarrowTypes, twoBits) {
  auto output = [](const char *op, int type) {
    onnx::ModelProto model = makeModel(25);
    addInput(model, "x", {5});
    addTensor(model, "one", onnx::TensorProto::FLOAT, {}).add_float_data(1);
    bool quantizes = std::string(op) == "QuantizeLinear";
    onnx::NodeProto &node =
        quantizes ? addNode(model, op, {"x", "one"}, {"q"}) : addNode(model, op, {"x"}, {"q"});
    setInt(node, quantizes ? "output_dtype" : "to", type);
    addOutput(model, "q");
    return onlyOutput(model, {Tensor({-3.0, -1.0, 0.0, 1.0, 3.0}).cast(DType::Float32)});
  };
  EXPECT_EQ(output("QuantizeLinear", kInt2), Tensor({-2, -1, 0, 1, 1}, DType::Int8));
  EXPECT_EQ(output("QuantizeLinear", kUInt2), Tensor({0, 0, 0, 1, 3}, DType::UInt8));
  EXPECT_EQ(output("Cast", kInt2), Tensor({1, -1, 0, 1, -1}, DType::Int8));
}

TEST(NarrowTypes, haveNoArithmetic) {
  onnx::ModelProto model = makeModel(21);
  addInput(model, "x", {2}, kE5M2);
  addNode(model, "Add", {"x", "x"}, {"y"});
  addOutput(model, "y");
  EXPECT_EQ(error(loadModel(model)),
            "model.onnx: node 1 (Add): takes no FLOAT8E5M2; put a Cast in front of it");
}

TEST(NarrowTypes, contradictions) {
  onnx::ModelProto model = makeModel(21);
  addInput(model, "x", {2}, kE5M2);
  addNode(model, "Identity", {"x"}, {"y"});
  addOutput(model, "y");
  setType(*model.mutable_graph()->mutable_output(0), {2}, kE4M3FN);
  EXPECT_EQ(error(loadModel(model)),
            "model.onnx: node 1 (Identity): output 'y' is declared as FLOAT8E4M3FN, but is of "
            "FLOAT8E5M2; correct the declaration or the graph");
  model = makeModel(21);
  addInput(model, "x", {2});
  addTensor(model, "zero", kInt4, {}).set_raw_data(std::string(1, '\0'));
  addTensor(model, "one", onnx::TensorProto::FLOAT, {}).add_float_data(1);
  setInt(addNode(model, "QuantizeLinear", {"x", "one", "zero"}, {"y"}), "output_dtype", kUInt4);
  addOutput(model, "y");
  EXPECT_EQ(error(loadModel(model)), "model.onnx: node 1 (QuantizeLinear): output_dtype is UINT4, "
                                     "but the zero point of INT4");
}

} // namespace
} // namespace graphc::test
