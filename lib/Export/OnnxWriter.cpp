//===- OnnxWriter.cpp --------------------------------------------------------===//
#include "Export/OnnxWriter.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "Import/TensorReader.h"
#include "Support/SystemError.h"
#include "Support/Text.h"

namespace graphc {
namespace {

/// ONNX's number for a dtype; 0 where it has none.
int onnxNumber(DType dtype) {
  for (int number = 1; number <= onnx::TensorProto::DataType_MAX; ++number)
    if (onnxDType(number) == dtype)
      return number;
  return onnx::TensorProto::UNDEFINED;
}

/// The version of the file format with which a version of the operators came.
int formatOf(int opset) { return opset <= 18 ? 8 : opset <= 20 ? 9 : 10; }

/// Open extents have these names; others those of the axis alone, from `stem`, or none where that
/// is empty.
void setType(onnx::ValueInfoProto &info, const std::string &name, const Type &type,
             std::string_view stem = {}, const ExtentNames &extents = {}) {
  info.set_name(name);
  onnx::TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnxNumber(type.dtype()));
  tensor.mutable_shape();
  for (int axis = 0; axis < type.rank(); ++axis) {
    onnx::TensorShapeProto::Dimension &dim = *tensor.mutable_shape()->add_dim();
    if (type.extent(axis) != kDynamic)
      dim.set_dim_value(type.extent(axis));
    else if (auto own = extents.find(axis); own != extents.end())
      dim.set_dim_param(own->second);
    else if (!stem.empty())
      dim.set_dim_param(std::string(stem) + "." + std::to_string(axis));
  }
}

void setAttribute(onnx::AttributeProto &proto, const OnnxAttribute &attribute) {
  proto.set_name(std::string(attribute.name));
  if (auto *number = std::get_if<int64_t>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(*number);
  } else if (auto *real = std::get_if<float>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(*real);
  } else if (auto *text = std::get_if<std::string>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(*text);
  } else if (auto *list = std::get_if<IntList>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::INTS);
    for (int64_t element : *list)
      proto.add_ints(element);
  } else {
    proto.set_type(onnx::AttributeProto::GRAPH);
    *proto.mutable_g() = std::get<onnx::GraphProto>(attribute.value);
  }
}

std::string_view bytesOf(const Tensor &value) {
  return {static_cast<const char *>(value.data()), size_t(value.numBytes())};
}

/// Weights of fewer bytes stay in the model: axes and shapes, which readers need at once.
constexpr int64_t kSmallWeight = 1024;
constexpr size_t kPage = 4096;

} // namespace

DType dtypeWithin(DTypeSet allowed, DType dtype) {
  auto has = [&](DType candidate) { return (allowed >> unsigned(candidate) & 1) != 0; };
  if (has(dtype))
    return dtype;
  if (isFloat(dtype))
    return bitWidth(dtype) == 16 && has(DType::Float32) ? DType::Float32 : DType::Float64;
  bool isNarrow = bitWidth(dtype) < 32 || dtype == DType::Int32;
  if (isNarrow && has(DType::Int32))
    return DType::Int32;
  if (has(DType::Int64))
    return DType::Int64;
  return isNarrow && bitWidth(dtype) <= 16 && has(DType::Float32) ? DType::Float32 : DType::Float64;
}

Value OnnxWriter::refuse(const Type &type, std::string why) {
  if (refusal_.empty())
    refusal_ = std::move(why);
  return {type, "refused", {}};
}

//===--- values ---------------------------------------------------------------------===//

std::string OnnxWriter::fresh(std::string_view stem) {
  std::string name(stem);
  for (int &count = counters_[name]; !used_.insert(name).second;)
    name = std::string(stem) + "_" + std::to_string(++count);
  return name;
}

Value OnnxWriter::input(const Type &type, std::string_view name, const ExtentNames &extents) {
  Value v{type, std::string(name), {}};
  setType(*graph().add_input(), v.name, type, v.name, extents);
  return v;
}

Value OnnxWriter::ints(const IntList &list) {
  return known(*Tensor::fromSpan(absl::MakeConstSpan(list), {int64_t(list.size())}));
}

Value OnnxWriter::scalar(double number, DType dtype) { return known(Tensor(number).cast(dtype)); }

