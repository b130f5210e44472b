#include "weft/models/classifier.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/differences.h"
#include "tests/models/random_batch.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"

namespace weft::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr ClassifierDims kClassifierDims{
    .text = {.vocab = 9, .unknown_id = 1, .begin_id = 2, .end_id = 0}, .labels = 4};

struct ClassifierCase {
  const char* name;
  const char* flags;
  friend std::ostream& operator<<(std::ostream& out, const ClassifierCase& c) {
    return out << c.name;
  }
  ClassifierOptions options(int64_t dim_emb) const {
    ClassifierOptions o;
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

constexpr ClassifierCase kClassifierCases[] = {
    {"Mean", ""},
    {"Max", "--pooling max --transformer-norm pre"},
    {"First", "--pooling first --position rotary"},
    {"Attention", "--pooling attention --pooling-heads 2"},
    {"WordDropout", "--word-dropout 0.3"},
    {"DeepNorm", "--residual-scale deepnorm"},
    {"Lstm", "--type rnn --pooling max"},
    {"LstmForwards", "--type rnn --enc-type unidirectional"},
    {"Convolutions", "--type cnn --pooling attention"},
    {"Several", "--labels several"},
    {"Sequence", "--labels sequence --word-dropout 0.2"},
    {"SequenceOfLstm", "--labels sequence --type rnn --dec-depth 2"},
    {"SeveralOfLstm", "--labels several --type rnn --rnn-cell gru"},
    {"Numbers", "--labels numbers"},
};

// Texts with a label each, with 0 to 3 of them, or with 4 numbers.
data::Batch texts(int64_t count, const ClassifierOptions& options) {
  data::Batch out;
  data::Labels labels;
  const bool has_one_label = options.has_one_label();
  for (int64_t b = 0; b < count; ++b) {
    const int64_t own = has_one_label ? 1 : b % 4;
    for (int64_t i = 0; i < own; ++i) labels.ids.push_back(static_cast<int32_t>((b + i) % 4));
    labels.segments.append(std::ssize(labels.ids) - labels.segments.rows());
  }
  if (options.has_numbers()) {
    labels = {.ids = {}, .values = {}, .segments = Segments::uniform(count, 4)};
    for (int64_t i = 0; i < 4 * count; ++i)
      labels.values.push_back(0.3F * static_cast<float>(i % 5));
  }
  out.fields = {random_sentences(count, 1, {9, 6}), labels};
  out.examples.resize(static_cast<size_t>(count));
  return out;
}

class EveryClassifier : public testing::TestWithParam<ClassifierCase> {
 protected:
  static LossAndGradient run(const Classifier& model, const Tensor& parameters,
                             const data::Batch& batch) {
    autograd::Tape tape;
    autograd::Gradients gradients(parameters);
    nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    const auto weights =
        std::make_shared<const std::vector<float>>(std::vector<float>{1, 0.5, 2, 0.25});
    const ops::Loss loss =
        model.loss(batch, {.smoothing = 0.1, .weight = 0.1, .label_weights = weights}, context);
    tape.backward(loss.value, gradients);
    return {loss.value.item(), gradients.flat()};
  }
};

TEST_P(EveryClassifier, HasTheGradientThatDifferencesShow) {
  Classifier model(GetParam().options(4), kClassifierDims);
  const Tensor flat = bind_in_no_special_place(model);
  const data::Batch batch = texts(3, model.options);
  expect_gradient_of_differences(model, flat, [&] { return run(model, flat, batch); });
}

TEST_P(EveryClassifier, ABatchIsTheSumOfItsParts) {
  Classifier model(GetParam().options(8), kClassifierDims);
  const Tensor flat = bind_in_no_special_place(model);
  expect_a_batch_to_be_the_sum_of_its_parts(
      texts(9, model.options), [&](const data::Batch& batch) { return run(model, flat, batch); });
}

TEST_P(EveryClassifier, GivesATextTheSameScoresInAnyBatch) {
  Classifier model(GetParam().options(16), kClassifierDims);
  if (model.options.is_sequence()) GTEST_SKIP() << "has no scores of all labels";
  nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 5);
  const data::Tokens all = random_sentences(20, 3, {9, 12});
  nn::Context context;
  const Tensor together = model.logits(all, context);
  for (int64_t b = 0; b < all.examples(); ++b) {
    data::Tokens one;
    one.add(all[b]);
    EXPECT_TRUE(test::same_bits(model.logits(one, context), together.row_range(b, b + 1)));
  }
}

TEST_P(EveryClassifier, HasNearlyTheSameGradientInBfloat16) {
  Classifier model(GetParam().options(16), kClassifierDims);
  const Tensor flat = nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 5);
  Classifier rounded = model;
  const Tensor copy = bind_rounded(rounded, flat);
  const data::Batch batch = texts(9, model.options);
  const Tensor whole = run(model, flat, batch).gradient;
  EXPECT_GT(cosine(run(rounded, copy, batch).gradient.to(DType::kF32), whole), 0.98);
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryClassifier, testing::ValuesIn(kClassifierCases),
                         [](const auto& one) { return one.param.name; });

