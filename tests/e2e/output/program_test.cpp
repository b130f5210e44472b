// Help, version and output of the program.
#include "tests/e2e/program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/paths.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Program, ListsItsCommandsOnRequest) {
  for (const char* flag : {"--help", "-h", "help"}) {
    const ProcessResult result = run_weft({flag});
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("\n  train "));
    EXPECT_EQ(result.errors, "");
  }
}

TEST(Program, PrintsItsVersion) {
  const ProcessResult result = run_weft({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, MatchesRegex("weft [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Program, PrintsHelpWithoutReadingFiles) {
  const ProcessResult result = run_weft({"train", "--help", "-c", "no-such-file.yml"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("--enc-depth N"));
  EXPECT_EQ(result.errors, "");
}

TEST(Program, FailsWhenItsOutputCannotBeWritten) {
  const ProcessResult result = run_weft({"--help"}, {.output_path = "/dev/full"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("weft: standard output: cannot write"));
}

TEST(Program, ReportsAClosedPipe) {
  const Scratch folder;
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const int reader = open(folder.path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  Process writer({"/bin/sh", "-c", "until [ -e closed ]; do sleep 0.01; done; exec \"$0\" --help",
                  program_path()},
                 {.folder = folder.folder(), .output_path = folder.path("pipe")});
  close(reader);
  folder.file("closed", "");
  const ProcessResult result = writer.wait();
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("weft: standard output: cannot write: Broken pipe"));
}

TEST(Process, ReportsExitStatusOutputAndSignal) {
  const ProcessResult ended = run_process({"/bin/sh", "-c", "cat; echo $WORD >&2; exit 3"},
                                          {.input = "in", .environment = {"WORD=w"}});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.output, "in");
  EXPECT_EQ(ended.errors, "w\n");
  Process sleeping({"/bin/sh", "-c", "echo ready >&2; exec sleep 60"});
  EXPECT_TRUE(sleeping.wait_for_error_text("ready"));
  EXPECT_TRUE(sleeping.is_running());
  sleeping.send(SIGKILL);
  const ProcessResult killed = sleeping.wait();
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.status, -1);
  EXPECT_FALSE(killed.timed_out);
}

TEST(Process, IsKilledAtItsTimeLimit) {
  EXPECT_TRUE(run_process({"/bin/sleep", "60"}, {.time_limit = 0.05}).timed_out);
}

}  // namespace
}  // namespace weft::test
