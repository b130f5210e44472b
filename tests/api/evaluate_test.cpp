// Evaluations of models on examples whose answers are known.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/api/small_model_test.h"
#include "tests/support/errors.h"

namespace weft {
namespace {

using test::message_of;
using testing::HasSubstr;
using Json = nlohmann::json;

class PublicEvaluation : public test::SmallModelTest {
 protected:
  // The results, and the predictions of all examples.
  static std::pair<Json, std::vector<Json>> evaluated(std::string_view name,
                                                      const std::vector<std::string>& files,
                                                      const Options& options = {}) {
    std::vector<Json> predictions;
    const ModelEvaluation found =
        evaluate_model({model(name)}, files, options,
                       [&](std::string_view line) { predictions.push_back(Json::parse(line)); });
    EXPECT_FALSE(found.text.empty());
    return {Json::parse(found.json), predictions};
  }
};

TEST_F(PublicEvaluation, CountsTheLabelsThatAClassifierGivesRight) {
  const std::vector<std::string> texts = {"w1 w2", "w3", "w4 w5"};
  const Classifier classifier(model("classifier"));
  std::string tsv;
  for (const std::string& text : texts) {
    tsv += fmt::format("{}\t{}\n", classifier.classify(text).labels.front(), text);
  }
  const auto [right, predictions] = evaluated("classifier", {file("right.tsv", tsv)});
  EXPECT_EQ(right["accuracy"], 1);
  EXPECT_EQ(predictions.size(), 3u);
  EXPECT_EQ(predictions[0]["expected"], predictions[0]["labels"]);
  const std::string first = classifier.classify(texts[0]).labels.front();
  const std::string wrong = (first == "x" ? "y\t" : "x\t") + texts[0] + "\n" + tsv;
  const auto [some, all] =
      evaluated("classifier", {file("some.tsv", wrong)}, {{"confusion", true}});
  EXPECT_EQ(some["accuracy"], 0.75);
  EXPECT_EQ(some["confusion"]["counts"].size(), 3u);
}

TEST_F(PublicEvaluation, OfSeveralClassifiersIsThatOfTheirMean) {
  const std::vector<std::string> text = {file("two.tsv", "x\tw1 w2\ny\tw3\n")};
  const Model one = model("classifier");
  EXPECT_EQ(evaluate_model({one, one}, text).text, evaluate_model({one}, text).text);
  EXPECT_THAT(message_of<OptionError>([&] {
                evaluate_model({model("detector"), model("detector")}, text);
              }),
              HasSubstr("2 of type detector; expected one"));
}

TEST_F(PublicEvaluation, CountsTheTagsThatATaggerGivesRight) {
  const TaggedText tagged = Tagger(model("tagger")).tag("w1 w2 w3");
  const std::vector<std::string>& tags = tagged.columns[0].labels;
  const std::string conll = fmt::format("w1\t{}\nw2\t{}\nw3\t{}\n\n", tags[0], tags[1], tags[2]);
  const auto [found, predictions] =
      evaluated("tagger", {file("right.conll", conll)}, {{"format", "conll"}, {"mini-batch", 1}});
  EXPECT_EQ(found["exact_match"], 1);
  EXPECT_EQ(found["columns"][0]["accuracy"], 1);
  ASSERT_EQ(predictions.size(), 1u);
  EXPECT_EQ(predictions[0]["tags"], predictions[0]["expected"]);
}

TEST_F(PublicEvaluation, ComparesTextsBoxesAndViews) {
  const std::string sounds = file("sounds.tsv", path("0.wav") + "\tw1 w2\n");
  const auto [rates, texts] = evaluated("transcriber", {sounds});
  EXPECT_EQ(rates["texts"], 1);
  EXPECT_EQ(texts[0]["expected"], "w1 w2");
  const std::string boxes =
      file("boxes.json",
           Json({{"images", {{{"id", 1}, {"file_name", "0.png"}}}},
                 {"categories", {{{"id", 1}, {"name", "x"}}}},
                 {"annotations", {{{"image_id", 1}, {"category_id", 1}, {"bbox", {1, 1, 4, 4}}}}}})
               .dump());
  const auto [precision, objects] = evaluated("detector", {boxes});
  EXPECT_TRUE(precision.contains("ap50"));
  EXPECT_EQ(objects[0]["expected"][0]["label"], "x");
  const std::string pairs =
      file("pairs.tsv", fmt::format("{}\t{}\n", path("0.png"), path("1.png")));
  const auto [error, views] = evaluated("completer", {pairs}, {{"mask-ratio", 0.5}});
  EXPECT_GT(error["error"], 0);
  EXPECT_EQ(error["pairs"], 1);
  EXPECT_EQ(views[0]["error"], error["error"]);
  const std::string moved =
      file("moved.tsv", fmt::format("{}\t{}\t1\t2\n", path("0.png"), path("1.png")));
  const auto [motion, numbers] = evaluated("motion", {moved});
  EXPECT_EQ(motion["absolute_errors"].size(), 2u);
  EXPECT_EQ(numbers[0]["expected"], Json({1, 2}));
}

TEST_F(PublicEvaluation, RefusesWhatItCannotRead) {
  const std::vector<std::string> text = {file("one.tsv", "x\tw1\n")};
  EXPECT_THAT(message_of<OptionError>([&] { evaluate_model({model("embedder")}, text); }),
              HasSubstr("is a model of type 'embedder'; expected one of classifier, tagger"));
  EXPECT_THAT(message_of<OptionError>([&] {
                evaluate_model({model("classifier")}, text, {{"word-labels", 1}});
              }),
              HasSubstr("word-labels: unknown option"));
  EXPECT_THAT(message_of<OptionError>([&] {
                evaluate_model({model("classifier")}, text, {{"bad-files", "refuse"}});
              }),
              HasSubstr("--bad-files: the model is of --input text"));
  EXPECT_THROW(evaluate_model({model("classifier")}, {path("missing.tsv")}), FileError);
  EXPECT_THAT(message_of<OptionError>([&] {
                evaluate_model({model("motion")}, text, {{"crop-shift", 0.5}});
              }),
              HasSubstr("--crop-shift: belongs to --views crops"));
  EXPECT_THROW(evaluate_model({}, text), OptionError);
  EXPECT_THROW(evaluate_model({model("classifier")}, {}), OptionError);
  EXPECT_THROW(evaluation_schema("embedder"), OptionError);
}

}  // namespace
}  // namespace weft
