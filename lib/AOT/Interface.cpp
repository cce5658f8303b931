//===- Interface.cpp - names and places of a call's members ---------------===//
#include "AOT/Interface.h"

#include <algorithm>
#include <set>

#include "JIT/RuntimeSymbols.h"
#include "Kernels/Kernel.h"
#include "Support/Text.h"

namespace graphc {
namespace {

/// Words of C and C++, and names of the driver's and of the start of every program.
const std::set<std::string_view> &reservedNames() {
  static const auto &names = *new std::set<std::string_view>{
      "alignas",      "alignof",   "and",           "and_eq",       "asm",
      "auto",         "bitand",    "bitor",         "bool",         "break",
      "case",         "catch",     "char",          "class",        "co_await",
      "co_return",    "co_yield",  "compl",         "concept",      "const",
      "consteval",    "constexpr", "constinit",     "const_cast",   "continue",
      "decltype",     "default",   "delete",        "do",           "double",
      "dynamic_cast", "else",      "enum",          "explicit",     "export",
      "extern",       "false",     "float",         "for",          "friend",
      "goto",         "if",        "inline",        "int",          "long",
      "mutable",      "namespace", "new",           "noexcept",     "not",
      "not_eq",       "nullptr",   "operator",      "or",           "or_eq",
      "private",      "protected", "public",        "register",     "reinterpret_cast",
      "requires",     "restrict",  "return",        "short",        "signed",
      "sizeof",       "static",    "static_assert", "static_cast",  "struct",
      "switch",       "template",  "this",          "thread_local", "throw",
      "true",         "try",       "typedef",       "typeid",       "typename",
      "typeof",       "union",     "unsigned",      "using",        "virtual",
      "void",         "volatile",  "wchar_t",       "while",        "xor",
      "xor_eq",       "main",      "aligned_alloc", "realloc",      "free",
      "malloc",       "strlen",    "NULL",          "linux",        "unix"};
  return names;
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isIdentifierCharacter(char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_'; }

const char *cTypeOf(DType dtype) {
  switch (dtype) {
  case DType::Int8:
    return "int8_t";
  case DType::Int16:
    return "int16_t";
  case DType::Int32:
    return "int32_t";
  case DType::Int64:
    return "int64_t";
  case DType::Bool:
  case DType::UInt8:
    return "uint8_t";
  case DType::UInt16:
  case DType::Float16:
  case DType::BFloat16:
    return "uint16_t";
  case DType::UInt32:
    return "uint32_t";
  case DType::UInt64:
    return "uint64_t";
  case DType::Float32:
    return "float";
  case DType::Float64:
    return "double";
  case DType::Complex64:
  case DType::Complex128:
    break; // shown as pairs
  }
  return "";
}

/// Gives every member a name of its own.
class MemberNames {
public:
  std::string identifier(std::string_view name, std::string fallback) {
    std::string text;
    for (char c : name)
      text += isIdentifierCharacter(c) ? c : '_';
    if (text.empty())
      text = std::move(fallback);
    // Names that begin with an underscore are the implementation's.
    if (!isLetter(text[0]))
      text = "v" + text;
    if (reservedNames().count(text))
      text += "_";
    std::string unique = text;
    for (int k = 2; !taken_.insert(unique).second; ++k)
      unique = text + "_" + std::to_string(k);
    return unique;
  }

private:
  std::set<std::string> taken_ = {"state"};
};

/// Places members one after the other, each aligned to its size.
class Placement {
public:
  int32_t place(int32_t bytes, int32_t alignment) {
    end_ = (end_ + alignment - 1) / alignment * alignment;
    end_ += bytes;
    return end_ - bytes;
  }
  /// An array's: a pointer, the shape, and eight bytes more.
  int32_t placeMember(DType dtype, size_t rank) {
    int32_t bytes = rank ? int32_t(8 * (rank + 2)) : int32_t(byteSize(dtype));
    return place(bytes, rank ? 8 : bytes);
  }

private:
  int32_t end_ = 0;
};

/// "[2,?]"; nothing for rank 0.
std::string bracketed(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return {};
  std::string text = "[";
  text += join(shape, ",", [](int64_t extent) {
    return extent < 0 ? std::string("?") : std::to_string(extent);
  });
  return text += "]";
}

} // namespace

/// As file names are: the name may be a library's.
static constexpr size_t kLongestName = 255;

absl::StatusOr<CallInterface> callInterface(const Program &program, std::string_view name) {
  bool isIdentifier = !name.empty() && isLetter(name[0]) &&
                      std::all_of(name.begin(), name.end(), isIdentifierCharacter);
  if (!isIdentifier)
    return makeError(ErrorKind::ValueError,
                     "'" + std::string(name) +
                         "' cannot be the name of C functions; it takes a letter and then letters, "
                         "digits and underscores (--name)");
  if (name.size() > kLongestName)
    return makeError(ErrorKind::ValueError,
                     "the name of C functions has " + std::to_string(name.size()) +
                         " letters; it can have " + std::to_string(kLongestName) + " (--name)");
  bool isTaken = reservedNames().count(name);
  for (const RuntimeSymbol &symbol : runtimeSymbols())
    isTaken |= name == symbol.name;
  if (isTaken)
    return makeError(ErrorKind::ValueError,
                     "'" + std::string(name) +
                         "' cannot be the name of the library's function: C has that name already "
                         "(--name gives another)");

  CallInterface interface;
  interface.name = name;
  MemberNames names;
  Placement placement;
  for (size_t k = 0; k < program.inputs.size(); ++k) {
    const Program::Input &input = program.inputs[k];
    CallInterface::Member &member = interface.inputs.emplace_back();
    member.name = names.identifier(input.name, "in" + std::to_string(k));
    member.type = cTypeOf(input.dtype);
    member.offset = placement.placeMember(input.dtype, input.shape.size());
    member.shape = bracketed(input.shape);
  }
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    const Program::Array &array = program.arrays[program.outputs[k].array];
    CallInterface::Member &member = interface.outputs.emplace_back();
    member.name = names.identifier(program.outputs[k].name, "out" + std::to_string(k));
    member.type = cTypeOf(array.dtype);
    member.offset = placement.placeMember(array.dtype, array.shape.size());
    member.shape = bracketed(staticShape(program, array));
  }
  interface.stateOffset = placement.place(8, 8);
  return interface;
}

} // namespace graphc
