//===- Export/OnnxWriter.h - a model that grows ---------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "graphc/Export.h"
#include "graphc/Variable.h"
#include "onnx/onnx_pb.h"

namespace graphc {

/// A value of the model. One that is known becomes an initializer where a node reads it.
struct Value {
  Type type = {};
  std::string name = {};
  Tensor constant = {};

  bool isConstant() const { return constant.defined(); }
  DType dtype() const { return type.dtype(); }
  int rank() const { return type.rank(); }
};
using Values = std::vector<Value>;

struct OnnxAttribute {
  std::string_view name;
  std::variant<int64_t, float, std::string, IntList, onnx::GraphProto> value;
};
using OnnxAttributes = std::vector<OnnxAttribute>;

/// dim_params, by axis.
using ExtentNames = std::map<int, std::string>;

/// Dtypes that an operator takes.
using DTypeSet = uint32_t;
template <class... D> constexpr DTypeSet dtypeSet(D... dtypes) {
  return ((1u << unsigned(dtypes)) | ...);
}
inline constexpr DTypeSet kRealFloats = dtypeSet(DType::Float16, DType::Float32, DType::Float64);
inline constexpr DTypeSet kFloats = kRealFloats | dtypeSet(DType::BFloat16);
inline constexpr DTypeSet kWideInts =
    dtypeSet(DType::Int32, DType::Int64, DType::UInt32, DType::UInt64);
inline constexpr DTypeSet kInts =
    kWideInts | dtypeSet(DType::Int8, DType::Int16, DType::UInt8, DType::UInt16);
inline constexpr DTypeSet kNumbers = kFloats | kInts;
inline constexpr DTypeSet kAllDTypes = kNumbers | dtypeSet(DType::Bool);

/// The dtype in which an operator that takes `allowed` computes for operands of `dtype`: the same,
/// or one that holds its values, or for 64-bit integers those up to 2^53.
DType dtypeWithin(DTypeSet allowed, DType dtype);

/// Writes nodes one after the other. Mistakes are kept, the first one of each node of the graph.
class OnnxWriter {
public:
  explicit OnnxWriter(const SaveOnnxOptions &options) : options_(options) {}

  int opset() const { return options_.opset; }
  /// Notes why what is being written cannot be said, and gives a value that stands for nothing.
  Value refuse(const Type &type, std::string why);
  /// The reason that was noted since the last time, or nothing.
  std::string takeRefusal() { return std::exchange(refusal_, ""); }

  //===--- values ---------------------------------------------------------------===//
  /// Open extents have these names, or ones of their own: NAME.AXIS.
  Value input(const Type &type, std::string_view name, const ExtentNames &extents = {});
  static Value known(Tensor value) {
    Type type(value.dtype(), value.shape());
    return {std::move(type), "", std::move(value)};
  }
  static Value ints(const IntList &list);
  static Value scalar(double number, DType dtype);

  //===--- nodes ----------------------------------------------------------------===//
  Value node(std::string_view op, const Values &inputs, const Type &result,
             const OnnxAttributes &attributes = {}) {
    return nodes(op, inputs, {result}, attributes)[0];
  }
  Values nodes(std::string_view op, const Values &inputs, const std::vector<Type> &results,
               const OnnxAttributes &attributes = {});
  /// The value in that dtype.
  Value as(const Value &v, DType dtype);
  /// The same elements with another shape: numbers, 0 meaning 0.
  Value reshaped(const Value &v, const IntList &shape);
  Value transposed(const Value &v, const std::vector<int> &order);
  Value unsqueezed(const Value &v, const IntList &axes);
  Value squeezed(const Value &v, const IntList &axes);
  /// An int64 vector.
  Value shapeOf(const Value &v);

  /// Nodes until `endBody` belong to a graph within the model's.
  void beginBody();
  Value bodyInput(const Type &type, std::string_view stem) { return {type, fresh(stem), {}}; }
  onnx::GraphProto endBody(const Values &inputs, const Values &outputs);

  //===--- names ----------------------------------------------------------------===//
  /// A name that a user gave: nothing else has it. False where it is taken.
  bool reserve(std::string_view name) { return used_.emplace(name).second; }
  /// The value, computed by a node, has this name in the file, where it has none of the user's yet
  /// and no other value has that one.
  void suggestName(const Value &v, std::string_view name);
  /// Makes it an output of that name.
  void output(const Value &v, const std::string &name, const ExtentNames &extents = {});

  /// The model in `path`, and beside it PATH.data where the weights are too many.
  absl::Status write(std::string_view graphName, const std::string &path);

private:
  struct Weight {
    onnx::TensorProto *proto;
    Tensor value;
  };
  std::string fresh(std::string_view stem);
  std::string nameOf(const Value &v);
  onnx::GraphProto &graph() { return bodies_.empty() ? *model_.mutable_graph() : bodies_.back(); }
  void rename(onnx::GraphProto &graph) const;
  absl::Status writeWeights(const std::string &path);

  SaveOnnxOptions options_;
  onnx::ModelProto model_;
  std::deque<onnx::GraphProto> bodies_;
  std::vector<Weight> weights_;
  /// Of constants that have initializers: by memory, and by contents where these are few.
  std::map<std::string, std::string> initializers_;
  std::set<std::string, std::less<>> used_;
  std::map<std::string, int> counters_;
  std::map<std::string, std::string> renamed_;
  std::set<std::string> suggested_;
  std::string refusal_;
};

} // namespace graphc
