// Files that the library reads as the commands do, and what is told of options.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/api/small_model_test.h"
#include "tests/support/errors.h"

namespace weft {
namespace {

using test::message_of;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class PublicFiles : public test::SmallModelTest {};

TEST_F(PublicFiles, FindsTheNearestVectors) {
  const Embedder embedder(model("embedder"));
  const std::vector<std::string> texts = {"w1 w2", "w3", "w4 w5 w6"};
  const Embeddings found = embedder.embed(texts);
  const NearestVectors nearest(found.vectors, embedder.similarity());
  EXPECT_EQ(nearest.rows(), 3);
  const auto neighbours = nearest.find(found.vectors, 2);
  ASSERT_EQ(neighbours.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(neighbours[i].size(), 2u);
    EXPECT_EQ(neighbours[i][0].row, static_cast<int64_t>(i));
  }
  EXPECT_THROW(NearestVectors({.shape = {2, 3}, .values = {1}}, "cosine"), ShapeError);
  EXPECT_THROW(nearest.find({.shape = {1, 1}, .values = {1}}, 1), ShapeError);
  EXPECT_THAT(message_of<OptionError>([&] { NearestVectors wrong(found.vectors, "cosin"); }),
              HasSubstr("expected one of cosine|dot"));
  EXPECT_THROW(NearestVectors(path("missing.npy"), embedder), FileError);
  EXPECT_THROW(nearest.find(found.vectors, -1), OptionError);
  Array broken = found.vectors;
  broken.values[0] = std::nanf("");
  EXPECT_THROW(nearest.find(broken, 1), NumericError);
  EXPECT_THROW(int8_vector(broken.values), NumericError);
}

TEST_F(PublicFiles, FindsHardNegatives) {
  const NegativeMiner miner(model("embedder"), {{"margin", "auto"}});
  const std::vector<PositivePair> pairs = {{"w1 w2", "w3"}, {"w1 w2", "w4"}, {"w5", "w6"}};
  const std::vector<std::string> others = {"w5", "w1 w2", "w7"};
  Report report;
  const auto found = miner.mine(pairs, others, &report);
  EXPECT_EQ(report.inputs, 8);  // each text once: 2 first ones, 6 others
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_THAT(found[0], ElementsAre(AnyOf("w5", "w6", "w7")));
  EXPECT_THAT(found[2], ElementsAre(AnyOf("w3", "w4", "w1 w2", "w7")));
  EXPECT_THROW(NegativeMiner(model("tagger")), OptionError);
  const std::vector<PositivePair> empty = {{"w1", "w2"}, {"w1", " "}};
  EXPECT_THAT(message_of<FormatError>([&] { miner.mine(empty); }),
              HasSubstr("pair 2 has a text without a word"));
  const auto end = [] { throw std::runtime_error("enough"); };
  EXPECT_EQ(message_of<std::runtime_error>([&] { miner.mine(pairs, {}, nullptr, end); }), "enough");
  EXPECT_THAT(message_of<OptionError>([&] {
                NegativeMiner wrong(model("embedder"), {{"document-prompt-name", "none"}});
              }),
              HasSubstr("--document-prompt-name: the model has no prompt 'none'"));
}

TEST_F(PublicFiles, ReadsTheWordsOfLabelledText) {
  const std::string text = file("words.conll", "w1\tx\nw2\ty\n\nw3\tz\n");
  LabelledWords reader(model("tagger"), text, {{"format", "conll"}});
  Words words;
  ASSERT_TRUE(reader.next(words));
  EXPECT_THAT(words.words, ElementsAre("w1", "w2"));
  ASSERT_TRUE(reader.next(words));
  EXPECT_THAT(words.words, ElementsAre("w3"));
  EXPECT_FALSE(reader.next(words));
  EXPECT_THAT(words_of({.text = " a  b "}).words, ElementsAre("a", "b"));
  EXPECT_EQ(words_of({.text = ""}).fault->kind, FaultKind::kEmpty);
  const Fault fault{FaultKind::kTooLong, "too long"};
  const auto tagged = Tagger(model("tagger")).tag(std::vector{words_of({"a", fault})});
  EXPECT_EQ(tagged[0].fault->reason, "too long");
}

TEST_F(PublicFiles, ReadsPairsOfViewsAsTheyAreGivenInMemory) {
  const std::string list = file(
      "views.tsv", fmt::format("{0}\t{1}\n{1}\t{0}\n{0}\t{0}\n", path("0.png"), path("1.png")));
  const Model motion = model("motion");
  const MotionPredictor predictor(motion);
  const Picture a = read_picture(path("0.png")), b = read_picture(path("1.png"));
  const std::vector<PicturePair> pictures = {{a, b}, {b, a}, {a, a}};
  const auto expected = predictor.predict(pictures);
  ViewPairReader reader(motion, {list});
  std::vector<ViewMotion> found;
  for (ViewPairs pairs; (pairs = reader.next(2)).size() > 0;) {
    std::ranges::move(predictor.predict(pairs), std::back_inserter(found));
  }
  ASSERT_EQ(found.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(found[i].numbers, expected[i].numbers);
  const ViewPairs all = read_view_pairs(motion, {list});
  EXPECT_EQ(all.size(), 3);
  EXPECT_EQ(predictor.predict(all.part(2, 9))[0].numbers, expected[2].numbers);
  EXPECT_THROW(all.part(4, 1), ShapeError);
  EXPECT_THROW(all.part(0, -1), ShapeError);
  EXPECT_THROW(ViewPairReader(motion, {list}).next(0), OptionError);
  EXPECT_THAT(message_of<OptionError>([&] { ViewPairReader(motion, {path("0.png")}); }),
              HasSubstr("is a picture; expected a list of pairs"));
}

TEST_F(PublicFiles, NeedsAnotherPairForASecondViewOfAnother) {
  const Model completer = model("completer");
  const std::string one = file("one.tsv", path("0.png") + "\t" + path("1.png") + "\n");
  const ViewCompleter without(completer, {{"without-second", true}});
  EXPECT_THAT(message_of<OptionError>([&] { without.complete(read_view_pairs(completer, {one})); }),
              HasSubstr("needs the second view of another pair, got one pair"));
  const Picture picture = read_picture(path("0.png"));
  EXPECT_THROW(without.complete(std::vector<PicturePair>{{picture, picture}}), OptionError);
  const ViewCompleter numbers(completer, {{"pictures", false}});
  EXPECT_TRUE(numbers.complete(read_view_pairs(completer, {one}))[0].completed.pixels.empty());
}

TEST_F(PublicFiles, ScoresPairsOfFilesAsThoseInMemory) {
  const std::vector<TextPair> pairs = {{"w1 w2", "w3"}, {"w4", "w5 w6"}};
  const std::string tsv = file("pairs.txt", "w1 w2\tw3\nw4\tw5 w6\n");
  const TranslationScorer scorer(path("translator"), {{"tsv", true}});
  const std::vector<ScoredText> expected = scorer.score(pairs);
  std::vector<double> found;
  Report report("pair");
  EXPECT_TRUE(scorer.score_files(
      {tsv}, [&](const ScoredTranslation& pair) { found.push_back(pair.score.log_probability); },
      &report));
  EXPECT_THAT(found, ElementsAre(expected[0].scores[0].log_probability,
                                 expected[1].scores[0].log_probability));
  EXPECT_EQ(report.inputs, 2);
  std::string alignments;
  const Options aligned = {{"tsv", true}, {"alignment", "hard"}};
  TranslationScorer(path("translator"), aligned)
      .score_files({tsv}, [&](const ScoredTranslation& pair) { alignments += pair.alignment; });
  EXPECT_THAT(alignments, HasSubstr("-0"));
  EXPECT_FALSE(scorer.score_files({file("bad.txt", "one column\n")}, [](const auto&) {}));
  EXPECT_THROW(TranslationScorer(path("tagger")), FormatError);
}

TEST_F(PublicFiles, MeasuresDocumentsAndSpeed) {
  const Model language = model("language");
  const DocumentScorer scorer(language, {{"context", 8}, {"stride", 4}});
  const ScoredText found = scorer.score("w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11");
  ASSERT_EQ(found.scores.size(), 1u);
  EXPECT_GT(found.scores[0].perplexity(), 1);
  EXPECT_GT(found.scores[0].bits_per_byte(), 0);
  EXPECT_TRUE(scorer.score("").fault);
  const TextScore twice = found.scores[0] + found.scores[0];
  EXPECT_DOUBLE_EQ(twice.perplexity(), found.scores[0].perplexity());
  const GenerationSpeed speed =
      measure_generation(language, {{"prompt-length", 4}, {"max-length", 4}, {"streams", 2}});
  EXPECT_GT(speed.prompts, 0);
  EXPECT_GT(speed.continuations, 0);
  EXPECT_GT(speed.cache_bytes, 0);
  EXPECT_THAT(message_of<OptionError>([&] {
                measure_generation(language, {{"prompt-length", 1e6}});
              }),
              HasSubstr("exceed the context of the model"));
}

TEST_F(PublicFiles, ContinuesPromptsOfJson) {
  const Generator generator(model("chat"), {{"temperature", 0}, {"max-length", 6}});
  const std::vector<Prompt> prompts = {
      Prompt::of_json({.text = R"({"messages": [{"role": "user", "content": "hello"}]})"}, {}),
      Prompt::of_user({.text = "hello"}), Prompt::of_json({.text = "{"}, {}), Prompt()};
  const auto found = generator.generate(prompts);
  EXPECT_EQ(found[0].texts[0].text, found[1].texts[0].text);
  EXPECT_EQ(found[2].fault->kind, FaultKind::kUnreadable);
  generator.check_chat();
  EXPECT_THROW(Generator(model("language")).check_chat(), OptionError);
  std::string heard;
  const auto take = [&](std::string_view more) {
    heard += more;
    return true;
  };
  EXPECT_EQ(generator.stream(prompts[1], take).texts[0].text, heard);
  EXPECT_EQ(heard, found[1].texts[0].text);
}

TEST_F(PublicFiles, TranscribesSoundThatIsComingIn) {
  const Transcriber transcriber(model("transcriber"));
  EXPECT_THROW(LiveTranscriber(transcriber, -1), OptionError);
  EXPECT_THROW(LiveTranscriber(transcriber, 0, 0), OptionError);
  std::vector<float> samples(24000);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = 0.3F * static_cast<float>(std::sin(0.2 * static_cast<double>(i)));
  }
  const auto words_of_parts = [&](size_t part) {
    LiveTranscriber live(transcriber, 16000, 0.5);
    std::string out;
    const auto take = [&](const std::vector<TimedWord>& words) {
      for (const TimedWord& word : words) out += word.text + " ";
    };
    for (size_t i = 0; i < samples.size(); i += part) {
      take(live.add(std::span(samples).subspan(i, std::min(part, samples.size() - i))));
    }
    take(live.finish());
    EXPECT_NEAR(live.seconds(), 1.5, 0.02);
    return out;
  };
  EXPECT_EQ(words_of_parts(100), words_of_parts(24000));
}

TEST_F(PublicFiles, InspectsModelsSideBySide) {
  const std::vector<std::string> both = {path("tagger"), path("classifier")};
  const Inspection found = inspect_files(both, std::vector{Line{.text = "w1 w2"}});
  EXPECT_TRUE(found.is_finite);
  EXPECT_THAT(found.json, testing::AllOf(HasSubstr("tagger"), HasSubstr("classifier")));
  EXPECT_EQ(summary_of_file(path("tagger")), summary(model("tagger")));
  const std::string text = file("ablate.tsv", "x\tw1 w2\n");
  EXPECT_THAT(ablate_heads(path("classifier"), {{"ablate", {text}}}), HasSubstr("head"));
  EXPECT_THAT(message_of<OptionError>([] { ablate_heads(path("classifier"), {}); }),
              HasSubstr("--ablate: no text"));
  EXPECT_THAT(message_of<OptionError>([&] {
                ablate_heads(path("language"), {{"ablate", {text}}});
              }),
              HasSubstr("--ablate: a model of type language-model; expected seq2seq, classifier"));
}

TEST_F(PublicFiles, TakesTextsInBraces) {
  EXPECT_EQ(Classifier(model("classifier")).classify({"w1", "w2"}).size(), 2u);
  EXPECT_EQ(Tagger(model("tagger")).tag({"w1", "w2"}).size(), 2u);
  EXPECT_EQ(Translator(model("translator")).translate({"w1", "w2"}).size(), 2u);
  const std::vector<std::vector<std::string>> lists = {{"a", "b"}, {}, {"c"}};
  EXPECT_THAT(OptionValue(lists).texts(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(OptionValue('x').texts(), ElementsAre("x"));
}

TEST_F(PublicFiles, LoadsTheKindThatIsAskedFor) {
  EXPECT_EQ(load(path("tagger"), {{"kind", "tagger"}}).kind(), "tagger");
  EXPECT_THAT(message_of<FormatError>([] {
                load(path("tagger"), {{"kind", "classifier"}});
              }),
              HasSubstr("is a model of type 'tagger'; expected classifier"));
  EXPECT_EQ(kind_of_model(path("translator")), "seq2seq");
  EXPECT_THROW(kind_of_model(path("missing")), FileError);
}

std::vector<std::string> names_of(const OptionSchema& schema) {
  std::vector<std::string> out;
  for (const OptionInfo& info : schema.infos()) out.push_back(info.name);
  return out;
}

TEST_F(PublicFiles, TellsWhichOptionsThereAre) {
  EXPECT_THAT(names_of(load_schema()), ElementsAre("precision", "lora", "kind"));
  EXPECT_THAT(names_of(Embedder::schema()), Contains("dimensions"));
  const auto infos = Translator::schema().infos();
  const auto beam = std::ranges::find(infos, "beam-size", &OptionInfo::name);
  ASSERT_NE(beam, infos.end());
  EXPECT_EQ(beam->type, OptionInfo::Type::kInteger);
  EXPECT_THAT(beam->defaults, ElementsAre("5"));
  EXPECT_EQ(beam->min, 1);
  EXPECT_EQ(beam->letter, 'b');
  EXPECT_FALSE(beam->help.empty());
  const auto epochs = training_schema("translation").infos();
  const auto after = std::ranges::find(epochs, "after", &OptionInfo::name);
  ASSERT_NE(after, epochs.end());
  EXPECT_EQ(after->type, OptionInfo::Type::kPeriod);
}

TEST_F(PublicFiles, ChecksOptionsBeforeAModelIsLoaded) {
  Translator::schema().check({{"beam-size", 3}, {"n-best", true}});
  EXPECT_THAT(message_of<OptionError>([] {
                Translator::schema().check({{"beam-size", 0}});
              }),
              HasSubstr("beam-size: out of range"));
  EXPECT_THAT(message_of<OptionError>([] {
                Generator::schema().check({{"tempo", 1}});
              }),
              HasSubstr("tempo: unknown option"));
  EXPECT_THROW(training_schema("translating"), OptionError);
}

// A schema accepts each of its options at its default.
TEST_F(PublicFiles, TakesTheDefaultsItTells) {
  const OptionSchema* const schemas[] = {
      &load_schema(),           &Translator::schema(),        &Classifier::schema(),
      &Tagger::schema(),        &Embedder::schema(),          &MaskFiller::schema(),
      &Generator::schema(),     &Transcriber::schema(),       &Detector::schema(),
      &ViewCompleter::schema(), &MotionPredictor::schema(),   &DocumentScorer::schema(),
      &Scorer::schema(),        &TranslationScorer::schema(), &inspection_schema(),
      &text_metric_schema(),    &measure_generation_schema()};
  for (const OptionSchema* schema : schemas) {
    for (const OptionInfo& info : schema->infos()) {
      const OptionValue value =
          info.is_list ? OptionValue(info.defaults) : OptionValue(info.defaults.front());
      EXPECT_NO_THROW(schema->check({{info.name, value}})) << info.name;
    }
  }
}

}  // namespace
}  // namespace weft
