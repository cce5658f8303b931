//===- Rectangles.cpp - where a map of probabilities is high -----------------===//
#include "Rectangles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

/// The corners of the smallest convex polygon about points, in order.
std::vector<Point> convexHull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3)
    return points;
  std::vector<Point> hull;
  // The lower side from left to right, then the upper one back.
  for (int side = 0; side < 2; ++side) {
    size_t start = hull.size();
    for (Point p : points) {
      while (hull.size() >= start + 2 &&
             cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back(); // the first of the other side
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

/// About points, with a side in a direction.
Rectangle inDirection(const std::vector<Point> &points, Point along) {
  Rectangle r;
  r.along = along;
  double infinity = std::numeric_limits<double>::infinity();
  Point low{infinity, infinity}, high{-infinity, -infinity};
  for (Point p : points) {
    Point own{dot(p, along), dot(p, r.across())};
    low = {std::min(low.x, own.x), std::min(low.y, own.y)};
    high = {std::max(high.x, own.x), std::max(high.y, own.y)};
  }
  Point middle = 0.5 * (low + high);
  r.centre = middle.x * along + middle.y * r.across();
  r.width = high.x - low.x;
  r.height = high.y - low.y;
  return r;
}

/// The direction of a side, or the one across it: the one that points to the right.
Point toTheRight(Point side) {
  Point d = 1 / std::hypot(side.x, side.y) * side;
  if (std::abs(d.y) > std::abs(d.x))
    d = {d.y, -d.x};
  return d.x < 0 ? -1 * d : d;
}

/// The ends of each row of each region of neighbours, also across corners, above a threshold.
std::vector<std::vector<Point>> regionsOf(absl::Span<const float> map, int rows, int columns,
                                          float threshold) {
  std::vector<std::vector<Point>> regions;
  std::vector<bool> seen(map.size(), false);
  auto isNew = [&](int row, int column) {
    size_t at = size_t(row) * size_t(columns) + size_t(column);
    bool result = !seen[at] && map[at] > threshold;
    seen[at] = true;
    return result;
  };
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      if (!isNew(row, column))
        continue;
      std::vector<std::pair<int, int>> cells = {{row, column}};
      for (size_t next = 0; next < cells.size(); ++next) {
        auto [r, c] = cells[next];
        for (int y = std::max(r - 1, 0); y <= std::min(r + 1, rows - 1); ++y)
          for (int x = std::max(c - 1, 0); x <= std::min(c + 1, columns - 1); ++x)
            if (isNew(y, x))
              cells.emplace_back(y, x);
      }
      std::sort(cells.begin(), cells.end());
      std::vector<Point> ends;
      for (size_t k = 0; k < cells.size(); ++k) {
        auto [y, x] = cells[k];
        if (k == 0 || cells[k - 1].first != y || k + 1 == cells.size() || cells[k + 1].first != y)
          ends.push_back({double(x), double(y)});
      }
      regions.push_back(std::move(ends));
    }
  return regions;
}

/// Of the numbers whose middles a rectangle has in it.
double meanWithin(const Rectangle &r, absl::Span<const float> map, int rows, int columns) {
  auto corners = r.corners();
  auto [left, right] = std::minmax({corners[0].x, corners[1].x, corners[2].x, corners[3].x});
  auto [top, bottom] = std::minmax({corners[0].y, corners[1].y, corners[2].y, corners[3].y});
  double sum = 0;
  int64_t count = 0;
  for (int y = std::max(0, int(top)); y <= std::min(rows - 1, int(std::ceil(bottom))); ++y)
    for (int x = std::max(0, int(left)); x <= std::min(columns - 1, int(std::ceil(right))); ++x) {
      Point p = Point{double(x), double(y)} - r.centre;
      if (std::abs(dot(p, r.along)) > r.width / 2 || std::abs(dot(p, r.across())) > r.height / 2)
        continue;
      sum += map[size_t(y) * size_t(columns) + size_t(x)];
      ++count;
    }
  return count ? sum / double(count) : 0;
}

} // namespace

std::array<Point, 4> Rectangle::corners() const {
  Point w = width / 2 * along, h = height / 2 * across();
  return {centre - w - h, centre + w - h, centre + w + h, centre - w + h};
}

Rectangle smallestAbout(std::vector<Point> points) {
  std::vector<Point> hull = convexHull(std::move(points));
  Rectangle best = inDirection(hull, {1, 0});
  // One of its sides is on one of the hull's.
  for (size_t k = 0; hull.size() > 1 && k < hull.size(); ++k) {
    Rectangle r = inDirection(hull, toTheRight(hull[(k + 1) % hull.size()] - hull[k]));
    if (r.width * r.height < best.width * best.height)
      best = r;
  }
  return best;
}

std::vector<Rectangle> rectanglesOf(absl::Span<const float> map, int rows, int columns,
                                    const RectangleOptions &options) {
  std::vector<Rectangle> result;
  for (std::vector<Point> &region : regionsOf(map, rows, columns, options.threshold)) {
    Rectangle r = smallestAbout(std::move(region));
    if (std::min(r.width, r.height) < options.leastSide ||
        meanWithin(r, map, rows, columns) < options.leastMean)
      continue;
    double more = options.growth * r.width * r.height / (2 * (r.width + r.height));
    r.width += 2 * more;
    r.height += 2 * more;
    if (std::min(r.width, r.height) >= options.leastGrown)
      result.push_back(r);
  }
  return result;
}
