//===- Rectangles.h - where a map of probabilities is high ----------*- C++ -*-===//
//
// What PaddleOCR's DBPostProcess (ppocr/postprocess/db_postprocess.py) does with a detector's map:
// regions above a threshold, the smallest rectangle about each in any direction, those of a high
// mean, made larger, since the network is trained on regions that are smaller than the text.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <vector>

#include "absl/types/span.h"

struct Point {
  double x = 0, y = 0;
  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(double s, Point p) { return {s * p.x, s * p.y}; }
  friend double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
  friend double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
  friend bool operator==(Point, Point) = default;
};

/// Turned by less than 45 degrees against the axes: `along` is the unit vector that points to the
/// right, and the height is measured across it, downwards.
struct Rectangle {
  Point centre, along = {1, 0};
  double width = 0, height = 0;
  Point across() const { return {-along.y, along.x}; }
  /// Top left, top right, bottom right, bottom left.
  std::array<Point, 4> corners() const;
};

/// Of the least area that has all points, at least one, in it.
Rectangle smallestAbout(std::vector<Point> points);

struct RectangleOptions {
  float threshold = 0.3f;
  double leastMean = 0.6; // of the map in a rectangle
  double growth = 1.5;    // times area over perimeter, on each side
  double leastSide = 3;   // of a region
  double leastGrown = 5;  // of its rectangle in the end
};

/// Of a map of `rows` times `columns` numbers.
std::vector<Rectangle> rectanglesOf(absl::Span<const float> map, int rows, int columns,
                                    const RectangleOptions &options = {});