std::string OnnxWriter::nameOf(const Value &v) {
  if (!v.isConstant())
    return v.name;
  Tensor value = v.constant.contiguous();
  std::string key = v.type.text() + ":";
  if (value.numBytes() <= 64) {
    key += bytesOf(value);
  } else {
    const void *memory = v.constant.data();
    key.append(reinterpret_cast<const char *>(&memory), sizeof memory);
  }
  auto [known, isNew] = initializers_.try_emplace(key);
  if (!isNew)
    return known->second;
  known->second = fresh(v.name.empty() ? "constant" : v.name);
  // Also those that graphs within read: they see what is around them.
  onnx::TensorProto *proto = model_.mutable_graph()->add_initializer();
  proto->set_name(known->second);
  proto->set_data_type(onnxNumber(v.dtype()));
  for (int64_t extent : v.constant.shape())
    proto->add_dims(extent);
  // The model's memory is not written to while it grows, but a copied initializer may stand in the
  // place of one whose memory is used anew: it is kept.
  weights_.push_back({proto, value});
  if (value.data() != v.constant.data())
    weights_.push_back({nullptr, v.constant});
  return known->second;
}

//===--- nodes ----------------------------------------------------------------------===//

Values OnnxWriter::nodes(std::string_view op, const Values &inputs,
                         const std::vector<Type> &results, const OnnxAttributes &attributes) {
  onnx::NodeProto proto;
  proto.set_op_type(std::string(op));
  for (const Value &input : inputs)
    proto.add_input(nameOf(input)); // empty: an optional one that is not there
  for (const OnnxAttribute &attribute : attributes)
    setAttribute(*proto.add_attribute(), attribute);
  Values values;
  for (const Type &type : results) {
    values.push_back({type, fresh(op), {}});
    proto.add_output(values.back().name);
    if (type.rank() > 0 || bodies_.empty())
      setType(*graph().add_value_info(), values.back().name, type);
  }
  *graph().add_node() = std::move(proto);
  return values;
}

Value OnnxWriter::as(const Value &v, DType dtype) {
  if (v.dtype() == dtype)
    return v;
  if (v.isConstant() && v.constant.numBytes() <= 64)
    return known(v.constant.cast(dtype));
  return node("Cast", {v}, v.type.withDType(dtype), {{"to", int64_t(onnxNumber(dtype))}});
}

Value OnnxWriter::reshaped(const Value &v, const IntList &shape) {
  IntList extents = shape;
  for (int64_t &extent : extents)
    extent = std::max<int64_t>(extent, kDynamic);
  return node("Reshape", {v, ints(shape)}, Type(v.dtype(), extents), {{"allowzero", int64_t(1)}});
}

Value OnnxWriter::transposed(const Value &v, const std::vector<int> &order) {
  IntList perm(order.begin(), order.end()), shape;
  bool moves = false;
  for (size_t k = 0; k < order.size(); ++k) {
    shape.push_back(v.type.extent(order[k]));
    moves |= order[k] != int(k);
  }
  return moves ? node("Transpose", {v}, v.type.withShape(shape), {{"perm", perm}}) : v;
}

Value OnnxWriter::unsqueezed(const Value &v, const IntList &axes) {
  if (axes.empty())
    return v;
  IntList shape(size_t(v.rank()) + axes.size(), 0);
  for (int64_t axis : axes)
    shape[size_t(axis)] = 1;
  int next = 0;
  for (int64_t &extent : shape)
    if (extent != 1)
      extent = v.type.extent(next++);
  return node("Unsqueeze", {v, ints(axes)}, v.type.withShape(shape));
}

