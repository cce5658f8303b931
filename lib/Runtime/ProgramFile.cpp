//===- Runtime/ProgramFile.cpp - Programs as bytes ------------------------===//
#include "Runtime/ProgramFile.h"

#include <algorithm>
#include <cstring>

#include "Runtime/CodeLoader.h"
#include "Runtime/Levels.h"
#include "Support/Bytes.h"
#include "Support/TemporaryFile.h"
#include "graphc/Tensor.h"

namespace graphc {
namespace {

template <class Bytes, class T> void transferPlace(Bytes &bytes, T &place) {
  std::string file = place.known() ? place.file : "";
  bytes.value(file);
  bytes.value(place.line);
  bytes.value(place.column);
  if constexpr (Bytes::kReads)
    place.file = file.empty() ? nullptr : internFileName(file);
}

void transferTensor(ByteWriter &bytes, const Tensor &tensor) {
  Tensor dense = tensor.contiguous();
  bytes.value(dense.dtype());
  bytes.value(std::vector<int64_t>(dense.shape().begin(), dense.shape().end()));
  bytes.append(dense.data(), size_t(dense.numBytes()));
}

void transferTensor(ByteReader &bytes, Tensor &tensor) {
  DType dtype;
  std::vector<int64_t> shape;
  bytes.value(dtype);
  bytes.value(shape);
  if (!bytes.ok() || unsigned(dtype) >= unsigned(kNumDTypes)) {
    bytes.fail();
    return;
  }
  // No memory for a shape whose elements are not there.
  uint64_t size = uint64_t(byteSize(dtype));
  bool fits = true;
  for (int64_t extent : shape)
    fits &= extent >= 0 && !__builtin_mul_overflow(size, uint64_t(extent), &size);
  std::string_view elements = bytes.take(fits ? size : UINT64_MAX);
  if (!bytes.ok())
    return;
  absl::StatusOr<Tensor> allocated = Tensor::allocate(dtype, shape);
  if (!allocated.ok()) {
    bytes.fail();
    return;
  }
  tensor = *std::move(allocated);
  if (!elements.empty())
    std::memcpy(tensor.data(), elements.data(), elements.size());
  tensor.freeze(); // as a Constant's: a borrowed result may be it
}

/// Of a routine; callbacks have no bytes.
template <class Bytes, class T> void transferHostCall(Bytes &bytes, T &host) {
  std::string name = host.routine ? std::string(host.routine->name) : "";
  bytes.value(name);
  if constexpr (Bytes::kReads) {
    host.routine = findRoutine(name);
    if (!host.routine)
      bytes.fail();
  }
  bytes.value(host.parameters);
  bytes.value(host.numLevels);
  bytes.value(host.levels);
}

/// In the order of the fields. `level`: of programs around it.
template <class Bytes, class T> void transferProgram(Bytes &bytes, T &program, int level = 0) {
  if constexpr (Bytes::kReads)
    if (level > kMostLevels) {
      bytes.fail();
      return;
    }
  bytes.value(program.name);
  bytes.list(program.sizes, [&](auto &size) {
    bytes.value(size.op);
    bytes.value(size.a);
    bytes.value(size.b);
    bytes.value(size.c);
    bytes.value(size.value);
  });
  bytes.list(program.checks, [&](auto &check) {
    bytes.value(check.predicate);
    bytes.value(check.a);
    bytes.value(check.b);
    bytes.value(check.kind);
    bytes.value(check.message);
    bytes.value(check.node);
    bytes.value(check.shape);
  });
  bytes.list(program.nodes, [&](auto &node) {
    bytes.value(node.op);
    transferPlace(bytes, node.place);
    bytes.value(node.result);
    bytes.list(node.operands, [&](auto &operand) {
      bytes.value(operand.label);
      bytes.value(operand.dtype);
      bytes.value(operand.shape);
    });
  });
  bytes.list(program.failures, [&](auto &failure) {
    bytes.value(failure.kind);
    bytes.value(failure.message);
    bytes.value(failure.node);
    bytes.value(failure.extent);
    bytes.value(failure.indices);
  });
  bytes.list(program.arrays, [&](auto &array) {
    bytes.value(array.storage);
    bytes.value(array.dtype);
    bytes.value(array.number);
    bytes.value(array.shape);
    bytes.value(array.begin);
  });
  bytes.list(program.constants, [&](auto &tensor) { transferTensor(bytes, tensor); });
  bytes.list(program.kernels, [&](auto &kernel) {
    bytes.value(kernel.symbol);
    bytes.value(kernel.splits);
  });
  bytes.list(program.steps, [&](auto &step) {
    bytes.value(step.kind);
    bytes.value(step.callee);
    bytes.value(step.numInputs);
    bytes.value(step.arrays);
    bytes.value(step.sizes);
    bytes.list(step.scratch, [&](auto &scratch) {
      bytes.value(scratch.dtype);
      bytes.value(scratch.shape);
      transferKeptForm(bytes, scratch.kept);
    });
    bytes.list(step.work, [&](auto &work) {
      bytes.value(work.count);
      bytes.value(work.nanoseconds);
    });
    bytes.value(step.splitSize);
    bytes.value(step.failures);
  });
  bytes.list(program.inputs, [&](auto &input) {
    bytes.value(input.name);
    bytes.value(input.dtype);
    bytes.value(input.shape);
    bytes.value(input.array);
  });
  bytes.list(program.outputs, [&](auto &output) {
    bytes.value(output.name);
    bytes.value(output.array);
    bytes.value(output.over);
    bytes.value(output.isComplex);
  });
  bytes.list(program.hosts, [&](auto &host) { transferHostCall(bytes, host); });
  bytes.list(program.controls, [&](auto &control) {
    bytes.value(control.isLoop);
    bytes.value(control.givesExtents);
    bytes.value(control.hasUntil);
    bytes.value(control.goesBackwards);
    bytes.value(control.stacksBackwards);
    bytes.list(control.sequences, [&](auto &taps) { bytes.value(taps); });
    bytes.list(control.states, [&](auto &taps) { bytes.value(taps); });
    bytes.value(control.keepsLast);
    bytes.value(control.numLevels);
    bytes.value(control.levels);
    bytes.list(control.bodies, [&](auto &body) { transferProgram(bytes, body, level + 1); });
  });
}

} // namespace

/// Callbacks have none.
static bool hasBytes(const Program &program) {
  return std::ranges::all_of(program.hosts, &HostCall::isNamed) &&
         std::ranges::all_of(program.controls, [](const Program::Control &control) {
           return std::ranges::all_of(control.bodies, hasBytes);
         });
}

std::optional<std::string> programToBytes(const Program &program) {
  if (!hasBytes(program))
    return std::nullopt;
  ByteWriter bytes;
  transferProgram(bytes, program);
  return bytes.take();
}

std::optional<Program> programFromBytes(std::string_view text) {
  ByteReader bytes(text);
  Program program;
  transferProgram(bytes, program);
  if (!bytes.atEnd())
    return std::nullopt;
  return program;
}

/// A program of these bytes with the code in a file.
static absl::StatusOr<std::shared_ptr<const Executable>> join(std::string_view bytes,
                                                              const std::string &path) {
  std::optional<Program> program = programFromBytes(bytes);
  if (!program)
    return makeError(ErrorKind::ValueError, "a compiled program is damaged");
  std::vector<std::string> symbols;
  for (const Program::Kernel &kernel : program->kernels)
    symbols.push_back(kernel.symbol);
  absl::StatusOr<std::shared_ptr<const LoadedCode>> code = loadSharedObject(path, symbols);
  if (!code.ok())
    return code.status();
  return Executable::create(*std::move(program), *std::move(code));
}

std::shared_ptr<const Executable> loadProgram(const CodeFolder &folder, const Hash128 &key) {
  std::optional<CodeFolder::Entry> entry = folder.find(key, CodeFolder::Kind::Library);
  if (!entry)
    return nullptr;
  return join(entry->data, entry->path).value_or(nullptr);
}

absl::StatusOr<std::shared_ptr<const Executable>> loadImage(const ProgramImage &image) {
  if (image.code.empty()) { // no kernel at all
    std::optional<Program> program = programFromBytes(image.program);
    if (!program)
      return makeError(ErrorKind::ValueError, "a compiled program is damaged");
    return Executable::create(*std::move(program), nullptr);
  }
  absl::StatusOr<TemporaryFile> file = TemporaryFile::create("graphc-code");
  if (!file.ok())
    return file.status();
  if (absl::Status s = file->write(image.code); !s.ok())
    return s;
  return join(image.program, file->path()); // a file that is loaded may be removed
}

} // namespace graphc
