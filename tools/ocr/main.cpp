//===- main.cpp - the text of pictures --------------------------------------===//
//
//   graphc-ocr DETECTION.onnx DIRECTION.onnx RECOGNITION.onnx CHARACTERS PICTURE...
//
// Finds and reads the lines of text in pictures with PP-OCR's three networks (tools/fetch-model
// text-detection text-direction text-recognition text-characters), and prints the corners of each,
// the mean probability of its characters, and the text. An example of a program that embeds graphc.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdio>

#include "Reader.h"

using namespace graphc;

static absl::Status readPictures(const ReaderFiles &files, absl::Span<char *const> paths) {
  auto reader = Reader::create(files);
  if (!reader.ok())
    return reader.status();
  for (const char *path : paths) {
    auto picture = readPicture(path);
    if (!picture.ok())
      return picture.status();
    auto lines = reader->read(*picture);
    if (!lines.ok())
      return lines.status();
    if (paths.size() > 1)
      std::printf("%s:\n", path);
    for (const Line &line : *lines) {
      for (Point p : line.corners)
        std::printf("(%ld,%ld) ", std::lround(p.x), std::lround(p.y));
      std::printf(" %.3f  %s\n", line.confidence, line.text.c_str());
    }
  }
  if (std::fflush(stdout) != 0)
    return makeError(ErrorKind::Io, "standard output cannot be written");
  return absl::OkStatus();
}

int main(int argc, char **argv) {
  if (argc < 6) {
    std::fprintf(stderr,
                 "usage: %s DETECTION.onnx DIRECTION.onnx RECOGNITION.onnx CHARACTERS PICTURE...\n",
                 argv[0]);
    return 2;
  }
  absl::Status status = readPictures({argv[1], argv[2], argv[3], argv[4]},
                                     absl::MakeConstSpan(argv + 5, size_t(argc - 5)));
  if (status.ok())
    return 0;
  std::optional<Place> place = errorPlace(status);
  std::fprintf(stderr, "%s%serror: %s\n", place ? place->str().c_str() : "", place ? ": " : "",
               std::string(status.message()).c_str());
  return 1;
}
