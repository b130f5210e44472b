#include "weft/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "tests/support/captured_log.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "tests/train/small_training.h"
#include "weft/train/file_lock.h"

namespace weft::train {
namespace {

TEST(Trainer, ReportsEveryUpdate) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.loop.disp_freq = options::Period::updates(5);
  std::vector<UpdateReport> reports;
  EXPECT_EQ(train(o, &reports), Ending::kFinished);
  ASSERT_EQ(reports.size(), 12u);
  for (size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].progress.updates, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(reports[i].is_due, i == 4 || i == 9);
    EXPECT_GT(reports[i].loss, 0);
    EXPECT_GT(reports[i].gradient_norm, 0);
  }
}

TEST(Trainer, EndsWithTheSameBytesForTheSameSeed) {
  const Scratch a, b, c;
  TranslationOptions first = small(a), second = small(b), third = small(c);
  third.loop.seed = 2;
  train(first);
  train(second);
  train(third);
  const std::string bytes = test::read_bytes(a.path("model.safetensors"));
  EXPECT_TRUE(bytes == test::read_bytes(b.path("model.safetensors")));
  EXPECT_FALSE(bytes == test::read_bytes(c.path("model.safetensors")));
}

// The gradient of an update does not depend on its division into batches.
TEST(Trainer, AccumulatesBatchesIntoOneUpdate) {
  const auto first_update = [](int64_t sentences, int64_t delay) {
    const Scratch folder;
    TranslationOptions o = small(folder);
    o.batching.mini_batch_words = 100000;
    o.model.encoder.transformer.dropout = 0;
    o.batching.mini_batch = sentences;
    o.loop.optimizer_delay = delay;
    o.loop.after = options::Period::updates(1);
    std::vector<UpdateReport> reports;
    train(o, &reports);
    return reports.front();
  };
  const UpdateReport whole = first_update(100, 1), parts = first_update(20, 5);
  EXPECT_EQ(whole.progress.targets, parts.progress.targets);
  EXPECT_NEAR(whole.loss, parts.loss, 1e-5);
  EXPECT_NEAR(whole.gradient_norm, parts.gradient_norm, 1e-5 * whole.gradient_norm);
}

// The model is a link: it is locked by both names, also where they are the same file's.
TEST(Trainer, LocksTheModelThatALinkLeadsTo) {
  const Scratch folder;
  std::filesystem::create_directory(folder.path("real"));
  std::filesystem::create_symlink(folder.path("real/model.safetensors"),
                                  folder.path("model.safetensors"));
  std::filesystem::create_symlink(folder.path("own.safetensors"), folder.path("own"));
  TranslationOptions o = small(folder), own = o;
  own.loop.model = folder.path("own");
  {
    const Trainer trainer(task_of(o));
    for (const char* name : {"model.safetensors", "real/model.safetensors"}) {
      EXPECT_THROW(check_not_training(folder.path(name)), FileError) << name;
    }
    EXPECT_NO_THROW(Trainer(task_of(own)));
  }
  EXPECT_NO_THROW(check_not_training(folder.path("real/model.safetensors")));
}

TEST(Trainer, EndsWhenTooManyUpdatesAreSkipped) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.schedule.learn_rate = 1e30;
  o.loop.max_skipped = 2;
  EXPECT_THAT(message_of(o), testing::HasSubstr("3 consecutive updates with a non-finite loss"));
  EXPECT_THROW(train(o), NumericError);
}

TEST(Trainer, StopsEarlyWithoutABetterValidation) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.validation.valid_sets = o.data.train_sets;
  o.validation.valid_freq = options::Period::updates(1);
  o.validation.early_stopping = 3;
  o.schedule.learn_rate = 0;
  o.loop.after = options::Period::updates(50);
  std::vector<UpdateReport> reports;
  EXPECT_EQ(train(o, &reports), Ending::kStoppedEarly);
  EXPECT_EQ(reports.size(), 4u);  // the first is the best, then three are not better
}

