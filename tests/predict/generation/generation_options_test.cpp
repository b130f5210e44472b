#include "weft/predict/generation/generation_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::predict {
namespace {

TEST(GenerationOptions, AreRefusedWhereTheyContradictEachOther) {
  const std::pair<GenerationOptions, const char*> cases[] = {
      {{.temperature = 0.001}, "--temperature: 0.001 is too small; expected 0, or at least 0.01"},
      {{.temperature = 0, .samples = 2}, "--samples: is not read with --temperature 0"},
      {{.beam_size = 2}, "--beam-size: is not read without --temperature 0"},
      {{.keep = 3}, "--keep: is not read without --context-shift"},
      {{.context_shift = true, .temperature = 0, .beam_size = 2},
       "--context-shift: contradicts --beam-size"},
      {{.constraints = "f"}, "--constraints: is not read without --temperature 0"},
      {{.dry = {.base = 2}}, "--dry-base: is not read without --dry-multiplier"},
      {{.penalties = {.last_n = 2}}, "--repeat-last-n: is not read without"},
      {{.stop = {"a", ""}}, "--stop: a string is empty"},
  };
  for (const auto& [options, message] : cases) {
    EXPECT_THAT(test::message_of<OptionError>([&] { options.validate(); }),
                testing::HasSubstr(message));
  }
}

}  // namespace
}  // namespace weft::predict
