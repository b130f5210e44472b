// Translators that start from a model, by --from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/small_session.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/model_file/any_model.h"
#include "weft/model_file/model_file.h"

namespace weft::tasks {
namespace {

using model_file::TranslatorSession;
using test::Scratch;

// Starts from a small translator of the words w0 to w46.
TranslationOptions tuned_translation(const Scratch& folder, const std::string& flags,
                                     models::Seq2SeqOptions model = decode::small_options()) {
  TranslatorSession session = decode::small_session(model);
  session.normalize = 0.5;
  model_file::save(folder.path("base.safetensors"), session, session.parameters);
  TranslationOptions o;
  test::set(o, "--mini-batch-words 120 --after 12u --lr-warmup 4 --learn-rate 0.001 " + flags);
  o.from = folder.path("base.safetensors");
  o.loop.model = folder.path("model.safetensors");
  const test::ToyText text = test::toy_text(1, 100);
  o.data.train_sets = {folder.file("train.src", text.source),
                       folder.file("train.trg", text.target)};
  o.validation.valid_sets = o.data.train_sets;
  return o;
}

TEST(TranslationFromAModel, BeginsWithItsWeights) {
  const Scratch folder;
  const TranslationOptions o = tuned_translation(folder, "--learn-rate 1e-30");
  train::train(o);
  const auto base = model_file::load<TranslatorSession>(o.from);
  const auto tuned = model_file::load<TranslatorSession>(o.loop.model);
  EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
  EXPECT_EQ(tuned.normalize, 0.5);
  EXPECT_EQ(tuned.model.dims.trained_lengths.longest, 8);
}

TEST(TranslationFromAModel, HasTheDropoutThatIsGiven) {
  const Scratch folder, other;
  const TranslationOptions o = tuned_translation(folder, "--transformer-dropout 0.3");
  train::train(o);
  const auto tuned = model_file::load<TranslatorSession>(o.loop.model);
  EXPECT_EQ(tuned.model.options.encoder.transformer.dropout, 0.3);
  train::train(tuned_translation(other, "--transformer-dropout 0"));
  EXPECT_NE(train::model_bytes(folder), train::model_bytes(other));
}

TEST(TranslationFromAModel, GoesOnAsIfNeverStopped) {
  const auto make = [](const Scratch& folder, const std::string& flags) {
    return tuned_translation(folder, flags);
  };
  expect_resumes<Translation>(make, "--transformer-dropout 0.1");
  expect_resumes<Translation>(make, "--precision bfloat16 --r-drop 1 --transformer-dropout 0.1");
}

TEST(TranslationFromAModel, ReadsAFolderOfTransformers) {
  for (const char* name : {"marian_shared", "marian_apart", "t5_first", "t5_gated"}) {
    SCOPED_TRACE(name);
    const Scratch folder;
    TranslationOptions o;
    test::set(o, "--mini-batch-words 60 --after 2u --learn-rate 1e-30");
    o.from = test::source_path(std::string("tests/golden/") + name);
    o.loop.model = folder.path("model.safetensors");
    o.data.train_sets = {folder.file("train.src", "a b\nb a\n"),
                         folder.file("train.trg", "a\nb\n")};
    train::train(o);
    const auto base = model_file::load_any<TranslatorSession>(o.from);
    const auto tuned = model_file::load<TranslatorSession>(o.loop.model);
    EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
    EXPECT_EQ(base.model.dims.begin_id, tuned.model.dims.begin_id);
    EXPECT_EQ(base.model.options.decoder.output_scale, tuned.model.options.decoder.output_scale);
  }
}

TEST(TranslationFromAModel, KeepsHowItGenerates) {
  const Scratch folder;
  models::Seq2SeqOptions model = decode::small_options();
  model.generation.select("mask-predict");
  const TranslationOptions o = tuned_translation(folder, "--valid-metrics bleu", model);
  train::train(o);
  EXPECT_TRUE(model_file::load<TranslatorSession>(o.loop.model).model.options.is_mask_predict());
  EXPECT_EQ(train::message_of(tuned_translation(folder, "--overwrite true --r-drop 1", model)),
            "--r-drop: compares two passes token by token; expected --generation left-to-right, "
            "got mask-predict");
  EXPECT_EQ(train::message_of(tuned_translation(
                folder, "--overwrite true --valid-metrics bleu --valid-beam-size 4", model)),
            "--valid-beam-size: a model of --generation mask-predict has no beam; expected 1, got "
            "4");
}

TEST(TranslationFromAModel, RefusesWhatItFixes) {
  const Scratch folder;
  EXPECT_EQ(train::message_of(tuned_translation(folder, "--dim-emb 32")),
            "--dim-emb: is not read with --from; expected its default, 512");
  EXPECT_EQ(train::message_of(tuned_translation(folder, "--vocabs a b")),
            "--vocabs: is not read with --from; expected its default, none");
  EXPECT_EQ(train::message_of(tuned_translation(folder, "--pretrained-model x")),
            "--pretrained-model: is not read with --from; expected its default, none");
  TranslationOptions o = tuned_translation(folder, "");
  o.from.clear();
  EXPECT_EQ(train::message_of(o),
            "--vocabs: expected two vocabularies, source and target, or --from; got 0");
}

}  // namespace
}  // namespace weft::tasks
