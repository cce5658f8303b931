//===- Support/TextTable.h - aligned columns --------------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

namespace graphc {

/// Rows of cells, printed in columns two spaces apart. A column is aligned to the right if all of
/// its cells but the head begin with a digit, sign or point, or are empty.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> head) : rows_{std::move(head)} {}
  /// Missing cells are empty; there must not be more than the head has.
  void add(std::vector<std::string> row);
  /// The head, then the rows, each with a newline and no trailing spaces.
  std::string str() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace graphc
