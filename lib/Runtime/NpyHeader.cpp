//===- Runtime/NpyHeader.cpp - the dict at the head of an NPY file --------===//
#include <bit>
#include <charconv>

#include "Runtime/Npy.h"
#include "absl/strings/str_cat.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

/// Reads the Python literals that occur in headers.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  absl::StatusOr<NpyHeader> parse() {
    if (absl::Status status = expect('{'); !status.ok())
      return status;
    while (!take('}')) {
      std::string_view key;
      if (absl::Status status = string(key); !status.ok())
        return status;
      if (absl::Status status = expect(':'); !status.ok())
        return status;
      if (absl::Status status = value(key); !status.ok())
        return status;
      if (take(','))
        continue;
      if (absl::Status status = expect('}'); !status.ok())
        return status;
      break;
    }
    skipSpace();
    if (at_ != text_.size())
      return error("text after the dict");
    if (!haveDescr_ || !haveOrder_ || !haveShape_)
      return error(absl::StrCat("no '",
                                !haveDescr_   ? "descr"
                                : !haveOrder_ ? "fortran_order"
                                              : "shape",
                                "' in the dict"));
    return std::move(header_);
  }

private:
  absl::Status error(absl::string_view what) const {
    return makeError(ErrorKind::Io, absl::StrCat("byte ", at_, " of the header: ", what));
  }
  void skipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text_.substr(at_, word.size()) != word)
      return false;
    at_ += word.size();
    return true;
  }
  absl::Status expect(char c) {
    if (take(c))
      return absl::OkStatus();
    return error(absl::StrCat("expected '", absl::string_view(&c, 1), "'"));
  }

  /// Without escapes: the names that headers may hold need none.
  absl::Status string(std::string_view &result) {
    skipSpace();
    char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"')
      return error("expected a string");
    size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos)
      return error("string without end");
    result = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return absl::OkStatus();
  }

  absl::Status value(std::string_view key) {
    bool *seen = key == "descr"           ? &haveDescr_
                 : key == "fortran_order" ? &haveOrder_
                 : key == "shape"         ? &haveShape_
                                          : nullptr;
    if (!seen)
      return error(absl::StrCat("unknown key '", view(key.substr(0, 40)), "'"));
    if (*seen)
      return error(absl::StrCat("key '", view(key), "' is there twice"));
    *seen = true;
    if (seen == &haveDescr_)
      return descr();
    if (seen == &haveShape_)
      return shape();
    header_.fortranOrder = takeWord("True");
    return header_.fortranOrder || takeWord("False") ? absl::OkStatus()
                                                     : error("expected True or False");
  }

  absl::Status descr() {
    skipSpace();
    if (at_ < text_.size() && text_[at_] == '[')
      return makeError(ErrorKind::NotSupported, "structured dtypes are not supported");
    std::string_view text;
    if (absl::Status status = string(text); !status.ok())
      return status;
    auto unsupported = [&] {
      return makeError(ErrorKind::NotSupported,
                       absl::StrCat("dtype '", view(text.substr(0, 40)), "' is not supported"));
    };
    // '<f8': byte order, kind, bytes.
    if (text.size() < 3 || std::string_view("<>|=").find(text[0]) == std::string_view::npos)
      return unsupported();
    char kind = text[1];
    int bytes = text.substr(2) == "16" ? 16 : text.size() == 3 ? text[2] - '0' : 0;
    if (bytes <= 0 || !std::has_single_bit(unsigned(bytes)) || bytes > (kind == 'c' ? 16 : 8))
      return unsupported();
    if (kind == 'b' && bytes == 1)
      header_.dtype = DType::Bool;
    else if (kind == 'f' && bytes >= 2)
      header_.dtype = *parseDType("f" + std::to_string(8 * bytes));
    else if (kind == 'c' && bytes >= 8)
      header_.dtype = bytes == 8 ? DType::Complex64 : DType::Complex128;
    else if (kind == 'i' || kind == 'u')
      header_.dtype = *parseDType((kind == 'u' ? "ui" : "i") + std::to_string(8 * bytes));
    else
      return unsupported();
    header_.swapBytes = text[0] == '>' && bytes > 1;
    return absl::OkStatus();
  }

  absl::Status shape() {
    if (absl::Status status = expect('('); !status.ok())
      return status;
    while (!take(')')) {
      skipSpace();
      int64_t extent = 0;
      const char *begin = text_.data() + at_;
      auto [end, failure] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (failure == std::errc::result_out_of_range)
        return error("extent is too large");
      if (failure != std::errc())
        return error("expected an extent");
      if (extent < 0)
        return error("negative extent");
      if (header_.shape.size() == size_t(Tensor::kMaxRank))
        return error(absl::StrCat("rank is above the maximum of ", Tensor::kMaxRank));
      at_ += size_t(end - begin);
      take('L'); // Python 2 wrote its long integers so
      header_.shape.push_back(extent);
      if (take(','))
        continue;
      if (header_.shape.size() == 1)
        return error("expected ','"); // "(3)" is no tuple
      if (absl::Status status = expect(')'); !status.ok())
        return status;
      break;
    }
    return absl::OkStatus();
  }

  std::string_view text_;
  size_t at_ = 0;
  NpyHeader header_;
  bool haveDescr_ = false, haveOrder_ = false, haveShape_ = false;
};

} // namespace

absl::StatusOr<NpyHeader> parseNpyHeader(std::string_view text) {
  return HeaderParser(text).parse();
}

} // namespace graphc
