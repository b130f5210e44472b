#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "tests/e2e/program.h"
#include "tests/support/scratch.h"
#include "weft/train.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

// "weft-translate" and so on; of commands with tasks "weft-train-tagging".
std::vector<std::string> command_pages() {
  std::vector<std::string> out;
  std::istringstream overview(run_weft({"--help"}).output);
  for (std::string line; std::getline(overview, line);) {
    if (!line.starts_with("  ")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    std::vector<std::string> tasks;
    if (name == "train") tasks = training_tasks();
    if (name == "bench") tasks = {"decode", "generate"};
    for (const std::string& task : tasks) out.push_back("weft-" + name + "-" + task);
    if (tasks.empty()) out.push_back("weft-" + name);
  }
  return out;
}

TEST(Manual, HasAPageForEachCommand) {
  const Scratch folder;
  const ProcessResult done = run_weft({"manual", "-o", folder.path("pages")});
  ASSERT_EQ(done.status, 0) << done.errors;
  const std::string overview = read_bytes(folder.path("pages/weft.1"));
  const std::vector<std::string> names = command_pages();
  ASSERT_GT(std::ssize(names), 30);
  for (const std::string& name : names) {
    const std::string escaped = std::regex_replace(name, std::regex("-"), "\\-");
    EXPECT_THAT(overview, HasSubstr("\n.BR " + escaped + " (1)\n"));
    const std::string page = read_bytes(folder.path("pages/" + name + ".1"));
    EXPECT_THAT(page, HasSubstr("\n.SH NAME\n" + escaped + " \\- ")) << name;
    EXPECT_THAT(page, HasSubstr("\n.SH OPTIONS\n")) << name;
  }
  const std::filesystem::directory_iterator pages(folder.path("pages"));
  EXPECT_EQ(std::distance(begin(pages), end(pages)), std::ssize(names) + 1);  // and the overview
}

TEST(Manual, DescribesOptions) {
  const Scratch folder;
  ASSERT_EQ(run_weft({"manual", "-o", folder.path("pages")}).status, 0);
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
  const std::string zsh = run_weft({"completion", "zsh"}).output;
  EXPECT_THAT(zsh, HasSubstr("#compdef weft"));
  EXPECT_THAT(zsh, testing::ContainsRegex("--model\\[[^\n]*\\]:value:_files'"));
  EXPECT_THAT(zsh, testing::ContainsRegex("--beam-size\\[[^\n]*\\]:value:'"));
  EXPECT_THAT(run_weft({"completion", "fish"}).output, HasSubstr("-l beam-size -s b"));
}

}  // namespace
}  // namespace weft::test
