//===- JIT/ScanIR.cpp - the words of LLVM IR that a file brought ----------===//
#include "JIT/ScanIR.h"

#include <algorithm>
#include <string>

#include "JIT/TileInstructions.h"
#include "graphc/Status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace graphc {
namespace {

/// What LLVM's printer writes for modules that emitIR and the IR passes have made.
constexpr llvm::StringLiteral kWords[] = {
    // the module
    "source_filename", "target", "datalayout", "triple", "define", "declare", "attributes",
    // types; iN has a rule of its own
    "void", "half", "bfloat", "float", "double", "x86_fp80", "ptr", "label", "x",
    // constants
    "true", "false", "none", "poison", "undef", "zeroinitializer", "splat",
    // instructions
    "add", "alloca", "and", "ashr", "asm", "bitcast", "br", "call", "extractelement", "fadd",
    "fcmp", "fdiv", "fmul", "fneg", "fpext", "fptosi", "fptoui", "fptrunc", "freeze", "frem",
    "fsub", "getelementptr", "icmp", "insertelement", "inttoptr", "load", "lshr", "mul", "or",
    "phi", "ptrtoint", "ret", "sdiv", "select", "sext", "shl", "shufflevector", "sitofp", "srem",
    "store", "sub", "switch", "to", "trunc", "udiv", "uitofp", "unreachable", "urem", "xor", "zext",
    // predicates
    "eq", "ne", "oeq", "oge", "ogt", "ole", "olt", "one", "ord", "sge", "sgt", "sle", "slt", "ueq",
    "uge", "ugt", "ule", "ult", "une", "uno",
    // what instructions promise
    "afn", "align", "arcp", "contract", "disjoint", "exact", "fast", "inbounds", "ninf", "nnan",
    "nneg", "nsw", "nsz", "nuw", "nusw", "reassoc", "samesign", "tail",
    // attributes
    "argmem", "captures", "immarg", "inaccessiblemem", "memory", "nocallback",
    "nocreateundeforpoison", "nofree", "nonnull", "nosync", "noundef", "nounwind", "range", "read",
    "readnone", "readonly", "readwrite", "speculatable", "willreturn", "write"};

/// With their overloads: @llvm.fma.v8f64.
constexpr llvm::StringLiteral kIntrinsics[] = {
    "abs", "bitreverse", "bswap", "ceil", "copysign", "cos", "ctlz", "ctpop", "cttz", "fabs",
    "floor", "fma", "fmuladd", "fptosi.sat", "fptoui.sat", "fshl", "fshr", "is.fpclass",
    "masked.gather", "masked.load", "masked.store", "maximum", "maxnum", "minimum", "minnum",
    "nearbyint", "prefetch", "rint", "round", "roundeven", "sadd.sat", "scmp", "sin", "smax",
    "smin", "sqrt", "ssub.sat", "tan", "trunc", "uadd.sat", "ucmp", "umax", "umin", "usub.sat",
    "vector.reduce",
    // as lib/Lowering/Math uses AVX-512
    "x86.avx512.mask.getexp", "x86.avx512.mask.getmant", "x86.avx512.mask.scalef",
    "x86.avx512bf16.dpbf16ps", "x86.avx512.rcp14", "x86.avx512.rsqrt14", "x86.avx512.vpermi2var"};

/// More lanes than the widest register has bytes, and wider integers, are none of graphc's.
constexpr unsigned kMaxLanes = 64, kMaxBits = 64;
/// Brackets in brackets.
constexpr int kMaxDepth = 16;

class Scan {
public:
  Scan(std::string_view text, std::string_view name)
      : text(text.data(), text.size()), name(name), words(llvm::from_range, kWords) {}
  absl::Status run();

private:
  absl::Status refuse(const llvm::Twine &what) const;
  llvm::StringRef takeName();
  absl::Status takeSigil(char sigil);
  absl::Status takeWord();
  absl::Status takeOther(char c);
  absl::Status checkSymbol(llvm::StringRef symbol) const;

