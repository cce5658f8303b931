//===- RunError.cpp - what a failed call says -----------------------------===//
//
//   add: extents differ along axis 1: 3 and 5 (an extent broadcasts only where its type says 1:
//   declare it so, or use specifyShape)
//     in the add that makes `h`
//     dot(x, w): f32[8,3]   b: f32[8,5]
//
// The place is the Status's. A text without one, of programs ahead of time, has it in the second
// line: "at model.cpp:42:21, in the add that makes `h`".
//
//===----------------------------------------------------------------------===//
#include "Runtime/RunError.h"

#include <algorithm>
#include <utility>

#include "Runtime/Element.h"
#include "Support/BroadcastHint.h"

namespace graphc {
namespace {

/// Where it cannot be read which one.
constexpr std::string_view kSomeIndex = "an index";

/// Collects text and sizes in order.
class Message {
public:
  Message &operator<<(std::string_view text) {
    if (pieces_.empty() || pieces_.back().size != MessagePiece::kNoSize)
      pieces_.push_back({std::string(text)});
    else
      pieces_.back().text += text;
    return *this;
  }
  void size(int32_t number) {
    if (pieces_.empty() || pieces_.back().size != MessagePiece::kNoSize)
      pieces_.emplace_back();
    pieces_.back().size = number;
  }
  std::vector<MessagePiece> take() { return std::move(pieces_); }

private:
  std::vector<MessagePiece> pieces_;
};

/// `{a}` and `{b}` in `text` become sizes, `{index}` the index that is out of range.
void putTemplate(Message &out, std::string_view text, int32_t a, int32_t b) {
  const std::pair<std::string_view, int32_t> values[] = {
      {"{a}", a}, {"{b}", b}, {"{index}", MessagePiece::kIndex}};
  while (true) {
    const auto *next = std::ranges::min_element(
        values, {}, [&](const auto &value) { return text.find(value.first); });
    size_t at = text.find(next->first);
    out << text.substr(0, at);
    if (at == text.npos)
      return;
    out.size(next->second);
    text.remove_prefix(at + next->first.size());
  }
}

/// As shapeBytes says it.
void putShape(Message &out, const Numbers &shape, bool isNegative) {
  out << (isNegative ? "negative extent in shape (" : "shape (");
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis)
      out << ", ";
    out.size(shape[axis]);
  }
  out << (shape.size() == 1 ? ",)" : ")") << (isNegative ? "" : " is too large");
}

/// What it was about, and on which shapes.
void putNode(Message &out, const Program::Node &node, bool withPlace) {
  withPlace = withPlace && node.place.known();
  if (withPlace)
    out << "\n  at " << node.place.str();
  if (!node.result.empty())
    out << (withPlace ? ", in the " : "\n  in the ") << node.op << " that makes `" << node.result
        << "`";
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const Program::Node::Operand &operand = node.operands[k];
    out << (k ? "   " : "\n  ") << operand.label << ": " << dtypeShortName(operand.dtype) << "[";
    for (size_t axis = 0; axis < operand.shape.size(); ++axis) {
      if (axis)
        out << ",";
      out.size(operand.shape[axis]);
    }
    out << "]";
  }
}

const Program::Node *nodeAt(const Program &program, int32_t number) {
  return number >= 0 && size_t(number) < program.nodes.size() ? &program.nodes[number] : nullptr;
}

std::vector<MessagePiece> piecesOf(const Program &program, const Program::SizeCheck &check,
                                   bool isNegative, bool withPlace) {
  Message message;
  const Program::Node *node = nodeAt(program, check.node);
  if (node)
    message << node->op << ": ";
  if (check.predicate == Predicate::Fits)
    putShape(message, check.shape, isNegative);
  else
    putTemplate(message, withoutHint(check.message, node ? node->place : Place()), check.a,
                check.b);
  if (node)
    putNode(message, *node, withPlace);
  return message.take();
}

