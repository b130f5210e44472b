#include "weft/tasks/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/e2e/training.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/options/option_value.h"
#include "weft/options/yaml.h"
#include "weft/tasks/classification/options.h"
#include "weft/tasks/cross_view/options.h"
#include "weft/tasks/detection/options.h"
#include "weft/tasks/language_modelling/options.h"
#include "weft/tasks/tagging/options.h"
#include "weft/tasks/transcription/options.h"
#include "weft/tasks/translation/options.h"

namespace weft::tasks {
namespace {

using options::OptionTable;
using test::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr DataPreset kSmall{"tiny", 0, "dim-emb: 64\ntransformer-heads: 2\n"};
constexpr DataPreset kPresets[] = {
    kSmall, {"small", 10, "dim-emb: 128\n"}, {"large", 100, "dim-emb: 256\n"}};

TEST(Presets, AreChosenByTheNumberOfExamples) {
  EXPECT_EQ(preset_for(kPresets, 0).name, "tiny");
  EXPECT_EQ(preset_for(kPresets, 9).name, "tiny");
  EXPECT_EQ(preset_for(kPresets, 10).name, "small");
  EXPECT_EQ(preset_for(kPresets, 99).name, "small");
  EXPECT_EQ(preset_for(kPresets, 100).name, "large");
}

TEST(Presets, AreNamedInTheHelp) {
  EXPECT_EQ(preset_choices(kPresets), "auto|none|tiny|small|large");
  EXPECT_THAT(preset_help(kPresets, false),
              HasSubstr("examples, tiny below 10, small below 100, else large; the log says"));
  EXPECT_THAT(preset_help(kPresets, true), HasSubstr("large, and with --from values for tuning;"));
  constexpr DataPreset kOne[] = {{"small", 0, ""}}, kTwo[] = {{"a", 0, ""}, {"b", 1234567, ""}};
  EXPECT_THAT(preset_help(kOne, false), HasSubstr("auto: small; the log"));
  EXPECT_THAT(preset_help(kTwo, false), HasSubstr("a below 1,234,567, else b;"));
}

TEST(Presets, CountLinesUpToALimit) {
  const Scratch folder;
  const std::vector<std::string> files = {folder.file("a", "1\n2\n3\n"), folder.file("b", "4\n5")};
  EXPECT_EQ(count_lines(files, 100), 5);
  EXPECT_EQ(count_lines(files, 4), 4);
  EXPECT_THROW(count_lines(std::vector{folder.path("none")}, 4), FileError);
}

TEST(Presets, DoNotReadAPipe) {
  const Scratch folder;
  const std::string pipe = folder.path("pipe"), text = folder.file("text", "1\n");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(has_pipe(std::vector{text, pipe}));
  EXPECT_FALSE(has_pipe(std::vector{text, std::string("-"), folder.path("none")}));
  EXPECT_EQ(preset_report({.is_piped = true}, kPresets, "pairs", {}),
            "preset none: the pairs of a pipe cannot be counted before they are read; hint: "
            "--preset tiny|small|large");
}

// The options of a translation, some of them given.
struct Given {
  // "NAME VALUE NAME VALUE ..."
  explicit Given(const std::string& settings = "") {
    options.data.train_sets = {"train.src", "train.trg"};
    options.data.vocabs = {"src.vocab", "trg.vocab"};
    table.add(options);
    const std::vector<std::string> words = test::words_of(settings);
    for (size_t i = 0; i < words.size(); i += 2) {
      table.assign({.name = words[i], .values = {words[i + 1]}, .where = "--" + words[i]});
    }
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  std::vector<std::string> apply(const PresetSource& source,
                                 std::span<const DataPreset> presets = kPresets) {
    return apply_preset(source, {.table = table,
                                 .defaults = options::AnyOptions(TranslationOptions()),
                                 .validate = [this] { options.validate(); },
                                 .presets = presets});
  }

  TranslationOptions options;
  OptionTable table;
};

TEST(Presets, SetWhatWasNotGiven) {
  Given given("transformer-heads 4");
  EXPECT_THAT(given.apply({.preset = "tiny"}), ElementsAre("--dim-emb 64"));
  EXPECT_EQ(given.options.model.encoder.dim_emb, 64);
  EXPECT_EQ(given.options.model.encoder.transformer.attention.heads, 4);
}

TEST(Presets, NoneLeavesTheDefaults) {
  Given given;
  EXPECT_THAT(given.apply({}), IsEmpty());
  EXPECT_EQ(given.options.model.encoder.dim_emb, TranslationOptions().model.encoder.dim_emb);
}

TEST(Presets, AnAlternativeThatWasGivenIsKept) {
  constexpr DataPreset presets[] = {{"tiny", 0, "lr-warmup-ratio: 0.1\naverage-share: 0.1\n"}};
  Given given("lr-warmup 4000 exponential-smoothing 0");
  EXPECT_THAT(given.apply({.preset = "tiny"}, presets), IsEmpty());
  EXPECT_EQ(given.options.schedule.warmup_ratio, 0);
}

TEST(Presets, LeaveOutWhatDoesNotApply) {
  constexpr DataPreset presets[] = {{"tiny", 0, "transformer-dropout: 0.3\ndropout-rnn: 0.3\n"}};
  Given given("type rnn");
  EXPECT_THAT(given.apply({.preset = "tiny"}, presets), ElementsAre("--dropout-rnn 0.3"));
}

TEST(Presets, LeaveOutWhatContradictsTheOptionsGiven) {
  constexpr DataPreset presets[] = {
      {"tiny", 0, "average-share: 0.1\nmini-batch-words: 512\nenc-depth: 2\n"}};
  Given given("norm-kind batch mini-batch-fit true workspace 100");
  EXPECT_THAT(given.apply({.preset = "tiny"}, presets), ElementsAre("--enc-depth 2"));
  EXPECT_EQ(given.options.optimizer.average_share, 0);
  EXPECT_EQ(given.options.batching.mini_batch_words,
            TranslationOptions().batching.mini_batch_words);
}

TEST(Presets, KeepTheKindThatAnOptionWasGivenFor) {
  constexpr DataPreset presets[] = {{"tiny", 0, "type: rnn\n"}};
  Given heads("transformer-heads 8");
  EXPECT_THAT(heads.apply({.preset = "tiny"}, presets), IsEmpty());
  Given cells("dropout-rnn 0.1");
  EXPECT_THAT(cells.apply({.preset = "tiny"}, presets), ElementsAre("--type rnn"));
}

TEST(Presets, SizeOnlyVocabulariesOfSentencePieceThatAreMade) {
  constexpr DataPreset presets[] = {{"tiny", 0, "dim-vocabs: [1000]\n"}};
  Given words;
  EXPECT_THAT(words.apply({.preset = "tiny"}, presets), IsEmpty());
  Given pieces;
  pieces.options.data.vocabs = {"src.vocab", "trg.model"};
  EXPECT_THAT(pieces.apply({.preset = "tiny"}, presets), ElementsAre("--dim-vocabs 0 1000"));
}

TEST(Presets, AResumedTrainingHasTheOptionsThatItBeganWith) {
  Given given;
  const PresetSource source{.preset = "auto", .earlier = R"({"dim-emb":32})", .resumes = true};
  EXPECT_THAT(given.apply(source), ElementsAre("--dim-emb 32"));
  // Its state is older than the option, which then had its default.
  EXPECT_EQ(given.options.model.encoder.transformer.attention.heads, 8);
}

TEST(Presets, APretrainedModelHasItsOwnShape) {
  Given given;
  const PresetSource source{.preset = "small", .earlier = R"({"type":"seq2seq","dim-emb":32})"};
  EXPECT_THAT(given.apply(source), ElementsAre("--dim-emb 32"));
  constexpr DataPreset types[] = {{"tiny", 0, "type: cnn\n"}};
  Given recurrent;
  EXPECT_THAT(recurrent.apply({.preset = "tiny", .earlier = R"({"architecture":"rnn"})"}, types),
              ElementsAre("--type rnn"));
}

TEST(Presets, TheReportSaysWhichWhyAndWhatElse) {
  const std::vector<std::string> set = {"--dim-emb 128", "--after 40e"};
  EXPECT_EQ(preset_report({.preset = "small", .examples = 12}, kPresets, "pairs", set),
            "preset small, 12 pairs for training (up to 99): --dim-emb 128 --after 40e; hint: give "
            "any of these options another value, or --preset none|tiny|large");
  EXPECT_THAT(preset_report({.preset = "large", .examples = 100}, kPresets, "pairs", set),
              HasSubstr("preset large, 100 or more pairs for training (from 100 on): "));
  EXPECT_THAT(preset_report({.preset = "tiny"}, kPresets, "pairs", set),
              HasSubstr("preset tiny, as given: "));
  EXPECT_EQ(preset_report({.preset = "none"}, kPresets, "pairs", set), "");
}

// Every value of every preset is one that the options accept.
template <class Options>
void expect_presets_fit(Options options) {
  const Options plain = options;
  ASSERT_NO_THROW(options.validate());
  int64_t examples = 0;
  for (const DataPreset& preset : options.presets()) {
    EXPECT_GE(preset.examples, examples);
    examples = preset.examples;
    options = plain;
    OptionTable table;
    table.add(options);
    const auto validate = [&] { options.validate(); };
    apply_preset({.preset = std::string(preset.name)}, {.table = table,
                                                        .defaults = options::AnyOptions(Options()),
                                                        .validate = validate,
                                                        .presets = plain.presets()});
    for (const options::Setting& setting : options::parse_yaml(preset.yaml, preset.name)) {
      const options::Option& option = *table.find(setting.name);
      if (setting.name == "dim-vocabs" || !option.is_in_effect()) continue;
      EXPECT_EQ(options::values_of(option), setting.values) << preset.name << " " << setting.name;
    }
  }
}

TEST(Presets, OfEveryTaskFitItsOptions) {
  TranslationOptions translation;
  translation.data.train_sets = {"train.src", "train.trg"};
  translation.data.vocabs = {"src.vocab", "trg.vocab"};
  expect_presets_fit(translation);
  ClassificationOptions classification;
  classification.data.train_sets = {"train.tsv"};
  classification.data.vocabs = {"words.vocab"};
  expect_presets_fit(classification);
  classification = ClassificationOptions();
  classification.data.train_sets = {"train.tsv"};
  classification.model.input.select("image");
  expect_presets_fit(classification);
  TaggingOptions tagging;
  tagging.data.train_sets = {"train.tsv"};
  tagging.data.vocabs = {"words.vocab"};
  expect_presets_fit(tagging);
  TranscriptionOptions transcription;
  transcription.data.train_sets = {"train.tsv"};
  transcription.data.vocabs = {"letters.vocab"};
  expect_presets_fit(transcription);
  DetectionOptions detection;
  detection.train_sets = {"train.jsonl"};
  expect_presets_fit(detection);
  CrossViewTrainOptions views;
  views.train_sets = {"pairs.tsv"};
  expect_presets_fit(views);
  LanguageModellingOptions text;
  text.data.train_sets = {"train.txt"};
  text.data.vocabs = {"words.vocab"};
  expect_presets_fit(text);
  text.data.vocabs.clear();
  text.from = "model";
  expect_presets_fit(text);
}

TEST(Presets, TheOnlyOneIsChosenWithoutCounting) {
  const Scratch folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  LanguageModellingOptions options;
  options.loop.model = folder.path("new");
  const std::vector<std::string> files = {pipe};
  EXPECT_TRUE(choose_preset(options, kAutoPreset, files).is_piped);
  options.from = "model";
  const PresetSource found = choose_preset(options, kAutoPreset, files);
  EXPECT_EQ(found.preset, "tuning");
  EXPECT_FALSE(found.is_piped);
  const std::vector<std::string> set = {"--after 3e"};
  EXPECT_THAT(preset_report(found, options.presets(), "lines", set),
              HasSubstr("preset tuning, the only one: --after 3e; hint: "));
}

}  // namespace
}  // namespace weft::tasks
