#include "weft/predict/generation/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/model_file/small_language_model.h"
#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::predict {
namespace {

using model_file::LanguageModelSession;
using model_file::small_language_model;
using testing::HasSubstr;

const std::vector<std::string> kPrompts = {"w1 w2 w3", "w4", "w5 w6 w7 w8 w9", "w1 w2 w3 w4"};

std::vector<Prompt> prompts_of(const std::vector<std::string>& texts) {
  std::vector<Prompt> out;
  for (const Line& line : test::lines_of(texts)) out.push_back(text_prompt(line));
  return out;
}

std::vector<std::string> generated(const LanguageModelSession& session,
                                   const GenerationOptions& options,
                                   const std::vector<std::string>& prompts) {
  std::vector<std::string> out;
  for (const GeneratedLine& line :
       test::predicted(Generator(session, options), prompts_of(prompts))) {
    out.push_back(line.written());
  }
  return out;
}

// The most probable token again and again, by passes over the whole text.
std::string greedy(const LanguageModelSession& session, const std::string& prompt, int64_t length) {
  std::vector<int32_t> ids = session.tokeniser->encode(prompt);
  if (session.adds_begin) {
    ids.insert(ids.begin(), static_cast<int32_t>(session.model.dims.begin_id));
  }
  const auto begin = ids.size();
  for (int64_t i = 0; i < length; ++i) {
    data::Tokens text;
    text.add(ids);
    const Tensor logits = session.model.logits(text, {});
    const std::span<const float> last =
        logits.row_range(logits.rows() - 1, logits.rows()).span<float>();
    const auto best = std::ranges::max_element(last) - last.begin();
    const std::vector<int64_t>& ends = session.model.dims.end_ids;
    if (std::ranges::count(ends, best) > 0) break;
    ids.push_back(static_cast<int32_t>(best));
  }
  const std::string text = session.tokeniser->decode(std::span(ids).subspan(begin));
  return text.empty() ? text : " " + text;
}

TEST(Generator, TakesTheMostProbableTokenAtTemperatureZero) {
  for (const bool adds_begin : {false, true}) {
    LanguageModelSession session = small_language_model();
    session.adds_begin = adds_begin;
    std::vector<std::string> expected;
    for (const std::string& prompt : kPrompts) expected.push_back(greedy(session, prompt, 12));
    EXPECT_EQ(generated(session, {.max_length = 12, .temperature = 0}, kPrompts), expected);
    EXPECT_EQ(std::set(expected.begin(), expected.end()).size(), 4u);
  }
}

TEST(Generator, GivesAPromptItsTextWhateverIsBesideIt) {
  const LanguageModelSession session = small_language_model();
  const GenerationOptions options{.max_length = 10, .seed = 3, .samples = 2};
  std::vector<std::string> alone;
  for (const std::string& prompt : kPrompts) {
    alone.push_back(generated(session, options, {prompt}).front());
  }
  for (const int64_t batch : {1, 3, 16}) {
    GenerationOptions other = options;
    other.mini_batch = batch;
    EXPECT_EQ(generated(session, other, kPrompts), alone) << batch;
  }
}

// With every option that has a part in the choice of tokens, and what else they are drafted by.
TEST(Generator, GivesTheSameTextWithDrafts) {
  const LanguageModelSession session = small_language_model();
  const LanguageModelSession small = small_language_model("true --dec-depth 1");
  std::vector<std::string> prompts = kPrompts;
  for (int i = 0; i < 12; ++i) prompts.push_back(fmt::format("w{} w{} w3 w{}", i, 2 * i, i));
  GenerationOptions greedy{.max_length = 20, .temperature = 0}, sampled{.max_length = 20};
  GenerationOptions stopping = greedy, penalised = sampled;
  stopping.stop = {"3 w", "w12"};
  penalised.penalties.frequency = 0.7;
  penalised.no_repeat_ngram_size = 2;
  penalised.mini_batch = 5;
  std::map<std::string, int64_t> drafted_tokens;
  for (const GenerationOptions& options : {greedy, sampled, stopping, penalised}) {
    const std::vector<std::string> expected = generated(session, options, prompts);
    GenerationOptions drafted = options;
    for (const std::string draft : {"prompt", "small", "itself"}) {
      drafted.draft = draft;
      const LanguageModelSession* model =
          draft == "prompt" ? nullptr : (draft == "small" ? &small : &session);
      const Generator generator(session, drafted, nullptr, model);
      Report report;
      std::vector<std::string> found;
      for (const GeneratedLine& line : predict(generator, prompts_of(prompts), report)) {
        found.push_back(line.written());
      }
      EXPECT_EQ(found, expected) << draft;
      drafted_tokens[draft] += report.drafted_tokens;
      EXPECT_LE(report.accepted_tokens, report.drafted_tokens);
      if (model != nullptr) {
        EXPECT_EQ(report.accepted_tokens == report.drafted_tokens, model == &session) << draft;
      }
      std::string streamed;
      generator.stream(prompts_of({prompts[0]})[0], report,
                       [&](std::string_view x) { streamed += x; });
      EXPECT_EQ(streamed, expected[0]) << draft;
    }
  }
  for (const auto& [draft, count] : drafted_tokens) EXPECT_GT(count, 20) << draft;
}

TEST(Generator, RefusesWhatItCannotDraftBy) {
  const LanguageModelSession session = small_language_model();
  const auto message = [&](const GenerationOptions& options, const LanguageModelSession* draft) {
    return test::message_of<OptionError>([&] { Generator(session, options, nullptr, draft); });
  };
  GenerationOptions options = {.temperature = 0, .draft = "prompt"};
  EXPECT_EQ(message(options, &session),
            "--draft: is 'prompt' with a drafting model; expected a model for a path alone");
  options.beam_size = 2;
  EXPECT_EQ(message(options, nullptr),
            "--draft: is for one continuation of a prompt; expected --beam-size 1, got 2");
  options = {.samples = 3, .draft = "prompt"};
  EXPECT_EQ(message(options, nullptr),
            "--draft: is for one continuation of a prompt; expected --samples 1, got 3");
  LanguageModelSession other = small_language_model();
  other.tokeniser = data::make_plain_tokeniser(data::Vocabulary({"a", "b"}, "words"));
  options = {.draft = "small"};
  EXPECT_THAT(message(options, &other), HasSubstr("its vocabulary has 5 tokens; expected 40"));
  std::vector<std::string> words;
  for (int i = 0; i < 37; ++i) words.push_back(fmt::format("v{}", i));
  other.tokeniser = data::make_plain_tokeniser(data::Vocabulary(words, "words"));
  EXPECT_EQ(message(options, &other),
            "small: its token 3 is 'v0'; expected 'w0', as in the vocabulary of --model");
  const LanguageModelSession linear = small_language_model(
      "true --transformer-key-heads 0 --position sinusoidal --attention linear");
  EXPECT_THAT(message(options, &linear), HasSubstr("the small model keeps states"));
}

TEST(Generator, DrawsBySeedAndTemperature) {
  const LanguageModelSession session = small_language_model();
  const GenerationOptions options{.max_length = 10};
  GenerationOptions seeded = options, sharp = options;
  seeded.seed = 2;
  sharp.temperature = 0.01;
  EXPECT_NE(generated(session, options, kPrompts), generated(session, seeded, kPrompts));
  EXPECT_EQ(generated(session, sharp, kPrompts),
            generated(session, {.max_length = 10, .temperature = 0}, kPrompts));
  GenerationOptions several = options;
  several.samples = 3;
  const std::vector<GeneratedLine> lines =
      test::predicted(Generator(session, several), prompts_of({"w1 w2", ""}));
  ASSERT_EQ(lines[0].texts.size(), 3u);
  EXPECT_NE(lines[0].texts[0].text, lines[0].texts[1].text);
  EXPECT_EQ(lines[1].written(), "\n\n");
}

TEST(Generator, FindsAMoreProbableTextByBeams) {
  const LanguageModelSession session = small_language_model();
  const auto mean = [&](int64_t beam) {
    const GenerationOptions options{.max_length = 10, .temperature = 0, .beam_size = beam};
    const auto lines = test::predicted(Generator(session, options), prompts_of(kPrompts));
    double sum = 0;
    for (const GeneratedLine& line : lines) {
      const GeneratedText& text = line.texts.front();
      sum += text.log_probability / static_cast<double>(text.tokens);
    }
    return sum;
  };
  EXPECT_GT(mean(8), mean(1));
}

TEST(Generator, EndsAtAnyEndSymbolAndStopString) {
  LanguageModelSession session = small_language_model();
  const GenerationOptions options{.max_length = 8, .temperature = 0};
  const std::string all = generated(session, options, {"w1 w2 w3"}).front();
  const std::vector<int32_t> ids = session.tokeniser->encode(all);
  ASSERT_EQ(ids.size(), 8u);
  session.model.dims.end_ids.push_back(ids[4]);
  const std::string ended = generated(session, options, {"w1 w2 w3"}).front();
  const auto first = std::ranges::find(ids, ids[4]) - ids.begin();
  EXPECT_EQ(" " + session.tokeniser->decode(std::span(ids).first(first)), ended);
  session.model.dims.end_ids.pop_back();
  GenerationOptions stopped = options;
  stopped.stop = {"nothing", all.substr(5, 4)};
  EXPECT_EQ(generated(session, stopped, {"w1 w2 w3"}).front(),
            all.substr(0, all.find(all.substr(5, 4))));
}

TEST(Generator, StreamsWhatItWrites) {
  const LanguageModelSession session = small_language_model();
  GenerationOptions options{.max_length = 8, .temperature = 0};
  const std::string all = generated(session, options, {"w1 w2 w3"}).front();
  for (const std::string& stop : {std::string("nothing"), all.substr(4, 8)}) {
    options.stop = {stop};
    const std::string expected = generated(session, options, {"w1 w2 w3"}).front();
    std::string text;
    int64_t parts = 0;
    Report report;
    Generator(session, options).stream({.text = "w1 w2 w3"}, report, [&](std::string_view more) {
      EXPECT_TRUE(expected.starts_with(text + std::string(more))) << more;
      text += more;
      ++parts;
    });
    EXPECT_EQ(text, expected);
    EXPECT_TRUE(parts > 1 || stop != "nothing");
  }
}

TEST(Generator, HasAFaultForAPromptBeyondTheContext) {
  const LanguageModelSession session = small_language_model();  // of 32 tokens
  std::string prompt = "w1";
  for (int i = 1; i < 20; ++i) prompt += " w2";
  Report report;
  const Generator generator(session, {.max_length = 13, .temperature = 0});
  const auto lines = predict(generator, prompts_of({"w1", prompt, "\xFF"}), report);
  EXPECT_FALSE(lines[0].fault);
  ASSERT_TRUE(lines[1].fault);
  EXPECT_EQ(lines[1].fault->kind, FaultKind::kOverContext);
  EXPECT_THAT(report.text(),
              HasSubstr("the first fault is in line 2: a prompt of 20 tokens and --max-length 13; "
                        "the context of the model is 32 tokens"));
  const Generator fits(session, {.max_length = 12, .temperature = 0});
  EXPECT_FALSE(predict(fits, prompts_of({prompt}), report)[0].fault);
  const Generator free(session, {.temperature = 0});
  EXPECT_EQ(predict(free, prompts_of({prompt}), report)[0].texts[0].tokens, 12);
  for (int i = 0; i < 12; ++i) prompt += " w2";
  const auto over = predict(free, prompts_of({prompt}), report);
  EXPECT_THAT(over[0].fault->reason, testing::StartsWith("a prompt of 32 tokens; the context"));
}

TEST(Generator, GoesOnBeyondTheContextWhereAllLayersHaveAWindow) {
  const LanguageModelSession session =
      small_language_model("--attention local --attention-window 4");
  const GenerationOptions options{.max_length = 200, .temperature = 0};
  Report report;
  const auto lines = predict(Generator(session, options), prompts_of({"w1 w2 w3"}), report);
  ASSERT_FALSE(lines[0].fault);
  EXPECT_EQ(lines[0].texts[0].tokens, 200);
  EXPECT_EQ(lines[0].written(), greedy(session, "w1 w2 w3", 200));
}

TEST(Generator, NeverGivesATokenThatTheTokeniserDoesNotHave) {
  LanguageModelSession session = small_language_model();
  models::LanguageModelDims dims = session.model.dims;
  dims.vocab = 48;
  session.model = models::LanguageModel(session.model.options, dims);
  initialise(session, 1);
  const std::span<float> bias = session.model.decoder.output_bias.value.span<float>();
  bias[0] = -9;  // of the end symbol
  std::ranges::fill(bias.subspan(40), 9.0F);
  EXPECT_THAT(generated(session, {.max_length = 5, .temperature = 0}, {"w1"}).front(),
              testing::StartsWith(" w"));
}

TEST(Generator, AddsBiasesAndPenaltiesBeforeItTakesAToken) {
  const LanguageModelSession session = small_language_model();
  GenerationOptions options{.max_length = 8, .temperature = 0};
  const std::string plain = generated(session, options, {"w1 w2 w3"}).front();
  options.logit_bias = {"w7:100"};
  EXPECT_EQ(generated(session, options, {"w1 w2 w3"}).front(), " w7 w7 w7 w7 w7 w7 w7 w7");
  options.penalties = {.frequency = 60, .last_n = 1};
  const std::string alternating = generated(session, options, {"w1 w2 w3"}).front();
  EXPECT_THAT(alternating, testing::StartsWith(" w7 w7 w7"));
  options.penalties = {.frequency = 30, .last_n = 64};
  EXPECT_THAT(generated(session, options, {"w1 w7 w7 w7"}).front(),
              testing::AllOf(testing::StartsWith(" w7 "), testing::Not(HasSubstr("w7 w7"))));
  options.penalties = {};
  options.dry = {.multiplier = 1000, .allowed_length = 3, .sequence_breakers = {}};
  EXPECT_THAT(generated(session, options, {"w1 w2 w3"}).front(),
              testing::AllOf(testing::StartsWith(" w7 w7 w7 w"),
                             testing::Not(testing::StartsWith(" w7 w7 w7 w7 w7"))));
  options.dry.sequence_breakers = {" w7"};
  EXPECT_EQ(generated(session, options, {"w1 w2 w3"}).front(), " w7 w7 w7 w7 w7 w7 w7 w7");
}

TEST(Generator, HoldsAndAvoidsPhrases) {
  const LanguageModelSession session = small_language_model();
  const test::Scratch scratch;
  GenerationOptions options{.max_length = 8, .temperature = 0, .beam_size = 4};
  const std::string plain = generated(session, options, {"w1 w2 w3"}).front();
  const std::string word = plain.substr(1, plain.find(' ', 1) - 1);
  options.banned_words = scratch.file("banned", word + "\n\n");
  const std::string without = generated(session, options, {"w1 w2 w3"}).front();
  EXPECT_THAT(without + " ", testing::Not(HasSubstr(" " + word + " ")));
  options.constraints = scratch.file("constraints", "w30 w31\tw20\n\n");
  Report report;
  const Generator generator(session, options);
  const auto lines = predict(generator, prompts_of({"w1 w2 w3", "w1 w2 w3"}), report);
  EXPECT_THAT(lines[0].written() + " ", testing::AllOf(HasSubstr(" w30 w31 "), HasSubstr(" w20 ")));
  EXPECT_EQ(lines[1].written(), without);
  EXPECT_EQ(report.count(Note::kIncomplete), 0);
  EXPECT_NO_THROW(generator.check_constraints_used(report));
  report.inputs = 1;
  EXPECT_THROW(generator.check_constraints_used(report), FormatError);
  options.constraints = scratch.file("both", "w1\t" + word + "\n");
  EXPECT_THAT(test::message_of<FormatError>([&] { Generator(session, options); }),
              HasSubstr("phrase 2 is demanded and banned"));
}

// Of 32 tokens; it says words alone, without an end.
LanguageModelSession endless_language_model() {
  LanguageModelSession session = small_language_model();
  std::fill_n(session.model.decoder.output_bias.value.data<float>(), 3, -99.0f);
  return session;
}

TEST(Generator, GoesOnBeyondTheContextByReadingHalfOfItAnew) {
  for (const bool adds_begin : {false, true}) {
    LanguageModelSession session = endless_language_model();
    session.adds_begin = adds_begin;
    const GenerationOptions options{
        .max_length = 70, .context_shift = true, .keep = 2, .temperature = 0};
    const std::string got = generated(session, options, {"w1 w2 w3"}).front();
    std::string text = "w1 w2 w3";
    int64_t left = 70, begin = adds_begin ? 1 : 0;
    std::string all;
    while (left > 0) {
      const int64_t tokens = std::ssize(session.tokeniser->encode(text)) + begin;
      const int64_t more = std::min<int64_t>(left, 32 - tokens);
      const std::string next = greedy(session, text, more);
      all += next;
      left -= more;
      std::vector<int32_t> ids = session.tokeniser->encode(text + next);
      const int64_t keep = 2, rest = std::ssize(ids) - keep;  // a begin symbol is kept beside them
      ids.erase(ids.begin() + keep, ids.begin() + keep + rest / 2);
      text = session.tokeniser->decode(ids);
    }
    EXPECT_EQ(got, all);
  }
}

TEST(Generator, AlwaysDropsATokenOfAFullContext) {
  LanguageModelSession session = endless_language_model();
  for (const int64_t context : {2, 3, 4}) {
    session.model.options.layers.position.max_positions = context;
    const GenerationOptions options{
        .max_length = 9, .context_shift = true, .keep = 100, .temperature = 0, .word_scores = true};
    const auto line = test::predicted(Generator(session, options), prompts_of({"w1"})).front();
    EXPECT_EQ(line.texts.front().token_scores.size(), 9u);
  }
}

TEST(Generator, GoesOnBeyondTheContextTheSameInAnyBatch) {
  const LanguageModelSession session = endless_language_model();
  GenerationOptions options{.max_length = 80, .context_shift = true, .samples = 2};
  const std::vector<std::string> together = generated(session, options, kPrompts);
  options.mini_batch = 1;
  EXPECT_EQ(generated(session, options, kPrompts), together);
  EXPECT_EQ(generated(session, options, {kPrompts[1]}).front(), together[1]);
  EXPECT_EQ(session.tokeniser->encode(together[1].substr(0, together[1].find('\n'))).size(), 80u);
  options.samples = 1;
  const std::string whole = generated(session, options, {"w1 w2"}).front();
  std::string streamed;
  Report report;
  Generator(session, options)
      .stream(text_prompt({.text = "w1 w2"}), report, [&](std::string_view x) { streamed += x; });
  EXPECT_EQ(streamed, whole);
  options.stop = {whole.substr(whole.size() / 2 - 4, 9)};  // it may lie across a shift
  EXPECT_EQ(generated(session, options, {"w1 w2"}).front(),
            whole.substr(0, whole.find(options.stop.front())));
}

TEST(Generator, WritesTheLogProbabilityOfEachToken) {
  const LanguageModelSession session = small_language_model();
  const GenerationOptions options{.max_length = 5, .temperature = 0};
  GenerationOptions scored = options;
  scored.word_scores = true;
  const std::string plain = generated(session, options, {"w1 w2"}).front();
  const std::string line = generated(session, scored, {"w1 w2"}).front();
  ASSERT_THAT(line, testing::StartsWith(plain + " ||| WordScores= -"));
  data::Tokens text;
  text.add(session.tokeniser->encode("w1 w2"));
  const Tensor logits = session.model.logits(text, {});
  const auto last = logits.row_range(logits.rows() - 1, logits.rows()).span<float>();
  double sum = 0;
  for (const float x : last) sum += std::exp(double{x});
  const double first = std::stod(line.substr(line.find('=') + 1));
  EXPECT_NEAR(first, *std::ranges::max_element(last) - std::log(sum), 1e-4);
}

TEST(Generator, ListsTheMostProbableTokensOfEachStep) {
  const LanguageModelSession session = small_language_model();
  GenerationOptions options{.max_length = 6, .top_logprobs = 3};
  const Generator listing(session, options);
  const GeneratedText text = test::predicted(listing, prompts_of({"w1 w2"})).front().texts.front();
  options.word_scores = true;
  options.top_logprobs = 0;
  const GeneratedText scored =
      test::predicted(Generator(session, options), prompts_of({"w1 w2"})).front().texts.front();
  EXPECT_EQ(text.text, scored.text);
  EXPECT_TRUE(text.token_scores.empty());
  EXPECT_TRUE(scored.top_tokens.empty());
  ASSERT_EQ(text.top_tokens.size(), scored.token_scores.size());
  bool has_drawn = false;  // a token that is not the most probable one
  for (size_t i = 0; i < text.top_tokens.size(); ++i) {
    const auto& top = text.top_tokens[i];
    ASSERT_EQ(top.size(), 3u);
    EXPECT_GE(top[0].log_probability, top[1].log_probability);
    EXPECT_GE(top[1].log_probability, top[2].log_probability);
    EXPECT_GE(top[0].log_probability, scored.token_scores[i]);
    has_drawn |= top[0].log_probability > scored.token_scores[i];
  }
  EXPECT_TRUE(has_drawn);
  EXPECT_EQ(listing.token_text(session.tokeniser->encode("w9").front()), " w9");
  EXPECT_EQ(listing.token_text(static_cast<int32_t>(session.model.dims.end_ids.front())), "</s>");
}

// Drafts, context shifts and beams list the same as single steps.
TEST(Generator, ListsTheSameTokensInAllWaysOfDecoding) {
  const LanguageModelSession session = endless_language_model();
  const auto listed = [&](const GenerationOptions& options) {
    return test::predicted(Generator(session, options), prompts_of({"w1 w2"}))
        .front()
        .texts.front()
        .top_tokens;
  };
  const GenerationOptions plain{
      .max_length = 50, .context_shift = true, .temperature = 0, .top_logprobs = 2};
  GenerationOptions drafted = plain;
  drafted.draft = "prompt";
  const auto expected = listed(plain), found = listed(drafted);
  ASSERT_EQ(expected.size(), 50u);
  ASSERT_EQ(found.size(), 50u);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i][1].token, expected[i][1].token);
    EXPECT_EQ(found[i][1].log_probability, expected[i][1].log_probability);
  }
}

