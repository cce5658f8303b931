//===- WorkersTest.cpp - processes that answer lines ----------------------===//
#include "Workers.h"

#include <gtest/gtest.h>

namespace graphc::bench {
namespace {

Worker shell(const char *script) { return Worker("Shell", {"sh", "-c", script}, {"WORKER=here"}); }

TEST(Worker, AnswersLines) {
  Worker worker = shell("echo ready $WORKER; while read line; do echo \"got $line\"; done");
  EXPECT_EQ(worker.missing(), "");
  EXPECT_EQ(worker.version(), "here");
  EXPECT_EQ(*worker.ask("one two"), "got one two");
  EXPECT_EQ(*worker.ask("three"), "got three");
}

TEST(Worker, SaysWhyItIsMissing) {
  EXPECT_EQ(shell("echo missing half of it").missing(), "half of it");
  EXPECT_EQ(shell("exit 1").missing(), "its script does not run");
  EXPECT_EQ(Worker("None", {"no-such-program-anywhere"}, {}).missing(),
            "no-such-program-anywhere is not installed");
}

TEST(Worker, OneThatHasEndedIsAnError) {
  Worker worker = shell("echo ready; read line");
  EXPECT_EQ(worker.ask("end").status().message(), "Shell has ended");
}

} // namespace
} // namespace graphc::bench
