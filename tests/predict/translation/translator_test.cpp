#include "weft/predict/translation/translator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>

#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "weft/core/error.h"
#include "weft/data/text/sentence_ends.h"
#include "weft/data/text/text_file.h"

namespace weft::predict {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

using decode::random_lines;
using decode::small_options;
using decode::small_session;
using Lines = std::vector<std::string>;

class TranslatorTest : public testing::Test {
 protected:
  explicit TranslatorTest(const std::string& more_words = "")
      : session(small_session(small_options(), more_words)) {}

  Lines translate(const Lines& lines, const decode::DecodeOptions& options = {}) {
    report = Report();
    return test::translated(Translator(session, options), lines, report);
  }
  int64_t count(Note note) const { return report.count(note); }

  model_file::TranslatorSession session;
  Report report;
};

TEST_F(TranslatorTest, GivesEachLineItsTranslationWhateverStandsBesideIt) {
  const Lines lines = random_lines(40);
  Lines alone;
  for (const std::string& line : lines) alone.push_back(translate({line})[0]);
  for (const int64_t batch : {1, 5, 32}) {
    EXPECT_EQ(translate(lines, {.mini_batch = batch}), alone);
  }
  EXPECT_THAT(alone, testing::Contains(Not("")));
}

TEST_F(TranslatorTest, DoesNotDependOnHowLinesComeIn) {
  const Lines lines = random_lines(12);
  const Translator pieces(session, {.beam_size = 2, .n_best = true});
  Report counts;
  Lines out;
  for (size_t i = 0; i < lines.size(); i += 5) {
    const Lines part(lines.begin() + i, lines.begin() + std::min(i + 5, lines.size()));
    for (std::string& line : test::translated(pieces, part, counts)) out.push_back(std::move(line));
  }
  EXPECT_EQ(out, translate(lines, {.beam_size = 2, .n_best = true}));
  EXPECT_EQ(counts.inputs, 12);
  EXPECT_EQ(test::translated(pieces, {lines[0]})[0], out[0]);
}

TEST_F(TranslatorTest, GivesAFaultForWhatItCannotTranslateAndCountsIt) {
  const Translator translator(session, {.beam_size = 2, .max_length_factor = 100, .max_length = 4});
  std::vector<Line> lines =
      test::lines_of({"w1 w2", "", "w1 \xFF w2", "  ", std::string(data::kMaxLineBytes + 1, 'a'),
                      "", "w1 w2 w3 w4 w5", "w1 what"});
  lines[5].fault = too_long_fault();
  const std::vector<TranslatedLine> out = predict(translator, lines, report);
  const std::optional<FaultKind> kinds[] = {{},
                                            FaultKind::kEmpty,
                                            FaultKind::kNotUtf8,
                                            FaultKind::kEmpty,
                                            FaultKind::kTooLong,
                                            FaultKind::kTooLong,
                                            {},
                                            {}};
  ASSERT_EQ(out.size(), lines.size());
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i].fault.has_value(), kinds[i].has_value()) << i;
    ASSERT_EQ(out[i].hypotheses.size(), 1u) << i;
    if (!kinds[i]) continue;
    EXPECT_EQ(out[i].fault->kind, *kinds[i]) << i;
    EXPECT_EQ(out[i].hypotheses[0].text, "") << i;
  }
  EXPECT_EQ(report.inputs, 8);
  EXPECT_EQ(report.count(FaultKind::kEmpty), 2);
  EXPECT_EQ(count(Note::kUnknown), 1);
  EXPECT_EQ(report.problems(), 4 + count(Note::kUnfinished));
  EXPECT_THAT(report.text(), HasSubstr("8 lines: 2 empty, 2 over the limit in bytes (left empty), "
                                       "1 not UTF-8 (left empty), 1 cropped"));
  EXPECT_THAT(report.text(), HasSubstr("; the first fault is in line 3: not UTF-8"));
  EXPECT_EQ(out[6].hypotheses[0].text,
            translate({"w1 w2 w3 w4"}, {.beam_size = 2, .max_length_factor = 100})[0]);
}

