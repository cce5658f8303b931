//===- ExecutableTest.cpp - running programs ------------------------------===//
#include "Runtime/Executable.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "Messages.h"
#include "RunKernel.h"
#include "TestGraphs.h"

namespace graphc {
namespace {

std::shared_ptr<const Executable> compile(TestGraph &g) {
  GraphRecord record = g.finish();
  auto executable = makeExecutable(*fuse(std::move(record)));
  EXPECT_TRUE(executable.ok()) << executable.status();
  return *executable;
}

std::vector<Tensor> call(const Executable &program, std::vector<Tensor> inputs, int threads = 1) {
  std::vector<Tensor> outputs(program.program().outputs.size());
  absl::Status status = program.run(inputs, absl::MakeSpan(outputs), threads);
  EXPECT_TRUE(status.ok()) << status;
  return outputs;
}

Tensor iota(DType dtype, std::vector<int64_t> shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  std::vector<double> values;
  for (int64_t k = 0; k < n; ++k)
    values.push_back(double(k));
  return Tensor::fromSpan<double>(values, shape)->cast(dtype);
}

Array twice(TestGraph &g, Array x) {
  return g.e.map({x}, [](const Scalars &s) { return s[0] + s[0]; });
}

TEST(Executable, RuntimeShapesMustAgree) { // F-020: message names op, place and shapes
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic}), y = g.input(DType::Float32, {kDynamic});
  g.e.beginNode(7, {});
  Array sum = g.e.map({x, y}, [](const Scalars &s) { return s[0] + s[1]; });
  g.output(sum);
  Numbers shapes[2];
  shapes[0] = g.e.emission().arrays[x.id].shape;
  shapes[1] = g.e.emission().arrays[y.id].shape;
  GraphRecord record = g.finish();
  record.describe = [&](int32_t number) {
    EXPECT_EQ(number, 7);
    return Program::Node{
        "add",
        Place("model.cpp", 42, 21),
        "h",
        {{"dot(x, w)", DType::Float32, shapes[0]}, {"b", DType::Float32, shapes[1]}}};
  };
  auto program = *makeExecutable(*fuse(std::move(record)));
  std::vector<Tensor> inputs = {iota(DType::Float32, {3}), iota(DType::Float32, {1})};
  std::vector<Tensor> outputs(1, Tensor(1.0));
  absl::Status status = program->run(inputs, absl::MakeSpan(outputs));
  EXPECT_EQ(errorKind(status), ErrorKind::ShapeError);
  EXPECT_EQ(status.message(),
            "add: extents differ along axis 0: 3 and 1 (an extent broadcasts only where its type "
            "says 1: declare it so, or use specifyShape)\n"
            "  in the add that makes `h`\n"
            "  dot(x, w): f32[3]   b: f32[1]");
  EXPECT_EQ(errorPlace(status)->line, 42u);
  EXPECT_FALSE(outputs[0].defined()); // a failing call leaves no outputs
  // And works with others afterwards.
  inputs[1] = iota(DType::Float32, {3});
  EXPECT_TRUE(program->run(inputs, absl::MakeSpan(outputs)).ok());
  EXPECT_EQ(outputs[0], Tensor({0, 2, 4}, DType::Float32));
}

TEST(Executable, InputsMustBeOfTheirTypes) { // F-025
  TestGraph g;
  g.output(twice(g, g.input(DType::Float32, {kDynamic, 2})));
  auto program = compile(g);
  std::vector<Tensor> outputs(1);
  auto run = [&](Tensor input) { return program->run({input}, absl::MakeSpan(outputs)); };
  EXPECT_EQ(run(iota(DType::Float32, {3, 3})).message(),
            "input 0: expected f32[?,2], got f32[3,3]");
  EXPECT_EQ(errorKind(run(iota(DType::Float32, {3, 3}))), ErrorKind::ShapeError);
  EXPECT_EQ(errorKind(run(iota(DType::Float64, {3, 2}))), ErrorKind::TypeError);
  EXPECT_EQ(errorKind(run(iota(DType::Float32, {6}))), ErrorKind::TypeError);
  EXPECT_EQ(errorKind(run(Tensor())), ErrorKind::TypeError);
  EXPECT_EQ(program->run({}, absl::MakeSpan(outputs)).message(), "expected 1 input, got 0");
}

TEST(Executable, StridedInputsAreCopied) { // F-026
  TestGraph g;
  g.output(twice(g, g.input(DType::Float32, {kDynamic, kDynamic})));
  auto program = compile(g);
  Tensor x = iota(DType::Float32, {2, 3});
  int axes[] = {1, 0};
  Tensor result = call(*program, {*x.transpose(axes)})[0];
  EXPECT_EQ(result, Tensor({{0, 6}, {2, 8}, {4, 10}}, DType::Float32));
  EXPECT_EQ(program->counters().bytesCopied, 24);
}

