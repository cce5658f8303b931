//===- Reader.cpp - the text of a picture -------------------------------------===//
#include "Reader.h"

#include <cmath>
#include <fstream>

#include "TextLine.h"

using namespace graphc;

namespace {

constexpr int kMostPixels = 960;       // of the longer side when text is looked for
constexpr int kStep = 32;              // of sides, by the detector's strides
constexpr int kDirectionColumns = 192; // of a line, as the networks were trained
constexpr int kLeastColumns = 320;
constexpr float kSurelyUpsideDown = 0.9f; // a probability
constexpr double kTall = 1.5;             // height over width of a line that runs downwards
constexpr double kSameHeight = 10;        // pixels

absl::StatusOr<Function> compiled(const std::string &path) {
  auto model = loadOnnx(path);
  return model.ok() ? function(*model) : model.status();
}

absl::Status anotherNetwork() {
  return makeError(ErrorKind::TypeError, "the network gives something else than PP-OCR's");
}

/// The only output, of that rank.
absl::StatusOr<Tensor> run(const Function &network, const Tensor &input, int rank) {
  auto results = network(input);
  if (!results.ok())
    return results.status();
  if (results->size() != 1 || (*results)[0].rank() != rank ||
      (*results)[0].dtype() != DType::Float32)
    return anotherNetwork();
  return (*results)[0].contiguous();
}

/// The pixels between corners, upright.
Picture cut(const Picture &picture, const std::array<Point, 4> &corners) {
  Point right = corners[1] - corners[0], down = corners[3] - corners[0];
  Picture result(std::max(1, int(std::lround(std::sqrt(dot(down, down))))),
                 std::max(1, int(std::lround(std::sqrt(dot(right, right))))));
  for (int row = 0; row < result.rows; ++row)
    for (int column = 0; column < result.columns; ++column) {
      Point p = corners[0] + (column + 0.5) / result.columns * right +
                (row + 0.5) / result.rows * down - Point{0.5, 0.5};
      double x = std::floor(p.x), y = std::floor(p.y), dx = p.x - x, dy = p.y - y;
      for (int channel = 0; channel < Picture::kChannels; ++channel) {
        auto along = [&](double r) {
          return double(picture.at(int64_t(r), int64_t(x), channel)) * (1 - dx) +
                 double(picture.at(int64_t(r), int64_t(x) + 1, channel)) * dx;
        };
        result.pixel(row, column)[channel] =
            uint8_t(std::lround(along(y) * (1 - dy) + along(y + 1) * dy));
      }
    }
  return result.rows >= kTall * result.columns ? quarterTurned(result) : result;
}

/// Class 0 is none, the last one a space.
absl::StatusOr<std::vector<std::string>> readCharacters(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> characters = {""};
  for (std::string line; std::getline(file, line);)
    characters.push_back(line);
  if (characters.size() == 1)
    return makeError(ErrorKind::Io, path + ": has no characters, or cannot be read");
  characters.push_back(" ");
  return characters;
}

} // namespace

absl::StatusOr<Reader> Reader::create(const ReaderFiles &files) {
  Reader reader;
  for (auto [network, path] : {std::pair(&reader.detection_, &files.detection),
                               std::pair(&reader.direction_, &files.direction),
                               std::pair(&reader.recognition_, &files.recognition)}) {
    auto made = compiled(*path);
    if (!made.ok())
      return made.status();
    network->emplace(*std::move(made));
  }
  auto characters = readCharacters(files.characters);
  if (!characters.ok())
    return characters.status();
  reader.characters_ = *std::move(characters);
  return reader;
}

