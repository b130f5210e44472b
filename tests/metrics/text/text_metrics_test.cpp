// Metrics of texts against rouge_score, jiwer and sacreBLEU's paired bootstrap; golden values are
// written by tools/golden/text_metrics.py.
#include "weft/metrics/text/text_metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "weft/core/error.h"
#include "weft/core/random.h"
#include "weft/metrics/numpy_random.h"
#include "weft/metrics/paired_bootstrap.h"
#include "weft/metrics/text/rouge.h"

namespace weft::metrics {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

constexpr double kRounding = 1e-12;

const json& golden_texts() {
  static const json all = [] {
    std::ifstream in(weft::test::source_path("tests/golden/text_metrics.json"));
    return json::parse(in);
  }();
  return all;
}

Lines system_lines(size_t number) { return golden_texts().at("systems")[number].get<Lines>(); }
std::vector<Lines> references() { return {golden_texts().at("reference").get<Lines>()}; }

TEST(Rouge, EqualsRougeScore) {
  const std::pair<const char*, RougeKind> kinds[] = {
      {"rouge1", RougeKind::k1}, {"rouge2", RougeKind::k2}, {"rougeL", RougeKind::kL}};
  for (const auto& [name, kind] : kinds) {
    for (const json& pair : golden_texts().at("pairs")) {
      SCOPED_TRACE(pair.dump() + name);
      std::vector<Lines> references;
      for (const json& reference : pair.at("references")) {
        references.push_back({reference.get<std::string>()});
      }
      const Lines hypotheses = {pair.at("hypothesis").get<std::string>()};
      const Statistics got = rouge_statistics(kind, hypotheses, references);
      ASSERT_EQ(got.values.size(), 4U);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(got.values[i], pair.at("scores").at(name)[i].get<double>(), kRounding);
      }
    }
  }
}

TEST(Rouge, OfACorpusIsTheMeanOfItsLines) {
  const Lines hypotheses = {"a b", "c d"};
  const std::vector<Lines> references = {{"a b", "c x"}};
  EXPECT_NEAR(text_score("rouge1", {hypotheses, references}).score, 0.75, kRounding);
  EXPECT_EQ(text_score("rouge1", {hypotheses, references}).text,
            "rouge1 = 0.7500 (precision 0.7500, recall 0.7500)");
}

TEST(TextErrors, EqualJiwers) {
  for (const size_t i : {0, 1}) {
    const Lines hypotheses = system_lines(i);
    const std::vector<Lines> expected = references();
    const json& errors = golden_texts().at("errors")[i];
    for (const char* unit : {"word", "character"}) {
      const TextScore got = text_score(std::string(unit) + "-error-rate", {hypotheses, expected});
      EXPECT_NEAR(got.score, errors.at(unit)[2].get<double>(), kRounding);
      EXPECT_EQ(got.text.substr(got.text.find('(')),
                "(" + errors.at(unit)[0].dump() + " of " + errors.at(unit)[1].dump() + ")");
    }
    EXPECT_EQ(text_score("exact-match", {hypotheses, expected}).score,
              golden_texts().at("exact")[i].get<double>() / 80);
  }
}

TEST(TextMetrics, IgnoreCaseOnRequest) {
  const Lines hypotheses = {"Größe ÄB", "c"};
  const std::vector<Lines> references = {{"größe äb", "d"}};
  const ComparedTexts texts{hypotheses, references};
  EXPECT_EQ(text_score("exact-match", texts).text, "exact match = 0.0000 (0 of 2)");
  EXPECT_EQ(text_score("exact-match", texts, {.lowercase = true}).text,
            "exact match = 0.5000 (1 of 2)");
  EXPECT_EQ(text_score("word-error-rate", texts, {.lowercase = true}).text,
            "WER = 0.3333 (1 of 3)");
}