  llvm::StringRef text;
  std::string_view name;
  llvm::StringSet<> words;
  size_t at = 0, tokenAt = 0;
  int depth = 0;
  /// The two tokens before this one.
  llvm::StringRef before, beforeThat;
};

absl::Status Scan::refuse(const llvm::Twine &what) const {
  llvm::StringRef head = text.take_front(tokenAt);
  size_t line = head.count('\n') + 1, column = tokenAt - (head.rfind('\n') + 1) + 1;
  return makeError(ErrorKind::ValueError, what.str(),
                   Place(internFileName(name), uint32_t(line), uint32_t(column)));
}

llvm::StringRef Scan::takeName() {
  size_t begin = at;
  while (at < text.size() && (llvm::isAlnum(text[at]) || llvm::StringRef("._-").contains(text[at])))
    ++at;
  return text.slice(begin, at);
}

absl::Status Scan::checkSymbol(llvm::StringRef symbol) const {
  if (numTileRegisters(symbol) >= 0 || !symbol.consume_front("llvm."))
    return absl::OkStatus();
  for (llvm::StringRef known : kIntrinsics)
    if (llvm::StringRef rest = symbol; rest.consume_front(known) && rest.starts_with("."))
      return absl::OkStatus();
  return refuse("an intrinsic that this stage does not use");
}

/// A name, or a number; metadata may also be a string or a list.
absl::Status Scan::takeSigil(char sigil) {
  ++at;
  llvm::StringRef taken = takeName();
  bool isNumber = !taken.empty() && llvm::all_of(taken, llvm::isDigit);
  if (sigil == '@')
    return taken.empty() ? refuse("a name that is not plain") : checkSymbol(taken);
  if (sigil == '%')
    return taken.empty() ? refuse("a name that is not plain") : absl::OkStatus();
  if (sigil == '#')
    return isNumber ? absl::OkStatus() : refuse("attributes have a number");
  bool isInline = taken.empty() && at < text.size() && (text[at] == '{' || text[at] == '"');
  if (isNumber || isInline || taken == "llvm.module.flags" || taken == "invariant.load" ||
      taken == "prof")
    return absl::OkStatus();
  return refuse("metadata that this stage does not use");
}

absl::Status Scan::takeWord() {
  llvm::StringRef word = takeName();
  if (word == "x") {
    unsigned lanes = 0;
    if (beforeThat != "<" || before.getAsInteger(10, lanes) || lanes < 1 || lanes > kMaxLanes)
      return refuse("vectors have up to " + llvm::Twine(kMaxLanes) +
                    " lanes, and there are no arrays");
    return absl::OkStatus();
  }
  unsigned bits = 0;
  llvm::StringRef digits = word.drop_front();
  if (word.front() == 'i' && !digits.empty() && !digits.getAsInteger(10, bits))
    return bits >= 1 && bits <= kMaxBits
               ? absl::OkStatus()
               : refuse("integers have up to " + llvm::Twine(kMaxBits) + " bits");
  if (words.contains(word))
    return absl::OkStatus();
  return refuse("'" + word.take_front(40) + "' is no word of this stage");
}

absl::Status Scan::takeOther(char c) {
  ++at;
  switch (c) {
  case '"':
    while (at < text.size() && text[at] != '"' && text[at] != '\n')
      ++at;
    if (at == text.size() || text[at] == '\n')
      return refuse("a string that does not end on its line");
    ++at;
    return absl::OkStatus();
  case '(':
  case '[':
  case '{':
  case '<':
    return ++depth <= kMaxDepth ? absl::OkStatus() : refuse("nested too deep");
  case ')':
  case ']':
  case '}':
  case '>':
    --depth;
    return absl::OkStatus();
  case ',':
  case '=':
  case ':':
    return absl::OkStatus();
  default:
    return refuse("a character that this stage does not use");
  }
}

absl::Status Scan::run() {
  while (at < text.size()) {
    tokenAt = at;
    char c = text[at];
    if (llvm::isSpace(c)) {
      ++at;
      continue;
    }
    if (c == ';') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    absl::Status status;
    if (c == '@' || c == '%' || c == '#' || c == '!') {
      status = takeSigil(c);
    } else if (llvm::isDigit(c) || c == '-') {
      takeName(); // also what is no number: the parser says so
      if (at < text.size() && text[at] == '+') {
        ++at; // an exponent
        takeName();
      }
    } else if (llvm::isAlpha(c) || c == '_') {
      status = takeWord();
    } else {
      status = takeOther(c);
    }
    if (!status.ok())
      return status;
    beforeThat = before;
    before = text.slice(tokenAt, at);
  }
  return absl::OkStatus();
}

} // namespace

absl::Status scanIR(std::string_view text, std::string_view name) { return Scan(text, name).run(); }

} // namespace graphc
