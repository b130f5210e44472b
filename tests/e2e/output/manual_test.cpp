#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"
#include "tests/support/scratch.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

TEST(Manual, HasAPageForEachCommand) {
  const Scratch folder;
  const ProcessResult done = run_weft({"manual", "-o", folder.path("pages")});
  ASSERT_EQ(done.status, 0) << done.errors;
  const std::string overview = read_bytes(folder.path("pages/weft.1"));
  EXPECT_THAT(overview, HasSubstr(".BR weft\\-train\\-tagging (1)"));
  EXPECT_THAT(overview, HasSubstr(".BR weft\\-bench\\-decode (1)"));
  const std::string page = read_bytes(folder.path("pages/weft-translate.1"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-b, \\-\\-beam\\-size\\fR \\fIN\\fR"));
  EXPECT_THAT(page, testing::Not(HasSubstr("\n\n")));
}

// What a shell offers at the end of a line of words.
std::string offered(const std::string& script, const std::string& words) {
  const std::string ask = "source " + script + "; COMP_WORDS=(" + words +
                          "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weft; "
                          "printf '%s\\n' \"${COMPREPLY[@]}\"";
  return run_process({"/bin/bash", "-c", ask}, {}).output;
}

TEST(Completion, OffersCommandsOptionsAndValuesInBash) {
  const Scratch folder;
  const ProcessResult script = run_weft({"completion", "bash"});
  ASSERT_EQ(script.status, 0) << script.errors;
  const std::string path = folder.file("weft.bash", script.output);
  EXPECT_EQ(offered(path, "weft translat"), "translate\n");
  EXPECT_EQ(offered(path, "weft train tagg"), "tagging\n");
  EXPECT_EQ(offered(path, "weft bench gen"), "generate\n");
  EXPECT_EQ(offered(path, "weft embed --precision i"), "int8\nint4\n");
  EXPECT_THAT(offered(path, "weft embed --pr"), HasSubstr("--prompt-name\n"));
}

TEST(Completion, NamesTheShells) {
  EXPECT_THAT(run_weft({"completion", "tcsh"}).errors,
              HasSubstr("expected one of bash, zsh, fish"));
  EXPECT_THAT(run_weft({"completion", "zsh"}).output, HasSubstr("#compdef weft"));
  EXPECT_THAT(run_weft({"completion", "fish"}).output, HasSubstr("-l beam-size -s b"));
}

}  // namespace
}  // namespace weft::test