TEST(TextMetrics, TakeAnyReferenceOrOne) {
  const Lines hypotheses = {"a b"};
  const std::vector<Lines> references = {{"x"}, {"a b"}};
  EXPECT_EQ(text_score("exact-match", {hypotheses, references}).score, 1);
  EXPECT_THROW(text_score("word-error-rate", {hypotheses, references}), FormatError);
  EXPECT_THROW(text_score("exact-match", {hypotheses, {}}), FormatError);
  EXPECT_THROW(text_score("words", {hypotheses, references}), OptionError);
  EXPECT_TRUE(is_error_rate("character-error-rate"));
  EXPECT_FALSE(is_error_rate("rougeL"));
}

TEST(NumpyRandom, DrawsNumpysNumbers) {
  for (const json& c : golden_texts().at("numbers")) {
    NumpyRandom random(c.at("seed").get<uint64_t>());
    for (const json& number : c.at("numbers")) {
      ASSERT_EQ(random.below(c.at("below").get<uint32_t>()), number.get<uint32_t>())
          << c.at("seed");
    }
  }
}

// sacreBLEU's scores of samples are float32.
TEST(PairedBootstrap, EqualsSacreBleus) {
  const std::vector<Lines> expected = references();
  for (const json& c : golden_texts().at("bootstraps")) {
    const BootstrapOptions options{c.at("samples").get<int64_t>(), c.at("seed").get<uint64_t>()};
    for (const auto& [metric, results] : c.at("results").items()) {
      SCOPED_TRACE(metric + c.at("seed").dump());
      std::vector<Bootstrap> found;
      std::vector<double> scores;
      for (const size_t i : {0, 1}) {
        const Lines hypotheses = system_lines(i);
        Statistics statistics = text_statistics(metric, {hypotheses, expected});
        scores.push_back(statistics.score(statistics.total()));
        found.push_back(bootstrap(sampled(std::move(statistics)), options));
        EXPECT_NEAR(scores[i], results.at("systems")[i][0].get<double>(), 1e-9);
        EXPECT_NEAR(found[i].mean, results.at("systems")[i][1].get<double>(), 1e-4);
        EXPECT_NEAR(found[i].interval, results.at("systems")[i][2].get<double>(), 1e-4);
      }
      EXPECT_DOUBLE_EQ(sacrebleu_p_value(found[0], found[1], {scores[0], scores[1]}),
                       results.at("p").get<double>());
    }
  }
}

TEST(PairedBootstrap, OfTheSameSystemIsNoDifference) {
  const Lines hypotheses = system_lines(0);
  const std::vector<Lines> expected = references();
  const SampledMetric metric = sampled(text_statistics("exact-match", {hypotheses, expected}));
  const Bootstrap found = bootstrap(metric, {.samples = 100});
  EXPECT_EQ(p_value(found, found, {0.5, 0.5}), 1);
  EXPECT_THROW(bootstrap({}, {}), FormatError);
}

// Systems that are right on examples by chance.
Statistics random_system(uint64_t seed, double rate) {
  RandomStream random(seed, 0);
  Statistics out{.width = 2};
  for (int i = 0; i < 60; ++i) {
    out.values.insert(out.values.end(), {random.uniform() < rate ? 1.0 : 0.0, 1.0});
  }
  out.score = [](std::span<const double> sums) { return sums[0] / sums[1]; };
  return out;
}

// The fraction of 400 pairs of systems of these rates whose p is below 0.05.
double significant_fraction(double first, double second) {
  int found = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    const Statistics all[] = {random_system(2 * i, first), random_system(2 * i + 1, second)};
    const BootstrapOptions options{.samples = 199, .seed = i};
    const Bootstrap a = bootstrap(sampled(all[0]), options),
                    b = bootstrap(sampled(all[1]), options);
    const ScorePair scores{all[0].score(all[0].total()), all[1].score(all[1].total())};
    found += p_value(a, b, scores) < 0.05 ? 1 : 0;
  }
  return found / 400.0;
}

TEST(PairedBootstrap, SeldomTellsEqualSystemsApartAndOftenOthers) {
  EXPECT_NEAR(significant_fraction(0.7, 0.7), 0.05, 0.03);
  EXPECT_GT(significant_fraction(0.6, 0.9), 0.9);
}

}  // namespace
}  // namespace weft::metrics
