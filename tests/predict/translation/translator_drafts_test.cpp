// Translations with drafts are those without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "weft/core/error.h"

namespace weft::predict {
namespace {

using decode::random_lines;
using decode::small_options;
using decode::small_session;
using testing::HasSubstr;

class TranslatorDraftsTest : public testing::Test {
 protected:
  using Sessions = std::vector<model_file::TranslatorSession>;

  static decode::DecodeOptions greedy() {
    return {.beam_size = 1, .max_output_length = 16, .mini_batch = 1};
  }
  static decode::DecodeOptions sampled() {
    decode::DecodeOptions out = greedy();
    out.sampling.kind.select("topk");
    return out;
  }
  // Whose translations are long.
  static model_file::TranslatorSession talkative_session(const models::Seq2SeqOptions& options) {
    model_file::TranslatorSession out = small_session(options);
    out.model.decoder.output_bias.value.data<float>()[decode::kEnd] = 0;
    return out;
  }
  // Of the lines with these targets.
  DraftMemory memory_of(const std::vector<std::string>& lines,
                        const std::vector<std::string>& targets) const {
    std::string text;
    for (size_t i = 0; i < lines.size(); ++i) text += lines[i] + "\t" + targets[i] + "\n";
    const std::vector<std::string> paths = {scratch.file("pairs.tsv", text)};
    return {paths, sessions[0].source(), sessions[0].target()};
  }
  static std::shared_ptr<const model_file::TranslatorSession> smaller(
      const std::string& flags = "") {
    models::Seq2SeqOptions options = small_options();
    test::set(options, "--dec-depth 1 --dim-emb 8 --transformer-dim-ffn 8 " + flags);
    return std::make_shared<const model_file::TranslatorSession>(talkative_session(options));
  }
  // The report of translating the lines, whose translations have to be these.
  static Report expect(const Translator& translator, const std::vector<std::string>& lines,
                       const std::vector<std::string>& expected) {
    Report report;
    EXPECT_EQ(test::translated(translator, lines, report), expected);
    Report more;
    std::string streamed;
    translator.stream({.text = lines[3]}, more, [&](std::string_view x) { streamed += x; });
    EXPECT_EQ(streamed, expected[3]);
    return report;
  }

  test::Scratch scratch;
  Sessions sessions{talkative_session(small_options())};
};

TEST_F(TranslatorDraftsTest, ChangeNoTranslation) {
  const std::vector<std::string> lines = random_lines(40);
  for (const decode::DecodeOptions& options : {greedy(), sampled()}) {
    const Translator plain(sessions[0], options);
    const std::vector<std::string> expected = test::translated(plain, lines);
    std::vector<std::string> others = expected;
    std::ranges::reverse(others);
    Translator right = plain, wrong = plain, by_model = plain;
    right.draft_by(memory_of(lines, expected));
    wrong.draft_by(memory_of(lines, others));
    by_model.draft_by(smaller(), "small");
    const Report of_right = expect(right, lines, expected);
    const Report of_wrong = expect(wrong, lines, expected);
    EXPECT_GT(of_right.accepted_tokens, 100);
    EXPECT_GT(of_right.accepted_tokens, of_right.drafted_tokens * 9 / 10);
    EXPECT_LT(of_wrong.accepted_tokens * 2, of_right.accepted_tokens);
    EXPECT_GT(expect(by_model, lines, expected).drafted_tokens, 10);
  }
}

TEST_F(TranslatorDraftsTest, ServeAnEnsemble) {
  sessions.push_back(talkative_session(small_options()));
  const std::vector<std::string> lines = random_lines(20);
  Translator translator(sessions, greedy());
  const std::vector<std::string> expected = test::translated(translator, lines);
  translator.draft_by(smaller(), "small");
  EXPECT_GT(expect(translator, lines, expected).drafted_tokens, 10);
}

TEST_F(TranslatorDraftsTest, RefuseWhatTheyCannotServe) {
  const auto message = [&](const model_file::TranslatorSession& session,
                           const decode::DecodeOptions& options, auto small) {
    return test::message_of<OptionError>([&] {
      Translator translator(session, options);
      if (small) translator.draft_by(small, "small");
      translator.draft_by(memory_of({"w1"}, {"w1"}));
    });
  };
  const std::shared_ptr<const model_file::TranslatorSession> none;
  EXPECT_EQ(message(sessions[0], {.beam_size = 3}, none),
            "--draft-memory: is for one hypothesis of a sentence; expected --beam-size 1, got 3");
  EXPECT_EQ(message(sessions[0], {.beam_size = 1, .coverage_penalty = 0.2}, smaller()),
            "--draft: contradicts --coverage-penalty; expected one of them");
  EXPECT_EQ(message(sessions[0], greedy(), smaller()),
            "--draft: contradicts --draft-memory; expected one of them");
  EXPECT_THAT(message(sessions[0], greedy(), smaller("--attention average")),
              HasSubstr("the small model keeps states"));
  models::Seq2SeqOptions recurrent;
  test::set(recurrent, "--type rnn --enc-depth 1 --dec-depth 1 --dim-emb 32");
  EXPECT_THAT(message(small_session(recurrent), greedy(), none),
              HasSubstr("--draft-memory: the model keeps states"));
  EXPECT_THAT(message(small_session(small_options(), "more\n"), greedy(), smaller()),
              HasSubstr("small: its source vocabulary differs"));
}

}  // namespace
}  // namespace weft::predict
