#include "weft/predict/generation/generation_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/small_language_model.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/predict/generation/generator.h"

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

std::vector<std::string> links_of(const GenerationOptions& options) {
  std::vector<std::string> out;
  const decode::SamplingChain chain = options.sampling().value().chain;
  for (const decode::SamplingLink& link : chain) {
    out.push_back(std::visit([](const auto& l) { return std::string(l.kName); }, link));
  }
  return out;
}

TEST(GenerationOptions, DrawByTheChainAndTheDefaultsOfLlamaCpp) {
  using testing::ElementsAre;
  GenerationOptions options;
  EXPECT_THAT(links_of(options), ElementsAre("top_k", "top_p", "min_p", "temperature"));
  const decode::SamplingChain chain = options.sampling().value().chain;
  EXPECT_EQ(std::get<decode::TopK>(chain[0]).k, 40);
  EXPECT_EQ(std::get<decode::TopP>(chain[1]).p, 0.95);
  EXPECT_EQ(std::get<decode::MinP>(chain[2]).p, 0.05);
  EXPECT_EQ(std::get<decode::Temperature>(chain[3]).value, 0.8);
  EXPECT_FALSE(options.penalties.is_on());
  EXPECT_FALSE(options.dry.is_on());
  test::set(options, "--top-n-sigma 2 --typical-p 0.9 --xtc-probability 0.1");
  EXPECT_THAT(links_of(options), ElementsAre("top_n_sigma", "top_k", "typical_p", "top_p", "min_p",
                                             "xtc", "temperature"));
  test::set(options, "--top-k 0 --top-p 1 --min-p 0 --temperature 1.5");
  EXPECT_THAT(links_of(options), ElementsAre("top_n_sigma", "typical_p", "xtc", "temperature"));
  options.temperature = 0;
  EXPECT_FALSE(options.sampling());
}

TEST(GenerationOptions, ChangeLogitsInTheOrderOfLlamaCpp) {
  const auto session = model_file::small_language_model();
  const test::Scratch scratch;
  const GenerationOptions options{.logit_bias = {"w1:2"},
                                  .penalties = {.repetition = 1.5},
                                  .dry = {.multiplier = 1},
                                  .no_repeat_ngram_size = 3,
                                  .banned_words = scratch.file("banned", "w2\n")};
  const auto processors = Generator(session, options).request_of({3}, false).processors;
  ASSERT_EQ(processors.size(), 5u);
  EXPECT_TRUE(std::holds_alternative<decode::LogitBias>(processors[0]));
  EXPECT_TRUE(std::holds_alternative<decode::TokenPenalties>(processors[1]));
  EXPECT_TRUE(std::holds_alternative<decode::Dry>(processors[2]));
  EXPECT_TRUE(std::holds_alternative<decode::NoRepeatNgram>(processors[3]));
  EXPECT_TRUE(std::holds_alternative<decode::BannedPhrases>(processors[4]));
  EXPECT_THAT(Generator(session, {}).request_of({3}, false).processors, testing::IsEmpty());
}

}  // namespace
}  // namespace weft::predict
