#include "graphc/Status.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "Support/Log.h"
#include "Support/SystemError.h"

namespace graphc {
namespace {

TEST(Status, ErrorText) {
  EXPECT_EQ(errorText(absl::OkStatus()), "OK");
  EXPECT_EQ(errorText(makeError(ErrorKind::ShapeError, "add: no")), "ShapeError: add: no");
  EXPECT_EQ(errorText(makeError(ErrorKind::ShapeError, "add: no", Place("f.cpp", 3, 7))),
            "f.cpp:3:7: ShapeError: add: no");
}

TEST(Status, KeepsKindAndPlace) {
  absl::Status status =
      makeError(ErrorKind::ShapeError, "extents differ", Place("model:one.cpp", 12, 7));
  EXPECT_EQ(status.message(), "extents differ");
  EXPECT_EQ(errorKind(status), ErrorKind::ShapeError);
  ASSERT_TRUE(errorPlace(status));
  EXPECT_EQ(errorPlace(status)->str(), "model:one.cpp:12:7");
  EXPECT_EQ(errorPlace(status)->line, 12u);
  EXPECT_EQ(errorPlace(status)->column, 7u);
  EXPECT_STREQ(errorPlace(status)->file, "model:one.cpp");
}

TEST(Status, APlaceCanBeAWholeFile) {
  absl::Status status = makeError(ErrorKind::ValueError, "empty", Place("a.mlir", 0, 0));
  ASSERT_TRUE(errorPlace(status));
  EXPECT_EQ(*errorPlace(status), Place(internFileName("a.mlir"), 0, 0));
  EXPECT_EQ(errorPlace(status)->str(), "a.mlir");
}

TEST(Status, TellsAPersonKindAndPlace) {
  absl::Status status = makeError(ErrorKind::AxisError, "axis 3", Place("a.cpp", 1, 2));
  std::string text = status.ToString();
  EXPECT_NE(text.find("[graphc.kind='AxisError']"), std::string::npos) << text;
  EXPECT_NE(text.find("[graphc.place='a.cpp:1:2']"), std::string::npos) << text;
}

TEST(Status, EveryKindSurvivesAndHasItsOwnName) {
  std::vector<std::string_view> names;
  for (int i = 1; i <= int(ErrorKind::Cancelled); ++i) {
    absl::Status status = makeError(ErrorKind(i), "x");
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(errorKind(status), ErrorKind(i));
    for (std::string_view other : names)
      EXPECT_NE(other, errorKindName(ErrorKind(i)));
    names.push_back(errorKindName(ErrorKind(i)));
  }
  EXPECT_EQ(errorKindName(ErrorKind::TypeError), "TypeError");
  EXPECT_EQ(errorKindName(ErrorKind::ReplacementDidNotRemove), "ReplacementDidNotRemove");
  EXPECT_EQ(errorKindName(ErrorKind::Io), "Io");
}

TEST(Status, OkAndForeignErrors) {
  EXPECT_EQ(errorKind(absl::OkStatus()), ErrorKind::None);
  EXPECT_EQ(errorKind(absl::NotFoundError("x")), ErrorKind::Internal);
  EXPECT_FALSE(errorPlace(absl::NotFoundError("x")));
  EXPECT_FALSE(errorPlace(makeError(ErrorKind::Io, "x")));
  EXPECT_TRUE(prefixError(absl::OkStatus(), "reading").ok());
}

TEST(Status, PrefixKeepsKindPlaceAndCode) {
  absl::Status inner = makeError(ErrorKind::IndexError, "index 5", Place("b.cpp", 3, 4));
  absl::Status outer = prefixError(inner, "gather");
  EXPECT_EQ(outer.message(), "gather: index 5");
  EXPECT_EQ(errorKind(outer), ErrorKind::IndexError);
  EXPECT_EQ(errorPlace(outer), errorPlace(inner));
  EXPECT_EQ(outer.code(), inner.code());
}

/// As graphc/Status.h lists them; NOT_FOUND and PERMISSION_DENIED are said of files alone.
TEST(Status, Codes) {
  auto code = [](ErrorKind kind) { return absl::StatusCodeToString(makeError(kind, "").code()); };
  using enum ErrorKind;
  for (ErrorKind kind : {TypeError, ValueError, ShapeError, MissingInput, UnusedInput,
                         DisconnectedInput, NullGradient})
    EXPECT_EQ(code(kind), "INVALID_ARGUMENT");
  for (ErrorKind kind : {IndexError, AxisError, KeyError})
    EXPECT_EQ(code(kind), "OUT_OF_RANGE");
  for (ErrorKind kind : {Inconsistency, Cycle, ReplacementDidNotRemove})
    EXPECT_EQ(code(kind), "FAILED_PRECONDITION");
  for (ErrorKind kind : {MethodNotDefined, NotImplemented, NotSupported})
    EXPECT_EQ(code(kind), "UNIMPLEMENTED");
  for (ErrorKind kind : {LinAlgError, RuntimeError, NanGuard})
    EXPECT_EQ(code(kind), "ABORTED");
  for (ErrorKind kind : {DebugMismatch, Internal})
    EXPECT_EQ(code(kind), "INTERNAL");
  EXPECT_EQ(code(AlreadyThere), "ALREADY_EXISTS");
  EXPECT_EQ(code(OutOfMemory), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(code(Cancelled), "CANCELLED");
  EXPECT_EQ(code(Io), "DATA_LOSS");
  for (auto [number, name] :
       std::vector<std::pair<int, const char *>>{{ENOENT, "NOT_FOUND"},
                                                 {ENOTDIR, "NOT_FOUND"},
                                                 {EACCES, "PERMISSION_DENIED"},
                                                 {EPERM, "PERMISSION_DENIED"},
                                                 {EROFS, "PERMISSION_DENIED"},
                                                 {ENOSPC, "RESOURCE_EXHAUSTED"},
                                                 {EDQUOT, "RESOURCE_EXHAUSTED"},
                                                 {EIO, "UNAVAILABLE"}}) {
    absl::Status status = systemError("f.npy", number);
    EXPECT_EQ(errorKind(status), Io);
    EXPECT_EQ(absl::StatusCodeToString(status.code()), name);
    EXPECT_EQ(status.message(), std::string("f.npy: ") + strerror(number));
    EXPECT_EQ(withPlace(prefixError(status, "x"), Place("a", 0, 0)).code(), status.code());
  }
}

TEST(Place, UnknownPrintsNothing) {
  EXPECT_FALSE(Place().known());
  EXPECT_EQ(Place().str(), "");
  Place here = std::source_location::current();
  EXPECT_TRUE(here.known());
  EXPECT_NE(here.str().find("StatusTest.cpp:"), std::string::npos);
}

/// In files without lines the name says it all.
TEST(Place, MayHaveNoLine) {
  const char *node = internFileName("m.onnx: node 5 (Add \"a:1\")");
  absl::Status status = makeError(ErrorKind::Io, "x", Place(node, 0, 0));
  EXPECT_EQ(Place(node, 0, 0).str(), "m.onnx: node 5 (Add \"a:1\")");
  EXPECT_EQ(errorPlace(status), Place(node, 0, 0));
}

TEST(Place, EqualNamesArePointerEqual) {
  std::string name = "some/file.cpp";
  const char *first = internFileName(name);
  name[0] = 'x';
  EXPECT_STREQ(first, "some/file.cpp");
  EXPECT_EQ(first, internFileName("some/file.cpp"));
  EXPECT_NE(first, internFileName(name));
}

TEST(Status, WithPlaceKeepsTheFirstPlace) {
  absl::Status error = makeError(ErrorKind::ShapeError, "differ");
  absl::Status placed = withPlace(error, Place("a.cpp", 3, 4));
  ASSERT_TRUE(errorPlace(placed));
  EXPECT_EQ(errorKind(placed), ErrorKind::ShapeError);
  EXPECT_EQ(placed.message(), "differ");
  EXPECT_EQ(errorPlace(placed)->str(), "a.cpp:3:4");
  EXPECT_EQ(errorPlace(withPlace(placed, Place("b.cpp", 1, 1)))->str(), "a.cpp:3:4");
  EXPECT_FALSE(errorPlace(withPlace(error, Place())));
  EXPECT_TRUE(withPlace(absl::OkStatus(), Place("a.cpp", 3, 4)).ok());
}

TEST(Log, SinkGetsWarningsAndDefaultGoesToStderr) {
  std::vector<std::string> seen;
  setLogSink([&](std::string_view message) { seen.emplace_back(message); });
  logWarning("one");
  setLogSink({});
  testing::internal::CaptureStderr();
  logWarning("two");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "graphc: warning: two\n");
  EXPECT_EQ(seen, std::vector<std::string>{"one"});
}

} // namespace
} // namespace graphc
