#include "weft/tasks/classification/contrastive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/gradients.h"
#include "tests/support/tensors.h"
#include "tests/tasks/classification/small_classification.h"
#include "tests/train/small_training.h"
#include "weft/core/error.h"
#include "weft/nn/parameters.h"

namespace weft::tasks {
namespace {

using test::Scratch;
using testing::HasSubstr;

data::Labels labels_of(const std::vector<std::vector<int32_t>>& examples) {
  data::Labels out;
  for (const auto& labels : examples) out.add(labels);
  return out;
}

double cosine(const Tensor& x, int64_t a, int64_t b) {
  const Tensor wide = x.to(DType::kF64);
  const auto row = [&](int64_t n) { return wide.row_range(n, n + 1).span<double>(); };
  double product = 0, squares_a = 0, squares_b = 0;
  for (size_t i = 0; i < row(a).size(); ++i) {
    product += row(a)[i] * row(b)[i];
    squares_a += row(a)[i] * row(a)[i];
    squares_b += row(b)[i] * row(b)[i];
  }
  return product / std::sqrt(squares_a * squares_b);
}
double square(double x) { return x * x; }

TEST(PairLoss, IsTheMeanOfNearPairsPlusTheMeanOfOthers) {
  const Tensor x = test::random_inputs({{4, 3}}).front();
  const auto near = [&](int64_t a, int64_t b) { return square(cosine(x, a, b) - 1); };
  const auto far = [&](int64_t a, int64_t b) { return square(cosine(x, a, b)); };
  const ops::Loss loss = pair_loss(x, labels_of({{0}, {1}, {0}, {2}}), 0.5, nullptr);
  const double expected =
      4 * (near(0, 2) + (far(0, 1) + far(0, 3) + far(1, 2) + far(1, 3) + far(2, 3)) / 5);
  EXPECT_NEAR(loss.total, expected, 1e-9);
  EXPECT_NEAR(loss.value.item(), expected / 2, 1e-9);
}

TEST(PairLoss, WantsTheShareOfCommonLabels) {
  const Tensor x = test::random_inputs({{3, 4}}).front();
  const ops::Loss loss = pair_loss(x, labels_of({{2, 0}, {0, 1}, {}}), 1, nullptr);
  const double near = square(cosine(x, 0, 1) - 1.0 / 3);
  const double far = (square(cosine(x, 0, 2)) + square(cosine(x, 1, 2))) / 2;
  EXPECT_NEAR(loss.total, 3 * (near + far), 1e-9);
}

TEST(PairLoss, IsZeroOfOneText) {
  const Tensor x = test::random_inputs({{1, 4}}).front();
  EXPECT_EQ(pair_loss(x, labels_of({{2}}), 1, nullptr).total, 0);
}

TEST(PairLoss, HasTheGradientOfDifferences) {
  const auto labels = labels_of({{0}, {1}, {0}, {0, 1}});
  const auto check = autograd::check_gradients(
      [&](const std::vector<Tensor>& in, autograd::Tape* tape) {
        return pair_loss(in[0], labels, 0.3, tape).value;
      },
      test::random_inputs({{4, 3}}));
  EXPECT_TRUE(check.ok) << check.message;
}

TEST(Contrastive, GivesTheEncoderTheGradientOfPairsAlone) {
  const Scratch folder;
  ClassificationOptions o = small_classification(folder);
  o.loop.after = options::Period::updates(1);
  train_classifier(o);
  auto session = model_file::load<model_file::ClassifierSession>(o.loop.model);
  data::Batch batch;
  batch.fields = {data::make_tokens({{3, 4}, {5, 6, 7}, {4, 8}}, session.model.dims.text.end_id),
                  labels_of({{0}, {1}, {0}})};
  batch.examples = {0, 1, 2};
  const auto gradients_of = [&](auto loss) {
    autograd::Tape tape;
    nn::Context context;
    context.tape = &tape;
    autograd::Gradients out(session.parameters);
    tape.backward(loss(context).value, out);
    return out;
  };
  const autograd::Gradients both = gradients_of([&](const nn::Context& context) {
    return contrastive_loss(session.model, batch, {.weight = 1.0 / 3}, context);
  });
  const autograd::Gradients pairs = gradients_of([&](const nn::Context& context) {
    return pair_loss(session.model.vectors(batch.fields[0], context),
                     std::get<data::Labels>(batch.fields[1]), 1.0 / 3, context.tape);
  });
  const autograd::Gradients labels = gradients_of([&](const nn::Context& context) {
    return session.model.loss(batch, {.weight = 1.0 / 3}, context);
  });
  for (const auto& [name, p] : nn::parameters_of(session.model)) {
    const bool is_output = name.starts_with("classifier.");
    EXPECT_EQ(test::distance(both.of(p->value), (is_output ? labels : pairs).of(p->value)), 0)
        << name;
  }
}

TEST(Contrastive, LearnsLabels) {
  for (const std::string flags : {"", "--labels several"}) {
    SCOPED_TRACE(flags);
    const Scratch folder;
    const test::CapturedLog told;
    ClassificationOptions o = small_classification(
        folder, flags +
                    " --contrastive --learn-rate 0.01 --head-rate-factor 3 --lr-warmup 20 "
                    "--mini-batch-words 400 --after 250u --valid-freq 250u "
                    "--valid-metrics accuracy");
    o.validation.valid_sets = o.data.train_sets;
    train_classifier(o);
    const size_t at = told.text().rfind("accuracy ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_GE(std::stod(told.text().substr(at + 9)), 0.9);
  }
}

TEST(Contrastive, RefusesWhatHasNoPairs) {
  const auto expect_refusal = [](const std::string& flags, const std::string& message) {
    const Scratch folder;
    ClassificationOptions o = small_classification(folder, flags);
    if (!o.model.is_text()) o.data.vocabs.clear();
    EXPECT_THAT(test::message_of<OptionError>([&] { o.validate(); }), HasSubstr(message)) << flags;
  };
  expect_refusal("--contrastive --input features", "--contrastive: is of --input text");
  expect_refusal("--contrastive --teacher big.safetensors", "--contrastive: contradicts --teacher");
  expect_refusal("--contrastive --labels sequence", "contrastive");
  expect_refusal("--contrastive --labels numbers", "contrastive");
  const Scratch folder;
  const Classification task(small_classification(folder, "--contrastive"));
  EXPECT_THAT(test::message_of<OptionError>([&] { task.check_ranks(); }),
              HasSubstr("compares the texts of a mini-batch"));
}

}  // namespace
}  // namespace weft::tasks