TEST_F(TranslatorTest, BeginsWithWhatStandsBehindTheTab) {
  const decode::DecodeOptions options{.beam_size = 3, .force_decode = true};
  const Lines out = translate({"w1 w2\tw7 w5", "w1 w2", "w3\t"}, options);
  EXPECT_THAT(out[0], testing::StartsWith("w7 w5"));
  EXPECT_EQ(out[1], translate({"w1 w2"}, {.beam_size = 3})[0]);
  EXPECT_EQ(out[2], translate({"w3"}, {.beam_size = 3})[0]);
}

TEST_F(TranslatorTest, HoldsNoBannedWordOrPhrase) {
  const Lines lines = random_lines(20);
  std::istringstream text(fmt::format("{}", fmt::join(translate(lines), " ")));
  std::string word;
  ASSERT_TRUE(text >> word);
  const Translator translator(session, {}, {word, "", "w1 w2"});
  for (const std::string& line : test::translated(translator, lines)) {
    EXPECT_THAT(" " + line + " ", Not(HasSubstr(" " + word + " ")));
  }
}

TEST_F(TranslatorTest, HasTheLengthAndTheVarietyThatIsAskedFor) {
  const auto words = [](const std::string& line) {
    std::istringstream in(line);
    return Lines(std::istream_iterator<std::string>(in), {});
  };
  const Lines lines = random_lines(20), longer = translate(lines, {.min_length = 12});
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_GE(words(longer[i]).size(), words(lines[i]).empty() ? 0u : 12u);
  }
  decode::DecodeOptions once;
  once.no_repeat_ngram_size = 1;
  for (const std::string& line : translate(lines, once)) {
    const Lines found = words(line);
    EXPECT_EQ(std::set(found.begin(), found.end()).size(), found.size()) << line;
  }
}

TEST_F(TranslatorTest, DrawsByTheLineAndTheSeedAlone) {
  const Lines lines = random_lines(12);
  const auto drawn = [&](const Lines& from, int64_t seed, int64_t batch) {
    return translate(from,
                     {.sampling = {.kind = decode::FromTopP{}, .seed = seed}, .mini_batch = batch});
  };
  const Lines together = drawn(lines, 1, 32);
  EXPECT_EQ(drawn(lines, 1, 5), together);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(drawn({lines[i]}, 1, 1)[0], together[i]);
  EXPECT_NE(drawn(lines, 2, 32), together);
}

TEST_F(TranslatorTest, CountsTranslationsCutOffAtTheirMaximumLength) {
  EXPECT_EQ(translate({"w1 w2 w3", "w4", ""}, {.beam_size = 1, .max_output_length = 1}).size(), 3u);
  EXPECT_EQ(report.problems(), count(Note::kUnfinished));
  EXPECT_THAT(
      report.text(),
      HasSubstr("whose translation was cut off at --max-length-factor or --max-output-length"));
}

TEST_F(TranslatorTest, PrintsTheWholeBeamInMosesForm) {
  const Lines out = translate({"w1 w2", ""}, {.beam_size = 2, .normalize = 1, .n_best = true});
  EXPECT_THAT(out[0], MatchesRegex("0 \\|\\|\\| .* \\|\\|\\| F0= -[0-9.]+ \\|\\|\\| -[0-9.]+\n"
                                   "0 \\|\\|\\| .* \\|\\|\\| F0= -[0-9.]+ \\|\\|\\| -[0-9.]+"));
  EXPECT_EQ(out[1], "1 |||  ||| F0= 0.000000 ||| 0.000000");
}

TEST_F(TranslatorTest, DividesScoresByLengthUnlessItIsToldOtherwise) {
  const Lines lines = random_lines(20);
  decode::DecodeOptions options{.beam_size = 4, .n_best = true};
  const auto with = [&](std::optional<double> normalize) {
    options.normalize = normalize;
    return translate(lines, options);
  };
  const Lines whole = with(0), halved = with(0.5), divided = with(1);
  EXPECT_NE(whole, divided);
  EXPECT_EQ(with({}), divided);
  session.normalize = 0.5;  // as the model's file may say
  EXPECT_EQ(with({}), halved);
  EXPECT_EQ(with(1), divided);
  options.length_penalty = 0.6;
  EXPECT_EQ(with({}), with(0));
}

// The numbers behind "WordScores=", up to the next bars or the end.
double sum_of_word_scores(const std::string& line) {
  const size_t begin = line.find("WordScores=");
  std::istringstream in(begin == line.npos ? "" : line.substr(begin + 11));
  double sum = 0;
  for (double score = 0; in >> score;) sum += score;
  return sum;
}