TEST(Executable, OutputsShareNoMemory) { // F-171, F-172, F-173
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic});
  Array constant = g.e.constant(Tensor({5, 6}, DType::Float32));
  Array y = twice(g, x);
  Array flat = g.e.view(y, {g.e.dim(y, 0), g.e.size(1)});
  for (Array a : {x, constant, y, y, flat, constant})
    g.output(a);
  auto program = compile(g);
  Tensor input({1, 2}, DType::Float32);
  std::vector<Tensor> out = call(*program, {input});
  EXPECT_EQ(out[0], input);
  EXPECT_EQ(out[1], Tensor({5, 6}, DType::Float32));
  EXPECT_EQ(out[2], Tensor({2, 4}, DType::Float32));
  EXPECT_EQ(out[3], out[2]);
  EXPECT_EQ(out[4], *out[2].reshape({{2, 1}}));
  out.push_back(input);
  for (const Tensor &constant : program->program().constants)
    out.push_back(constant);
  for (size_t i = 0; i < out.size(); ++i)
    for (size_t j = i + 1; j < out.size(); ++j)
      EXPECT_FALSE(out[i].overlaps(out[j])) << i << " and " << j;
  // A later call writes elsewhere.
  std::vector<Tensor> second = call(*program, {Tensor({7, 8}, DType::Float32)});
  EXPECT_EQ(out[2], Tensor({2, 4}, DType::Float32));
}

TEST(Executable, WarmCallsAllocateNothing) {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, kDynamic});
  Array s = g.e.reduceAxes(Combine::Sum, x, {0}, false);
  g.output(g.e.map({x, s}, [](const Scalars &v) { return exp(v[0]) * v[1]; }));
  auto program = compile(g);
  for (int call = 0; call < 5; ++call)
    for (int64_t n : {2, 3})
      graphc::call(*program, {iota(DType::Float32, {n, 4})});
  EXPECT_EQ(program->counters().calls, 10);
  EXPECT_EQ(program->counters().plans, 2);
  EXPECT_EQ(program->counters().arenas, 2);
  EXPECT_EQ(program->counters().bytesCopied, 0);
}

TEST(Executable, ManyThreadsRunOneProgram) { // F-219
  TestGraph g;
  Array x = g.input(DType::Float64, {kDynamic, kDynamic});
  Array s = g.e.reduceAxes(Combine::Sum, x, {0}, false);
  Array p = g.e.map({x, s}, [](const Scalars &v) { return v[0] * v[1]; });
  g.output(g.e.reduceAxes(Combine::Sum, p, {0}, false));
  auto program = compile(g);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 50; ++k) {
        int64_t n = 2 + (t + k) % 3;
        std::vector<Tensor> out(1);
        Tensor in = *Tensor::full(DType::Float64, {{n, 3}}, Tensor(double(t + 1)));
        bool good = program->run({in}, absl::MakeSpan(out)).ok();
        double expected = double(n) * double(n) * (t + 1) * (t + 1); // column sums, squared
        wrong += !good || !(out[0] == *Tensor::full(DType::Float64, std::vector<int64_t>{3},
                                                    Tensor(expected)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Executable, LargeKernelsAreSplit) {
  TestGraph g;
  Array x = g.input(DType::Float64, {kDynamic, kDynamic});
  Array m = g.e.reduceAxes(Combine::Max, x, {1}, true);
  Array p = g.e.map({x, m}, [](const Scalars &s) { return exp(s[0] - s[1]); });
  Array sum = g.e.reduceAxes(Combine::Sum, p, {1}, true);
  g.output(g.e.map({p, sum}, [](const Scalars &s) { return s[0] / s[1]; }));
  auto program = compile(g);
  Tensor x1 = iota(DType::Float64, {97, 31});
  EXPECT_TRUE(call(*program, {x1}, 3)[0].identical(call(*program, {x1}, 1)[0]));
}

TEST(Executable, SizesMayBeElementsOfInputsAndResults) {
  TestGraph g;
  Array n = g.input(DType::Int64, {}), x = g.input(DType::Float32, {kDynamic});
  auto prefix = [&](Array from, Array count) {
    return g.e.define({g.e.element(count)}, [&](Indices i) { return g.e.load(from, {i[0]}); });
  };
  Array head = prefix(x, n);
  // A length that only the running program knows.
  Array half = g.e.reduce(Combine::Sum, {}, {g.e.dim(x, 0)}, [&](Indices, Indices r) {
    return cast(g.e.load(x, {r[0]}) < 2.0, DType::Int64);
  });
  Array small = prefix(twice(g, x), half);
  g.output(head);
  g.output(small);
  g.output(twice(g, small));
  auto program = compile(g);
  for (int64_t count : {3, 1, 0}) {
    Tensor values({0, 1, 7, 8}, DType::Float32);
    std::vector<Tensor> out = call(*program, {Tensor(count), values});
    EXPECT_EQ(out[0], *values.slice(0, 0, count, 1));
    EXPECT_EQ(out[1], Tensor({0, 2}, DType::Float32));
    EXPECT_EQ(out[2], Tensor({0, 4}, DType::Float32));
  }
  std::vector<Tensor> out = call(*program, {Tensor(1), Tensor({9, 9}, DType::Float32)});
  EXPECT_EQ(out[1].shape(), absl::Span<const int64_t>({0}));
}

TEST(Executable, SizesBeyondTheArray) {
  TestGraph g;
  Array n = g.input(DType::Int64, {kDynamic}), x = g.input(DType::Float32, {kDynamic});
  g.output(g.e.define({g.e.element(n, g.e.dim(x, 0))}, [&](Indices i) { return i[0]; }));
  auto program = compile(g);
  std::vector<Tensor> out(1);
  auto run = [&](Tensor sizes) {
    return program->run({sizes, iota(DType::Float32, {2})}, absl::MakeSpan(out));
  };
  EXPECT_TRUE(run(iota(DType::Int64, {3})).ok());
  EXPECT_EQ(run(iota(DType::Int64, {1})).message(), "a size is element 2 of an array of 1 element");
}

TEST(Executable, HostCallsSeeRowMajorArrays) {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic});
  HostFunction reverse = [](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
    auto from = in[0].flat<float>();
    auto to = out[0].mutableFlat<float>();
    if (from.size() == 1)
      return makeError(ErrorKind::LinAlgError, "too short");
    std::reverse_copy(from.begin(), from.end(), to.begin());
    return absl::OkStatus();
  };
  Array r = g.e.hostCall(reverse, {twice(g, x)}, {{DType::Float32, {g.e.dim(x, 0)}}})[0];
  g.output(twice(g, r));
  g.output(r);
  auto program = compile(g);
  std::vector<Tensor> out = call(*program, {Tensor({1, 2, 3}, DType::Float32)});
  EXPECT_EQ(out[0], Tensor({12, 8, 4}, DType::Float32));
  EXPECT_EQ(out[1], Tensor({6, 4, 2}, DType::Float32));
  std::vector<Tensor> results(2);
  absl::Status status = program->run({Tensor({1}, DType::Float32)}, absl::MakeSpan(results));
  EXPECT_EQ(whole(status), "LinAlgError too short");
}