Value OnnxWriter::squeezed(const Value &v, const IntList &axes) {
  if (axes.empty())
    return v;
  IntList shape;
  for (int axis = 0; axis < v.rank(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      shape.push_back(v.type.extent(axis));
  return node("Squeeze", {v, ints(axes)}, v.type.withShape(shape));
}

Value OnnxWriter::shapeOf(const Value &v) {
  absl::Span<const int64_t> shape = v.type.shape();
  if (v.type.hasStaticShape())
    return ints(IntList(shape.begin(), shape.end()));
  return node("Shape", {v}, Type(DType::Int64, {int64_t(v.rank())}));
}

void OnnxWriter::beginBody() { bodies_.emplace_back(); }

onnx::GraphProto OnnxWriter::endBody(const Values &inputs, const Values &outputs) {
  for (const Value &v : inputs)
    setType(*graph().add_input(), v.name, v.type);
  for (const Value &v : outputs) {
    // An output is what a node of the body gives, and no other output.
    Value own = v;
    bool isComputed = false, isOther = false;
    for (const onnx::ValueInfoProto &info : graph().output())
      isOther |= info.name() == v.name;
    for (const onnx::NodeProto &node : graph().node())
      for (const std::string &name : node.output())
        isComputed |= !v.isConstant() && name == v.name;
    if (!isComputed || isOther)
      own = node("Identity", {v}, v.type);
    setType(*graph().add_output(), own.name, own.type);
  }
  onnx::GraphProto body = std::move(bodies_.back());
  bodies_.pop_back();
  body.set_name(fresh("body"));
  return body;
}

//===--- names ----------------------------------------------------------------------===//

void OnnxWriter::suggestName(const Value &v, std::string_view name) {
  if (name.empty() || v.isConstant() || suggested_.contains(std::string(name)) ||
      renamed_.contains(v.name) || suggested_.contains(v.name))
    return;
  for (const onnx::ValueInfoProto &input : model_.graph().input())
    if (input.name() == v.name)
      return;
  suggested_.emplace(name);
  renamed_.emplace(v.name, name);
}

void OnnxWriter::output(const Value &v, const std::string &name, const ExtentNames &extents) {
  auto found = renamed_.find(v.name);
  Value own = v;
  if (v.isConstant() || found == renamed_.end() || found->second != name) {
    own = node("Identity", {v}, v.type);
    renamed_[own.name] = name;
  }
  setType(*graph().add_output(), own.name, own.type, {}, extents);
}

void OnnxWriter::rename(onnx::GraphProto &graph) const {
  auto change = [&](std::string *name) {
    if (auto found = renamed_.find(*name); found != renamed_.end())
      *name = found->second;
  };
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (int i = 0; i < node.input_size(); ++i)
      change(node.mutable_input(i));
    for (int i = 0; i < node.output_size(); ++i)
      change(node.mutable_output(i));
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        rename(*attribute.mutable_g());
  }
  for (auto *infos : {graph.mutable_input(), graph.mutable_output()})
    for (onnx::ValueInfoProto &info : *infos)
      change(info.mutable_name());
  // An output says its type itself.
  std::set<std::string> outputs;
  for (const onnx::ValueInfoProto &info : graph.output())
    outputs.insert(info.name());
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> infos;
  for (onnx::ValueInfoProto &info : *graph.mutable_value_info()) {
    change(info.mutable_name());
    if (!outputs.contains(info.name()))
      *infos.Add() = std::move(info);
  }
  *graph.mutable_value_info() = std::move(infos);
}

//===--- files ----------------------------------------------------------------------===//

absl::Status OnnxWriter::writeWeights(const std::string &path) {
  int64_t total = 0;
  for (const Weight &weight : weights_)
    total += weight.proto ? weight.value.numBytes() : 0;
  bool isBeside = total > options_.mostBytesInside;
  std::string dataPath = path + ".data";
  std::ofstream data;
  size_t offset = 0;
  for (const auto &[proto, value] : weights_) {
    if (!proto)
      continue;
    std::string_view bytes = bytesOf(value);
    if (!isBeside || int64_t(bytes.size()) < kSmallWeight) {
      proto->set_raw_data(std::string(bytes));
      continue;
    }
    if (!data.is_open())
      data.open(dataPath, std::ios::binary | std::ios::trunc);
    size_t start = (offset + kPage - 1) / kPage * kPage;
    data << std::string(start - offset, '\0') << bytes;
    offset = start + bytes.size();
    proto->set_data_location(onnx::TensorProto::EXTERNAL);
    auto say = [&](const char *key, const std::string &text) {
      onnx::StringStringEntryProto &entry = *proto->add_external_data();
      entry.set_key(key);
      entry.set_value(text);
    };
    say("location", std::filesystem::path(dataPath).filename().string());
    say("offset", std::to_string(start));
    say("length", std::to_string(bytes.size()));
  }
  if (!data.is_open())
    return absl::OkStatus();
  data.close();
  return data ? absl::OkStatus() : systemError("cannot write " + dataPath, errno);
}

absl::Status OnnxWriter::write(std::string_view graphName, const std::string &path) {
  rename(*model_.mutable_graph());
  model_.mutable_graph()->set_name(std::string(graphName));
  model_.set_ir_version(formatOf(options_.opset));
  model_.set_producer_name("graphc");
  model_.add_opset_import()->set_version(options_.opset);
  if (absl::Status s = writeWeights(path); !s.ok())
    return s;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file || !model_.SerializeToOstream(&file) || !file.flush())
    return systemError("cannot write " + path, errno);
  return absl::OkStatus();
}

} // namespace graphc
