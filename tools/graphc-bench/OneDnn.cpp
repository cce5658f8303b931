//===- OneDnn.cpp ---------------------------------------------------------===//
#include "OneDnn.h"

#ifdef GRAPHC_BENCH_ONEDNN

#include <dlfcn.h>

#include <memory>
#include <unordered_map>

#include "absl/strings/str_format.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace graphc::bench {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
constexpr auto kF32 = memory::data_type::f32;

struct Context {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

Context &context() {
  static auto *const kContext = new Context();
  return *kContext;
}

/// Debian's oneDNN runs on OpenMP, whose environment was read before main.
void useThreads(int threads) {
  auto *set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set)
    set(threads);
}

memory memoryOf(const memory::desc &shape, const Tensor &tensor) {
  return memory(shape, context().engine, const_cast<void *>(tensor.data()));
}

/// A primitive with what it reads; the result's memory comes with each run. The tensors keep what
/// the arguments point to.
struct Call {
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
  memory result;
  std::vector<Tensor> keep;
};

std::vector<Hand> handOf(Call call) {
  auto kept = std::make_shared<Call>(std::move(call));
  return {{"oneDNN", [kept](void *const *results) {
             kept->result.set_data_handle(results[0]);
             kept->primitive.execute(context().stream, kept->arguments);
             context().stream.wait();
           }}};
}

memory::desc matrix(int64_t rows, int64_t columns) { return {{rows, columns}, kF32, Tag::ab}; }

/// A product's operand or result, which is stored as it is or transposed.
memory::desc matricesOf(int64_t batch, int64_t rows, int64_t columns, bool isTransposed,
                        memory::data_type type) {
  if (batch == 1)
    return {{rows, columns}, type, isTransposed ? Tag::ba : Tag::ab};
  return {{batch, rows, columns}, type, isTransposed ? Tag::acb : Tag::abc};
}

memory::data_type typeOf(DType dtype) {
  return dtype == DType::BFloat16 ? memory::data_type::bf16 : kF32;
}

} // namespace

std::string oneDnnVersion() {
  const dnnl_version_t *v = dnnl_version();
  return absl::StrFormat("%d.%d.%d", v->major, v->minor, v->patch);
}

std::vector<Hand> oneDnnProduct(const Product &p, const Tensor &a, const Tensor &b,
                                DType resultDType, const Settings &settings) {
  if (a.dtype() == DType::Float64)
    return {};
  useThreads(settings.threads);
  memory::data_type type = typeOf(a.dtype());
  memory::desc shapeA = matricesOf(p.batch, p.m, p.k, p.isLeftTransposed, type),
               shapeB = matricesOf(p.batch, p.k, p.n, p.isRightTransposed, type),
               shapeC = matricesOf(p.batch, p.m, p.n, false, typeOf(resultDType));
  dnnl::matmul::primitive_desc choice(dnnl::matmul::desc(shapeA, shapeB, shapeC), context().engine,
                                      /*allow_empty=*/true);
  if (!choice) // it has bfloat16 where the processor has AVX-512
    return {};
  memory result(shapeC, context().engine, nullptr);
  return handOf({dnnl::matmul(choice),
                 {{DNNL_ARG_SRC, memoryOf(shapeA, a)},
                  {DNNL_ARG_WEIGHTS, memoryOf(shapeB, b)},
                  {DNNL_ARG_DST, result}},
                 result,
                 {a, b}});
}

std::vector<Hand> oneDnnSoftmax(const Tensor &x, const Settings &settings) {
  useThreads(settings.threads);
  memory::desc shape = matrix(x.shape()[0], x.shape()[1]);
  dnnl::softmax_forward::primitive_desc choice(
      {dnnl::prop_kind::forward_inference, shape, /*axis=*/1}, context().engine);
  memory result(shape, context().engine, nullptr);
  return handOf({dnnl::softmax_forward(choice),
                 {{DNNL_ARG_SRC, memoryOf(shape, x)}, {DNNL_ARG_DST, result}},
                 result,
                 {x}});
}

std::vector<Hand> oneDnnLayerNorm(const Tensor &x, const Tensor &g, const Tensor &b,
                                  const Settings &settings) {
  useThreads(settings.threads);
  memory::desc shape = matrix(x.shape()[0], x.shape()[1]), row({x.shape()[1]}, kF32, Tag::a);
  using Flags = dnnl::normalization_flags;
  dnnl::layer_normalization_forward::primitive_desc choice(
      {dnnl::prop_kind::forward_inference, shape, 1e-5f, Flags::use_scale | Flags::use_shift},
      context().engine);
  memory result(shape, context().engine, nullptr);
  return handOf({dnnl::layer_normalization_forward(choice),
                 {{DNNL_ARG_SRC, memoryOf(shape, x)},
                  {DNNL_ARG_SCALE, memoryOf(row, g)},
                  {DNNL_ARG_SHIFT, memoryOf(row, b)},
                  {DNNL_ARG_DST, result}},
                 result,
                 {x, g, b}});
}

