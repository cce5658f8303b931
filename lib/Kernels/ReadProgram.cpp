//===- ReadProgram.cpp - programs from text -------------------------------===//
#include "Kernels/ReadProgram.h"

#include <bit>

#include "Kernels/GuardProgram.h"
#include "Kernels/ReadConstants.h"
#include "Runtime/LiteralText.h"
#include "Runtime/ProgramLayout.h"
#include "Support/Text.h"

namespace graphc {
namespace {

using Kind = TextToken::Kind;
using Storage = Program::Array::Storage;

constexpr int64_t kMaxRank = 32, kMaxNumber = 1 << 28;

class ProgramReader {
public:
  ProgramReader(TextScanner &text, const std::map<std::string, int32_t> &labels, KernelGraph &graph)
      : text_(text), labels_(labels), graph_(graph), kernels_(graph.kernels), p_(graph.program) {}
  void run();

private:
  /// A number that must be below the size of a table, which is complete at the end only.
  struct Reference {
    int64_t number;
    const char *what;
    Place place;
  };
  using References = std::vector<Reference>;

  int32_t constant(int64_t value);
  int32_t takeSize();
  Numbers takeShape() {
    return takeSizes(text_, kMaxRank, [&] { return takeSize(); });
  }
  int32_t refer(References &list, const char *what);
  void check(const References &list, size_t size);
  void takeNumber(size_t next, const char *list);
  std::string takeName();

  void takeSizeNode();
  void takeCheck();
  void takeError(ErrorKind &kind, std::string &message, int32_t &node);
  void takeArray();
  bool takeComplex(const Program::Array &array);
  void takeInput(Program::Array &array);
  Numbers takeArrays();
  void takeKernelStep();
  void takeCopy();
  void checkStep(const Program::Step &step, const Place &place);
  void takeNode();
  void takeConstants();
  void finish(const Place &place);
  void checkArrays(const Place &place);

