//===- RectanglesTest.cpp - rectangles about what a map has high --------------===//
//
// Expected numbers are those of the shapes that are drawn.
//
//===----------------------------------------------------------------------===//
#include "Rectangles.h"

#include <cmath>
#include <numbers>

#include "gtest/gtest.h"

namespace {

constexpr int kRows = 120, kColumns = 160;

struct Map {
  std::vector<float> numbers = std::vector<float>(kRows * kColumns, 0.0f);

  /// Sets what is in a rectangle.
  Map &draw(const Rectangle &r, float value) {
    for (int y = 0; y < kRows; ++y)
      for (int x = 0; x < kColumns; ++x) {
        Point p = Point{double(x), double(y)} - r.centre;
        if (std::abs(dot(p, r.along)) <= r.width / 2 &&
            std::abs(dot(p, r.across())) <= r.height / 2)
          numbers[size_t(y) * kColumns + size_t(x)] = value;
      }
    return *this;
  }
  std::vector<Rectangle> rectangles(const RectangleOptions &options = {}) const {
    return rectanglesOf(numbers, kRows, kColumns, options);
  }
};

Rectangle turned(Point centre, double width, double height, double degrees) {
  double angle = degrees * std::numbers::pi / 180;
  Rectangle r;
  r.centre = centre;
  r.along = {std::cos(angle), std::sin(angle)};
  r.width = width;
  r.height = height;
  return r;
}

TEST(Rectangles, areTheSmallestInAnyDirection) {
  for (double degrees : {0.0, 10.0, 30.0, -20.0, 40.0}) {
    Rectangle drawn = turned({80, 60}, 70, 20, degrees);
    auto found = Map().draw(drawn, 0.9f).rectangles({.growth = 0});
    ASSERT_EQ(found.size(), 1u) << degrees;
    // Pixels are a grid.
    EXPECT_NEAR(found[0].centre.x, 80, 1) << degrees;
    EXPECT_NEAR(found[0].centre.y, 60, 1) << degrees;
    EXPECT_NEAR(found[0].width, 70, 2) << degrees;
    EXPECT_NEAR(found[0].height, 20, 2) << degrees;
    EXPECT_GT(dot(found[0].along, drawn.along), std::cos(2 * std::numbers::pi / 180)) << degrees;
  }
}

TEST(Rectangles, growByAreaOverPerimeter) {
  auto found = Map().draw(turned({80, 60}, 60, 20, 0), 0.9f).rectangles();
  ASSERT_EQ(found.size(), 1u);
  double more = 1.5 * 60 * 20 / (2 * (60 + 20)); // 11.25
  EXPECT_NEAR(found[0].width, 60 + 2 * more, 1e-9);
  EXPECT_NEAR(found[0].height, 20 + 2 * more, 1e-9);
  auto corners = found[0].corners();
  EXPECT_NEAR(corners[0].x, 80 - 30 - more, 1e-9);
  EXPECT_NEAR(corners[0].y, 60 - 10 - more, 1e-9);
  EXPECT_NEAR(corners[2].x, 80 + 30 + more, 1e-9);
  EXPECT_NEAR(corners[3].y, 60 + 10 + more, 1e-9);
}

TEST(Rectangles, areOneForEachRegion) {
  Map map;
  map.draw(turned({40, 30}, 40, 10, 0), 0.9f).draw(turned({110, 30}, 40, 10, 0), 0.7f);
  EXPECT_EQ(map.rectangles().size(), 2u);
  map.draw(turned({75, 30}, 60, 4, 0), 0.8f); // joins them
  EXPECT_EQ(map.rectangles().size(), 1u);
}

TEST(Rectangles, ofWhatIsFaintOrSmallAreNone) {
  EXPECT_TRUE(Map().rectangles().empty());
  EXPECT_TRUE(Map().draw(turned({40, 30}, 40, 10, 0), 0.29f).rectangles().empty());
  EXPECT_TRUE(Map().draw(turned({40, 30}, 40, 10, 0), 0.5f).rectangles().empty());
  EXPECT_TRUE(Map().draw(turned({40, 30}, 40, 2, 0), 0.9f).rectangles().empty());
  EXPECT_EQ(Map().draw(turned({40, 30}, 40, 10, 0), 0.65f).rectangles().size(), 1u);
}

TEST(Rectangles, ofOnePoint) {
  Rectangle r = smallestAbout({{3, 4}});
  EXPECT_EQ(r.centre, (Point{3, 4}));
  EXPECT_EQ(r.width, 0);
  EXPECT_EQ(r.height, 0);
}

} // namespace
