#include "weft/predict/scoring/line_scorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/predict/predicted.h"
#include "tests/predict/scoring/scoring_model.h"

namespace weft::predict {
namespace {

using model_file::LanguageModelSession;
using model_file::small_language_model;
using testing::HasSubstr;

std::vector<ScoredText> line_scores(const LanguageModelSession& session,
                                    const LineScoringOptions& options,
                                    const std::vector<std::string>& lines, Report& report) {
  return predict(LineScorer(session, options), test::lines_of(lines), report);
}

TEST(LineScorer, SumsTheLogProbabilitiesOfTokens) {
  for (const bool adds_begin : {false, true}) {
    LanguageModelSession session = small_language_model();
    session.adds_begin = adds_begin;
    Report report;
    const std::vector<std::string> lines = {words(3), words(12), words(31, 11)};
    const auto scores = line_scores(session, {}, lines, report);
    ASSERT_EQ(scores.size(), 3u);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::vector<int32_t> ids = session.tokeniser->encode(lines[i]);
      if (adds_begin) ids.insert(ids.begin(), static_cast<int32_t>(session.model.dims.begin_id));
      ASSERT_EQ(scores[i].scores.size(), 1u);
      const TextScore& score = scores[i].scores.front();
      EXPECT_NEAR(score.log_probability, sum_of_log_probabilities(session, ids, 1), 1e-4);
      EXPECT_EQ(score.tokens, std::ssize(ids) - 1);
      const auto first = static_cast<int64_t>(adds_begin ? 0 : lines[i].find(' '));
      EXPECT_EQ(score.bytes, std::ssize(lines[i]) - first);
    }
  }
}

TEST(LineScorer, GivesALineItsScoreInAnyPass) {
  const LanguageModelSession session = small_language_model();
  std::vector<std::string> lines;
  for (int64_t i = 2; i < 20; ++i) lines.push_back(words(i, i));
  Report report;
  const auto all = line_scores(session, {}, lines, report);
  for (const int64_t rows : {1, 30}) {
    const auto parts = line_scores(session, {.rows = rows}, lines, report);
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(parts[i].scores[0].log_probability, all[i].scores[0].log_probability) << i;
    }
  }
}

TEST(LineScorer, ScoresContinuationsAfterTheirPrompt) {
  for (const bool adds_begin : {false, true}) {
    LanguageModelSession session = small_language_model();
    session.adds_begin = adds_begin;
    Report report;
    const auto scores =
        line_scores(session, {.continuations = true}, {"w1 w2\t w3\t w4 w5 w6", "\tw7 w8"}, report);
    ASSERT_EQ(scores[0].scores.size(), 2u);
    const char* const texts[] = {"w1 w2 w3", "w1 w2 w4 w5 w6", "w7 w8"};
    const TextScore got[] = {scores[0].scores[0], scores[0].scores[1], scores[1].scores.at(0)};
    const int64_t tokens[] = {1, 3, adds_begin ? 2 : 1}, bytes[] = {3, 9, 5};
    for (size_t i = 0; i < 3; ++i) {
      std::vector<int32_t> ids = session.tokeniser->encode(texts[i]);
      if (adds_begin) ids.insert(ids.begin(), static_cast<int32_t>(session.model.dims.begin_id));
      EXPECT_EQ(got[i].tokens, tokens[i]);
      EXPECT_EQ(got[i].bytes, bytes[i]);
      EXPECT_NEAR(got[i].log_probability,
                  sum_of_log_probabilities(session, ids, std::ssize(ids) - tokens[i]), 1e-4);
    }
  }
}

TEST(LineScorer, HasFaultsForLinesWithoutAScore) {
  const LanguageModelSession session = small_language_model();  // of 32 tokens
  Report report;
  const auto lines = line_scores(session, {}, {words(33), "", "w1", "\xFF", words(32)}, report);
  EXPECT_THAT(report.text(), HasSubstr("5 lines: 1 empty, 1 not UTF-8 (left empty), 1 that "
                                       "cannot be read (left empty), 1 over the context of the "
                                       "model (left empty); the first fault is in line 1: 33 "
                                       "tokens; the context of the model is 32"));
  EXPECT_EQ(lines[2].fault->reason, "1 token, with none before it; expected 2 or more");
  EXPECT_TRUE(lines[0].scores.empty());
  EXPECT_EQ(lines[4].scores.size(), 1u);
  Report of_columns;
  const auto columns = line_scores(session, {.continuations = true},
                                   {"w1 w2", "", "w1\t w2\t", "w1\t" + words(33)}, of_columns);
  EXPECT_THAT(columns[0].fault->reason, HasSubstr("1 column; expected a prompt and its"));
  EXPECT_EQ(columns[1].fault->kind, FaultKind::kEmpty);
  EXPECT_EQ(columns[2].fault->reason, "continuation 2: no token to score");
  EXPECT_EQ(columns[3].fault->kind, FaultKind::kOverContext);
  EXPECT_EQ(of_columns.problems(), 3);
}

TEST(LineScorer, HasAFaultWhereScoresAreNotFinite) {
  LanguageModelSession session = small_language_model();
  session.model.decoder.output_bias.value.data<float>()[3] = NAN;
  Report report;
  const auto lines = line_scores(session, {}, {words(3), words(4)}, report);
  EXPECT_EQ(report.count(FaultKind::kNotFinite), 2);
  EXPECT_TRUE(lines[1].scores.empty());
}

}  // namespace
}  // namespace weft::predict
