#include "weft/predict/scoring/document_scorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/predict/predicted.h"
#include "tests/predict/scoring/scoring_model.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::predict {
namespace {

using model_file::LanguageModelSession;
using model_file::small_language_model;

DocumentScore document_score(const LanguageModelSession& session,
                             const DocumentScoringOptions& options, const std::string& text) {
  return test::predicted(DocumentScorer(session, options), test::lines_of({text})).front();
}

std::vector<int32_t> ids_of_document(const LanguageModelSession& session, const std::string& text) {
  std::vector<int32_t> ids = session.tokeniser->encode(text);
  if (session.adds_begin) {
    ids.insert(ids.begin(), static_cast<int32_t>(session.model.dims.begin_id));
  }
  return ids;
}

TEST(DocumentScorer, ScoresTheSecondHalfOfEachChunk) {
  for (const bool adds_begin : {false, true}) {
    LanguageModelSession session = small_language_model();
    session.adds_begin = adds_begin;
    const std::string text = words(30);
    const std::vector<int32_t> ids = ids_of_document(session, text);
    double expected = 0;
    for (int64_t begin = 0; begin < 24; begin += 8) {
      std::vector<int32_t> chunk(ids.begin() + begin, ids.begin() + begin + 8);
      if (adds_begin) chunk.front() = static_cast<int32_t>(session.model.dims.begin_id);
      expected += sum_of_log_probabilities(session, chunk, 5);
    }
    const DocumentScore got = document_score(session, {.context = 8}, text);
    EXPECT_EQ(got.score.tokens, 9);
    EXPECT_NEAR(got.score.log_probability, expected, 1e-4);
    EXPECT_NEAR(got.score.perplexity(), std::exp(-expected / 9), 1e-3);
    int64_t bytes = 0;
    for (const int64_t first : {5, 13, 21}) {
      const std::vector<int32_t> scored(ids.begin() + first, ids.begin() + first + 3);
      bytes += std::ssize(session.tokeniser->decode(scored)) + 1;  // and the space before
    }
    EXPECT_EQ(got.score.bytes, bytes);
    EXPECT_NEAR(got.score.bits_per_byte(), -expected / std::log(2.0) / static_cast<double>(bytes),
                1e-4);
  }
}

// Every token but the first, each after the tokens of the first window that it is in.
double strided_log_probability(const LanguageModelSession& session, const std::vector<int32_t>& ids,
                               const DocumentScoringOptions& options) {
  double sum = 0;
  for (int64_t i = 1; i < std::ssize(ids); ++i) {
    int64_t begin = 0;
    while (begin + options.context <= i) begin += options.stride;
    if (begin == i) continue;
    const std::vector<int32_t> window(ids.begin() + begin, ids.begin() + i + 1);
    sum += log_probability_of(session, window, i - begin);
  }
  return sum;
}

TEST(DocumentScorer, ScoresEveryTokenOnceByStride) {
  for (const bool adds_begin : {false, true}) {
    LanguageModelSession session = small_language_model();
    session.adds_begin = adds_begin;
    for (const int64_t count : {3, 10, 11, 30}) {
      for (const int64_t stride : {1, 3, 9, 10}) {
        const DocumentScoringOptions options{.context = 10, .stride = stride};
        const std::string text = words(count);
        const std::vector<int32_t> ids = ids_of_document(session, text);
        const DocumentScore got = document_score(session, options, text);
        EXPECT_NEAR(got.score.log_probability, strided_log_probability(session, ids, options), 1e-4)
            << count << " " << stride;
        if (stride == 10) continue;
        EXPECT_EQ(got.score.tokens, std::ssize(ids) - 1);
        EXPECT_EQ(got.score.bytes,
                  std::ssize(text) - (adds_begin ? 0 : static_cast<int64_t>(text.find(' '))));
      }
    }
  }
}

TEST(DocumentScorer, GivesTheSameScoreInAnyPass) {
  const LanguageModelSession session = small_language_model();
  const DocumentScoringOptions options{.context = 9, .stride = 4};
  DocumentScoringOptions single = options;
  single.rows = 1;
  EXPECT_EQ(document_score(session, single, words(200)).score.log_probability,
            document_score(session, options, words(200)).score.log_probability);
}

TEST(DocumentScorer, HasAFaultForADocumentThatIsTooShortOrNoText) {
  const LanguageModelSession session = small_language_model();
  const auto reason = [&](const DocumentScoringOptions& options, const std::string& text) {
    return document_score(session, options, text).fault.value().reason;
  };
  EXPECT_EQ(reason({.context = 8}, words(7)),
            "7 tokens; expected at least --context, 8, or --stride");
  EXPECT_EQ(reason({.context = 8, .stride = 2}, "w1"), "1 token; expected at least 2");
  EXPECT_EQ(reason({.context = 8, .stride = 2}, ""), "0 tokens; expected at least 2");
  EXPECT_EQ(reason({.context = 8}, "w1 \xFF"), "not UTF-8");
}

TEST(DocumentScorer, RefusesAContextOverThatOfTheModel) {
  const LanguageModelSession session = small_language_model();
  const auto message = [&](const DocumentScoringOptions& options) {
    return test::message_of<OptionError>([&] { DocumentScorer(session, options); });
  };
  EXPECT_EQ(message({.context = 33}),
            "--context: 33 tokens; expected at most 32, the context of the model");
  EXPECT_EQ(message({.context = 8, .stride = 9}),
            "--stride: 9 tokens; expected at most --context, 8");
}

}  // namespace
}  // namespace weft::predict