TEST(Trainer, KeepsTheBestModelByTheFirstMetric) {
  const auto parameters_after = [](int64_t updates) {
    const Scratch folder;
    TranslationOptions o = small(folder);
    o.schedule.warmup = 0;
    o.schedule.kind = Constant();
    o.schedule.learn_rate = 1;  // every update makes it worse
    o.validation.valid_sets = o.data.train_sets;
    o.validation.valid_freq = options::Period::updates(2);
    o.validation.valid_metrics = {"perplexity", "bleu", "chrf"};
    o.loop.after = options::Period::updates(updates);
    EXPECT_EQ(train(o), Ending::kFinished);
    return model_file::load<model_file::TranslatorSession>(o.loop.model).parameters.clone();
  };
  EXPECT_TRUE(test::same_bits(parameters_after(2), parameters_after(8)));
}

// The warnings of three updates, each with a validation; the first one makes all weights
// non-finite.
std::string warnings_of_diverging(const std::string& metric) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.schedule.warmup = 0;
  o.schedule.kind = Constant();
  o.schedule.learn_rate = 1e30;
  o.loop.max_skipped = 100;
  o.loop.after = options::Period::updates(3);
  o.validation.valid_sets = o.data.train_sets;
  o.validation.valid_freq = options::Period::updates(1);
  o.validation.valid_metrics = {metric};
  const test::CapturedLog told;
  EXPECT_EQ(train(o), Ending::kFinished);
  return told.warnings();
}

TEST(Trainer, NeverSelectsANonFiniteMetric) {
  const std::string warnings = warnings_of_diverging("cross-entropy");
  EXPECT_THAT(warnings, testing::HasSubstr("nan, 1 without a better cross-entropy"));
  EXPECT_THAT(warnings, testing::HasSubstr("3 without a better cross-entropy"));
}

// With BLEU, whose search refuses such scores.
TEST(Trainer, GoesOnWhereValidationFailsForScores) {
  const std::string warnings = warnings_of_diverging("bleu");
  EXPECT_THAT(warnings, testing::HasSubstr("scores are not finite"));
  EXPECT_THAT(warnings, testing::HasSubstr("bleu nan, 3 without a better bleu"));
}

// Before anything is read, of all files that are named.
TEST(Trainer, ReportsMissingFilesAtTheStart) {
  const Scratch folder;
  const auto error = [&](auto change) {
    TranslationOptions o = small(folder);
    o.data.train_sets.front() = folder.file("broken.src", "\xFF\n");
    change(o);
    return message_of(o);
  };
  const std::string gone = folder.path("gone");
  const auto names_it = testing::StartsWith(gone + ": cannot be opened");
  EXPECT_THAT(error([&](auto& o) { o.data.train_sets.back() = gone; }), names_it);
  EXPECT_THAT(error([&](auto& o) { o.validation.valid_sets = {gone, gone}; }), names_it);
  EXPECT_THAT(error([&](auto& o) { o.pretrained.model = gone; }), names_it);
  EXPECT_THAT(error([&](auto& o) { o.objective.data_weighting = {gone}; }), names_it);
  EXPECT_THAT(error([&](auto& o) { o.objective.guidance.guided_alignment = {gone}; }), names_it);
}

TEST(Trainer, ResumesWithoutTheModelItStartedFrom) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  train(o);
  TranslationOptions next = o;
  next.loop.model = folder.path("next.safetensors");
  next.pretrained.model = o.loop.model;
  train(next);
  std::filesystem::remove(o.loop.model);
  next.loop.after = options::Period::updates(14);
  EXPECT_EQ(train(next), Ending::kFinished);
}

TEST(Trainer, ReportsSentencesLongerThanTheTables) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  test::set(o.model, "--position learned");
  o.model.encoder.position.max_positions = 3;
  EXPECT_THAT(message_of(o), testing::HasSubstr("--max-positions: "));
  EXPECT_THAT(message_of(o), testing::HasSubstr("pairs of --train-sets have more rows than that"));
  o.model.encoder.position.max_positions = 30;
  test::set(o.model, "--generation ctc --ctc-upsampling 16");
  o.objective.label_smoothing = 0;
  EXPECT_THAT(message_of(o), testing::HasSubstr("pairs of --train-sets have more rows than that"));
}

