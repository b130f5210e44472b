#include "weft/tasks/span_corruption/span_corruption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "tests/tasks/resumption.h"
#include "tests/train/small_training.h"
#include "weft/core/random.h"
#include "weft/model_file/model_file.h"
#include "weft/train/trainer.h"

namespace weft::tasks {
namespace {

using model_file::TranslatorSession;
using test::Scratch;
using testing::HasSubstr;

// Lines in which each word follows from those beside it: w3 w4 w5 w6.
std::string counting_text(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    const auto first = random.below(8);
    for (uint64_t k = 0; k < 8; ++k) {
      out += (k ? " w" : "w") + std::to_string((first + k) % 8);
    }
    out += '\n';
  }
  return out;
}

SpanCorruptionOptions small_corruption(const Scratch& folder, const std::string& flags = "") {
  SpanCorruptionOptions o;
  test::set(o,
            "--enc-depth 1 --dec-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn "
            "24 --max-length 16 --lr-warmup 4 --mini-batch-words 120 --after 12u --learn-rate 0.01 "
            "--sentinels 4 --corruption-ratio 0.3 --mean-span-length 2 " +
                flags);
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.txt", counting_text(1, 200))};
  o.validation.valid_sets = {folder.file("valid.txt", counting_text(2, 40))};
  o.data.vocabs = {folder.path("words.vocab")};
  return o;
}

std::string sentinel_list(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += sentinel(i) + "\n";
  return out;
}

// Starts from a translator of the words w0 to w46 with `sentinels` sentinels.
SpanCorruptionOptions tuned_corruption(const Scratch& folder, const std::string& flags,
                                       int sentinels = 4) {
  const TranslatorSession session =
      decode::small_session(decode::small_options(), sentinel_list(sentinels));
  model_file::save(folder.path("base.safetensors"), session, session.parameters);
  SpanCorruptionOptions o;
  test::set(o,
            "--mini-batch-words 120 --after 12u --lr-warmup 4 --learn-rate 0.001 --max-length "
            "16 " +
                flags);
  o.from = folder.path("base.safetensors");
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.txt", counting_text(1, 100))};
  o.validation.valid_sets = {folder.file("valid.txt", counting_text(2, 40))};
  return o;
}
SpanCorruptionOptions tuned_by_flags(const Scratch& folder, const std::string& flags) {
  return tuned_corruption(folder, flags);
}

void train_spans(const SpanCorruptionOptions& options) {
  const std::atomic<bool> stop{false};
  train::Trainer(std::make_unique<SpanCorruption>(options))
      .run(stop, [](const train::UpdateReport&) {});
}

TEST(SpanCorruption, GoesOnAsIfNeverStopped) {
  expect_resumes<SpanCorruption>(small_corruption, "");
  expect_resumes<SpanCorruption>(small_corruption, "--transformer-dropout 0.2 --optimizer-delay 2");
  expect_resumes<SpanCorruption>(small_corruption,
                                 "--precision bfloat16 --gradient-checkpointing true");
  expect_resumes<SpanCorruption>(tuned_by_flags, "--transformer-dropout 0.1 --label-smoothing 0.1");
}

// The model that is trained fills spans that a text of `weft translate` marks by sentinels.
TEST(SpanCorruption, LearnsWhatIsMissing) {
  const Scratch folder;
  const test::CapturedLog told;
  const SpanCorruptionOptions o = small_corruption(
      folder,
      "--dim-emb 32 --transformer-norm pre --mini-batch-words 400 --after 1000u --valid-freq 1000u "
      "--corruption-ratio 0.4 --mean-span-length 1.5 --tied-embeddings-all true "
      "--valid-metrics cross-entropy perplexity");
  train_spans(o);
  EXPECT_LT(told.last_value("perplexity"), 1.2);
  EXPECT_NEAR(told.last_value("perplexity"), std::exp(told.last_value("cross-entropy")), 0.001);
  const auto session = model_file::load<TranslatorSession>(o.loop.model);
  const predict::Translator translator(session, {});
  EXPECT_EQ(test::translated(translator, {"w1 <extra_id_0> w4 w5 <extra_id_1> w7 w0",
                                          "w6 w7 <extra_id_0> w1 w2 w3 <extra_id_1>"}),
            (std::vector<std::string>{"<extra_id_0> w2 w3 <extra_id_1> w6",
                                      "<extra_id_0> w0 <extra_id_1> w4 w5"}));
  EXPECT_EQ(session.model.dims.trained_lengths.longest, 6);  // 3 of 8 tokens in two spans
}

TEST(SpanCorruption, StartsWithTheWeightsOfAModel) {
  const Scratch folder;
  const SpanCorruptionOptions o = tuned_corruption(folder, "--learn-rate 1e-30");
  train_spans(o);
  const auto base = model_file::load<TranslatorSession>(o.from);
  const auto tuned = model_file::load<TranslatorSession>(o.loop.model);
  EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
}

// A translator with the words of the text, and what it starts with.
TEST(SpanCorruption, IsWhatATranslatorStartsFrom) {
  const Scratch folder;
  const SpanCorruptionOptions o = small_corruption(folder);
  train_spans(o);
  TranslationOptions next;
  test::set(next, "--mini-batch-words 120 --after 1u --learn-rate 1e-30");
  next.from = o.loop.model;
  next.loop.model = folder.path("translator.safetensors");
  next.data.train_sets = {folder.file("train.src", counting_text(1, 10)),
                          folder.file("train.trg", counting_text(3, 10))};
  train::train(next);
  const auto base = model_file::load<TranslatorSession>(o.loop.model);
  const auto tuned = model_file::load<TranslatorSession>(next.loop.model);
  EXPECT_LT(test::distance(base.parameters, tuned.parameters), 1e-20);
  EXPECT_EQ(tuned.model.dims.trained_lengths.longest, 9);  // of the new text
}

TEST(SpanCorruption, RefusesWhatContradicts) {
  const Scratch folder;
  const auto message = [&](const SpanCorruptionOptions& o) {
    return test::message_of<Error>([&] { train_spans(o); });
  };
  EXPECT_EQ(message(small_corruption(folder, "--generation parallel")),
            "--generation: expected a model that generates left-to-right, got parallel");
  EXPECT_EQ(message(small_corruption(folder, "--vocab-type character")),
            "--vocab-type: a character vocabulary cannot hold the symbol <extra_id_0>; expected "
            "sentencepiece, word or bpe");
  EXPECT_EQ(message(small_corruption(folder, "--position learned --max-positions 4")),
            "--max-length: a sequence of 8 tokens becomes a pair of 7 and 3, over the positions of "
            "the model, 3 and 3; expected less, or more --max-positions");
  SpanCorruptionOptions o = small_corruption(folder);
  o.data.vocabs.clear();
  EXPECT_EQ(message(o), "--vocabs: expected one vocabulary, or --from; got 0");
  o.data.vocabs = {folder.file("plain.vocab", "w1\nw2\n")};
  EXPECT_EQ(message(o), o.data.vocabs.front() +
                            ": the vocabulary lacks <extra_id_0>, which stands for a missing span; "
                            "expected a file that is to be made, or a vocabulary of T5");
  EXPECT_EQ(message(tuned_corruption(folder, "--sentinels 3")),
            "--sentinels: is not read with --from; expected its default, 100");
  EXPECT_EQ(message(tuned_corruption(folder, "--dim-emb 32")),
            "--dim-emb: is not read with --from; expected its default, 512");
  EXPECT_THAT(message(tuned_corruption(folder, "", 0)),
              HasSubstr("base.safetensors: the vocabulary lacks <extra_id_0>"));
  o = tuned_corruption(folder, "");
  TranslatorSession two = model_file::load<TranslatorSession>(o.from);
  two.tokenisers.back() = data::load_tokeniser_file(
      folder.file("other", "a\n" + sentinel_list(static_cast<int>(two.source().size()) - 4)));
  model_file::save(o.from, two, two.parameters);
  EXPECT_EQ(message(o),
            "--from: " + o.from + ": expected one vocabulary for source and target, got two");
}

}  // namespace
}  // namespace weft::tasks