// With mix-up: shares of the losses of two labels.
TEST(Classifier, AveragesTheLossesOfMixedExamples) {
  Classifier model(kClassifierCases[0].options(8), kClassifierDims);
  nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 5);
  const data::Batch plain = texts(2, {});
  const auto loss_of = [&](const data::Batch& batch) {
    nn::Context context;
    const auto weights =
        std::make_shared<const std::vector<float>>(std::vector<float>{1, 0.5, 2, 0.25});
    return model.loss(batch, {.smoothing = 0.1, .label_weights = weights}, context).value.item();
  };
  data::Batch other = plain;
  std::get<data::Labels>(other.fields[1]).ids = {3, 2};
  const auto mixed_by = [&](const std::vector<float>& shares) {
    data::Batch mixed = plain;
    data::Labels others = std::get<data::Labels>(other.fields[1]);
    others.values = shares;
    mixed.fields.emplace_back(others);
    return loss_of(mixed);
  };
  const double one = loss_of(plain), two = loss_of(other);
  EXPECT_NEAR(mixed_by({1, 1}), one, 1e-5);
  EXPECT_NEAR(mixed_by({0, 0}), two, 1e-5);
  EXPECT_NEAR(mixed_by({0.25, 0.25}), 0.25 * one + 0.75 * two, 1e-5);
}

TEST(Classifier, WeighsTextsByTheirLabel) {
  ClassifierOptions o = kClassifierCases[0].options(8);
  o.classifier_dropout = 0;
  Classifier model(o, kClassifierDims);
  nn::bind(nn::parameters_of(model));
  nn::initialise(nn::parameters_of(model), 5);
  const auto loss_with = [&](std::vector<float> weights) {
    nn::Context context;
    const ClassifierLoss params{.label_weights =
                                    std::make_shared<const std::vector<float>>(std::move(weights))};
    return model.loss(texts(4, {}), params, context).total;
  };
  const double first = loss_with({1, 0, 0, 0}), rest = loss_with({0, 1, 1, 1});
  EXPECT_GT(first, 0);
  EXPECT_NEAR(loss_with({3, 2, 2, 2}), 3 * first + 2 * rest, 1e-5);
}

TEST(Classifier, RefusesOptionsThatContradict) {
  const auto error = [](const std::string& flags) {
    return [=] {
      ClassifierOptions o;
      test::set(o, flags);
      Classifier(o, kClassifierDims);
    };
  };
  EXPECT_THAT(error("--pooling attention --pooling-heads 3"),
              ThrowsMessage<OptionError>(HasSubstr("3 heads do not divide the 256 features")));
  EXPECT_THAT(error("--pooling-heads 2"),
              ThrowsMessage<OptionError>(HasSubstr("--pooling attention")));
  EXPECT_THAT(error("--at-least-one true"),
              ThrowsMessage<OptionError>(HasSubstr("--labels several")));
  EXPECT_THAT(error("--type cnn --position alibi"), ThrowsMessage<OptionError>(HasSubstr("alibi")));
  EXPECT_THAT(error("--type rnn --transformer-heads 2"),
              ThrowsMessage<OptionError>(HasSubstr("--type transformer")));
  EXPECT_THAT(error("--rnn-cell gru"), ThrowsMessage<OptionError>(HasSubstr("--type rnn")));
  EXPECT_THAT(error("--dim-emb 100"), ThrowsMessage<OptionError>(HasSubstr("--dim-emb 100")));
  EXPECT_THAT(error("--type cnn --cnn-width 2"), ThrowsMessage<OptionError>(HasSubstr("odd")));
}

}  // namespace
}  // namespace weft::models
