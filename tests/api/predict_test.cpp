#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/api/small_model_test.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "weft/data/images/image_file.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/tagger.h"
#include "weft/predict/classification/classifier.h"
#include "weft/predict/embedding/embedder.h"
#include "weft/predict/tagging/tagger.h"
#include "weft/weft.h"

namespace weft {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

class PublicLibrary : public test::SmallModelTest {
 protected:
  const std::vector<std::string> texts_ = {"w1 w2 w3", "", "w4", "w5 \xFF", "w6 w7 w8 w9 w10"};
};

TEST_F(PublicLibrary, SaysWhatAModelIs) {
  const Model classifier = model("classifier");
  EXPECT_EQ(classifier.kind(), "classifier");
  EXPECT_EQ(classifier.path(), path("classifier"));
  EXPECT_THAT(classifier.labels(), ElementsAre("x", "y", "z"));
  EXPECT_THAT(classifier.options(), HasSubstr("\"dim-emb\":16"));
  EXPECT_THAT(model("tagger").labels(0), ElementsAre("x", "y", "z"));
  EXPECT_THAT(message_of<OptionError>([] { model("tagger").labels(1); }), HasSubstr("column: 1"));
  EXPECT_TRUE(model("embedder").labels().empty());
}

TEST_F(PublicLibrary, RefusesFilesThatAreNoModels) {
  EXPECT_THROW(load(path("missing")), FileError);
  EXPECT_THROW(load(path("0.png")), FormatError);
  EXPECT_THAT(message_of<OptionError>([] {
                load(path("classifier"), {{"precison", "int8"}});
              }),
              HasSubstr("precison: unknown option; hint: did you mean precision?"));
  EXPECT_THAT(message_of<OptionError>([] {
                load(path("classifier"), {{"lora", path("0.png")}});
              }),
              HasSubstr("expected a language model"));
  EXPECT_THAT(message_of<OptionError>([] { Translator translator(model("classifier")); }),
              HasSubstr("is a model of type 'classifier'; expected seq2seq"));
}

TEST_F(PublicLibrary, ClassifiesAsThePredictorBelowDoes) {
  const auto session = model_file::load_packed<model_file::ClassifierSession>(
      path("classifier"), model_file::Precision::kStored);
  const predict::Classifier below({&session, 1}, {});
  std::vector<weft::Line> lines;
  for (const std::string& text : texts_) lines.push_back({.text = text});
  Report report, counted;
  const auto expected = predict::predict(below, lines, counted);
  const auto found = Classifier(model("classifier")).classify(texts_, &report);
  ASSERT_EQ(found.size(), texts_.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].probabilities, expected[i].probabilities);
    EXPECT_EQ(found[i].fault.has_value(), expected[i].fault.has_value());
  }
  EXPECT_EQ(found[1].fault.has_value() ? 0u : 1u, found[1].labels.size());
  ASSERT_TRUE(found[3].fault);
  EXPECT_EQ(found[3].fault->kind, FaultKind::kNotUtf8);
  EXPECT_EQ(report.text(), counted.text());
}

TEST_F(PublicLibrary, GivesEachInputItsResultInAnyBatch) {
  const Classifier together(model("classifier")), alone(model("classifier"), {{"mini-batch", 1}});
  const Embedder vectors(model("embedder")), one_by_one(model("embedder"), {{"mini_batch", 1}});
  const auto a = together.classify(texts_), b = alone.classify(texts_);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].probabilities, b[i].probabilities);
  const Embeddings x = vectors.embed(texts_), y = one_by_one.embed(texts_);
  EXPECT_THAT(x.vectors.shape, ElementsAre(5, vectors.dimensions()));
  EXPECT_EQ(x.vectors.values, y.vectors.values);
  EXPECT_TRUE(x.faults[3]);
  const auto width = static_cast<size_t>(vectors.dimensions());
  for (size_t i = 3 * width; i < 4 * width; ++i) EXPECT_EQ(x.vectors.values[i], 0);
}

