//===- KeptOperands.cpp ----------------------------------------------------===//
#include "Runtime/KeptOperands.h"

#include <algorithm>
#include <cstring>

namespace graphc {
namespace {

constexpr int64_t kLineBytes = 64;

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
  // Of columns that stand together, so many k at a time are a cache line: the lines of a panel's
  // columns may be in a few sets of the L1 cache, and are read once.
  constexpr int64_t block = kLineBytes / int64_t(sizeof(T));
  for (int64_t first = 0; first < matrix.columns; first += width) {
    const int64_t count = std::min(width, matrix.columns - first);
    const T *columns = from + first * matrix.columnStep;
    auto copy = [&](int64_t k, int64_t column) {
      to[(k / group * width + column) * group + k % group] =
          columns[k * matrix.sumStep + column * matrix.columnStep];
    };
    if (matrix.sumStep == 1) {
      for (int64_t begin = 0; begin < matrix.length; begin += block)
        for (int64_t column = 0; column < count; ++column)
          for (int64_t k = begin, end = std::min(begin + block, matrix.length); k < end; ++k)
            copy(k, column);
    } else {
      for (int64_t k = 0; k < matrix.length; ++k)
        for (int64_t column = 0; column < count; ++column)
          copy(k, column);
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

bool KeptOperands::Copy::fill(int64_t bytes) {
  const int64_t rows = bytes / rowBytes;
  if (form.columns == 0) {
    if (!memory.allocate(rows * copiedStride(rowBytes)))
      return false;
    copyRows(static_cast<const char *>(constant), rows, rowBytes, memory.data());
    return true;
  }
  const Matrix matrix(rows, rowBytes / form.elementBytes, form.isTransposed);
  const int64_t group = panelGroup(form.elementBytes);
  head = group > 1 ? kKeptHeadBytes : 0;
  const int64_t width = (matrix.columns + form.columns - 1) / form.columns * form.columns;
  if (!memory.allocate(head + width * numGroups(matrix, group) * group * form.elementBytes,
                       /*zeroed=*/true))
    return false;
  char *panels = memory.data() + head;
  if (form.elementBytes == 2) {
    const auto *elements = static_cast<const uint16_t *>(constant);
    copyPanels(elements, matrix, form.columns, reinterpret_cast<uint16_t *>(panels));
    uint16_t least = leastMagnitude(elements, bytes / 2);
    std::memcpy(memory.data(), &least, sizeof(least));
  } else if (form.elementBytes == 4) {
    copyPanels(static_cast<const uint32_t *>(constant), matrix, form.columns,
               reinterpret_cast<uint32_t *>(panels));
  } else {
    copyPanels(static_cast<const uint64_t *>(constant), matrix, form.columns,
               reinterpret_cast<uint64_t *>(panels));
  }
  return true;
}

const KeptOperands::Copy *KeptOperands::find(const void *constant, int64_t rowBytes,
                                             const KeptForm &form) const {
  auto found = std::ranges::find_if(copies_, [&](const Copy &copy) {
    return copy.constant == constant && copy.rowBytes == rowBytes &&
           copy.form.columns == form.columns && copy.form.elementBytes == form.elementBytes &&
           copy.form.isTransposed == form.isTransposed;
  });
  return found == copies_.end() ? nullptr : &*found;
}

const void *KeptOperands::get(const void *constant, int64_t bytes, int64_t rowBytes,
                              const KeptForm &form) {
  if (rowBytes <= 0 || bytes % rowBytes != 0 ||
      !(form.columns > 0 ? bytes >= kKeptPanelBytes : copiesRows(bytes, rowBytes)))
    return nullptr;
  {
    std::lock_guard lock(mutex_);
    if (const Copy *known = find(constant, rowBytes, form))
      return known->data();
  }
  std::list<Copy> made(1); // its own node, which moves into the list as it is
  made.front().constant = constant;
  made.front().rowBytes = rowBytes;
  made.front().form = form;
  if (!made.front().fill(bytes))
    return nullptr;
  std::lock_guard lock(mutex_);
  if (const Copy *known = find(constant, rowBytes, form)) // another thread was first
    return known->data();
  copies_.splice(copies_.end(), made);
  return copies_.back().data();
}

} // namespace graphc
