//===- CHeader.cpp - the C header of a library ----------------------------===//
#include <cctype>
#include <map>

#include "AOT/Interface.h"

namespace graphc {
namespace {

/// Text that may stand in a comment.
std::string commentText(std::string_view text) {
  std::string safe;
  for (char c : text)
    safe += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  for (size_t at; (at = safe.find("*/")) != safe.npos;)
    safe[at] = '+';
  for (size_t at; (at = safe.find("/*")) != safe.npos;)
    safe[at + 1] = '+';
  return safe;
}

/// "AXPY_" of "axpy".
std::string upperCase(std::string_view text) {
  std::string upper;
  for (char c : text)
    upper += char(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

/// "SHAPE_ERROR" of "ShapeError".
std::string constantName(std::string_view kind) {
  std::string name;
  for (char c : kind) {
    if (std::isupper(static_cast<unsigned char>(c)) && !name.empty())
      name += '_';
    name += char(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

/// What the elements mean where C's type does not say it.
std::string elementNote(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "0 or 1";
  case DType::Float16:
    return "bits of an IEEE half";
  case DType::BFloat16:
    return "upper half of a float's bits";
  default:
    return "";
  }
}

class HeaderText {
public:
  HeaderText(const Program &program, const CallInterface &interface)
      : program_(program), interface_(interface), name_(interface.name) {}

  std::string run(std::string_view source, std::string_view target) {
    addIntroduction(source, target);
    std::string guard = upperCase(name_) + "_GRAPHC_H";
    text_ += "#ifndef " + guard + "\n#define " + guard + R"(

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

)";
    addErrors();
    addStructure();
    addFunctions();
    return text_ + R"(
#ifdef __cplusplus
}
#endif

#endif
)";
  }

private:
  void addIntroduction(std::string_view source, std::string_view target) {
    const std::string line = "\n *   ";
    text_ = "/* " + name_ + ": " + commentText(source) + ", compiled by graphc for " +
            std::string(target) + ".\n *" + line + name_ + "_call call = {0};";
    if (!interface_.inputs.empty())
      text_ += line + "call." + interface_.inputs[0].name + " = ...;";
    text_ += line + "if (" + name_ + "(&call) != " + upperCase(name_) + "_OK)" + line + "  puts(" +
             name_ + "_message(&call));";
    if (!interface_.outputs.empty())
      text_ += line + "... call." + interface_.outputs[0].name + " ...";
    text_ += line + name_ + R"(_release(&call);
 *
 * Inputs that are arrays have a shape, and strides in elements unless they are row-major; data is
 * aligned to its elements. An output whose data is NULL gets memory that lives until the release or
 * the next call with the structure; else data is the caller's, holds `capacity` elements and
 * overlaps no other array. Outputs are row-major. A structure is used by one thread at a time, and
 * not copied after its first call; threads with structures of their own may call at the same time.
 * Calling again with the same shapes allocates nothing.
 */
)";
  }

  void addErrors() {
    std::map<int, std::string> kinds;
    auto add = [&](ErrorKind kind) {
      kinds[int(kind)] = constantName(std::string(errorKindName(kind)));
    };
    for (ErrorKind kind : {ErrorKind::ValueError, ErrorKind::ShapeError, ErrorKind::IndexError,
                           ErrorKind::NotSupported, ErrorKind::OutOfMemory})
      add(kind);
    for (const Program::SizeCheck &check : program_.checks)
      add(check.kind);
    for (const Program::Failure &failure : program_.failures)
      add(failure.kind);
    text_ += "/* Results of the functions. */\nenum {\n  " + upperCase(name_) + "_OK = 0";
    for (const auto &[number, kind] : kinds)
      text_ += ",\n  " + upperCase(name_) + "_" + kind + " = " + std::to_string(number);
    text_ += "\n};\n\n";
  }

  void addMember(const CallInterface::Member &member, const std::string &variable, DType dtype,
                 size_t rank, bool isInput) {
    std::string note = elementNote(dtype);
    if (variable != member.name && !variable.empty()) {
      note += note.empty() ? "`" : "; `";
      note += commentText(variable) + "`";
    }
    if (rank == 0) {
      text_ += "  " + member.type + " " + member.name + ";";
      if (!note.empty())
        text_ += " /* " + note + " */";
      text_ += "\n";
      return;
    }
    text_ += "  struct { /* " + member.shape;
    if (!note.empty())
      text_ += "; " + note;
    text_ += std::string(" */\n    ") + (isInput ? "const " : "") + member.type +
             " *data;\n    int64_t shape[" + std::to_string(rank) + "];\n    " +
             (isInput ? "const int64_t *strides;" : "int64_t capacity;") + "\n  } " + member.name +
             ";\n";
  }

  void addStructure() {
    text_ += "/* Zero before the first call but for what the caller sets. */\ntypedef struct " +
             name_ + "_call {\n";
    if (!interface_.inputs.empty())
      text_ += "  /* Inputs. */\n";
    for (size_t k = 0; k < interface_.inputs.size(); ++k) {
      const Program::Input &input = program_.inputs[k];
      addMember(interface_.inputs[k], input.name, input.dtype, input.shape.size(), true);
    }
    text_ += "  /* Outputs. */\n";
    for (size_t k = 0; k < interface_.outputs.size(); ++k) {
      const Program::Array &array = program_.arrays[program_.outputs[k].array];
      addMember(interface_.outputs[k], program_.outputs[k].name, array.dtype, array.shape.size(),
                false);
    }
    text_ += "  /* The library's. */\n  void *state;\n} " + name_ + "_call;\n\n";
  }

  void addFunctions() {
    text_ += "/* Computes the outputs. */\nint32_t " + name_ + "(" + name_ + "_call *call);\n";
    text_ += "/* Sets the outputs' shapes only, from the inputs' shapes, and their values where "
             "these are "
             "extents.\n * NOT_SUPPORTED where they follow from values that the call computes. "
             "*/\nint32_t " +
             name_ + "_shapes(" + name_ + "_call *call);\n";
    text_ += "/* Why the last call failed: the op, its place in the source, and the shapes. \"\" "
             "where it did\n * not. Lives until the next call or release. */\nconst char *" +
             name_ + "_message(const " + name_ + "_call *call);\n";
    text_ += "/* Frees what calls have allocated, outputs too. */\nvoid " + name_ + "_release(" +
             name_ + "_call *call);\n";
  }

  const Program &program_;
  const CallInterface &interface_;
  const std::string name_;
  std::string text_;
};

} // namespace

std::string cHeader(const Program &program, const CallInterface &interface, std::string_view source,
                    std::string_view target) {
  return HeaderText(program, interface).run(source, target);
}

} // namespace graphc
