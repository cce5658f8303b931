#include "FatalError.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <thread>

#include "gtest/gtest.h"

namespace graphc {
namespace {

/// The whole of stderr is one line.
TEST(FatalErrorDeathTest, tellsWhatToReport) {
  auto endBy = [](auto exception) {
    reportUncaughtExceptions();
    std::thread([&] { throw exception; }).join();
  };
  EXPECT_EXIT(endBy(std::bad_alloc()), testing::ExitedWithCode(70),
              "^graphc: error: out of memory\n$");
  EXPECT_EXIT(endBy(std::runtime_error("went wrong")), testing::ExitedWithCode(70),
              "^graphc: internal error: went wrong; please report it with the command line and its "
              "files\n$");
  EXPECT_EXIT(endBy(1), testing::ExitedWithCode(70),
              "^graphc: internal error: an exception of unknown type; please report it with the "
              "command line and its files\n$");
  auto terminate = [] {
    reportUncaughtExceptions();
    std::terminate();
  };
  EXPECT_EXIT(terminate(), testing::ExitedWithCode(70),
              "^graphc: internal error: terminated; please report it with the command line and its "
              "files\n$");
}

} // namespace
} // namespace graphc
