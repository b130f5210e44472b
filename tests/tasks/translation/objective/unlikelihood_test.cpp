#include "weft/tasks/translation/objective/unlikelihood.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/options.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/tasks/translation/objective/objective.h"

namespace weft::tasks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

data::Tokens targets() {
  data::Tokens out;
  out.add(std::vector<int32_t>{5, 3, 5, 5, 4}, 0);
  out.add(std::vector<int32_t>{}, 0);
  out.add(std::vector<int32_t>{4}, 0);
  return out;
}

TEST(Unlikelihood, IsOfTheOtherTokensBeforeATarget) {
  const ops::LabelsPtr found = previous_targets(targets());
  ASSERT_EQ(found->examples(), 9);
  EXPECT_THAT((*found)[0], IsEmpty());             // 5
  EXPECT_THAT((*found)[1], ElementsAre(5));        // 3
  EXPECT_THAT((*found)[2], ElementsAre(3));        // 5
  EXPECT_THAT((*found)[3], ElementsAre(3));        // 5
  EXPECT_THAT((*found)[4], ElementsAre(5, 3));     // 4
  EXPECT_THAT((*found)[5], ElementsAre(5, 3, 4));  // </s>
  EXPECT_THAT((*found)[6], IsEmpty());             // </s> of the next sentence
  EXPECT_THAT((*found)[7], IsEmpty());
  EXPECT_THAT((*found)[8], ElementsAre(4));
}

// Against the equation, in double, from the model's own probabilities.
TEST(Unlikelihood, AddsMinusTheLogOfOneMinusTheirProbabilities) {
  const auto words =
      data::make_plain_tokeniser(data::Vocabulary::from_list("a\nb\nc\nd\ne\n", "v"));
  models::Seq2SeqOptions o;
  o.encoder.enc_depth = o.decoder.dec_depth = 1;
  o.encoder.dim_emb = 8;
  o.encoder.transformer.attention.heads = 2;
  o.encoder.transformer.feed_forward.inner = 8;
  const model_file::TranslatorSession session = model_file::new_translator(o, {words, words}, 3);
  data::Batch batch;
  batch.fields = {targets(), targets()};
  batch.examples.resize(3);
  const nn::Context context;
  const Tensor logits =
      session.model.decoder.logits(session.model.states(batch, context), context).to(DType::kF64);
  const data::Tokens& target = batch.target();
  const ops::LabelsPtr candidates = previous_targets(target);
  double likelihood = 0, unlikelihood = 0;
  for (int64_t n = 0; n < logits.rows(); ++n) {
    const Tensor row = logits.row_range(n, n + 1);
    double sum = 0;
    for (int64_t v = 0; v < row.cols(); ++v) sum += std::exp(row.data<double>()[v]);
    const auto p = [&](int32_t v) { return std::exp(row.data<double>()[v]) / sum; };
    likelihood -= std::log(p(target.ids[static_cast<size_t>(n)]));
    for (const int32_t c : (*candidates)[n]) unlikelihood -= std::log(1 - p(c));
  }
  const auto loss = [&](double alpha) {
    ObjectiveOptions options;
    options.label_smoothing = 0;
    options.get<UnlikelihoodOptions>().alpha = alpha;
    const train::MicroBatch part{.batch = batch, .weight = 0.1};
    return Objective(options, session)(session.model, part, {}, context);
  };
  EXPECT_NEAR(loss(0).total, likelihood, 1e-4);
  EXPECT_NEAR(loss(1).total, likelihood + unlikelihood, 1e-4);
  EXPECT_NEAR(loss(3).total, likelihood + 3 * unlikelihood, 1e-4);
  EXPECT_NEAR(loss(3).value.item(), 0.1 * (likelihood + 3 * unlikelihood), 1e-5);
  EXPECT_NEAR(loss(3).nll, likelihood, 1e-4);
}

TEST(Unlikelihood, RefusesOtherObjectivesAndModels) {
  ObjectiveOptions o;
  test::set(o, "--unlikelihood 1 --r-drop 1");
  EXPECT_THAT([&] { o.validate(); },
              ThrowsMessage<OptionError>(HasSubstr("--unlikelihood: contradicts --r-drop")));
  models::Seq2SeqOptions model;
  test::set(model, "--generation mask-predict");
  ObjectiveOptions alone;
  test::set(alone, "--unlikelihood 1");
  EXPECT_THAT([&] { check_objective(alone, model); },
              ThrowsMessage<OptionError>(HasSubstr("--unlikelihood: makes tokens unlikely that "
                                                   "stand before a target; expected --generation "
                                                   "left-to-right, got mask-predict")));
}

}  // namespace
}  // namespace weft::tasks
