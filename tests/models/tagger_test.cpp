#include "weft/models/tagger.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/differences.h"
#include "tests/models/tagging_batch.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"

namespace weft::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct TaggerCase {
  const char* name;
  const char* flags;
  friend std::ostream& operator<<(std::ostream& out, const TaggerCase& c) { return out << c.name; }

  TaggerOptions options(int64_t dim_emb) const {
    TaggerOptions o;
    test::set(o, fmt::format("--dim-emb {} --enc-depth 1 {}", dim_emb, flags));
    if (o.encoder.is_transformer()) {
      o.encoder.transformer.attention.heads = 2;
      o.encoder.transformer.feed_forward.inner = 2 * dim_emb;
    } else {
      o.encoder.recurrent.dropout = 0.2;
    }
    return o;
  }
};

constexpr TaggerCase kTaggerCases[] = {
    {"Plain", ""},
    {"CrfOfSpans", "--crf spans --transformer-norm pre"},
    {"CrfOfAll", "--crf all --position rotary"},
    {"LstmCrf", "--crf spans --type rnn --tagger-dropout 0.4"},
    {"CharacterCnn", "--char-encoder cnn --dim-char 3 --char-widths 3 1 --char-filters 2"},
    {"CharacterTransformer",
     "--char-encoder transformer --dim-char 4 --char-heads 2 --char-dim-ffn 5 --type rnn"},
    {"WordDropout", "--word-dropout 0.3 --pooling max --type cnn"},
    {"AttentionPooling", "--pooling attention --pooling-heads 2"},
};

// Chunks, another label of each word, and one of the text.
const std::vector<std::vector<std::string>> kLabels = {
    {"O", "B-X", "I-X"}, {"N", "V", "P", "Q"}, {"ask", "tell"}};

TaggerDims dims_of(const TaggerOptions& options) {
  return {.encoder = {.vocab = kTaggerTokens, .unknown_id = 1, .begin_id = 2, .end_id = 0},
          .characters = kTaggerCharacters,
          .character_end_id = 0,
          .columns = label_columns(options, kLabels, 2)};
}

Tagger make(const TaggerOptions& options) { return {options, dims_of(options)}; }

data::Batch texts(const Tagger& model, int64_t count, uint64_t longest = 5) {
  return tagging_batch(count, longest, model.dims.columns, model.characters.is_on());
}

class EveryTagger : public testing::TestWithParam<TaggerCase> {
 protected:
  static LossAndGradient run(const Tagger& model, const Tensor& parameters,
                             const data::Batch& batch) {
    autograd::Tape tape;
    autograd::Gradients gradients(parameters);
    nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    const ops::Loss loss =
        model.loss(batch, {.weights = {1, 0.5, 2}, .smoothing = 0.1, .weight = 0.1}, context);
    EXPECT_NEAR(0.1 * loss.total / loss.value.item(), 1, 1e-5);
    EXPECT_EQ(loss.left_out, 0);
    tape.backward(loss.value, gradients);
    return {loss.value.item(), gradients.flat()};
  }
};

TEST_P(EveryTagger, HasTheGradientThatDifferencesShow) {
  Tagger model = make(GetParam().options(4));
  const Tensor flat = bind_in_no_special_place(model);
  const data::Batch batch = texts(model, 3);
  expect_gradient_of_differences(model, flat, [&] { return run(model, flat, batch); });
}

TEST_P(EveryTagger, ABatchIsTheSumOfItsParts) {
  Tagger model = make(GetParam().options(8));
  const Tensor flat = bind_in_no_special_place(model);
  expect_a_batch_to_be_the_sum_of_its_parts(
      texts(model, 9), [&](const data::Batch& batch) { return run(model, flat, batch); });
}

TEST_P(EveryTagger, GivesATextTheSameScoresInAnyBatch) {
  Tagger model = make(GetParam().options(16));
  nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 5);
  const data::Batch all = texts(model, 12, 12);
  nn::Context context;
  const TagScores together = model(all, context);
  for (int64_t b = 0; b < all.size(); ++b) {
    const TagScores one = model(data::slice(all, b, b + 1), context);
    for (size_t c = 0; c < one.columns.size(); ++c) {
      const bool is_of_text = model.dims.columns[c].is_of_text;
      const int64_t begin = is_of_text ? b : together.words->segments.begin(b);
      const int64_t end = is_of_text ? b + 1 : together.words->segments.end(b);
      EXPECT_TRUE(test::same_bits(one.columns[c].emissions,
                                  together.columns[c].emissions.row_range(begin, end)));
    }
  }
}

TEST_P(EveryTagger, HasNearlyTheSameGradientInBfloat16) {
  Tagger model = make(GetParam().options(16));
  const Tensor flat = nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 5);
  Tagger rounded = model;
  const Tensor copy = bind_rounded(rounded, flat);
  const data::Batch batch = texts(model, 9);
  const Tensor whole = run(model, flat, batch).gradient;
  EXPECT_GT(cosine(run(rounded, copy, batch).gradient.to(DType::kF32), whole), 0.98);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryTagger, testing::ValuesIn(kTaggerCases),
                         [](const auto& one) { return one.param.name; });

TEST(Tagger, ReadsCharactersOfAWordAtItsFirstToken) {
  Tagger model = make(kTaggerCases[4].options(8));
  nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 5);
  data::Batch batch = texts(model, 3);
  nn::Context context;
  const TagScores before = model(batch, context);
  data::Tokens& characters = batch.tokens(5);
  characters.ids[1] = characters.ids[1] == 3 ? 4 : 3;
  const TagScores after = model(batch, context);
  const Tensor &x = before.columns[0].emissions, &y = after.columns[0].emissions;
  EXPECT_GT(test::distance(y.row_range(0, 1), x.row_range(0, 1)), 1e-4);
  EXPECT_TRUE(test::same_bits(y.row_range(1, y.rows()), x.row_range(1, x.rows())));
}

TEST(Tagger, RefusesCharactersThatAreNotThoseOfItsWords) {
  Tagger model = make(kTaggerCases[4].options(8));
  nn::bind(nn::parameters_of(model));
  nn::Context context;
  data::Batch batch = texts(model, 2);
  data::Tokens& characters = batch.tokens(5);
  characters.ids.back() = 3;
  EXPECT_THAT([&] { model(batch, context); },
              ThrowsMessage<ShapeError>(HasSubstr("the last word of an example has no end")));
  characters.ids.back() = characters.ids.front() = 0;
  EXPECT_THAT([&] { model(batch, context); },
              ThrowsMessage<ShapeError>(HasSubstr("characters: of")));
}

TEST(Tagger, RefusesOptionsThatContradict) {
  const auto error = [](const std::string& flags) {
    return [=] {
      TaggerOptions o;
      test::set(o, flags);
      make(o);
    };
  };
  EXPECT_THAT(error("--char-encoder cnn --char-widths 2"),
              ThrowsMessage<OptionError>(HasSubstr("--char-widths: expected odd")));
  EXPECT_THAT(error("--char-encoder transformer --dim-char 5"),
              ThrowsMessage<OptionError>(HasSubstr("--char-heads: expected a divisor")));
  EXPECT_THAT(error("--dim-char 5"), ThrowsMessage<OptionError>(HasSubstr("--char-encoder")));
  EXPECT_THAT(error("--char-encoder cnn --char-depth 2"),
              ThrowsMessage<OptionError>(HasSubstr("--char-encoder transformer")));
  EXPECT_THAT(error("--pooling-heads 2"),
              ThrowsMessage<OptionError>(HasSubstr("--pooling attention")));
}

}  // namespace
}  // namespace weft::models
