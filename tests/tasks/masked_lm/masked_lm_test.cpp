#include "weft/tasks/masked_lm/masked_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "tests/model_file/encoder_folder.h"
#include "tests/model_file/small_embedder.h"
#include "tests/model_file/small_masked_lm.h"
#include "tests/support/captured_log.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/core/random.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/tasks/masked_lm/loss.h"
#include "weft/train/trainer.h"

namespace weft::tasks {
namespace {

using test::Scratch;

// Lines in which each word follows from those beside it: w3 w4 w5 w6.
std::string counting_lines(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    const auto first = random.below(8);
    for (uint64_t k = 0; k < 6; ++k) {
      out += (k ? " w" : "w") + std::to_string((first + k) % 8);
    }
    out += '\n';
  }
  return out;
}

MaskedLmTrainingOptions small_masked_training(const Scratch& folder,
                                              const std::string& flags = "") {
  MaskedLmTrainingOptions o;
  test::set(o,
            "--enc-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 24 "
            "--max-length 16 --lr-warmup 4 --mini-batch-words 120 --after 12u --learn-rate 0.01 " +
                flags);
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.txt", counting_lines(1, 200))};
  o.validation.valid_sets = {folder.file("valid.txt", counting_lines(2, 40))};
  o.data.vocabs = {folder.path("words.vocab")};
  return o;
}

// Starts from a small embedder or masked language model, of the words w0 to w7.
template <class Session>
MaskedLmTrainingOptions tuning_of(const Scratch& folder, const Session& session,
                                  const std::string& flags) {
  model_file::save(folder.path("base.safetensors"), session, session.parameters);
  MaskedLmTrainingOptions o;
  test::set(o, "--mini-batch-words 120 --after 12u --lr-warmup 4 --learn-rate 0.001 " + flags);
  o.start.from = folder.path("base.safetensors");
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.txt", counting_lines(1, 100))};
  o.validation.valid_sets = {folder.file("valid.txt", counting_lines(2, 40))};
  return o;
}
MaskedLmTrainingOptions tuning_of_encoder(const Scratch& folder, const std::string& flags) {
  return tuning_of(folder, model_file::small_embedder(), flags);
}
MaskedLmTrainingOptions tuning_of_masked_lm(const Scratch& folder, const std::string& flags) {
  return tuning_of(folder, model_file::small_masked_lm(), flags);
}

train::Ending train_masked_lm(const MaskedLmTrainingOptions& options) {
  const std::atomic<bool> stop{false};
  return train::Trainer(std::make_unique<MaskedLanguageModelling>(options))
      .run(stop, [](const train::UpdateReport&) {});
}

TEST(MaskedLanguageModelling, GoesOnAsIfNeverStopped) {
  expect_resumes<MaskedLanguageModelling>(small_masked_training, "");
  expect_resumes<MaskedLanguageModelling>(
      small_masked_training, "--whole-words true --transformer-dropout 0.2 --optimizer-delay 2");
  expect_resumes<MaskedLanguageModelling>(small_masked_training,
                                          "--precision bfloat16 --gradient-checkpointing true");
  expect_resumes<MaskedLanguageModelling>(tuning_of_encoder, "--transformer-dropout 0.1");
  expect_resumes<MaskedLanguageModelling>(tuning_of_masked_lm, "--label-smoothing 0.1");
}

TEST(MaskedLanguageModelling, LearnsWhatMasksStandFor) {
  for (const std::string flags : {"", "--whole-words true"}) {
    SCOPED_TRACE(flags);
    const Scratch folder;
    const test::CapturedLog told;
    train_masked_lm(small_masked_training(
        folder, flags + " --dim-emb 32 --transformer-norm pre --mini-batch-words 400 --after 500u "
                        "--valid-freq 500u --valid-metrics cross-entropy perplexity accuracy"));
    EXPECT_GE(told.last_value("accuracy"), 0.9);
    EXPECT_LT(told.last_value("perplexity"), 2);
    EXPECT_NEAR(told.last_value("perplexity"), std::exp(told.last_value("cross-entropy")), 0.01);
  }
}

TEST(MaskedLanguageModelling, StartsWithTheWeightsOfAModel) {
  const Scratch folder;
  const MaskedLmTrainingOptions o = tuning_of_masked_lm(folder, "--learn-rate 1e-30");
  train_masked_lm(o);
  const auto base = model_file::load<model_file::MaskedLmSession>(o.start.from);
  const auto tuned = model_file::load<model_file::MaskedLmSession>(o.loop.model);
  EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
  const Scratch other;
  const MaskedLmTrainingOptions from_encoder = tuning_of_encoder(other, "--learn-rate 1e-30");
  train_masked_lm(from_encoder);
  const auto embedder = model_file::load<model_file::EmbedderSession>(from_encoder.start.from);
  const auto started = model_file::load<model_file::MaskedLmSession>(from_encoder.loop.model);
  EXPECT_EQ(started.model.dims.mask_id, embedder.tokeniser->size());
  const Tensor table = started.model.encoder.embedding.table.value;
  const Tensor theirs = embedder.model.encoder.embedding.table.value;
  EXPECT_LT(test::distance(table.row_range(0, theirs.rows()), theirs), 1e-20);
}

TEST(MaskedLanguageModelling, TakesLayersOfAModel) {
  const Scratch folder, other;
  for (const MaskedLmTrainingOptions& o :
       {tuning_of_masked_lm(folder, "--take-layers 1 --learn-rate 1e-30 --after 1u"),
        tuning_of_encoder(other, "--take-layers 1 --learn-rate 1e-30 --after 1u")}) {
    train_masked_lm(o);
    auto base = model_file::load_encoder(o.start.from);
    auto student = model_file::load_encoder(o.loop.model);
    EXPECT_EQ(student.encoder.options.enc_depth, 1);
    const auto theirs = nn::parameters_of(base.encoder);
    for (const auto& [name, p] : nn::parameters_of(student.encoder)) {
      const size_t found = name.find(".layers.0.");
      if (found == name.npos) continue;
      std::string before = name;
      before[found + 8] = '1';
      const auto same = std::ranges::find(theirs, before, &nn::NamedParameter::name);
      EXPECT_LT(test::distance(same->parameter->value, p->value), 1e-20) << name;
    }
  }
}

TEST(MaskedLanguageModelling, StartsFromAFolderOfTransformers) {
  for (const char* name : {"bert", "bert_masked_lm", "roberta_masked_lm", "distilbert_tagger"}) {
    SCOPED_TRACE(name);
    const model_file::EncoderFolder base(name);
    const Scratch folder;
    MaskedLmTrainingOptions o;
    test::set(o, "--mini-batch-words 60 --after 2u --lr-warmup 1");
    o.start.from = base.path();
    o.loop.model = folder.path("model.safetensors");
    o.data.train_sets = {folder.file("train.txt", "the cat sat on the mat\nthe cat\n")};
    train_masked_lm(o);
    const auto trained = model_file::load<model_file::MaskedLmSession>(o.loop.model);
    EXPECT_LT(trained.model.dims.mask_id, trained.tokeniser->size());
  }
}

// The loss is that of the rows that are predicted.
TEST(MaskedLanguageModelling, HasTheLossOfMaskedRowsAlone) {
  const auto session = model_file::small_masked_lm();
  data::Tokens texts;
  texts.add(std::vector<int32_t>{2, 3, 4, 5, 0});
  texts.add(std::vector<int32_t>{2, 6, 0});
  const MaskedBatch batch{.tokens = texts, .rows = {2, 6}, .labels = {7, 8}, .weights = {1, 0.5}};
  const double loss = masked_loss(session.model, batch, {.weight = 0.25}, {}).total;
  const Tensor logits =
      session.model.logits(session.model.states(texts, {0, 1, 2, 3, 4, 5, 6, 7}, {}), {});
  const auto nll = [&](int64_t row, int64_t label) {
    const float* const x = logits.row_range(row, row + 1).data<float>();
    double sum = 0;
    for (int64_t v = 0; v < logits.cols(); ++v) sum += std::exp(x[v]);
    return std::log(sum) - x[label];
  };
  EXPECT_NEAR(loss, nll(2, 7) + 0.5 * nll(6, 8), 1e-5);
}

TEST(MaskedLanguageModelling, RefusesWhatContradicts) {
  const Scratch folder;
  const auto message = [&](const MaskedLmTrainingOptions& o) {
    return test::message_of<OptionError>([&] { train_masked_lm(o); });
  };
  EXPECT_EQ(message(small_masked_training(folder, "--mask-share 0.95")),
            "--random-share: expected at most 1 together with --mask-share 0.95, got 0.1");
  EXPECT_EQ(message(tuning_of_masked_lm(folder, "--dim-emb 32")),
            "--dim-emb: is not read with --from; expected its default, 256");
  EXPECT_EQ(message(tuning_of_masked_lm(folder, "--head-activation relu")),
            "--head-activation: the model of --from has gelu; expected the same, or --new-head; "
            "got relu");
  MaskedLmTrainingOptions o = small_masked_training(folder);
  o.data.vocabs.clear();
  EXPECT_EQ(message(o), "--vocabs: expected one vocabulary, that of the text, or --from; got 0");
  o = tuning_of_masked_lm(folder, "--head-activation relu --new-head true");
  train_masked_lm(o);
  EXPECT_EQ(model_file::load<model_file::MaskedLmSession>(o.loop.model)
                .model.options.head.activation.name(),
            "relu");
}

}  // namespace
}  // namespace weft::tasks
