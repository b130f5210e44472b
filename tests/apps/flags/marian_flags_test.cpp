#include "apps/weft/flags/marian_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "apps/weft/command.h"
#include "apps/weft/flags/other_flags.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::app {
namespace {

using testing::EndsWith;

struct Program {
  std::string_view command;
  std::string_view MarianFlag::*hint;
  int (*run)(const Args& args);
};

constexpr Program kPrograms[] = {{"train", &MarianFlag::train,
                                  [](const Args& args) {
                                    return run_train({"train", ""}, args);
                                  }},
                                 {"translate", &MarianFlag::translate,
                                  [](const Args& args) {
                                    return run_translate({"translate", ""}, args);
                                  }},
                                 {"bench decode", &MarianFlag::translate,
                                  [](const Args& args) {
                                    Args all = {"decode"};
                                    all.insert(all.end(), args.begin(), args.end());
                                    return run_bench({"bench", ""}, all);
                                  }},
                                 {"score", &MarianFlag::score, [](const Args& args) {
                                    return run_score({"score", ""}, args);
                                  }}};

template <class Kind>
std::string error_of(const Program& program, const Args& args) {
  try {
    program.run(args);
  } catch (const Kind& error) {
    return error.what();
  }
  return "no error";
}

std::string help_of(const Program& program) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(program.run({"--help"}), 0);
  flush_output();
  return testing::internal::GetCapturedStdout();
}

// Calls check(program, name, hint) for every flag of every program.
template <class Check>
void for_each_hint(const Check& check) {
  for (const Program& program : kPrograms) {
    for (const MarianFlag& flag : marian_flags()) {
      const std::string_view hint = flag.*program.hint;
      if (!hint.empty()) check(program, std::string(flag.name), std::string(hint));
    }
  }
}

TEST(MarianFlags, AreNotOptionsAndHaveHints) {
  for_each_hint([](const Program& program, const std::string& name, const std::string& hint) {
    EXPECT_EQ(error_of<OptionError>(program, {"--" + name, "1"}),
              "--" + name + ": unknown option; hint: " + hint)
        << program.command;
  });
}

TEST(MarianFlags, HaveTheirHintsInConfigurationsToo) {
  const test::Scratch folder;
  for_each_hint([&](const Program& program, const std::string& name, const std::string& hint) {
    const std::string config = folder.file("config.yml", name + ": 1\n");
    EXPECT_THAT(error_of<OptionError>(program, {"-c", config}),
                EndsWith(":1: " + name + ": unknown option; hint: " + hint))
        << program.command;
  });
}

TEST(MarianFlags, HaveHintsThatNameExistingOptions) {
  std::map<std::string_view, std::string> help;
  for (const Program& program : kPrograms) help[program.command] = help_of(program);
  const std::regex option("--[a-z][a-z0-9-]*");
  for_each_hint([&](const Program& program, const std::string& name, const std::string& hint) {
    for (std::sregex_iterator it(hint.begin(), hint.end(), option), end; it != end; ++it) {
      const std::regex line("\n +(-., )?" + it->str() + "[ \n]");
      EXPECT_TRUE(std::regex_search(help[program.command], line))
          << program.command << " has no " << it->str() << ", the hint for --" << name;
    }
  });
}

TEST(MarianFlags, InTheDocumentationAreKnown) {
  std::set<std::string> known = {"--from-hf", "--to-hf"};  // of weft convert
  const std::regex option("--[a-z][a-z0-9-]*");
  const auto add_all = [&](const std::string& text) {
    known.insert(std::sregex_token_iterator(text.begin(), text.end(), option), {});
  };
  for (const Program& program : kPrograms) add_all(help_of(program));
  for (const MarianFlag& flag : marian_flags()) known.insert("--" + std::string(flag.name));
  for (const OtherFlags& flags : training_flags()) {
    std::istringstream names{std::string(flags.names)};
    for (std::string name; names >> name;) known.insert("--" + name);
  }
  std::ifstream page(test::source_path("docs/marian.md"));
  int64_t count = 0;
  for (std::string line; std::getline(page, line);) {
    for (std::sregex_iterator it(line.begin(), line.end(), option), end; it != end; ++it, ++count) {
      EXPECT_TRUE(known.contains(it->str())) << it->str();
    }
  }
  EXPECT_GT(count, 80);
}

TEST(MarianFlags, AreUnique) {
  std::set<std::string_view> names;
  for (const MarianFlag& flag : marian_flags()) {
    EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    EXPECT_FALSE(flag.train.empty() && flag.translate.empty() && flag.score.empty()) << flag.name;
  }
}

TEST(MarianFlags, HaveHintsOnlyForCommandsOfMarian) {
  EXPECT_EQ(marian_hint("evaluate", "devices"), "");
  EXPECT_EQ(marian_hint("train", "no-such-flag"), "");
}

}  // namespace
}  // namespace weft::app