TEST_F(PublicLibrary, TagsTextsAndLists) {
  const Tagger tagger(model("tagger"), {{"scores", true}});
  const auto found = tagger.tag(texts_);
  EXPECT_THAT(found[0].words, ElementsAre("w1", "w2", "w3"));
  ASSERT_EQ(found[0].columns.size(), 1u);
  EXPECT_EQ(found[0].columns[0].labels.size(), 3u);
  EXPECT_EQ(found[0].columns[0].probabilities.size(), 3u);
  EXPECT_EQ(tagger.tag("w1 w2 w3").columns[0].labels, found[0].columns[0].labels);
  const std::vector<std::vector<std::string>> words = {{"w1", "w2", "w3"}};
  EXPECT_EQ(tagger.tag(words)[0].columns[0].labels, found[0].columns[0].labels);
  EXPECT_TRUE(Tagger(model("tagger")).tag(texts_)[0].columns[0].probabilities.empty());
}

TEST_F(PublicLibrary, TranslatesAndStreams) {
  const Translator translator(model("translator"), {{"max-length-factor", 2}});
  const std::vector<std::string> sources = {"w1 w2", "w3"};
  const auto found = translator.translate(sources);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].text, found[0].hypotheses.front().text);
  EXPECT_EQ(translator.translate("w1 w2").text, found[0].text);
  std::string heard;
  const Translation streamed = translator.stream(sources[0], [&](std::string_view more) {
    heard += more;
    return true;
  });
  EXPECT_EQ(heard, found[0].text);
  EXPECT_EQ(streamed.text, found[0].text);
  const Translator best(model("translator"), {{"n-best", true}, {"beam-size", 3}});
  EXPECT_EQ(best.translate(sources)[0].hypotheses.size(), 3u);
  EXPECT_THAT(message_of<OptionError>([&] { best.stream("w1", {}); }), HasSubstr("n-best"));
  const Translator two(std::vector{model("translator"), model("translator")});
  EXPECT_EQ(two.translate(sources).size(), 2u);
  EXPECT_THROW(Translator(std::vector<Model>()), OptionError);
}

TEST_F(PublicLibrary, PrintsAlignments) {
  const Translator translator(model("translator"), {{"alignment", "soft"}});
  const std::vector<std::string> sources = {"w1 w2"};
  const Array weights = translator.translate(sources)[0].hypotheses[0].alignments.at(0);
  ASSERT_EQ(weights.shape.size(), 2u);
  EXPECT_EQ(weights.shape[1], 3);
  EXPECT_EQ(std::ssize(weights.values), weights.shape[0] * weights.shape[1]);
}

TEST_F(PublicLibrary, FillsMasks) {
  const MaskFiller filler(model("masked"), {{"top", 2}});
  const std::vector<std::string> lines = {"w1 [MASK] w2", "w3"};
  const auto found = filler.fill(lines);
  ASSERT_EQ(found[0].masks.size(), 1u);
  EXPECT_EQ(found[0].masks[0].size(), 2u);
  EXPECT_THAT(found[0].text, HasSubstr(found[0].masks[0][0].token));
  ASSERT_TRUE(found[1].fault);
  EXPECT_EQ(found[1].fault->kind, FaultKind::kNoMask);
}

TEST_F(PublicLibrary, ContinuesPrompts) {
  const Options greedy = {{"temperature", 0}, {"max-length", 5}};
  const Generator generator(model("language"), greedy);
  const std::vector<std::string> prompts = {"w1 w2", "w3"};
  const auto found = generator.generate(prompts);
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(found[0].texts.size(), 1u);
  std::string heard;
  const auto all = [&](std::string_view more) {
    heard += more;
    return true;
  };
  EXPECT_EQ(generator.stream(prompts[0], all).texts[0].text, found[0].texts[0].text);
  EXPECT_EQ(heard, found[0].texts[0].text);
  int calls = 0;
  const Generation cut = generator.stream(prompts[0], [&](std::string_view) {
    ++calls;
    return false;
  });
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(cut.texts[0].ended);
  EXPECT_THAT(message_of<OptionError>([&] {
                Generator(model("language"), {{"samples", 2}}).stream("w1", all);
              }),
              HasSubstr("samples"));
}