TEST(Executable, ElementChecksNameTheirNode) {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic}), at = g.input(DType::Int64, {kDynamic});
  Emitter &e = g.e;
  g.output(e.define({e.dim(at, 0)}, [&](Indices i) {
    Scalar index = e.load(at, {i[0]});
    Scalar inside = index >= e.index(0) && index < e.scalar(e.dim(x, 0));
    e.check(inside, ErrorKind::IndexError, "index out of range");
    return e.loadIf(inside, x, {{index}}, e.literal(DType::Float32, 0));
  }));
  auto program = compile(g);
  Tensor x1({5, 6, 7}, DType::Float32);
  EXPECT_EQ(call(*program, {x1, Tensor({2, 0}, DType::Int64)})[0], Tensor({7, 5}, DType::Float32));
  std::vector<Tensor> out(1);
  absl::Status status = program->run({x1, Tensor({2, 3}, DType::Int64)}, absl::MakeSpan(out));
  EXPECT_EQ(whole(status), "IndexError index out of range");
}

TEST(Executable, EmptyArraysRun) { // F-023
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, kDynamic});
  g.output(twice(g, x));
  g.output(g.e.reduceAxes(Combine::Sum, x, {0}, false));
  auto program = compile(g);
  std::vector<Tensor> out = call(*program, {*Tensor::zeros(DType::Float32, {{0, 2}})});
  EXPECT_EQ(out[0].numElements(), 0);
  EXPECT_EQ(out[1], Tensor({0, 0}, DType::Float32));
}

int32_t plainKernel(void **buffers, const int64_t *) {
  auto at = [&](int k) { return static_cast<double *>(buffers[k]); };
  *at(3) = *at(0) + *at(1) * *at(2);
  return 0;
}

TEST(Executable, StaticProgramsOfOneKernelAreCalledDirectly) {
  TestGraph g;
  Array x = g.input(DType::Float64, {}), y = g.input(DType::Float64, {}),
        z = g.input(DType::Float64, {});
  g.output(g.e.map({x, y, z}, [](const Scalars &s) { return s[0] + s[1] * s[2]; }));
  KernelGraph graph = *fuse(g.finish());
  class Plain : public LoadedCode {
  public:
    Plain() : LoadedCode({plainKernel}) {}
  };
  auto program = *Executable::create(graph.program, std::make_shared<Plain>());
  ASSERT_TRUE(program->directCall());
  const DirectCall &direct = *program->directCall();
  double in[3] = {2, 3, 4}, result = 0;
  void *memory[4 + DirectCall::kMoreBases] = {&in[0], &in[1], &in[2], &result};
  EXPECT_TRUE(direct.run(memory, 4));
  EXPECT_EQ(direct.numKernels, 1);
  EXPECT_EQ(result, 14);

  std::vector<Tensor> inputs = {Tensor(2.0), Tensor(3.0), Tensor(4.0)}, outputs(1);
  constexpr int kCalls = 200000;
  auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < kCalls; ++k)
    (void)program->run(inputs, absl::MakeSpan(outputs));
  double ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("nanosecondsPerCall", std::to_string(ns / kCalls));
  std::printf("%.0f ns per call\n", ns / kCalls);
  EXPECT_EQ(outputs[0].item<double>(), 14);
}

} // namespace
} // namespace graphc