namespace {

/// A convolution in the library's layout, between two changes of layout where it wants another one.
struct ConvolutionCall {
  dnnl::convolution_forward run;
  memory picture, weights, bias, result; // as the library wants them
  memory given, wanted;                  // row-major
  dnnl::reorder in, out;
  std::vector<Tensor> keep;

  void operator()(void *memory) {
    dnnl::stream &stream = context().stream;
    wanted.set_data_handle(memory);
    bool isSameIn = picture == given, isSameOut = result.get_desc() == wanted.get_desc();
    if (!isSameIn)
      in.execute(stream, given, picture);
    run.execute(stream, {{DNNL_ARG_SRC, picture},
                         {DNNL_ARG_WEIGHTS, weights},
                         {DNNL_ARG_BIAS, bias},
                         {DNNL_ARG_DST, isSameOut ? wanted : result}});
    if (!isSameOut)
      out.execute(stream, result, wanted);
    stream.wait();
  }
};

} // namespace

std::vector<Hand> oneDnnConvolution(const Convolution &c, const Tensor &x, const Tensor &w,
                                    const Tensor &b, const Settings &settings) {
  useThreads(settings.threads);
  dnnl::engine &engine = context().engine;
  int64_t side = c.outputSide();
  memory::dims pictureDims = {c.batch, c.channels, c.side, c.side},
               resultDims = {c.batch, c.outputs, side, side},
               weightDims = {c.outputs, c.channels / c.groups, c.window, c.window};
  if (c.groups > 1)
    weightDims = {c.groups, c.outputs / c.groups, c.channels / c.groups, c.window, c.window};
  memory::desc biasShape({c.outputs}, kF32, Tag::a);
  auto anyLayout = [](const memory::dims &dims) { return memory::desc(dims, kF32, Tag::any); };
  dnnl::post_ops relu;
  relu.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  dnnl::convolution_forward::primitive_desc choice({dnnl::prop_kind::forward_inference,
                                                    dnnl::algorithm::convolution_direct,
                                                    anyLayout(pictureDims),
                                                    anyLayout(weightDims),
                                                    biasShape,
                                                    anyLayout(resultDims),
                                                    {c.stride, c.stride},
                                                    {c.padding, c.padding},
                                                    {c.padding, c.padding}},
                                                   attributes, engine);

  memory givenWeights = memoryOf({weightDims, kF32, c.groups > 1 ? Tag::goihw : Tag::oihw}, w);
  memory weights(choice.weights_desc(), engine);
  dnnl::reorder(givenWeights, weights).execute(context().stream, givenWeights, weights);
  memory given = memoryOf({pictureDims, kF32, Tag::nchw}, x);
  memory picture =
      choice.src_desc() == given.get_desc() ? given : memory(choice.src_desc(), engine);
  memory wanted({resultDims, kF32, Tag::nchw}, engine, nullptr);
  memory result(choice.dst_desc(), engine);
  context().stream.wait();
  auto call = std::make_shared<ConvolutionCall>(ConvolutionCall{dnnl::convolution_forward(choice),
                                                                picture,
                                                                weights,
                                                                memoryOf(biasShape, b),
                                                                result,
                                                                given,
                                                                wanted,
                                                                dnnl::reorder(given, picture),
                                                                dnnl::reorder(result, wanted),
                                                                {x, w, b}});
  return {{"oneDNN", [call](void *const *results) { (*call)(results[0]); }}};
}

namespace {

/// A gradient in the library's layout, between changes of layout where it wants another one.
struct GradientCall {
  struct Reorder {
    dnnl::reorder run;
    memory from, to;
  };
  dnnl::primitive run;
  std::unordered_map<int, memory> arguments;
  std::vector<Reorder> before; ///< at each call
  memory result, wanted;       ///< as the library has it, and row-major
  std::vector<Tensor> keep;

  /// What the primitive reads: `given` itself where its layout is that, or a copy.
  void add(int argument, memory given, const memory::desc &layout, bool onceOnly) {
    memory to = layout == given.get_desc() ? given : memory(layout, context().engine);
    arguments.insert({argument, to});
    if (layout == given.get_desc())
      return;
    dnnl::reorder reorder(given, to);
    if (onceOnly) {
      reorder.execute(context().stream, given, to);
      context().stream.wait();
    } else {
      before.push_back({reorder, given, to});
    }
  }
  void setResult(int argument, const memory::desc &layout, const memory::desc &rowMajor) {
    wanted = memory(rowMajor, context().engine, nullptr);
    result = layout == rowMajor ? wanted : memory(layout, context().engine);
    arguments.insert({argument, result});
  }
  void operator()(void *memory) {
    dnnl::stream &stream = context().stream;
    wanted.set_data_handle(memory);
    for (Reorder &each : before)
      each.run.execute(stream, each.from, each.to);
    run.execute(stream, arguments);
    if (result.get_desc() != wanted.get_desc())
      dnnl::reorder(result, wanted).execute(stream, result, wanted);
    stream.wait();
  }
};

/// The shapes of a convolution, for any layouts.
struct ConvolutionShapes {
  memory::dims picture, weights, result, strides, padding;