TEST(Trainer, ReportsSentencesLongerThanTheTeachersTables) {
  const Scratch folder, teachers;
  TranslationOptions teacher = small(teachers);
  test::set(teacher.model, "--position learned");
  teacher.model.encoder.position.max_positions = 5;
  teacher.data.max_length = 4;
  EXPECT_EQ(train(teacher), Ending::kFinished);
  TranslationOptions o = small(folder);
  o.data.vocabs = teacher.data.vocabs;
  teacher_of(o) = teacher.loop.model;
  EXPECT_THAT(message_of(o), testing::HasSubstr("--teacher: "));
  EXPECT_THAT(message_of(o), testing::HasSubstr("more rows than its --max-positions; expected"));
}

TEST(Trainer, RefusesAModelFileThatIsRead) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  for (const std::string& read : {o.data.train_sets[1], o.data.vocabs[0]}) {
    o.loop.model = read;
    EXPECT_THAT(message_of(o), testing::HasSubstr("--model: would overwrite "));
  }
  o.loop.model = "";
  EXPECT_THAT(message_of(o), testing::HasSubstr("--model: no name"));
}

TEST(Trainer, ResumesOnlyWithTheSameTeacher) {
  const Scratch folder, teachers;
  TranslationOptions teacher = small(teachers), o = small(folder);
  EXPECT_EQ(train(teacher), Ending::kFinished);
  o.data.vocabs = teacher.data.vocabs;
  teacher_of(o) = teacher.loop.model;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_EQ(train(o), Ending::kWasFinished);
  std::filesystem::copy(teacher.loop.model, teachers.path("renamed"));
  teacher_of(o) = teachers.path("renamed");
  EXPECT_EQ(train(o), Ending::kWasFinished);
  teacher_of(o) = teacher.loop.model;
  teacher.loop.after = options::Period::updates(13);
  EXPECT_EQ(train(teacher), Ending::kFinished);
  EXPECT_THAT(message_of(o), testing::HasSubstr("began with other data"));
}

TEST(Trainer, WritesAModelEvenIfNoValidationImproves) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.validation.valid_sets = o.data.train_sets;
  o.validation.valid_freq = options::Period::updates(6);
  o.validation.valid_metrics = {"bleu"};  // 0 for so little training
  EXPECT_EQ(train(o), Ending::kFinished);
  std::filesystem::remove(o.loop.model);
  o.loop.after = options::Period::updates(13);
  o.validation.valid_freq = options::Period::updates(100);
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_TRUE(std::filesystem::exists(o.loop.model));
}

TEST(Trainer, DiscardsTheBestOfAnotherMetric) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.validation.valid_sets = o.data.train_sets;
  EXPECT_EQ(train(o), Ending::kFinished);
  std::filesystem::remove(o.loop.model);
  o.loop.after = options::Period::updates(13);
  o.validation.valid_metrics = {"perplexity"};  // more than the cross-entropy
  const test::CapturedLog told;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_THAT(told.text(), testing::HasSubstr("is discarded, since the metric has changed"));
  EXPECT_THAT(told.text(), testing::HasSubstr("the best so far: saved"));
}

TEST(Trainer, RemembersTheBestModelWhenResumed) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.schedule.warmup = 0, o.schedule.kind = Constant();
  o.schedule.learn_rate = 1;  // every update makes it worse
  o.validation.valid_sets = o.data.train_sets;
  o.validation.valid_freq = options::Period::updates(2);
  o.loop.after = options::Period::updates(2);
  EXPECT_EQ(train(o), Ending::kFinished);
  const std::string best = test::read_bytes(o.loop.model);
  o.loop.after = options::Period::updates(8);
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_TRUE(test::read_bytes(o.loop.model) == best);
}

TEST(Trainer, TellsEarlyStoppingFromTheEnd) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.validation.valid_sets = o.data.train_sets;
  o.validation.valid_metrics = {"bleu"};  // stays 0
  o.validation.valid_freq = options::Period::updates(2);
  o.validation.early_stopping = 1;
  EXPECT_EQ(train(o), Ending::kStoppedEarly);
  EXPECT_EQ(train(o), Ending::kHadStoppedEarly);
  o.validation.early_stopping = 0;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_EQ(train(o), Ending::kWasFinished);
}