TEST_F(PublicLibrary, AnswersConversations) {
  const Options greedy = {{"temperature", 0}, {"max-length", 8}};
  const std::vector<Conversation> conversations = {{{"user", "hello"}}};
  const auto answered = Generator(model("chat"), greedy).answer(conversations);
  Chat chat(model("chat"), greedy);
  std::string heard;
  const Generation said = chat.say("hello", [&](std::string_view more) {
    heard += more;
    return true;
  });
  EXPECT_EQ(said.texts[0].text, answered[0].texts[0].text);
  EXPECT_EQ(heard, said.texts[0].text);
  const std::string second = chat.say("go on").texts[0].text;
  chat.clear();
  EXPECT_EQ(chat.say("hello").texts[0].text, said.texts[0].text);
  EXPECT_EQ(chat.say("go on").texts[0].text, second);
  EXPECT_THROW(Chat(model("language")), OptionError);
  const std::vector<Conversation> wrong = {{{"robot", "hello"}}};
  EXPECT_TRUE(Generator(model("chat"), greedy).answer(wrong)[0].fault);
  EXPECT_THROW(Generator(model("chat"), greedy).answer(std::vector<Conversation>(1)), FormatError);
}

TEST_F(PublicLibrary, ReadsPicturesInMemoryAsThoseInFiles) {
  const std::vector<std::string> paths = {path("0.png"), path("missing.png"), path("1.png")};
  std::vector<Picture> pictures;
  for (const size_t i : {0u, 2u}) {
    const data::Image image = data::read_image(paths[i]);
    pictures.push_back({image.height, image.width, image.channels, image.pixels});
  }
  const Classifier classifier(model("pictures"));
  const auto files = classifier.classify(paths), memory = classifier.classify(pictures);
  EXPECT_EQ(files[0].probabilities, memory[0].probabilities);
  EXPECT_EQ(files[2].probabilities, memory[1].probabilities);
  ASSERT_TRUE(files[1].fault);
  EXPECT_EQ(files[1].fault->kind, FaultKind::kUnreadable);
  const Detector detector(model("detector"), {{"threshold", 0}});
  const auto found = detector.detect(paths), same = detector.detect(pictures);
  ASSERT_FALSE(found[0].objects.empty());
  EXPECT_EQ(found[0].objects[0].label, same[0].objects[0].label);
  EXPECT_EQ(found[2].objects[0].x, same[1].objects[0].x);
  pictures[0].pixels.pop_back();
  EXPECT_THROW(classifier.classify(pictures), ShapeError);
}