  explicit ConvolutionShapes(const Convolution &c)
      : picture{c.batch, c.channels, c.side, c.side},
        weights{c.outputs, c.channels, c.window, c.window},
        result{c.batch, c.outputs, c.outputSide(), c.outputSide()}, strides{c.stride, c.stride},
        padding{c.padding, c.padding} {}

  static memory::desc any(const memory::dims &dims) { return {dims, kF32, Tag::any}; }
  static memory::desc rowMajor(const memory::dims &dims) { return {dims, kF32, Tag::abcd}; }
  dnnl::convolution_forward::primitive_desc forward() const {
    return {{dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, any(picture),
             any(weights), any(result), strides, padding, padding},
            context().engine};
  }
};

std::vector<Hand> handOf(GradientCall call) {
  auto kept = std::make_shared<GradientCall>(std::move(call));
  return {{"oneDNN", [kept](void *const *results) { (*kept)(results[0]); }}};
}

} // namespace

std::vector<Hand> oneDnnPictureGradient(const Convolution &c, const Tensor &g, const Tensor &w,
                                        const Settings &settings) {
  useThreads(settings.threads);
  ConvolutionShapes shapes(c);
  dnnl::convolution_backward_data::primitive_desc choice(
      {dnnl::algorithm::convolution_direct, shapes.any(shapes.picture), shapes.any(shapes.weights),
       shapes.any(shapes.result), shapes.strides, shapes.padding, shapes.padding},
      context().engine, shapes.forward());
  GradientCall call;
  call.run = dnnl::convolution_backward_data(choice);
  call.keep = {g, w};
  call.add(DNNL_ARG_DIFF_DST, memoryOf(shapes.rowMajor(shapes.result), g), choice.diff_dst_desc(),
           /*onceOnly=*/false);
  call.add(DNNL_ARG_WEIGHTS, memoryOf(shapes.rowMajor(shapes.weights), w), choice.weights_desc(),
           /*onceOnly=*/true);
  call.setResult(DNNL_ARG_DIFF_SRC, choice.diff_src_desc(), shapes.rowMajor(shapes.picture));
  return handOf(std::move(call));
}

std::vector<Hand> oneDnnWeightGradient(const Convolution &c, const Tensor &x, const Tensor &g,
                                       const Settings &settings) {
  useThreads(settings.threads);
  ConvolutionShapes shapes(c);
  dnnl::convolution_backward_weights::primitive_desc choice(
      {dnnl::algorithm::convolution_direct, shapes.any(shapes.picture), shapes.any(shapes.weights),
       shapes.any(shapes.result), shapes.strides, shapes.padding, shapes.padding},
      context().engine, shapes.forward());
  GradientCall call;
  call.run = dnnl::convolution_backward_weights(choice);
  call.keep = {x, g};
  call.add(DNNL_ARG_SRC, memoryOf(shapes.rowMajor(shapes.picture), x), choice.src_desc(),
           /*onceOnly=*/false);
  call.add(DNNL_ARG_DIFF_DST, memoryOf(shapes.rowMajor(shapes.result), g), choice.diff_dst_desc(),
           /*onceOnly=*/false);
  call.setResult(DNNL_ARG_DIFF_WEIGHTS, choice.diff_weights_desc(),
                 shapes.rowMajor(shapes.weights));
  return handOf(std::move(call));
}

} // namespace graphc::bench

#else

namespace graphc::bench {

std::string oneDnnVersion() { return {}; }
std::vector<Hand> oneDnnProduct(const Product &, const Tensor &, const Tensor &, DType,
                                const Settings &) {
  return {};
}
std::vector<Hand> oneDnnSoftmax(const Tensor &, const Settings &) { return {}; }
std::vector<Hand> oneDnnLayerNorm(const Tensor &, const Tensor &, const Tensor &,
                                  const Settings &) {
  return {};
}
std::vector<Hand> oneDnnConvolution(const Convolution &, const Tensor &, const Tensor &,
                                    const Tensor &, const Settings &) {
  return {};
}
std::vector<Hand> oneDnnPictureGradient(const Convolution &, const Tensor &, const Tensor &,
                                        const Settings &) {
  return {};
}
std::vector<Hand> oneDnnWeightGradient(const Convolution &, const Tensor &, const Tensor &,
                                       const Settings &) {
  return {};
}

} // namespace graphc::bench

#endif