TEST_F(TranslatorTest, PrintsWordScoresThatSumUpToTheLogProbability) {
  decode::DecodeOptions options{.beam_size = 3, .n_best = true, .word_scores = true};
  const Lines found = translate({"w1 w2", ""}, options);
  std::istringstream hypotheses(found[0]);
  int count = 0;
  for (std::string line; std::getline(hypotheses, line); ++count) {
    EXPECT_THAT(line, MatchesRegex("0 [|]{3} .* [|]{3} WordScores=( -[0-9.]+)+ [|]{3} F0= -[0-9.]+ "
                                   "[|]{3} -[0-9.]+"));
    EXPECT_NEAR(sum_of_word_scores(line), std::stod(line.substr(line.find("F0= ") + 4)), 1e-4);
  }
  EXPECT_EQ(count, 3);
  EXPECT_EQ(found[1], "1 |||  ||| WordScores= ||| F0= 0.000000 ||| 0.000000");
  options.n_best = false;
  EXPECT_THAT(
      translate({"w1 w2"}, options)[0],
      testing::StartsWith(translate({"w1 w2"}, {.beam_size = 3})[0] + " ||| WordScores= -"));
}

TEST_F(TranslatorTest, WritesTheUnknownSymbolOnlyWhereItMay) {
  session.model.decoder.output_bias.value.data<float>()[1] = 50;
  EXPECT_THAT(translate({"w1 w2"})[0], Not(HasSubstr("<unk>")));
  EXPECT_THAT(translate({"w1 w2"}, {.allow_unk = true})[0], HasSubstr("<unk>"));
}

TEST_F(TranslatorTest, CropsToThePositionsThatTheModelHas) {
  models::Seq2SeqOptions options = small_options();
  test::set(options, "--position learned");
  options.encoder.position.max_positions = 5;
  session = small_session(options);
  const Lines out = translate({"w1 w2 w3 w4 w5 w6 w7", "w1 w2 w3 w4"});
  EXPECT_EQ(out[0], out[1]);
  EXPECT_EQ(count(Note::kCropped), 1);
}

class LongLineTest : public TranslatorTest {
 protected:
  LongLineTest() : TranslatorTest(".\n") {}

  // A line of such sentences by the tokens that each has, the mark among them.
  static std::string line_of(const std::vector<int>& lengths) {
    std::string line;
    for (const int length : lengths) {
      for (int i = 1; i < length; ++i) line += fmt::format("w{} ", (length * 3 + i) % 10);
      line += ". ";
    }
    return line;
  }
};

TEST_F(LongLineTest, IsTranslatedInPiecesOfAsManySentencesAsFit) {
  struct Case {
    std::string name;
    std::vector<int> line;                 // tokens of its sentences
    std::vector<std::vector<int>> pieces;  // likewise
    int64_t split, cropped;
  };
  const Case cases[] = {
      {"one that fits", {8}, {{8}}, 0, 0},
      {"several that fit", {3, 2, 3}, {{3, 2, 3}}, 0, 0},
      {"two pieces", {5, 4}, {{5}, {4}}, 1, 0},
      {"packed", {3, 3, 3, 3, 2, 6, 1}, {{3, 3}, {3, 3, 2}, {6, 1}}, 1, 0},
      {"one too long", {3, 12, 4, 4}, {{3}, {12}, {4, 4}}, 1, 1},
      {"nothing but too long", {12}, {{12}}, 0, 1},
  };
  for (const Case& c : cases) {
    Lines parts;
    for (const std::vector<int>& piece : c.pieces) parts.push_back(line_of(piece));
    const Lines alone = translate(parts, {.min_length = 4, .max_length = 8});
    EXPECT_EQ(translate({line_of(c.line), "w1"}, {.min_length = 4, .max_length = 8})[0],
              data::join_sentences(alone))
        << c.name;
    EXPECT_EQ(report.inputs, 2) << c.name;
    EXPECT_EQ(count(Note::kSplit), c.split) << c.name;
    EXPECT_EQ(count(Note::kCropped), c.cropped) << c.name;
    EXPECT_EQ(report.problems(), c.split + c.cropped + count(Note::kUnfinished)) << c.name;
  }
}

