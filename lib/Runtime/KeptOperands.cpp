//===- KeptOperands.cpp ----------------------------------------------------===//
#include "Runtime/KeptOperands.h"

#include <algorithm>
#include <cstring>

namespace graphc {
namespace {

/// Rows with gaps between them.
void copyRows(const char *from, int64_t rows, int64_t rowBytes, char *to) {
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(to + row * copiedStride(rowBytes), from + row * rowBytes, size_t(rowBytes));
}

/// What the operand is: element (k, column) is at k * sumStep + column * columnStep.
struct Matrix {
  int64_t length, columns; ///< of the sums, and how many
  int64_t sumStep, columnStep;

  Matrix(int64_t rows, int64_t rowLength, bool isTransposed)
      : length(isTransposed ? rowLength : rows), columns(isTransposed ? rows : rowLength),
        sumStep(isTransposed ? 1 : rowLength), columnStep(isTransposed ? rowLength : 1) {}
};

/// Groups of k, the last of which may have zeros, or be zeros.
int64_t numGroups(const Matrix &matrix, int64_t group) {
  return group == 1 ? matrix.length : groupsWithZeros((matrix.length + group - 1) / group);
}

/// One panel after the other, of each all k: element (k, column) of a panel of `width` columns is
/// at k * width + column; of groups, each group of k is such an element. Columns that the last
/// panel has beyond the operand's are zeros, as allocated.
template <class T> void copyPanels(const T *from, const Matrix &matrix, int64_t width, T *to) {
  constexpr int64_t group = panelGroup(sizeof(T));
  for (int64_t first = 0; first < matrix.columns; first += width) {
    int64_t count = std::min(width, matrix.columns - first);
    for (int64_t k = 0; k < matrix.length; ++k) {
      T *line = to + k / group * group * width + k % group;
      for (int64_t column = 0; column < count; ++column)
        line[column * group] = from[k * matrix.sumStep + (first + column) * matrix.columnStep];
    }
    to += numGroups(matrix, group) * group * width;
  }
}

uint16_t leastMagnitude(const uint16_t *from, int64_t count) {
  uint16_t least = 0xffff;
  for (int64_t i = 0; i < count; ++i)
    least = std::min(least, uint16_t((from[i] & kBf16Magnitude) - 1));
  return least;
}

} // namespace

const void *KeptOperands::get(const void *constant, int64_t bytes, int64_t rowBytes,
                              const KeptForm &form) {
  bool arePanels = form.columns > 0;
  if (rowBytes <= 0 || bytes % rowBytes != 0 ||
      !(arePanels ? bytes >= kKeptPanelBytes : copiesRows(bytes, rowBytes)))
    return nullptr;
  std::lock_guard lock(mutex_);
  for (const Copy &copy : copies_)
    if (copy.constant == constant && copy.rowBytes == rowBytes &&
        copy.form.columns == form.columns && copy.form.elementBytes == form.elementBytes &&
        copy.form.isTransposed == form.isTransposed)
      return copy.memory.data() + copy.head;
  int64_t rows = bytes / rowBytes, size = rows * copiedStride(rowBytes), head = 0;
  Matrix matrix(rows, arePanels ? rowBytes / form.elementBytes : 0, form.isTransposed);
  if (arePanels) {
    int64_t group = panelGroup(form.elementBytes);
    head = group > 1 ? kKeptHeadBytes : 0;
    size = head + (matrix.columns + form.columns - 1) / form.columns * form.columns *
                      numGroups(matrix, group) * group * form.elementBytes;
  }
  Copy &made = copies_.emplace_back();
  if (!made.memory.allocate(size, /*zeroed=*/arePanels)) {
    copies_.pop_back();
    return nullptr;
  }
  made.constant = constant;
  made.rowBytes = rowBytes;
  made.form = form;
  made.head = head;
  if (!arePanels) {
    copyRows(static_cast<const char *>(constant), rows, rowBytes, made.memory.data());
    return made.memory.data();
  }
  char *panels = made.memory.data() + head;
  if (form.elementBytes == 2) {
    const auto *elements = static_cast<const uint16_t *>(constant);
    copyPanels(elements, matrix, form.columns, reinterpret_cast<uint16_t *>(panels));
    uint16_t least = leastMagnitude(elements, bytes / 2);
    std::memcpy(made.memory.data(), &least, sizeof(least));
  } else if (form.elementBytes == 4) {
    copyPanels(static_cast<const uint32_t *>(constant), matrix, form.columns,
               reinterpret_cast<uint32_t *>(panels));
  } else {
    copyPanels(static_cast<const uint64_t *>(constant), matrix, form.columns,
               reinterpret_cast<uint64_t *>(panels));
  }
  return panels;
}

} // namespace graphc