std::vector<MessagePiece> piecesOf(const Program &program, const Program::Failure &failure,
                                   bool withPlace) {
  Message message;
  const Program::Node *node = nodeAt(program, failure.node);
  if (node)
    message << node->op << ": ";
  putTemplate(message, failure.message, -1, failure.extent);
  if (node)
    putNode(message, *node, withPlace);
  return message.take();
}

absl::Status errorOf(const std::vector<MessagePiece> &pieces, ErrorKind kind,
                     const Program::Node *node, const std::vector<SizeValue> &values,
                     std::string_view index) {
  std::string text;
  for (const MessagePiece &piece : pieces) {
    text += piece.text;
    if (piece.size == MessagePiece::kIndex)
      text += index;
    else if (piece.size != MessagePiece::kNoSize)
      text += sizeText(values[piece.size]);
  }
  return makeError(kind, text, node ? node->place : Place());
}

absl::Status errorOf(const Program &program, const Program::Failure &failure,
                     const std::vector<SizeValue> &values, std::string_view index) {
  return errorOf(piecesOf(program, failure, /*withPlace=*/false), failure.kind,
                 nodeAt(program, failure.node), values, index);
}

} // namespace

SizeValue readInteger(DType dtype, const void *data, int64_t index) {
  return dispatch(dtype, [&](auto zero) -> SizeValue {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return SizeValue(static_cast<const T *>(data)[index]);
    return 0;
  });
}

/// Where all elements are indices, the check takes no negative ones: it is the first of these.
std::string indexText(const void *indices, DType dtype, int64_t count, int64_t extent) {
  std::string text(kSomeIndex);
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      auto *elements = static_cast<const T *>(indices);
      for (int64_t least : {-extent, int64_t(0)}) {
        auto *found = std::find_if(elements, elements + count, [&](T k) {
          return std::cmp_less(k, least) || std::cmp_greater_equal(k, extent);
        });
        if (found == elements + count)
          continue;
        text = "index " + std::to_string(*found);
        return;
      }
    }
  });
  return text;
}

std::vector<MessagePiece> messageOf(const Program &program, const Program::SizeCheck &check,
                                    bool isNegative) {
  return piecesOf(program, check, isNegative, /*withPlace=*/true);
}

std::vector<MessagePiece> messageOf(const Program &program, const Program::Failure &failure) {
  return piecesOf(program, failure, /*withPlace=*/true);
}

absl::Status sizeError(const Program &program, const Program::SizeCheck &check,
                       const std::vector<SizeValue> &values) {
  bool isNegative = std::any_of(check.shape.begin(), check.shape.end(), [&](int32_t size) {
    return values[size] < 0 && values[size] != kHugeSize;
  });
  return errorOf(piecesOf(program, check, isNegative, /*withPlace=*/false), check.kind,
                 nodeAt(program, check.node), values, kSomeIndex);
}

absl::Status failureError(const Program &program, const Program::Failure &failure,
                          const std::vector<SizeValue> &values) {
  return errorOf(program, failure, values, kSomeIndex);
}

absl::Status kernelError(const Program &program, const Program::Step &step, int32_t result,
                         void *const *buffers, const std::vector<SizeValue> &values) {
  const Program::Failure &failure = program.failures[step.failures[result - 1]];
  // An output may have been put in the place of the indices.
  bool readable = failure.indices >= 0;
  for (size_t k = size_t(step.numInputs); readable && k < step.arrays.size(); ++k)
    readable = buffers[k] != buffers[failure.indices];
  if (!readable)
    return failureError(program, failure, values);
  const Program::Array &indices = program.arrays[step.arrays[failure.indices]];
  int64_t count = 1;
  for (int32_t size : indices.shape)
    count *= int64_t(values[size]);
  std::string index =
      indexText(buffers[failure.indices], indices.dtype, count, int64_t(values[failure.extent]));
  return errorOf(program, failure, values, index);
}

} // namespace graphc
