//===- ReadKernels.cpp - kernels and programs from text -------------------===//
#include "Kernels/ReadKernels.h"

#include <algorithm>

#include "Kernels/ReadBody.h"
#include "Kernels/ReadProgram.h"
#include "Support/Text.h"

namespace graphc {
namespace {

using Kind = TextToken::Kind;

constexpr int64_t kMaxLoops = 64, kMaxRank = 32, kMaxArrays = 1 << 16;
constexpr size_t kMaxName = 100;

class KernelReader {
public:
  explicit KernelReader(TextScanner &text) : text_(text) {}
  /// The kernel at "kernel"; whatever after a mistake.
  Kernel run(std::string &label);

private:
  void takeName(std::string &label);
  void takeArrays(Kernel::Role role);
  void takeNest();
  void takeLoops(Nest &nest);
  void takeTarget(Nest &nest, const Place &place);
  void takeJoin(Nest &nest);
  int32_t takeRoot(BodyReader &body, const Nest &nest);
  void checkShared(const Nest &nest, const Place &place);
  void numberSizes();

  TextScanner &text_;
  Kernel kernel_;
  SizeNames sizes_;
  std::vector<bool> isStored_; // by array
};

/// The name, and what the program calls it by: kernels of one name have numbers.
void KernelReader::takeName(std::string &label) {
  Place place = text_.token().place;
  label = text_.take(Kind::Symbol, "a kernel's name (@name)");
  size_t dot = label.find('.');
  kernel_.name = label.substr(0, dot);
  bool isNumber =
      dot == label.npos ||
      (dot + 1 < label.size() && label.find_first_not_of("0123456789", dot + 1) == label.npos);
  if (text_.ok() && (kernel_.name.empty() || label.size() > kMaxName || !isNumber))
    text_.fail("a kernel's name is made of letters, digits and '_', and may end in .NUMBER", place);
}

void KernelReader::takeArrays(Kernel::Role role) {
  text_.expect("(");
  while (text_.ok() && !text_.at(")")) {
    if (!kernel_.arrays.empty() && kernel_.arrays.back().role == role)
      text_.expect(",");
    Place place = text_.token().place;
    int32_t number = text_.array(kMaxArrays);
    if (text_.ok() && size_t(number) != kernel_.arrays.size())
      text_.fail("expected %" + std::to_string(kernel_.arrays.size()), place);
    text_.expect(":");
    Kernel::ArrayDecl array;
    array.role = role;
    array.dtype = takeDType(text_);
    array.shape = takeSizes(text_, kMaxRank, [&] { return sizes_.take(text_); });
    kernel_.arrays.push_back(std::move(array));
  }
  text_.expect(")");
}

void KernelReader::takeLoops(Nest &nest) {
  text_.expect("for");
  text_.expect("(");
  while (text_.ok() && !text_.at(")")) {
    if (!nest.extents.empty())
      text_.expect(",");
    text_.expect("i" + std::to_string(nest.extents.size()));
    text_.expect("<");
    if (nest.extents.size() == size_t(kMaxLoops))
      text_.fail("a nest has at most " + std::to_string(kMaxLoops) + " loops");
    nest.extents.push_back(sizes_.take(text_));
  }
  text_.expect(")");
}

/// %3[i0, i1] =
void KernelReader::takeTarget(Nest &nest, const Place &place) {
  nest.result = text_.array(int64_t(kernel_.arrays.size()));
  if (!text_.ok())
    return;
  const Kernel::ArrayDecl &array = kernel_.arrays[size_t(nest.result)];
  std::string name = "%" + std::to_string(nest.result);
  if (array.role == Kernel::Role::Input)
    text_.fail(name + " is an input, and is not stored", place);
  else if (isStored_[size_t(nest.result)])
    text_.fail(name + " is stored twice", place);
  text_.expect("[");
  while (text_.ok() && !text_.at("]")) {
    if (nest.numParallel > 0)
      text_.expect(",");
    if (nest.numParallel == int32_t(nest.extents.size()))
      text_.fail("more indices than loops");
    text_.expect("i" + std::to_string(nest.numParallel++));
  }
  text_.expect("]");
  text_.expect("=");
  if (!text_.ok())
    return;
  bool fits = array.shape.size() == size_t(nest.numParallel) &&
              std::equal(array.shape.begin(), array.shape.end(), nest.extents.begin());
  if (!fits)
    text_.fail("the loops are not those of the shape of " + name, place);
}

void KernelReader::takeJoin(Nest &nest) {
  bool hasLoops = size_t(nest.numParallel) < nest.extents.size();
  std::string word = text_.token().text;
  size_t dot = word.find('.');
  for (int c = int(Combine::Sum); c <= int(Combine::ArgMin); ++c)
    if (text_.token().kind == Kind::Word && combineName(Combine(c)) == word.substr(0, dot))
      nest.combine = Combine(c);
  bool needsDType = hasAccumulator(nest.combine);
  bool isOperation = dot == word.npos && !needsDType && !hasLoops; // and(%0[], %1[])
  if (nest.combine == Combine::None || isOperation) {
    nest.combine = Combine::None;
    if (hasLoops)
      text_.fail("expected what joins the other loops, as in sum.f32(i" +
                 std::to_string(nest.numParallel) + ")");
    return;
  }
  std::optional<DType> dtype =
      dot == word.npos ? std::nullopt : parseDType(std::string_view(word).substr(dot + 1));
  if (needsDType != dtype.has_value() || (dot != word.npos && !dtype) || (dtype && isBool(*dtype)))
    text_.fail("sum and prod name the dtype that they join in, a number's, as in sum.f32(i" +
               std::to_string(nest.numParallel) + "), and others none");
  nest.accumulator = dtype.value_or(DType::Float32);
  text_.next();
  text_.expect("(");
  for (size_t d = size_t(nest.numParallel); d < nest.extents.size() && text_.ok(); ++d) {
    if (d > size_t(nest.numParallel))
      text_.expect(",");
    text_.expect("i" + std::to_string(d));
  }
  text_.expect(")");
}

int32_t KernelReader::takeRoot(BodyReader &body, const Nest &nest) {
  DType result = kernel_.arrays[size_t(nest.result)].dtype;
  Place place = text_.token().place;
  bool isBitwise = nest.combine >= Combine::And && nest.combine <= Combine::Xor;
  if (isArg(nest.combine) && result != DType::Int64)
    text_.fail("a position is of i64", place);
  if (nest.combine == Combine::None)
    return body.takeValue(result);
  int32_t root = body.takeAny(result);
  if (isBitwise && isFloat(body.dtypeOf(root)))
    text_.fail(std::string(combineName(nest.combine)) + " is not defined for " +
                   std::string(dtypeShortName(body.dtypeOf(root))),
               place);
  return root;
}

void KernelReader::checkShared(const Nest &nest, const Place &place) {
  size_t shared = size_t(kernel_.numShared);
  const Numbers &first = kernel_.nests.empty() ? nest.extents : kernel_.nests[0].extents;
  if (size_t(nest.numParallel) < shared ||
      !std::equal(first.begin(), first.begin() + std::ptrdiff_t(shared), nest.extents.begin()))
    text_.fail("the nest has not the " + std::to_string(shared) + " loops that all nests share",
               place);
  else if (shared == 0 && !kernel_.nests.empty() &&
           nest.numParallel + kernel_.nests[0].numParallel > 0)
    text_.fail("nests that share no loops have no parallel ones", place);
}

void KernelReader::takeNest() {
  Nest nest;
  Place place = text_.token().place;
  takeLoops(nest);
  BodyReader body(text_, kernel_, sizes_, nest, isStored_);
  std::vector<int32_t> conditions;
  while (text_.ok() && text_.token().kind == Kind::Word) {
    if (text_.accept("check"))
      conditions.push_back(body.takeValue(DType::Bool));
    else
      body.define();
  }
  takeTarget(nest, place);
  if (!text_.ok())
    return;
  takeJoin(nest);
  nest.root = takeRoot(body, nest);
  if (text_.ok() && kernel_.numShared >= 0)
    checkShared(nest, place);
  if (!text_.ok())
    return;
  std::vector<int32_t *> roots = {&nest.root};
  for (int32_t &condition : conditions)
    roots.push_back(&condition);
  body.finish(roots, nest);
  for (int32_t condition : conditions)
    kernel_.checks.push_back({int32_t(kernel_.nests.size()), condition});
  isStored_[size_t(nest.result)] = true;
  kernel_.nests.push_back(std::move(nest));
}

/// As canonicalize numbers them: in the order of use. Arguments are in the order of their numbers.
void KernelReader::numberSizes() {
  std::vector<int32_t> numbers(sizes_.sizes().size(), -1);
  auto visit = [&](int32_t &size) {
    int32_t &number = numbers[size_t(size)];
    if (number < 0) {
      number = int32_t(kernel_.sizes.size());
      kernel_.sizes.push_back(sizes_.sizes()[size_t(size)]);
    }
    size = number;
  };
  for (Nest &nest : kernel_.nests) {
    for (int32_t &extent : nest.extents)
      visit(extent);
    for (ScalarNode &n : nest.body)
      if (n.op == ScalarOp::Size) {
        int32_t size = int32_t(n.payload);
        visit(size);
        n.payload = uint64_t(size);
      }
  }
  for (Kernel::ArrayDecl &array : kernel_.arrays)
    for (int32_t &size : array.shape)
      visit(size);
  std::vector<int64_t> arguments;
  for (const Kernel::Size &size : kernel_.sizes)
    if (!size.constant)
      arguments.push_back(size.value);
  std::sort(arguments.begin(), arguments.end());
  for (Kernel::Size &size : kernel_.sizes)
    if (!size.constant)
      size.value =
          std::lower_bound(arguments.begin(), arguments.end(), size.value) - arguments.begin();
  kernel_.numSizeArguments = int32_t(arguments.size());
}

Kernel KernelReader::run(std::string &label) {
  text_.expect("kernel");
  takeName(label);
  takeArrays(Kernel::Role::Input);
  text_.expect("->");
  Place outputs = text_.token().place;
  takeArrays(Kernel::Role::Output);
  bool hasOutputs = !kernel_.arrays.empty() && kernel_.arrays.back().role == Kernel::Role::Output;
  // One that only checks something has none but its own.
  if (text_.ok() && !hasOutputs && !text_.at("local"))
    text_.fail("a kernel has an output", outputs);
  if (text_.accept("local"))
    takeArrays(Kernel::Role::Local);
  kernel_.numShared = -1;
  if (text_.accept("shared"))
    kernel_.numShared = int32_t(text_.number(0, kMaxLoops, "a number of loops"));
  const bool isWhole = text_.accept("whole");
  kernel_.hasLongSums = text_.accept("long");
  isStored_.assign(kernel_.arrays.size(), false);
  Place body = text_.token().place;
  text_.expect("{");
  do {
    if (kernel_.nests.size() == 1 && kernel_.numShared < 0)
      text_.fail("a kernel of several nests says how many loops they share, as in 'shared 1'",
                 body);
    takeNest();
  } while (text_.ok() && !text_.at("}"));
  text_.expect("}");
  for (size_t a = 0; a < kernel_.arrays.size() && text_.ok(); ++a)
    if (kernel_.arrays[a].role != Kernel::Role::Input && !isStored_[a])
      text_.fail("%" + std::to_string(a) + " is not stored", body);
  if (!text_.ok())
    return {};
  if (kernel_.nests.size() == 1)
    kernel_.numShared = kernel_.nests[0].numParallel;
  numberSizes();
  kernel_.splitExtent = isWhole ? -1 : splitExtentOf(kernel_);
  return std::move(kernel_);
}

} // namespace

DType takeDType(TextScanner &text) {
  std::optional<DType> dtype;
  if (text.token().kind == Kind::Word)
    dtype = parseDType(text.token().text);
  if (!dtype) {
    text.fail("expected a dtype (f32, i64, ...)");
    return DType::Bool;
  }
  text.next();
  return *dtype;
}

Numbers takeSizes(TextScanner &text, int64_t most, absl::FunctionRef<int32_t()> takeSize) {
  Numbers sizes;
  text.expect("[");
  while (text.ok() && !text.at("]")) {
    if (!sizes.empty())
      text.expect(",");
    if (int64_t(sizes.size()) == most)
      text.fail("more than " + std::to_string(most) + " sizes");
    sizes.push_back(takeSize());
  }
  text.expect("]");
  return sizes;
}

absl::StatusOr<KernelGraph> readKernels(std::string_view text, std::string_view name) {
  TextScanner scanner(text, name);
  KernelGraph graph;
  std::map<std::string, int32_t> labels, symbols;
  while (scanner.at("kernel")) {
    Place place = scanner.token().place;
    std::string label;
    Kernel kernel = KernelReader(scanner).run(label);
    if (!scanner.ok())
      return scanner.status();
    int32_t number = int32_t(graph.kernels.size());
    if (!labels.try_emplace(label, number).second)
      scanner.fail("@" + label + " is there twice", place);
    auto [same, isNew] = symbols.try_emplace(kernel.symbol(), number);
    if (!isNew)
      scanner.fail("@" + label + " is the same as the kernel before with that name", place);
    graph.program.kernels.push_back({kernel.symbol(), kernel.splitExtent >= 0});
    graph.kernels.push_back(std::move(kernel));
  }
  if (scanner.at("program"))
    readProgram(scanner, labels, graph);
  if (scanner.ok() && !scanner.atEnd())
    scanner.fail("expected 'kernel', 'program' or the end of the text");
  if (!scanner.ok())
    return scanner.status();
  return graph;
}

} // namespace graphc