TEST_F(PublicLibrary, TranscribesSamplesAsFiles) {
  const Transcriber transcriber(model("transcriber"));
  const std::vector<std::string> paths = {path("0.wav"), path("missing.wav")};
  const auto found = transcriber.transcribe(paths);
  EXPECT_TRUE(found[1].fault);
  EXPECT_NEAR(found[0].seconds, 0.25, 0.02);
  Sound silence{.samples = std::vector<float>(16000), .rate = 16000};  // of twice the model's rate
  EXPECT_NEAR(transcriber.transcribe(std::vector{silence})[0].seconds, 1, 0.02);
  silence.samples[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(transcriber.transcribe(std::vector{silence}), NumericError);
  EXPECT_THROW(transcriber.transcribe(std::vector{Sound{.samples = {0}, .rate = -1}}), OptionError);
}

TEST_F(PublicLibrary, ScoresTextsAndContinuations) {
  const Scorer scorer(model("language"));
  const std::vector<std::string> lines = {"w1 w2 w3", ""};
  const auto found = scorer.score(lines);
  ASSERT_EQ(found[0].scores.size(), 1u);
  EXPECT_LT(found[0].scores[0].log_probability, 0);
  EXPECT_GT(found[0].scores[0].perplexity(), 1);
  EXPECT_TRUE(found[1].fault);
  const std::vector<std::string> continuations = {" w2 w3", " w4"};
  const ScoredText continued = scorer.score("w1", continuations);
  ASSERT_EQ(continued.scores.size(), 2u);
  EXPECT_EQ(continued.scores[0].tokens, 2);
  EXPECT_EQ(continued.scores[1].tokens, 1);
  const std::vector<std::string> none, malformed = {" w2", "\xFF"};
  EXPECT_EQ(scorer.score("w1", none).fault->reason, "no continuation; expected one or more");
  EXPECT_EQ(scorer.score("w1", malformed).fault->reason, "continuation 2: not UTF-8");
  EXPECT_TRUE(scorer.score("\xFF", continuations).fault);
}

TEST_F(PublicLibrary, ScoresTranslations) {
  const Translator translator(model("translator"), {{"max-length-factor", 1}});
  const Translation found = translator.translate("w1 w2 w3");
  const TranslationHypothesis& best = found.hypotheses.front();
  const TranslationScorer scorer(model("translator"), {{"max-length", 4}});
  Report report("pair");
  const std::vector<TextPair> pairs = {
      {"w1 w2 w3", best.text}, {"w1", "w2 \xFF"}, {"w1 w2 w3 w4 w5", "w1"}, {"w1 w2 w3 w4", "w1"}};
  const std::vector<ScoredText> scores = scorer.score(pairs, &report);
  ASSERT_EQ(scores.size(), 4u);
  EXPECT_EQ(scores[1].fault->kind, FaultKind::kNotUtf8);
  EXPECT_EQ(report.count(Note::kCropped), 1);
  EXPECT_EQ(scores[2].scores.front().log_probability, scores[3].scores.front().log_probability);
  EXPECT_EQ(scores[2].scores.front().tokens, 2);
  EXPECT_EQ(scores[0].scores.front().bytes, std::ssize(best.text));
  // The search may have been cut off before the end symbol, which is scored here.
  EXPECT_LE(scores[0].scores.front().log_probability, best.log_probability + 1e-5);
  EXPECT_THAT(message_of<OptionError>([] { TranslationScorer wrong(model("tagger")); }),
              HasSubstr("is a model of type 'tagger'; expected seq2seq"));
}

TEST_F(PublicLibrary, CompletesViewsAndPredictsMotion) {
  const auto view = [](int number) { return read_picture(path(fmt::format("{}.png", number))); };
  const std::vector<PicturePair> pairs = {{view(0), view(1)}, {view(2), view(3)}};
  Report report("pair");
  const ViewCompleter completer(model("completer"), {{"mask-ratio", 0.5}});
  const std::vector<CompletedView> completed = completer.complete(pairs, &report);
  ASSERT_EQ(completed.size(), 2u);
  EXPECT_EQ(report.inputs, 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(completed[i].first.pixels, pairs[i].first.pixels);
    EXPECT_NE(completed[i].masked.pixels, pairs[i].first.pixels);
    EXPECT_EQ(completed[i].completed.pixels.size(), 64u);
    EXPECT_GT(completed[i].error, 0);
  }
  const ViewCompleter other(model("completer"), {{"mask-ratio", 0.5}, {"seed", 2}});
  EXPECT_NE(other.complete(pairs)[0].error, completed[0].error);
  EXPECT_TRUE(completer.complete(std::vector<PicturePair>()).empty());

  const MotionPredictor motion(model("motion"), {{"mini-batch", 1}});
  const std::vector<ViewMotion> moved = motion.predict(pairs);
  ASSERT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved[0].numbers.size(), 2u);
  EXPECT_EQ(motion.predict(std::span(pairs).last(1))[0].numbers, moved[1].numbers);
  EXPECT_THAT(message_of<OptionError>([] { MotionPredictor wrong(model("completer")); }),
              HasSubstr("a model of --objective completion; expected --objective motion"));
  const std::vector<PicturePair> broken = {
      {view(0), {.height = 2, .width = 2, .channels = 1, .pixels = {}}}};
  EXPECT_THROW(motion.predict(broken), ShapeError);
  EXPECT_THROW(read_picture(path("none.png")), FileError);
}

