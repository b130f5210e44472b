#include "weft/decode/search/shortlist.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/decode/decoded.h"
#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "weft/core/error.h"
#include "weft/predict/translation/translator.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShortlistTest : public testing::Test {
 protected:
  // Ids: </s> 0, <unk> 1, <s> 2, w0 3, w1 4, ...
  Shortlist read(const std::string& text, int64_t first = 3, int64_t best = 2) {
    return {{.path = scratch.file("lex", text), .first = first, .best = best},
            session.source(),
            session.target()};
  }
  std::string error_of(const std::string& text) {
    try {
      read(text);
    } catch (const FormatError& e) {
      return e.what();
    }
    return "";
  }

  test::Scratch scratch;
  model_file::TranslatorSession session = small_session(small_options());
};

TEST_F(ShortlistTest, HoldsTheFirstTokensAndTheBestOfEachSourceToken) {
  const Shortlist list = read(
      "w9 w0 0.2\nw5 w0 0.7\nw7 w0 0.1\n"
      "w6\tw1\t1e-3\nw5 w1 0.5\nNULL w1 0.3\nw3 NULL 0.9\nw8 w2 0.5\nw4 w2 0.5\nw6 w2 0.5\n");
  EXPECT_THAT(list.of(std::vector<int32_t>{3}), ElementsAre(0, 1, 2, 8, 12));
  EXPECT_THAT(list.of(std::vector<int32_t>{3, 4, 3, 0}), ElementsAre(0, 1, 2, 8, 9, 12));
  EXPECT_THAT(list.of(std::vector<int32_t>{5}), ElementsAre(0, 1, 2, 7, 9));
  EXPECT_THAT(list.of(std::vector<int32_t>{9}), ElementsAre(0, 1, 2));
  EXPECT_THAT(read("w9 w0 1\n", 0, 0).of(std::vector<int32_t>{3}), ElementsAre(0));
  EXPECT_EQ(read("w9 w0 1\n", 1000).of(std::vector<int32_t>{3}).size(), 50u);
}

TEST_F(ShortlistTest, SaysWhatIsWrongWithItsFile) {
  EXPECT_THROW(Shortlist({.path = "none"}, session.source(), session.target()), FileError);
  for (const char* bad : {"w1 w2", "w1 w2 x", "w1 w2 0.5 w3", "", "w1 w2 -1", "w1 w2 nan"}) {
    EXPECT_THAT(error_of(std::string("w1 w1 1\n") + bad + "\n"),
                HasSubstr("line 2: expected `target source probability`"))
        << bad;
  }
  EXPECT_THAT(error_of("x y 0.5\n"), HasSubstr("no line has tokens of the model's vocabularies"));
  EXPECT_THAT(error_of(""), HasSubstr("no line has tokens of the model's vocabularies"));
}

// Tokens that each sentence may hold, with the end symbol; the first may hold all.
std::vector<std::vector<int32_t>> some_tokens(int64_t sentences) {
  RandomStream random(4, 4);
  std::vector<std::vector<int32_t>> out(static_cast<size_t>(sentences));
  for (size_t s = 1; s < out.size(); ++s) {
    out[s].push_back(kEnd);
    for (int32_t id = 3; id < 50; ++id) {
      if (random.below(4) == 0) out[s].push_back(id);
    }
  }
  return out;
}

// Scores all tokens at every step, and then takes those of its one request.
class SelectedColumns : public StepModel {
 public:
  explicit SelectedColumns(const models::Seq2Seq& model) : steps_(decoder_steps(model)) {}

  const ModelTraits& traits() const override { return steps_.traits(); }
  void reset() override { steps_.reset(); }
  void begin(std::span<const NewRequest> requests) override {
    allowed_ = requests[0].request->allowed;
    plain_.source = requests[0].request->source;
    const NewRequest plain{requests[0].slot, &plain_};
    steps_.begin({&plain, 1});
  }
  Tensor prefill(const PromptRows& prompts) override { return steps_.prefill(prompts); }
  Tensor step(const Step& step) override {
    const Tensor all = steps_.step(step);
    if (allowed_.empty()) return all;
    Tensor out = Tensor::empty({all.rows(), std::ssize(allowed_)});
    for (int64_t w = 0; w < all.rows(); ++w) {
      for (int64_t c = 0; c < out.cols(); ++c) {
        out.data<float>()[w * out.stride() + c] = all.data<float>()[w * all.stride() + allowed_[c]];
      }
    }
    return out;
  }
  void release(std::span<const int32_t> slots) override { steps_.release(slots); }

 private:
  DecoderSteps steps_;
  Request plain_;
  std::vector<int32_t> allowed_;
};

std::vector<Request> requests_of(const data::Tokens& sources,
                                 const std::vector<std::vector<int32_t>>& allowed) {
  std::vector<Request> out(allowed.size());
  for (size_t s = 0; s < out.size(); ++s) {
    const auto source = sources[static_cast<int64_t>(s)];
    out[s].source.assign(source.begin(), source.end());
    out[s].allowed = allowed[s];
  }
  return out;
}

void expect_selected_columns(const models::Seq2Seq& model) {
  const data::Tokens sources = random_sentences(5, 6);
  const std::vector<std::vector<int32_t>> allowed = some_tokens(sources.examples());
  const std::vector<Request> requests = requests_of(sources, allowed);
  DecodeOptions options{.beam_size = 3, .n_best = true, .mini_batch = 4};
  const std::vector<NBest> got = decode(model, requests, options);
  options.mini_batch = 1;
  const std::vector<NBest> alone = decode(model, requests, options);
  for (int64_t s = 0; s < sources.examples(); ++s) {
    Request request = requests[static_cast<size_t>(s)];
    SelectedColumns selected(model);
    apply_options(options, selected.traits(), request);
    const NBest expected = search(selected, {request})[0];
    ASSERT_EQ(got[s].size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(got[s][i].tokens, expected[i].tokens) << s;
      EXPECT_NEAR(got[s][i].log_probability, expected[i].log_probability, 1e-4) << s;
      EXPECT_EQ(got[s][i].tokens, alone[s][i].tokens) << s;
      EXPECT_EQ(got[s][i].log_probability, alone[s][i].log_probability) << s;
    }
  }
}

TEST(Decode, ScoresItsOwnTokensAsIfTheyWereAllThereAre) {
  for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
    for (const ModelCase& c : {transformer_cases().front(), model_cases().back()}) {
      SCOPED_TRACE(fmt::format("{} in {}", c.name, name_of(type)));
      expect_selected_columns(packed_model(c.options, type));
    }
  }
  models::Seq2SeqOptions plain = small_options();
  expect_selected_columns(small_model(plain));
  plain.decoder.output_bias = false;
  plain.tied_embeddings_all = true;
  expect_selected_columns(small_model(plain));
}

TEST_F(ShortlistTest, BoundsTranslationsLineByLine) {
  predict::Translator translator(session, {.beam_size = 2, .min_length = 4});
  translator.use_shortlist(read("w9 w0 1\nw8 w1 1\n", 0, 1));
  const std::vector<std::string> out = test::translated(translator, {"w0", "w1 w1", "w0 w1"});
  EXPECT_THAT(out[0], testing::MatchesRegex("(w9 ?)+"));
  EXPECT_THAT(out[1], testing::MatchesRegex("(w8 ?)+"));
  EXPECT_THAT(out[2], testing::MatchesRegex("(w[89] ?)+"));
}

}  // namespace
}  // namespace weft::decode
