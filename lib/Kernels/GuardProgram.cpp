//===- GuardProgram.cpp ---------------------------------------------------===//
#include "Kernels/GuardProgram.h"

#include <algorithm>

#include "Kernels/EqualSizes.h"

namespace graphc {
namespace {

using Storage = Program::Array::Storage;
using Step = Program::Step;

/// Arrays within arrays, at most: what reads an array looks at all that it is in.
constexpr int32_t kMostNested = 64;

class ProgramGuard {
public:
  explicit ProgramGuard(KernelGraph &graph)
      : kernels_(graph.kernels), p_(graph.program), sizes_(graph.program) {}
  ProgramMistake run();

private:
  bool fail(const std::string &what) {
    if (mistake_.what.empty())
      mistake_ = {what, step_};
    return false;
  }
  static std::string name(int32_t array) { return "%" + std::to_string(array); }
  int32_t rootOf(int32_t array) const { return roots_[size_t(array)]; }
  bool meet(int32_t a, int32_t b) const {
    const Pieces &x = pieces_[size_t(a)], &y = pieces_[size_t(b)];
    return x.first < y.first + y.count && y.first < x.first + x.count;
  }
  /// Elements of one are as many as of the other; `what` says of what.
  bool require(const SizeProduct &a, const SizeProduct &b, const std::string &what);
  bool requireCount(const SizeProduct &product, const std::string &what);
  void addCheck(Predicate predicate, int32_t a, int32_t b, const std::string &message);
  /// Contents of a view are those of what it shows.
  bool isReadable(int32_t array) const;
  bool wasWritten(int32_t array) const { return wasThere_[size_t(base_[size_t(array)])]; }
  void write(int32_t array);
  bool checkInputs();
  void findPieces();
  bool checkSharing();
  bool checkParts();
  bool checkReads(const Step &step);
  bool checkWrites(const Step &step);
  bool checkShapes(const Step &step);
  bool checkElements();