TEST(Trainer, DropsOldWeightsWhenFewerAreAveraged) {
  const Scratch folder, plain_folder;
  TranslationOptions o = small(folder);
  o.loop.save_freq = options::Period::updates(4);
  o.loop.average_checkpoints = 3;
  EXPECT_EQ(train(o), Ending::kFinished);
  o.loop.average_checkpoints = 1;
  o.loop.after = options::Period::updates(16);
  EXPECT_EQ(train(o), Ending::kFinished);
  TranslationOptions plain = small(plain_folder);
  plain.loop.after = options::Period::updates(16);
  EXPECT_EQ(train(plain), Ending::kFinished);
  EXPECT_TRUE(test::read_bytes(o.loop.model) == test::read_bytes(plain.loop.model));
}

TEST(Trainer, RewritesAMissingModel) {
  const Scratch folder;
  const TranslationOptions o = small(folder);
  EXPECT_EQ(train(o), Ending::kFinished);
  const std::string bytes = test::read_bytes(o.loop.model);
  std::filesystem::remove(o.loop.model);
  EXPECT_EQ(train(o), Ending::kWasFinished);
  EXPECT_TRUE(test::read_bytes(o.loop.model) == bytes);
}

TEST(Trainer, CropsValidationTextToTheTables) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  test::set(o.model, "--position learned");
  o.model.encoder.position.max_positions = 30;
  std::string line;
  for (int i = 0; i < 40; ++i) line += "1 ";
  o.validation.valid_sets = {folder.file("valid.src", "1\n" + line + "\n"),
                             folder.file("valid.trg", "1\n" + line + "\n")};
  o.validation.valid_metrics = {"perplexity", "bleu"};
  const test::CapturedLog told;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_THAT(told.text(), testing::HasSubstr("1 cropped"));
}

TEST(Trainer, ReportsErrorsInTheValidationText) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.validation.valid_sets = {folder.file("valid.src", "1\n2\n"),
                             folder.file("valid.trg", "1\n\xFF\n")};
  const test::CapturedLog told;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_THAT(told.text(), testing::HasSubstr("1 not UTF-8"));
}

TEST(Trainer, ReportsContradictingOptions) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.model.tied_embeddings_all = true;
  EXPECT_THAT(message_of(o), testing::HasSubstr("needs a joint vocabulary"));
  o = small(folder);
  o.validation.early_stopping = 2;
  EXPECT_THAT(message_of(o),
              testing::HasSubstr("--early-stopping: is not read without --valid-sets"));
  o = small(folder);
  o.validation.valid_metrics = {"bleu"};
  EXPECT_THAT(message_of(o),
              testing::HasSubstr("--valid-metrics: is not read without --valid-sets"));
  o = small(folder);
  o.validation.valid_sets = o.data.train_sets;
  o.valid_translations.undo_bpe = true;
  EXPECT_THAT(message_of(o), testing::HasSubstr("--valid-undo-bpe: is not read without a metric"));
  o = small(folder);
  o.model.encoder.transformer.attention.heads = 3;
  EXPECT_THAT(message_of(o), testing::HasSubstr("3 heads do not divide --dim-emb 16"));
  o = small(folder);
  o.loop.after = {};
  EXPECT_THAT(message_of(o), testing::HasSubstr("--after"));
  o = small(folder);
  o.data.vocabs.pop_back();
  EXPECT_THAT(message_of(o), testing::HasSubstr("expected two vocabularies"));
}

TEST(Trainer, ReportsContradictionsBeforeItBuildsAVocabulary) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.data.vocabs = {folder.path("new.txt"), folder.path("new.txt")};
  o.model.encoder.transformer.attention.heads = 3;
  EXPECT_THAT(message_of(o), testing::HasSubstr("3 heads do not divide --dim-emb 16"));
  EXPECT_FALSE(std::filesystem::exists(o.data.vocabs.front()));
}

TEST(Trainer, RefusesToReplaceAModelWithoutItsState) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  train(o);
  std::filesystem::remove(folder.path(test::kToyState));
  for (const std::string& vocabulary : o.data.vocabs) std::filesystem::remove(vocabulary);
  const std::string model = test::read_bytes(o.loop.model);
  const auto before = folder.names();
  EXPECT_EQ(message_of(o),
            o.loop.model + ": exists, but its training state " + folder.path(test::kToyState) +
                " does not; expected both or neither; hint: use --pretrained-model " +
                o.loop.model +
                " to train another model from its weights, or --overwrite to replace it");
  EXPECT_TRUE(test::read_bytes(o.loop.model) == model);
  EXPECT_EQ(folder.names(), before);
  std::filesystem::rename(o.loop.model, folder.path("elsewhere"));
  std::filesystem::create_symlink("elsewhere", o.loop.model);
  EXPECT_THAT(message_of(o), testing::HasSubstr("expected both or neither"));
  o.loop.overwrite = true;
  o.loop.seed = 2;
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_TRUE(std::filesystem::is_symlink(o.loop.model));
  EXPECT_FALSE(test::read_bytes(folder.path("elsewhere")) == model);
}