TEST(Generator, ReadsTokensOfBiasesByIdSpellingOrText) {
  const LanguageModelSession session = small_language_model();
  const auto generated_with = [&](const std::string& bias) {
    return generated(session, {.max_length = 2, .temperature = 0, .logit_bias = {bias}}, {"w1"})[0];
  };
  const int32_t id = session.tokeniser->encode("w9").front();
  EXPECT_EQ(generated_with("w9:1e3"), " w9 w9");
  EXPECT_EQ(generated_with(std::to_string(id) + ":1e3"), " w9 w9");
  EXPECT_EQ(generated_with(" w9 :1e3"), " w9 w9");
  EXPECT_EQ(generated_with("</s>:1e3"), "");
  const std::pair<const char*, const char*> refused[] = {
      {"w9", "'w9'; expected TOKEN:NUMBER"},
      {":1", "':1'; expected TOKEN:NUMBER"},
      {"w9:x", "'w9:x'; expected TOKEN:NUMBER"},
      {"w9:inf", "'w9:inf'; expected TOKEN:NUMBER"},
      {"w9:3e38",
       "'w9:3e38'; expected TOKEN:NUMBER, such as 15043:-1.5 or ' Hello:-inf', with a number from "
       "-1000000 to 1000000 or -inf"},
      {"4000:1", "token 4000; expected 0 to 39"},
      {"w1 w2:1", "'w1 w2' is 2 tokens of the vocabulary; expected one"},
      {"what:1", "'what' is no token of the vocabulary; expected one"},
  };
  for (const auto& [bias, message] : refused) {
    EXPECT_THAT(test::message_of<OptionError>([&] { generated_with(bias); }),
                HasSubstr(std::string("--logit-bias: ") + message));
  }
}

TEST(Generator, ReportsScoresThatAreNotFinite) {
  LanguageModelSession session = small_language_model();
  session.model.decoder.output_bias.value.data<float>()[3] = NAN;
  Report report;
  const auto lines = predict(Generator(session, {}), prompts_of({"w1", "w2"}), report);
  EXPECT_EQ(report.count(FaultKind::kNotFinite), 2);
  EXPECT_EQ(lines[1].written(), "");
}

}  // namespace
}  // namespace weft::predict