  const std::vector<Kernel> &kernels_;
  Program &p_;
  EqualSizes sizes_;
  ProgramMistake mistake_;
  int32_t step_ = -1;
  /// The array whose memory it is; the one that is written, given, or made of parts, of which it is
  /// a view.
  std::vector<int32_t> roots_, base_;
  /// Memory is cut into the parts that have no parts themselves: those that an array has.
  struct Pieces {
    int32_t first = 0, count = 0;
    friend bool operator==(const Pieces &, const Pieces &) = default;
  };
  std::vector<Pieces> pieces_;
  /// By array: its parts, in order.
  std::vector<Numbers> parts_;
  /// By piece, the array that was written there last; -1: none.
  std::vector<int32_t> holds_;
  std::vector<bool> wasThere_;
};

bool ProgramGuard::require(const SizeProduct &a, const SizeProduct &b, const std::string &what) {
  if (sizes_.equal(a, b))
    return true;
  if (a.sizes.empty() && b.sizes.empty())
    return fail(what + ": " + std::to_string(a.constant) + " elements and " +
                std::to_string(b.constant));
  sizes_.unite(a, b);
  addCheck(Predicate::Equal, sizes_.sizeOf(a), sizes_.sizeOf(b), what + ": {a} elements and {b}");
  return true;
}

/// Elements are no less than none.
bool ProgramGuard::requireCount(const SizeProduct &product, const std::string &what) {
  if (sizes_.isCount(product))
    return true;
  if (product.sizes.empty())
    return fail(what + " has " + std::to_string(product.constant) + " elements");
  addCheck(Predicate::LessEqual, sizes_.constant(0), sizes_.sizeOf(product),
           what + " has {b} elements");
  return true;
}

/// A text that was written by a reader has what that one added.
void ProgramGuard::addCheck(Predicate predicate, int32_t a, int32_t b, const std::string &message) {
  if (std::ranges::none_of(p_.checks, [&](const Program::SizeCheck &check) {
        return check.predicate == predicate && check.a == a && check.b == b;
      }))
    p_.checks.push_back({predicate, a, b, ErrorKind::ShapeError, message, -1, {}});
}

bool ProgramGuard::isReadable(int32_t array) const {
  const int32_t base = base_[size_t(array)];
  const Storage storage = p_.arrays[size_t(base)].storage;
  // Written as a whole, or by its parts.
  auto isOfBase = [&](int32_t holds) {
    while (holds != base && p_.arrays[size_t(holds)].isPart())
      holds = p_.arrays[size_t(holds)].number;
    return holds == base;
  };
  const Pieces &own = pieces_[size_t(array)];
  for (int32_t piece = own.first; piece < own.first + own.count; ++piece) {
    const int32_t holds = holds_[size_t(piece)];
    if (holds < 0 ? storage != Storage::Input && storage != Storage::Constant : !isOfBase(holds))
      return false;
  }
  return true;
}

void ProgramGuard::write(int32_t array) {
  const Pieces &own = pieces_[size_t(array)];
  std::fill_n(holds_.begin() + own.first, own.count, array);
  for (; !wasThere_[size_t(array)]; array = p_.arrays[size_t(array)].number) {
    wasThere_[size_t(array)] = true;
    if (!p_.arrays[size_t(array)].isPart())
      break;
  }
}

/// The caller's memory has the extents that the input's shape has.
bool ProgramGuard::checkInputs() {
  for (const Program::Input &input : p_.inputs) {
    const Program::Array &array = p_.arrays[size_t(input.array)];
    Numbers dims;
    for (size_t axis = 0; axis < array.shape.size(); ++axis) {
      // As a constant, where the program declares it: so calls must have it.
      int64_t declared = input.shape[axis];
      dims.push_back(declared < 0 ? sizes_.dim(array.number, int32_t(axis))
                                  : sizes_.constant(declared));
    }
    if (!require(sizes_.of(array.shape), sizes_.of(dims),
                 name(input.array) + " and input " + std::to_string(array.number)))
      return false;
  }
  return true;
}

bool ProgramGuard::checkSharing() {
  for (size_t a = 0; a < p_.arrays.size(); ++a) {
    const Program::Array &array = p_.arrays[a];
    if (array.storage != Storage::Same)
      continue;
    const Program::Array &owner = p_.arrays[size_t(array.number)];
    std::string both = name(int32_t(a)) + " and " + name(array.number) +
                       (array.isPart() ? ", whose part it is" : ", whose memory it is");
    if (byteSize(array.dtype) != byteSize(owner.dtype))
      return fail(both + ", have elements of " + std::to_string(byteSize(array.dtype)) + " and " +
                  std::to_string(byteSize(owner.dtype)) + " bytes");
    if (!array.isPart() && !require(sizes_.of(array.shape), sizes_.of(owner.shape), both))
      return false;
  }
  return true;
}

void ProgramGuard::findPieces() {
  pieces_.resize(p_.arrays.size());
  parts_.resize(p_.arrays.size());
  for (size_t a = 0; a < p_.arrays.size(); ++a)
    if (p_.arrays[a].isPart())
      parts_[size_t(p_.arrays[a].number)].push_back(int32_t(a));
  for (size_t a = p_.arrays.size(); a-- > 0;) {
    if (parts_[a].empty())
      pieces_[a].count = 1;
    for (int32_t part : parts_[a])
      pieces_[a].count += pieces_[size_t(part)].count;
  }
  int32_t numPieces = 0;
  for (size_t a = 0; a < p_.arrays.size(); ++a) {
    if (p_.arrays[a].storage != Storage::Same) {
      pieces_[a].first = numPieces;
      numPieces += pieces_[a].count;
    } else if (!p_.arrays[a].isPart()) {
      pieces_[a] = pieces_[size_t(p_.arrays[a].number)];
    }
    int32_t next = pieces_[a].first;
    for (int32_t part : parts_[a]) {
      pieces_[size_t(part)].first = next;
      next += pieces_[size_t(part)].count;
    }
  }
  holds_.assign(size_t(numPieces), -1);
}

/// Parts stand one behind the other, so that they never meet, and leave nothing out.
bool ProgramGuard::checkParts() {
  std::vector<int32_t> nested(p_.arrays.size(), 0);
  for (size_t a = 0; a < p_.arrays.size(); ++a) {
    const Program::Array &array = p_.arrays[a];
    if (!array.isPart())
      continue;
    const Program::Array &whole = p_.arrays[size_t(array.number)];
    if (whole.storage == Storage::Same && !whole.isPart())
      return fail(name(int32_t(a)) + " is a part of " + name(array.number) +
                  ", which has the memory of " + name(whole.number));
    nested[a] = nested[size_t(array.number)] + 1;
    if (nested[a] > kMostNested)
      return fail(name(int32_t(a)) + " is a part of a part, more than " +
                  std::to_string(kMostNested) + " deep");
  }
  for (size_t a = 0; a < p_.arrays.size(); ++a) {
    if (parts_[a].empty())
      continue;
    int32_t end = sizes_.constant(0);
    for (size_t k = 0; k < parts_[a].size(); ++k) {
      const int32_t part = parts_[a][k], begin = p_.arrays[size_t(part)].begin;
      if (!require(sizes_.of({&begin, 1}), sizes_.of({&end, 1}),
                   "what is before " + name(part) + " in " + name(int32_t(a))))
        return false;
      const SizeProduct count = sizes_.of(p_.arrays[size_t(part)].shape);
      if (!requireCount(count, name(part)))
        return false;
      end = sizes_.sum(begin, count,
                       k + 1 < parts_[a].size() ? p_.arrays[size_t(parts_[a][k + 1])].begin : -1);
    }
    if (!require(sizes_.of({&end, 1}), sizes_.of(p_.arrays[a].shape),
                 "the parts of " + name(int32_t(a)) + " and all of it"))
      return false;
  }
  return true;
}

bool ProgramGuard::checkReads(const Step &step) {
  for (int32_t k = 0; k < step.numInputs; ++k)
    if (int32_t array = step.arrays[size_t(k)]; !isReadable(array)) {
      const Pieces &own = pieces_[size_t(array)];
      bool isWhole = std::find(holds_.begin() + own.first, holds_.begin() + own.first + own.count,
                               -1) == holds_.begin() + own.first + own.count;
      return fail(name(array) + (wasWritten(array) && isWhole
                                     ? " is read after its memory was written over"
                                     : " is read before it is written"));
    }
  return true;
}

bool ProgramGuard::checkWrites(const Step &step) {
  std::vector<std::vector<int32_t>> reusable;
  if (step.kind == Step::Kind::Kernel)
    reusable = reusableInputs(kernels_[size_t(step.callee)]);
  for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k) {
    int32_t array = step.arrays[k], root = rootOf(array);
    Storage storage = p_.arrays[size_t(root)].storage;
    if (storage == Storage::Input || storage == Storage::Constant)
      return fail(name(array) + " is written, and is in the memory of " +
                  (storage == Storage::Input ? "an input" : "a constant"));
    size_t output = k - size_t(step.numInputs);
    for (size_t other = 0; other < step.arrays.size(); ++other) {
      if (other == k || !meet(array, step.arrays[other]))
        continue;
      bool mayShare = output < reusable.size() &&
                      std::ranges::count(reusable[output], int32_t(other)) > 0 &&
                      pieces_[size_t(array)] == pieces_[size_t(step.arrays[other])];
      if (!mayShare)
        return fail(name(array) + " is written, and shares the memory of " +
                    name(step.arrays[other]) + ", which the step " +
                    (other < size_t(step.numInputs) ? "reads" : "writes") + " too");
    }
  }
  return true;
}

bool ProgramGuard::checkShapes(const Step &step) {
  if (step.kind == Step::Kind::Copy)
    return require(sizes_.of(p_.arrays[size_t(step.arrays[0])].shape),
                   sizes_.of(p_.arrays[size_t(step.arrays[1])].shape),
                   "the copy of " + name(step.arrays[0]) + " to " + name(step.arrays[1]));
  if (step.kind == Step::Kind::Control) // it looks at them itself, when it runs
    return true;
  const Kernel &kernel = kernels_[size_t(step.callee)];
  for (size_t k = 0; k < step.arrays.size(); ++k) {
    SizeProduct wanted;
    Numbers arguments;
    for (int32_t number : kernel.arrays[k].shape) {
      const Kernel::Size &size = kernel.sizes[size_t(number)];
      if (!size.constant)
        arguments.push_back(step.sizes[size_t(size.value)]);
    }
    wanted = sizes_.of(arguments);
    for (int32_t number : kernel.arrays[k].shape)
      if (const Kernel::Size &size = kernel.sizes[size_t(number)];
          size.constant && __builtin_mul_overflow(wanted.constant, size.value, &wanted.constant))
        return fail("the kernel's " + name(int32_t(k)) + " is too large");
    if (wanted.constant == 0)
      wanted.sizes.clear();
    if (!require(sizes_.of(p_.arrays[size_t(step.arrays[k])].shape), wanted,
                 name(step.arrays[k]) + " and the kernel's " + name(int32_t(k))))
      return false;
  }
  return true;
}

/// Elements that are sizes, of arrays that are there at some time.
bool ProgramGuard::checkElements() {
  for (const SizeNode &n : p_.sizes)
    if (n.op == SizeOp::Element && !wasWritten(n.a))
      return fail("an element of " + name(n.a) + " is a size, and no step writes that array");
  return true;
}

ProgramMistake ProgramGuard::run() {
  std::vector<bool> isWritten(p_.arrays.size(), false);
  for (const Step &step : p_.steps)
    for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k)
      isWritten[size_t(step.arrays[k])] = true;
  for (size_t a = 0; a < p_.arrays.size(); ++a) {
    const Program::Array &array = p_.arrays[a];
    bool isShared = array.storage == Storage::Same;
    roots_.push_back(isShared ? rootOf(array.number) : int32_t(a));
    bool isView = isShared && !isWritten[a] && !array.isPart();
    base_.push_back(isView ? base_[size_t(array.number)] : int32_t(a));
    wasThere_.push_back(array.storage == Storage::Input || array.storage == Storage::Constant);
  }
  findPieces();
  if (!checkInputs() || !checkSharing() || !checkParts())
    return mistake_;
  for (const Step &step : p_.steps) {
    ++step_;
    if (!checkReads(step) || !checkWrites(step) || !checkShapes(step))
      return mistake_;
    for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k)
      write(step.arrays[k]);
  }
  step_ = -1;
  for (const Program::Output &output : p_.outputs)
    if (!isReadable(output.array)) {
      fail(name(output.array) + " is an output, and no step leaves its contents there");
      return mistake_;
    }
  checkElements();
  return mistake_;
}

} // namespace

ProgramMistake guardProgram(KernelGraph &graph) { return ProgramGuard(graph).run(); }

} // namespace graphc
