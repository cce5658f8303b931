//===- MainTables.cpp -----------------------------------------------------===//
#include "AOT/MainTables.h"

#include "graphc/Type.h"

namespace graphc {

static_assert(kAotBool == int(DType::Bool) && kAotInt8 == int(DType::Int8) &&
              kAotInt16 == int(DType::Int16) && kAotInt32 == int(DType::Int32) &&
              kAotInt64 == int(DType::Int64) && kAotUInt8 == int(DType::UInt8) &&
              kAotUInt16 == int(DType::UInt16) && kAotUInt32 == int(DType::UInt32) &&
              kAotUInt64 == int(DType::UInt64) && kAotFloat16 == int(DType::Float16) &&
              kAotBFloat16 == int(DType::BFloat16) && kAotFloat32 == int(DType::Float32) &&
              kAotFloat64 == int(DType::Float64) && kAotNumDTypes == kNumRealDTypes);

MainTables MainTables::create(const Program &program, std::string_view source,
                              std::string_view target) {
  MainTables t;
  auto text = [&](std::string_view text) {
    auto first = int32_t(t.text.size());
    t.text += text;
    t.text += '\0';
    return first;
  };
  t.origin = {text(program.name), text(source), text(target)};
  for (int k = 0; k < kNumRealDTypes; ++k) {
    DType dtype = DType(k);
    AotDType &row = t.dtypes.emplace_back(AotDType{
        text(dtypeName(dtype)), text(dtypeShortName(dtype)), int32_t(byteSize(dtype)), {}, {}});
    for (int to = 0; to < kNumRealDTypes; ++to)
      row.castsSafelyTo[to] = canCastSafely(dtype, DType(to));
  }
  for (const Program::Input &input : program.inputs)
    t.inputs.push_back(
        {text(input.name), text(Type(input.dtype, input.shape).text()), int32_t(input.dtype)});
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    const Program::Output &output = program.outputs[k];
    Type type = typeOf(program, output);
    t.outputs.push_back({text(output.name.empty() ? "out" + std::to_string(k) : output.name),
                         text(type.text()), int32_t(type.dtype())});
  }
  return t;
}

} // namespace graphc