absl::StatusOr<std::vector<std::array<Point, 4>>> Reader::find(const Picture &picture) const {
  constexpr float kMean[] = {0.485f, 0.456f, 0.406f}, kDeviation[] = {0.229f, 0.224f, 0.225f};
  double scale = std::min(1.0, double(kMostPixels) / std::max(picture.rows, picture.columns));
  auto side = [&](int pixels) {
    return std::max(kStep, int(std::lround(pixels * scale / kStep)) * kStep);
  };
  int rows = side(picture.rows), columns = side(picture.columns);
  auto input = Tensor::zeros(DType::Float32, {1, Picture::kChannels, rows, columns});
  if (!input.ok())
    return input.status();
  normalize(resized(picture, rows, columns), kMean, kDeviation, columns,
            input->mutableFlat<float>().data());
  auto map = run(*detection_, *input, 4);
  if (!map.ok())
    return map.status();
  if (map->shape()[2] != rows || map->shape()[3] != columns)
    return anotherNetwork();
  std::vector<std::array<Point, 4>> found;
  for (const Rectangle &r : rectanglesOf(map->flat<float>(), rows, columns)) {
    auto corners = r.corners();
    for (Point &p : corners)
      p = {std::clamp(p.x * picture.columns / columns, 0.0, double(picture.columns)),
           std::clamp(p.y * picture.rows / rows, 0.0, double(picture.rows))};
    found.push_back(corners);
  }
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return std::pair(a[0].y, a[0].x) < std::pair(b[0].y, b[0].x);
  });
  // A line a few pixels lower may still be the one to the left.
  for (size_t i = 1; i < found.size(); ++i)
    for (size_t k = i; k > 0 && std::abs(found[k][0].y - found[k - 1][0].y) < kSameHeight &&
                       found[k][0].x < found[k - 1][0].x;
         --k)
      std::swap(found[k], found[k - 1]);
  return found;
}

absl::StatusOr<bool> Reader::isUpsideDown(const Picture &line) const {
  auto input = textLines({&line, 1}, kDirectionColumns);
  if (!input.ok())
    return input.status();
  auto probabilities = run(*direction_, *input, 2);
  if (!probabilities.ok())
    return probabilities.status();
  return probabilities->flat<float>().back() > kSurelyUpsideDown;
}

absl::StatusOr<Line> Reader::recognize(const Picture &line) const {
  auto input = textLines({&line, 1}, std::max(kLeastColumns, lineColumns(line)));
  if (!input.ok())
    return input.status();
  auto probabilities = run(*recognition_, *input, 3);
  if (!probabilities.ok())
    return probabilities.status();
  size_t classes = size_t(probabilities->shape()[2]);
  if (classes != characters_.size())
    return makeError(ErrorKind::ShapeError, "the network tells " + std::to_string(classes) +
                                                " characters apart, but " +
                                                std::to_string(characters_.size()) + " are listed");
  // The likeliest class of each step; one that lasts is one character.
  Line result;
  double sum = 0;
  int count = 0;
  size_t before = 0;
  absl::Span<const float> steps = probabilities->flat<float>();
  for (; !steps.empty(); steps.remove_prefix(classes)) {
    auto best = std::max_element(steps.begin(), steps.begin() + int64_t(classes));
    size_t now = size_t(best - steps.begin());
    if (now != 0 && now != before) {
      result.text += characters_[now];
      sum += *best;
      ++count;
    }
    before = now;
  }
  result.confidence = count ? sum / count : 0;
  return result;
}

absl::StatusOr<std::vector<Line>> Reader::read(const Picture &picture) const {
  auto found = find(picture);
  if (!found.ok())
    return found.status();
  std::vector<Line> lines;
  for (const std::array<Point, 4> &corners : *found) {
    Picture pixels = cut(picture, corners);
    auto turned = isUpsideDown(pixels);
    if (!turned.ok())
      return turned.status();
    if (*turned)
      pixels = upsideDown(std::move(pixels));
    auto line = recognize(pixels);
    if (!line.ok())
      return line.status();
    line->corners = corners;
    if (!line->text.empty())
      lines.push_back(*std::move(line));
  }
  return lines;
}
