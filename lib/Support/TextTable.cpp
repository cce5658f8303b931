//===- Support/TextTable.cpp - aligned columns ----------------------------===//
#include "Support/TextTable.h"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace graphc {
namespace {

/// Characters, not bytes: all but the continuation bytes of UTF-8.
size_t textWidth(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool looksLikeNumber(const std::string &cell) {
  return cell.empty() || std::string_view("0123456789+-.").find(cell[0]) != std::string_view::npos;
}

} // namespace

void TextTable::add(std::vector<std::string> row) {
  assert(row.size() <= rows_[0].size() && "the head names every column");
  row.resize(rows_[0].size());
  rows_.push_back(std::move(row));
}

std::string TextTable::str() const {
  size_t columns = rows_[0].size();
  std::vector<size_t> widths(columns, 0);
  std::vector<bool> right(columns, rows_.size() > 1);
  for (size_t row = 0; row < rows_.size(); ++row)
    for (size_t column = 0; column < columns; ++column) {
      widths[column] = std::max(widths[column], textWidth(rows_[row][column]));
      if (row > 0 && !looksLikeNumber(rows_[row][column]))
        right[column] = false;
    }
  std::string result;
  for (const std::vector<std::string> &row : rows_) {
    std::string line;
    for (size_t column = 0; column < columns; ++column) {
      std::string padding(widths[column] - textWidth(row[column]), ' ');
      line += right[column] ? padding + row[column] : row[column] + padding;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

} // namespace graphc
