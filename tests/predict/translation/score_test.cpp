#include "weft/predict/translation/score.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/decode/decoded.h"
#include "tests/decode/small_session.h"

namespace weft::predict {
namespace {

using decode::kEnd;
using decode::random_lines;
using decode::small_options;
using decode::small_session;
TEST(Score, IsTheProbabilityThatTheSearchGave) {
  const model_file::TranslatorSession session = small_session(small_options());
  const std::vector<std::string> lines = random_lines(20);
  data::Tokens sources;
  for (const std::string& line : lines) sources.add(session.source().encode(line), kEnd);
  const std::vector<decode::NBest> found = decode::decode(session.model, sources, {.beam_size = 3});

  const test::Scratch scratch;
  std::string targets;
  for (const decode::NBest& best : found) targets += session.target().decode(best[0].tokens) + "\n";
  const data::CorpusFiles files{
      {scratch.file("source", fmt::format("{}\n", fmt::join(lines, "\n"))),
       scratch.file("target", targets)},
      false};
  const data::Corpus corpus({files}, session.tokenisers, {.keep_all = true});
  for (const int64_t words : {1, 40, 4096}) {
    const std::vector<SentenceScore> scores = score(session.model, corpus, words);
    ASSERT_EQ(scores.size(), lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(scores[i].tokens, std::ssize(found[i][0].tokens) + 1);
      if (!found[i][0].ended) continue;
      EXPECT_NEAR(scores[i].log_probability, found[i][0].log_probability, 1e-5) << i;
    }
  }
}

TEST(Score, HasNoNumberOfAModelOfNoNumbers) {
  model_file::TranslatorSession session = small_session(small_options());
  for (float& x : session.parameters.span<float>()) x = std::numeric_limits<float>::quiet_NaN();
  const test::Scratch scratch;
  const data::CorpusFiles files{{scratch.file("a", "w1\n"), scratch.file("b", "w1\n")}, false};
  const data::Corpus corpus({files}, session.tokenisers, {.keep_all = true});
  EXPECT_TRUE(std::isnan(score(session.model, corpus, 100)[0].log_probability));
}

}  // namespace
}  // namespace weft::predict
