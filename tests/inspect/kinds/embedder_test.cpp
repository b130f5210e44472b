#include "weft/inspect/kinds/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/inspect/example.h"
#include "tests/model_file/small_embedder.h"
#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/predict/embedding/embedder.h"

namespace weft::inspect {
namespace {

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) /
         std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0) *
                   std::inner_product(b.begin(), b.end(), b.begin(), 0.0));
}

TEST(InspectedEmbedder, ShowsTheNearestOtherLines) {
  const auto session = model_file::small_embedder();
  const auto lines = test::lines_of({"w0 w1 w2", "w3 w1", "w0 w1 w2", "w5", "w3 w1", "w1 w0 w2"});
  const TextCollection collection = collect(session, lines, {});
  ASSERT_EQ(collection.texts.size(), 6u);
  const Example example = inspect(session, "w0 w1 w2", {.alternatives = 9}, collection);
  ASSERT_TRUE(example.attributions.has_value());
  const predict::Embedder embedder(session, {}, {});
  const auto vectors = test::predicted(embedder, lines);
  std::vector<std::string> shown;
  for (const ExplainedLabel& label : example.attributions->labels) {
    const auto at = std::ranges::find(lines, label.label, &weft::Line::text) - lines.begin();
    EXPECT_NEAR(label.probability, cosine(vectors[0].values, vectors[at].values), 1e-6);
    EXPECT_NEAR(label.score, label.probability, 1e-5);
    if (!shown.empty()) {
      EXPECT_LE(label.probability, example.attributions->labels[shown.size() - 1].probability);
    }
    shown.push_back(label.label);
  }
  EXPECT_THAT(shown, testing::UnorderedElementsAre("w3 w1", "w5", "w1 w0 w2"));
}

TEST(InspectedEmbedder, SaysWhatWordsAddToTheCosine) {
  const auto session = model_file::small_embedder("--dense-sizes 8");
  const TextCollection collection = collect(session, test::lines_of({"w3 w1", "w5", "w2"}), {});
  const Example example = inspect(session, "w0 w1 w2", {.alternatives = 2}, collection);
  const Attributions& found = example.attributions.value();
  ASSERT_EQ(found.labels.size(), 2u);
  EXPECT_EQ(found.gradients.shape(), (Shape{2, 3}));
  const auto without = collect(session, test::lines_of({"w1 w2", "w0 w2", "w0 w1"}), {});
  for (size_t i = 0; i < found.labels.size(); ++i) {
    const ExplainedLabel& label = found.labels[i];
    const float* row = found.gradients.data<float>() + 3 * i;
    const double difference = label.score - label.baseline_score;
    EXPECT_NEAR(std::accumulate(row, row + 3, 0.0), difference, 0.01 * std::abs(difference) + 1e-5);
    const auto at = std::ranges::find(collection.texts, label.label) - collection.texts.begin();
    for (size_t w = 0; w < 3; ++w) {
      EXPECT_NEAR(found.leave_one_out.data<float>()[3 * i + w],
                  label.score - cosine(without.vectors[w], collection.vectors[at]), 1e-5);
    }
  }
}

TEST(InspectedEmbedder, ComparesTheTokensThatAreShown) {
  const auto session = model_file::small_embedder();
  const InspectionOptions options{.max_length = 2, .alternatives = 1};
  const TextCollection collection = collect(session, test::lines_of({"w0 w1 w5 w6"}), options);
  const Example example = inspect(session, "w0 w1 w2", options, collection);
  EXPECT_NEAR(example.attributions->labels[0].probability, 1, 1e-6);
}

TEST(InspectedEmbedder, ShowsAttentionAndTokens) {
  const auto session = model_file::small_embedder();
  const Example example = inspect(session, "w0 w1", {});
  EXPECT_EQ(example.attentions.size(), 2u);
  EXPECT_EQ(example.axes[0].size(), 4);
  EXPECT_EQ(example.axes[1].size(), 2);
  EXPECT_FALSE(example.attributions.has_value());
  EXPECT_TRUE(inspect(session, "", {}).axes.empty());
  EXPECT_THAT(inspect(session, "w0 w1 w2 w3", {.max_length = 2}).note,
              testing::HasSubstr("cropped to 2 tokens"));
}

TEST(InspectedEmbedder, RefusesOptionsOfOtherModels) {
  const auto session = model_file::small_embedder();
  EXPECT_THAT(test::message_of<OptionError>([&] { check_options(session, {.beam_size = 2}); }),
              testing::HasSubstr("with an embedder"));
}

}  // namespace
}  // namespace weft::inspect
