#include "weft/tasks/translation/validator.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "weft/metrics/text/bleu.h"
#include "weft/predict/translation/translator.h"

namespace weft::tasks {
namespace {

TEST(Validator, ComputesTheMeanOverAllTargetTokens) {
  const model_file::TranslatorSession session = decode::small_session(decode::small_options());
  const std::string text = fmt::format("{}\n", fmt::join(decode::random_lines(1000), "\n"));
  const test::Scratch folder;
  TranslationOptions o;
  o.validation.valid_sets = {folder.file("source", text), folder.file("target", text)};
  o.validation.valid_metrics = {"perplexity", "cross-entropy"};
  const std::vector<train::Metric> got = Validator(o, session).measure(session);
  const data::CorpusFiles files{o.validation.valid_sets, false};
  const data::Corpus corpus({files}, session.tokenisers, {.keep_all = true});
  std::vector<int64_t> all(static_cast<size_t>(corpus.size()));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<double> p = session.model.token_log_probabilities(corpus.batch(all));
  ASSERT_GT(p.size(), 4096u);  // more than one batch of the validator
  const double mean = -std::accumulate(p.begin(), p.end(), 0.0) / static_cast<double>(p.size());
  EXPECT_EQ(got[0].name, "perplexity");
  EXPECT_NEAR(got[0].value, std::exp(mean), 1e-4 * std::exp(mean));
  EXPECT_NEAR(got[1].value, mean, 1e-5);
}

TEST(Validator, TranslatesLikeTheTranslatorByDefault) {
  const model_file::TranslatorSession session = decode::small_session(decode::small_options());
  const std::vector<std::string> lines = decode::random_lines(40);
  const auto bleu = [&](std::optional<double> normalize) {
    const predict::Translator translator(session, {.beam_size = 4, .normalize = normalize});
    return metrics::corpus_bleu(test::translated(translator, lines), std::span(&lines, 1)).score;
  };
  const std::string text = fmt::format("{}\n", fmt::join(lines, "\n"));
  const test::Scratch folder;
  TranslationOptions o;
  o.validation.valid_sets = {folder.file("source", text), folder.file("target", text)};
  o.validation.valid_metrics = {"bleu"};
  o.valid_translations.beam_size = 4;
  const double got = Validator(o, session).measure(session).front().value;
  EXPECT_EQ(got, bleu({}));
  EXPECT_NE(got, bleu(0));
}

}  // namespace
}  // namespace weft::tasks