// So that a run killed between its first model and its first checkpoint can resume.
TEST(Trainer, HasAStateBeforeItWritesAModel) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  { const Trainer trainer(task_of(o)); }
  EXPECT_FALSE(std::filesystem::exists(o.loop.model));
  folder.file("model.safetensors", "what a save began with");
  EXPECT_EQ(train(o), Ending::kFinished);
  const Scratch other;
  const TranslationOptions unbroken = small(other);
  EXPECT_EQ(train(unbroken), Ending::kFinished);
  EXPECT_TRUE(test::read_bytes(o.loop.model) == test::read_bytes(unbroken.loop.model));
}

TEST(Trainer, MayChangeOptionsBeforeTheFirstUpdate) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  { const Trainer trainer(task_of(o)); }
  o.model.encoder.dim_emb = 32;
  EXPECT_EQ(train(o), Ending::kFinished);
  o.model.encoder.dim_emb = 16;
  EXPECT_THAT(message_of(o), testing::HasSubstr("training began with --dim-emb 32, now it is 16"));
}

TEST(Trainer, LeavesNoFilesOnErrors) {
  const Scratch folder;
  const TranslationOptions plain = small(folder);
  const std::string empty = folder.file("empty", ""), missing = folder.path("missing");
  const std::vector<std::string> before = folder.names();
  const std::function<void(TranslationOptions&)> refused[] = {
      [&](TranslationOptions& o) {
        o.data.train_sets = {empty, empty};
      },
      [&](TranslationOptions& o) {
        o.validation.valid_sets = {empty, empty};
      },
      [&](TranslationOptions& o) {
        o.validation.valid_sets = {o.data.train_sets[0], missing};
      },
      [&](TranslationOptions& o) { o.objective.data_weighting = {empty}; },
      [&](TranslationOptions& o) { o.objective.guidance.guided_alignment = {missing}; },
      [&](TranslationOptions& o) { teacher_of(o) = missing; },
      [&](TranslationOptions& o) { o.loop.freeze = {"nothing.*"}; },
      [&](TranslationOptions& o) { o.data.max_length = 1; },
      [&](TranslationOptions& o) { o.data.vocabs[1] = folder.path("no/vocab"); },
      [&](TranslationOptions& o) { o.loop.mini_batch_fit = true, o.loop.workspace = 1; },
  };
  for (size_t i = 0; i < std::size(refused); ++i) {
    TranslationOptions o = plain;
    refused[i](o);
    if (o.loop.mini_batch_fit) o.batching.mini_batch_words = data::BatchOptions().mini_batch_words;
    if (o.loop.mini_batch_fit) o.model.encoder.transformer.feed_forward.inner = 100000;
    EXPECT_NE(message_of(o), "no error") << i;
    EXPECT_EQ(folder.names(), before) << i;
  }
}

TEST(Trainer, LeavesNothingButItsFiles) {
  const Scratch folder;
  const TranslationOptions o = small(folder);
  EXPECT_EQ(train(o), Ending::kFinished);
  EXPECT_THAT(folder.names(),
              testing::ElementsAre("model.safetensors", test::kToyState, "src.vocab", "train.src",
                                   "train.trg", "trg.vocab"));
}

TEST(Trainer, ReportsEmptyValidationText) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  const std::string empty = folder.file("empty", "");
  o.validation.valid_sets = {empty, empty};
  EXPECT_THAT(message_of(o), testing::HasSubstr(empty + " + " + empty + ": no usable line"));
}

TEST(Trainer, ReportsAnUnwritableModelAtTheStart) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  std::filesystem::create_symlink("no/such/model", o.loop.model);
  o.data.train_sets = {folder.path("missing"), folder.path("missing")};
  EXPECT_EQ(message_of(o), o.loop.model + ": cannot create: No such file or directory");
}

}  // namespace
}  // namespace weft::train
