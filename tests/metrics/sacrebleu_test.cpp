// BLEU and chrF against sacreBLEU's scores, written by tools/golden/sacrebleu_scores.py.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "weft/metrics/text/bleu.h"
#include "weft/metrics/text/chrf.h"
#include "weft/settings.h"

namespace weft::metrics {
namespace {

using nlohmann::json;
using References = std::vector<std::vector<std::string>>;

const json& golden_scores() {
  static const json all = [] {
    std::ifstream in(weft::test::source_path("tests/golden/metrics.json"));
    return json::parse(in);
  }();
  return all;
}

Smoothing smoothing_of(const std::string& name) {
  if (name == "floor") return Smoothing::kFloor;
  if (name == "add-k") return Smoothing::kAddOne;
  if (name == "none") return Smoothing::kNone;
  return Smoothing::kExponential;
}

BleuOptions bleu_options(const json& settings) {
  return {.tokenizer = tokenizer_of(settings.at("tokenize").get<std::string>()),
          .smoothing = smoothing_of(settings.value("smooth_method", "exp")),
          .lowercase = settings.value("lowercase", false),
          .effective_order = settings.value("effective_order", false)};
}

ChrfOptions chrf_options(const json& settings) {
  return {.char_order = settings.value("char_order", 6),
          .word_order = settings.value("word_order", 0),
          .beta = settings.value("beta", 2),
          .lowercase = settings.value("lowercase", false)};
}

// The tolerance only covers the order of a sum of logarithms.
constexpr double kTolerance = 1e-8;

TEST(SacreBleu, AgreesOnBleuInEverySetting) {
  for (const json& c : golden_scores().at("cases")) {
    const auto hypotheses = c.at("hypotheses").get<std::vector<std::string>>();
    const auto references = c.at("references").get<References>();
    for (size_t i = 0; i < golden_scores().at("bleu").size(); ++i) {
      const json& settings = golden_scores().at("bleu")[i][0];
      SCOPED_TRACE(c.at("name").get<std::string>() + " " + settings.dump());
      const BleuScore got = corpus_bleu(hypotheses, references, bleu_options(settings));
      EXPECT_NEAR(got.score, c.at("bleu")[i][0].get<double>(), kTolerance);
      EXPECT_EQ(got.text(), c.at("bleu")[i][1].get<std::string>());
    }
  }
}

TEST(SacreBleu, AgreesOnChrfInEverySetting) {
  for (const json& c : golden_scores().at("cases")) {
    const auto hypotheses = c.at("hypotheses").get<std::vector<std::string>>();
    const auto references = c.at("references").get<References>();
    for (size_t i = 0; i < golden_scores().at("chrf").size(); ++i) {
      const json& settings = golden_scores().at("chrf")[i][0];
      SCOPED_TRACE(c.at("name").get<std::string>() + " " + settings.dump());
      const ChrfScore got = corpus_chrf(hypotheses, references, chrf_options(settings));
      EXPECT_NEAR(got.score, c.at("chrf")[i][0].get<double>(), kTolerance);
      EXPECT_EQ(got.text(), c.at("chrf")[i][1].get<std::string>());
    }
  }
}

TEST(SacreBleu, AgreesOnSignaturesExceptTheVersion) {
  const std::string tail = "|version:weft-" + std::string(version());
  for (const json& c : golden_scores().at("bleu")) {
    EXPECT_EQ(bleu_signature(bleu_options(c[0]), 1), "nrefs:1|" + c[1].get<std::string>() + tail);
  }
  for (const json& c : golden_scores().at("chrf")) {
    EXPECT_EQ(chrf_signature(chrf_options(c[0]), 3), "nrefs:3|" + c[1].get<std::string>() + tail);
  }
}

}  // namespace
}  // namespace weft::metrics