TEST_F(PublicLibrary, ScoresTextsBesideReferences) {
  const std::vector<std::string> texts = {"the cat sat on the mat", "a dog"};
  const std::vector<std::vector<std::string>> same = {texts}, other = {{"the cat", "a dog"}};
  const std::vector<TextMetric> found = evaluate(texts, same);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "BLEU");
  EXPECT_NEAR(found[0].score, 100, 1e-9);
  EXPECT_THAT(found[0].text, HasSubstr("BLEU = 100.00"));
  EXPECT_EQ(evaluate(texts, other, {{"metrics", "exact-match"}}).front().score, 0.5);
  EXPECT_THAT(message_of<OptionError>([&] { evaluate(texts, {}); }), HasSubstr("references: none"));
  EXPECT_THAT(message_of<FormatError>([&] { evaluate(std::span(texts).first(1), same); }),
              HasSubstr("references[0]: 2 lines; expected 1, the number of lines of hypotheses"));
  EXPECT_THAT(message_of<FormatError>([&] { evaluate({}, same); }), HasSubstr("no text"));
}

// Several threads that predict at the same time have the result of one.
template <class Predict>
void expect_same_in_threads(const Predict& predict) {
  const auto expected = predict();
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (size_t t = 0; t < same.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) same[t] += predict() == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(same, testing::Each(5));
}

TEST_F(PublicLibrary, ServesSeveralThreads) {
  const Classifier classifier(model("classifier"));
  expect_same_in_threads([&] { return classifier.classify(texts_)[0].probabilities; });
  const std::vector<std::string> prompts = {"w1 w2 w3", "w1 w2", "w4"};
  for (const char* draft : {"", "prompt"}) {
    const Generator generator(model("language"), {{"max-length", 12}, {"draft", draft}});
    expect_same_in_threads([&] {
      std::vector<std::string> texts;
      for (const Generation& found : generator.generate(prompts)) texts.push_back(found.written);
      return texts;
    });
  }
}

TEST_F(PublicLibrary, ShowsAttention) {
  const auto maps = attention(model("tagger"), "w1 w2 w3");
  ASSERT_FALSE(maps.empty());
  EXPECT_EQ(maps[0].role, "self");
  ASSERT_EQ(maps[0].weights.shape.size(), 3u);
  const int64_t columns = maps[0].weights.shape[2];
  EXPECT_EQ(std::ssize(maps[0].keys), columns);
  double sum = 0;
  for (int64_t i = 0; i < columns; ++i) sum += maps[0].weights.values[static_cast<size_t>(i)];
  EXPECT_NEAR(sum, 1, 1e-5);
  const Inspection shown = inspect_inputs(model("tagger"), std::vector<std::string>{"w1 w2"});
  EXPECT_THAT(shown.page, HasSubstr("<html"));
  EXPECT_THAT(shown.json, HasSubstr("\"w1\""));
  EXPECT_THAT(summary(model("tagger")), HasSubstr("tagger"));
  EXPECT_THAT(summary(model("tagger"), true), HasSubstr("{"));
  EXPECT_THROW(inspect_inputs(model("tagger"), {}), OptionError);
}

// Folders of Transformers and GGUF files are shown as the files that they are converted to.
TEST_F(PublicLibrary, ShowsModelsOfOtherSystems) {
  const std::pair<const char*, const char*> cases[] = {
      {"from-hf", "encoders/bert_tagger"}, {"from-gguf", "language_models/llama/model.gguf"}};
  for (const auto& [option, name] : cases) {
    const std::string file = test::source_path(std::string("tests/golden/") + name);
    convert({{option, file}, {"output", path("converted")}, {"overwrite", true}});
    const auto found = attention(load(file), "a cat"),
               expected = attention(model("converted"), "a cat");
    ASSERT_EQ(found.size(), expected.size());
    ASSERT_FALSE(found.empty());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].queries, expected[i].queries);
      EXPECT_EQ(found[i].weights.values, expected[i].weights.values);
    }
    EXPECT_THAT(summary(load(file)), HasSubstr(load(file).kind()));
    EXPECT_THAT(inspect_inputs(load(file), std::vector<std::string>{"a"}).page, HasSubstr("<html"));
  }
}

}  // namespace
}  // namespace weft