  TextScanner &text_;
  const std::map<std::string, int32_t> &labels_;
  KernelGraph &graph_;
  const std::vector<Kernel> &kernels_;
  Program &p_;
  std::vector<int32_t> numbers_; // s3
  std::map<int64_t, int32_t> constants_;
  References nodes_, outputs_, data_, elements_;
  struct Dim {
    int64_t input, axis;
    Place place;
  };
  std::vector<Dim> dims_;
  std::vector<Place> stepPlaces_;
};

//===--- references -----------------------------------------------------------===//

int32_t ProgramReader::constant(int64_t value) {
  auto [it, isNew] = constants_.try_emplace(value, int32_t(p_.sizes.size()));
  if (isNew)
    p_.sizes.push_back({SizeOp::Constant, -1, -1, -1, value});
  return it->second;
}

int32_t ProgramReader::takeSize() {
  if (text_.token().kind == Kind::Number)
    return constant(text_.number(INT64_MIN, INT64_MAX, "a size"));
  int32_t number = text_.numbered("s", int64_t(numbers_.size()), "a size (s0 or a number)");
  return text_.ok() ? numbers_[size_t(number)] : 0;
}

int32_t ProgramReader::refer(References &list, const char *what) {
  Place place = text_.token().place;
  bool isVowel = what[0] == 'a' || what[0] == 'o';
  int64_t number =
      text_.number(0, kMaxNumber, std::string("the number of a") + (isVowel ? "n " : " ") + what);
  list.push_back({number, what, place});
  return int32_t(number);
}

void ProgramReader::check(const References &list, size_t size) {
  for (const Reference &reference : list)
    if (text_.ok() && size_t(reference.number) >= size)
      text_.fail("there is no such " + std::string(reference.what), reference.place);
}

/// Of the next of a list.
void ProgramReader::takeNumber(size_t next, const char *list) {
  Place place = text_.token().place;
  if (text_.number(0, kMaxNumber, "a number") != int64_t(next))
    text_.fail(std::string(list) + " stand in their order", place);
}

std::string ProgramReader::takeName() {
  return text_.token().kind == Kind::Name ? text_.take(Kind::Name, "a name") : std::string();
}

//===--- sizes and checks -----------------------------------------------------===//

void ProgramReader::takeSizeNode() {
  text_.expect("s" + std::to_string(numbers_.size()));
  text_.expect("=");
  Place place = text_.token().place;
  std::string word = text_.take(Kind::Word, "an operation on sizes");
  SizeNode node{SizeOp::Constant};
  for (int op = int(SizeOp::Dim); op <= int(SizeOp::WrapMul); ++op)
    if (sizeOpName(SizeOp(op)) == word)
      node.op = SizeOp(op);
  if (text_.ok() && node.op == SizeOp::Constant)
    text_.fail("'" + word.substr(0, 40) + "' is no operation on sizes", place);
  text_.expect("(");
  if (node.op == SizeOp::Dim) {
    text_.expect("input");
    node.a = int32_t(text_.number(0, kMaxNumber, "the number of an input"));
    text_.expect(",");
    node.b = int32_t(text_.number(0, kMaxRank, "the number of an axis"));
    dims_.push_back({node.a, node.b, place});
  } else if (node.op == SizeOp::Element) {
    Place array = text_.token().place;
    node.a = text_.array(kMaxNumber);
    elements_.push_back({node.a, "array", array});
    text_.expect(",");
    node.b = takeSize();
  } else {
    node.a = takeSize();
    text_.expect(",");
    node.b = takeSize();
    if (node.op == SizeOp::Select) {
      text_.expect(",");
      node.c = takeSize();
    }
  }
  text_.expect(")");
  numbers_.push_back(int32_t(p_.sizes.size()));
  p_.sizes.push_back(node);
}

/// ShapeError "..." at node 3
void ProgramReader::takeError(ErrorKind &kind, std::string &message, int32_t &node) {
  Place place = text_.token().place;
  std::string word = text_.take(Kind::Word, "an error");
  kind = ErrorKind::None;
  for (int k = int(ErrorKind::TypeError); k <= int(ErrorKind::Internal); ++k)
    if (errorKindName(ErrorKind(k)) == word)
      kind = ErrorKind(k);
  if (text_.ok() && kind == ErrorKind::None)
    text_.fail("'" + word.substr(0, 40) + "' is no kind of error", place);
  if (text_.token().kind == Kind::String)
    message = text_.take(Kind::String, "a message");
  node = -1;
  if (text_.accept("at")) {
    text_.expect("node");
    node = refer(nodes_, "node");
  }
}

void ProgramReader::takeCheck() {
  text_.expect("check");
  Program::SizeCheck check{};
  check.b = -1;
  bool isNumber = text_.token().kind == Kind::Number;
  int64_t number = isNumber ? text_.number(INT64_MIN, INT64_MAX, "a size") : 0;
  if (isNumber && text_.at("bytes")) {
    if (number < 1 || number > 8)
      text_.fail("an element has 1 to 8 bytes");
    text_.next();
    text_.expect("x");
    check.predicate = Predicate::Fits;
    check.a = int32_t(number);
    check.shape = takeShape();
    text_.expect("fit");
  } else {
    check.a = isNumber ? constant(number) : takeSize();
    if (text_.accept("<="))
      check.predicate = Predicate::LessEqual;
    else if (text_.accept("<"))
      check.predicate = Predicate::Less;
    else if (text_.expect("=="))
      check.predicate = Predicate::Equal;
    check.b = takeSize();
  }
  text_.expect("else");
  takeError(check.kind, check.message, check.node);
  p_.checks.push_back(std::move(check));
}

//===--- arrays ---------------------------------------------------------------===//

/// Whether the array of pairs is one of complex numbers to callers.
bool ProgramReader::takeComplex(const Program::Array &array) {
  Place place = text_.token().place;
  if (!text_.accept("complex"))
    return false;
  std::vector<int64_t> shape = staticShape(p_, array);
  bool isPairs = (array.dtype == DType::Float32 || array.dtype == DType::Float64) &&
                 !shape.empty() && shape.back() == 2;
  if (!isPairs)
    text_.fail("complex numbers are pairs of f32 or f64", place);
  return isPairs;
}

void ProgramReader::takeInput(Program::Array &array) {
  takeNumber(p_.inputs.size(), "inputs");
  array.number = int32_t(p_.inputs.size());
  Program::Input input{takeName(), array.dtype, {}, int32_t(p_.arrays.size())};
  std::vector<int64_t> shape = staticShape(p_, array);
  if (takeComplex(array)) {
    shape.pop_back();
    input.dtype = complexDType(array.dtype);
  }
  Place declared = text_.token().place;
  if (!text_.accept("declared")) {
    input.shape = shape;
  } else {
    takeSizes(text_, kMaxRank, [&] {
      input.shape.push_back(text_.accept("?") ? kDynamic
                                              : text_.number(0, INT64_MAX, "an extent or ?"));
      return 0;
    });
    if (input.shape.size() != shape.size())
      text_.fail("the declared shape has another rank", declared);
  }
  p_.inputs.push_back(std::move(input));
}

void ProgramReader::takeArray() {
  Place place = text_.token().place;
  if (text_.array(kMaxNumber) != int32_t(p_.arrays.size()))
    text_.fail("expected %" + std::to_string(p_.arrays.size()), place);
  text_.expect(":");
  Program::Array array{};
  array.dtype = takeDType(text_);
  array.shape = takeShape();
  text_.expect("=");
  if (text_.accept("input")) {
    array.storage = Storage::Input;
    takeInput(array);
  } else if (text_.accept("constant")) {
    array.storage = Storage::Constant;
    array.number = refer(data_, "constant");
  } else if (text_.accept("output")) {
    array.storage = Storage::Output;
    array.number = refer(outputs_, "output");
  } else if (text_.accept("memory")) {
    text_.expect("of");
    array.storage = Storage::Same;
    array.number = text_.array(int64_t(p_.arrays.size()));
    if (text_.accept("from"))
      array.begin = takeSize();
  } else if (text_.expect("arena")) {
    array.storage = Storage::Arena;
    array.number = -1;
  }
  p_.arrays.push_back(std::move(array));
}

Numbers ProgramReader::takeArrays() {
  Numbers arrays;
  text_.expect("(");
  while (text_.ok() && !text_.at(")")) {
    if (!arrays.empty())
      text_.expect(",");
    arrays.push_back(text_.array(int64_t(p_.arrays.size())));
  }
  text_.expect(")");
  return arrays;
}

//===--- steps ----------------------------------------------------------------===//

void ProgramReader::takeKernelStep() {
  Place place = text_.token().place;
  text_.expect("kernel");
  std::string label = text_.take(Kind::Symbol, "a kernel's name (@name)");
  auto kernel = labels_.find(label);
  if (text_.ok() && kernel == labels_.end())
    text_.fail("there is no kernel @" + label, place);
  Program::Step step;
  step.kind = Program::Step::Kind::Kernel;
  step.arrays = takeArrays();
  step.numInputs = int32_t(step.arrays.size());
  text_.expect("->");
  Numbers outputs = takeArrays();
  step.arrays.insert(step.arrays.end(), outputs.begin(), outputs.end());
  if (text_.accept("sizes"))
    step.sizes = takeSizes(text_, kMaxNumber, [&] { return takeSize(); });
  if (text_.accept("work")) {
    text_.expect("[");
    while (text_.ok() && !text_.at("]")) {
      if (!step.work.empty())
        text_.expect(",");
      int32_t count = takeSize();
      text_.expect("x");
      Place number = text_.token().place;
      std::optional<uint64_t> bits =
          parseLiteral(DType::Float32, text_.take(Kind::Number, "nanoseconds"));
      if (!bits)
        text_.fail("that is no number of nanoseconds", number);
      step.work.push_back({count, std::bit_cast<float>(uint32_t(bits.value_or(0)))});
    }
    text_.expect("]");
  }
  while (text_.accept("else")) {
    Program::Failure failure{};
    takeError(failure.kind, failure.message, failure.node);
    if (text_.accept("extent"))
      failure.extent = takeSize();
    if (failure.extent >= 0 && text_.accept("indices"))
      failure.indices =
          int32_t(text_.number(0, int64_t(step.arrays.size()) - 1, "one of the step's arrays"));
    step.failures.push_back(int32_t(p_.failures.size()));
    p_.failures.push_back(std::move(failure));
  }
  if (!text_.ok())
    return;
  step.callee = kernel->second;
  const Kernel &called = kernels_[size_t(step.callee)];
  if (called.splitExtent >= 0) {
    const Kernel::Size &extent = called.sizes[size_t(called.splitExtent)];
    if (extent.constant)
      step.splitSize = constant(extent.value);
    else if (size_t(extent.value) < step.sizes.size())
      step.splitSize = step.sizes[size_t(extent.value)];
  }
  checkStep(step, place);
  p_.steps.push_back(std::move(step));
  stepPlaces_.push_back(place);
}

/// Whether the kernel is called with what it takes.
void ProgramReader::checkStep(const Program::Step &step, const Place &place) {
  const Kernel &kernel = kernels_[size_t(step.callee)];
  size_t numArrays = 0, numInputs = 0;
  for (const Kernel::ArrayDecl &array : kernel.arrays) {
    numInputs += array.role == Kernel::Role::Input;
    numArrays += array.role != Kernel::Role::Local;
  }
  if (size_t(step.numInputs) != numInputs || step.arrays.size() != numArrays)
    return text_.fail("the kernel has " + std::to_string(numInputs) + " inputs and " +
                          std::to_string(numArrays - numInputs) + " outputs",
                      place);
  for (size_t k = 0; k < numArrays; ++k)
    if (DType given = p_.arrays[size_t(step.arrays[k])].dtype; given != kernel.arrays[k].dtype)
      return text_.fail("%" + std::to_string(step.arrays[k]) + " is of " +
                            std::string(dtypeShortName(given)) + ", and the kernel's %" +
                            std::to_string(k) + " of " +
                            std::string(dtypeShortName(kernel.arrays[k].dtype)),
                        place);
  if (step.sizes.size() != size_t(kernel.numSizeArguments))
    return text_.fail("the kernel takes " + std::to_string(kernel.numSizeArguments) + " sizes",
                      place);
  if (step.failures.size() != kernel.checks.size())
    return text_.fail("the kernel has " + std::to_string(kernel.checks.size()) +
                          " checks, and each has an 'else'",
                      place);
}

void ProgramReader::takeCopy() {
  Place place = text_.token().place;
  text_.expect("copy");
  Program::Step step;
  step.kind = Program::Step::Kind::Copy;
  step.arrays = takeArrays();
  text_.expect("->");
  Numbers outputs = takeArrays();
  step.numInputs = int32_t(step.arrays.size());
  step.arrays.insert(step.arrays.end(), outputs.begin(), outputs.end());
  if (!text_.ok())
    return;
  bool isPair = step.numInputs == 1 && outputs.size() == 1;
  if (!isPair || p_.arrays[size_t(step.arrays[0])].dtype != p_.arrays[size_t(step.arrays[1])].dtype)
    return text_.fail("a copy is from one array to one of its dtype", place);
  p_.steps.push_back(std::move(step));
  stepPlaces_.push_back(place);
}

/// node 0 = "dot" at "rows.mlir":2:8 `p` (`x`: f32[s0, s1])
void ProgramReader::takeNode() {
  text_.expect("node");
  takeNumber(p_.nodes.size(), "nodes");
  text_.expect("=");
  Program::Node node;
  node.op = text_.take(Kind::String, "an op");
  if (text_.accept("at")) {
    std::string file = text_.take(Kind::String, "a file");
    text_.expect(":");
    uint32_t line = uint32_t(text_.number(0, UINT32_MAX, "a line"));
    text_.expect(":");
    uint32_t column = uint32_t(text_.number(0, UINT32_MAX, "a column"));
    node.place = Place(internFileName(file), line, column);
  }
  node.result = takeName();
  text_.expect("(");
  while (text_.ok() && !text_.at(")")) {
    if (!node.operands.empty())
      text_.expect(",");
    Program::Node::Operand operand;
    operand.label = text_.take(Kind::Name, "an operand");
    text_.expect(":");
    operand.dtype = takeDType(text_);
    operand.shape = takeShape();
    node.operands.push_back(std::move(operand));
  }
  text_.expect(")");
  p_.nodes.push_back(std::move(node));
}

void ProgramReader::takeConstants() {
  text_.expect("{");
  while (text_.ok() && !text_.at("}")) {
    takeNumber(p_.constants.size(), "constants");
    text_.expect(":");
    DType dtype = takeDType(text_);
    std::vector<int64_t> shape;
    takeSizes(text_, kMaxRank, [&] {
      shape.push_back(text_.number(0, INT64_MAX, "an extent"));
      return 0;
    });
    text_.expect("=");
    p_.constants.push_back(takeElements(text_, dtype, shape));
  }
  text_.expect("}");
}

//===--- the whole ------------------------------------------------------------===//

void ProgramReader::checkArrays(const Place &place) {
  for (size_t a = 0; a < p_.arrays.size(); ++a) {
    const Program::Array &array = p_.arrays[a];
    if (array.storage != Storage::Constant)
      continue;
    const Tensor &data = p_.constants[size_t(array.number)];
    bool fits = array.dtype == data.dtype() && array.shape.size() == data.shape().size();
    for (size_t axis = 0; fits && axis < array.shape.size(); ++axis) {
      const SizeNode &n = p_.sizes[size_t(array.shape[axis])];
      fits = n.op == SizeOp::Constant && n.value == data.shape()[axis];
    }
    if (!fits)
      text_.fail("%" + std::to_string(a) + " has another type than its constant", place);
  }
  for (size_t k = 0; k < p_.outputs.size(); ++k) {
    const Program::Array &array = p_.arrays[size_t(rootOf(p_, p_.outputs[k].array))];
    if (array.storage != Storage::Output || array.number != int32_t(k))
      text_.fail("%" + std::to_string(p_.outputs[k].array) + " is not in the memory of output " +
                     std::to_string(k),
                 place);
  }
}

void ProgramReader::finish(const Place &place) {
  for (const Dim &dim : dims_)
    if (text_.ok() && (size_t(dim.input) >= p_.inputs.size() ||
                       size_t(dim.axis) >= p_.inputs[size_t(dim.input)].shape.size()))
      text_.fail("there is no such axis of an input", dim.place);
  check(elements_, p_.arrays.size());
  check(outputs_, p_.outputs.size());
  check(nodes_, p_.nodes.size());
  check(data_, p_.constants.size());
  if (text_.ok())
    checkArrays(place);
  for (const Reference &element : elements_)
    if (text_.ok() && isFloat(p_.arrays[size_t(element.number)].dtype))
      text_.fail("an element that is a size is an integer", element.place);
  // No size is needed before it is known.
  if (text_.ok())
    if (absl::Status s = ProgramLayout::create(p_).status(); !s.ok())
      text_.fail({s.message().data(), s.message().size()}, place);
  if (text_.ok())
    if (ProgramMistake mistake = guardProgram(graph_); !mistake.what.empty())
      text_.fail(mistake.what, mistake.step < 0 ? place : stepPlaces_[size_t(mistake.step)]);
}

void ProgramReader::run() {
  Place place = text_.token().place;
  text_.expect("program");
  p_.name = takeName();
  text_.expect("{");
  while (text_.ok() && !text_.at("}")) {
    const TextToken &token = text_.token();
    if (token.kind == Kind::Array)
      takeArray();
    else if (text_.at("check"))
      takeCheck();
    else if (text_.at("kernel"))
      takeKernelStep();
    else if (text_.at("copy"))
      takeCopy();
    else if (text_.at("node"))
      takeNode();
    else if (text_.accept("return")) {
      int32_t array = text_.array(int64_t(p_.arrays.size()));
      p_.outputs.push_back({takeName(), array});
      p_.outputs.back().isComplex = takeComplex(p_.arrays[size_t(array)]);
    } else if (text_.at("loop") || text_.at("branch")) {
      text_.fail("loops and branches cannot be read from this stage's text yet");
    } else if (text_.at("host"))
      text_.fail("a host call cannot be read: its function is in the program that built the graph");
    else
      takeSizeNode();
  }
  text_.expect("}");
  if (text_.accept("constants"))
    takeConstants();
  if (text_.ok())
    finish(place);
}

} // namespace

void readProgram(TextScanner &text, const std::map<std::string, int32_t> &labels,
                 KernelGraph &graph) {
  ProgramReader(text, labels, graph).run();
}

} // namespace graphc