TEST_F(LongLineTest, DoesNotDependOnItsBatch) {
  const Lines lines = {line_of({5, 5, 5}), "", line_of({2, 7, 3, 30}), "w1 w2", line_of({8, 1})};
  Lines alone;
  for (const std::string& line : lines)
    alone.push_back(translate({line}, {.min_length = 4, .max_length = 8})[0]);
  for (const int64_t batch : {1, 2, 32}) {
    EXPECT_EQ(translate(lines, {.min_length = 4, .max_length = 8, .mini_batch = batch}), alone);
  }
  EXPECT_EQ(count(Note::kSplit), 3);
  EXPECT_EQ(count(Note::kCropped), 1);
  EXPECT_THAT(report.text(), HasSubstr("5 lines: 1 empty, 3 split at sentence ends, 1 cropped"));
}

TEST_F(LongLineTest, IsSplitForThePositionsThatTheModelHas) {
  models::Seq2SeqOptions options = small_options();
  test::set(options, "--position learned");
  options.encoder.position.max_positions = 6;
  session = small_session(options, ".\n");
  translate({"w1 w2 . w3 w1 ."});
  EXPECT_EQ(count(Note::kSplit), 1);
  EXPECT_EQ(count(Note::kCropped), 0);
}

TEST_F(LongLineTest, HasOneHypothesisWithTheSumsOfItsPieces) {
  const decode::DecodeOptions options{
      .beam_size = 3, .normalize = 1, .n_best = true, .min_length = 4, .max_length = 5};
  const Lines out = translate({line_of({5, 4}), line_of({5})}, options);
  EXPECT_EQ(std::ranges::count(out[0], '\n'), 0);
  EXPECT_EQ(std::ranges::count(out[1], '\n'), 2);
  const auto number = [](const std::string& line, std::string_view before) {
    return std::stod(line.substr(line.find(before) + before.size()));
  };
  double log_probability = 0;
  for (const std::string& line : translate({line_of({5}), line_of({4})}, options)) {
    log_probability += number(line, "F0= ");
  }
  EXPECT_NEAR(number(out[0], "F0= "), log_probability, 2e-6);
}

TEST_F(LongLineTest, HasTheWordScoresOfAllItsPieces) {
  const decode::DecodeOptions options{
      .beam_size = 2, .word_scores = true, .min_length = 4, .max_length = 5};
  const Lines parts = translate({line_of({5}), line_of({4})}, options);
  EXPECT_NEAR(sum_of_word_scores(translate({line_of({5, 4})}, options)[0]),
              sum_of_word_scores(parts[0]) + sum_of_word_scores(parts[1]), 1e-5);
}

TEST_F(LongLineTest, BeginsItsFirstPieceWithThePrefix) {
  const decode::DecodeOptions options{
      .beam_size = 2, .min_length = 4, .force_decode = true, .max_length = 5};
  const Lines out = translate(
      {line_of({5, 4}) + "\tw7 w5 w7", line_of({5}) + "\tw7 w5 w7", line_of({4})}, options);
  EXPECT_THAT(out[1], testing::StartsWith("w7 w5 w7"));
  EXPECT_EQ(out[0], data::join_sentences(Lines{out[1], out[2]}));
}

TEST_F(TranslatorTest, CountsTheTokensThatGoInAndOut) {
  const auto words = [](const std::string& text) {
    std::istringstream in(text);
    return std::distance(std::istream_iterator<std::string>(in), {});
  };
  const Lines lines = {"w1 w2 w3", "", "w4 \xFF", "w5"};
  const Lines out = translate(lines, {.max_length_factor = 100});
  EXPECT_EQ(report.input_tokens, 4 + 2);
  EXPECT_EQ(report.output_tokens, words(out[0]) + words(out[3]) + 2 - count(Note::kUnfinished));
  const Lines all = translate(lines, {.n_best = true, .max_output_length = 1});
  EXPECT_LE(report.output_tokens, 2 * 5);
  EXPECT_GT(report.output_tokens, 2);
}

TEST_F(TranslatorTest, RefusesOptionsThatContradictEachOther) {
  EXPECT_THROW(Translator(session, {.normalize = 1, .length_penalty = 1}), OptionError);
}

}  // namespace
}  // namespace weft::predict
