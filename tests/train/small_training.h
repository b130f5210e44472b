// A small in-process training for tests.
#ifndef WEFT_TESTS_TRAIN_SMALL_TRAINING_H_
#define WEFT_TESTS_TRAIN_SMALL_TRAINING_H_

#include <string>
#include <vector>

#include "tests/e2e/training.h"
#include "tests/support/scratch.h"
#include "weft/tasks/translation/translation.h"
#include "weft/train/trainer.h"

namespace weft::train {

using tasks::TranslationOptions;
using test::Scratch;

// 12 updates on `lines` lines.
inline TranslationOptions small(const Scratch& folder, int lines = 100) {
  const test::ToyText text = test::toy_text(1, lines);
  TranslationOptions o;
  o.loop.model = folder.path("model.safetensors");
  o.loop.after = options::Period::updates(12);
  o.data.train_sets = {folder.file("train.src", text.source),
                       folder.file("train.trg", text.target)};
  o.data.vocabs = {folder.path("src.vocab"), folder.path("trg.vocab")};
  o.batching.mini_batch_words = 150;
  o.model.encoder.enc_depth = o.model.decoder.dec_depth = 1;
  o.model.encoder.dim_emb = 16;
  o.model.encoder.transformer.attention.heads = 2;
  o.model.encoder.transformer.feed_forward.inner = 32;
  o.schedule.warmup = 4;
  return o;
}

// The path of --teacher.
inline std::string& teacher_of(TranslationOptions& o) {
  return o.objective.get<tasks::DistillationOptions>().teacher;
}

inline std::unique_ptr<Task> task_of(const TranslationOptions& options) {
  return std::make_unique<tasks::Translation>(options);
}

inline Ending train(const TranslationOptions& options,
                    std::vector<UpdateReport>* reports = nullptr) {
  const std::atomic<bool> stop{false};
  return Trainer(task_of(options)).run(stop, [&](const UpdateReport& report) {
    if (reports != nullptr) reports->push_back(report);
  });
}

inline std::string model_bytes(const test::Scratch& folder) {
  return test::read_bytes(folder.path("model.safetensors"));
}

inline std::string message_of(const TranslationOptions& options) {
  try {
    train(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// 8 updates of a smaller model.
inline TranslationOptions smaller(const Scratch& folder) {
  TranslationOptions o = small(folder, 60);
  o.loop.after = options::Period::updates(8);
  o.batching.mini_batch_words = 100;
  o.model.encoder.enc_depth = o.model.decoder.dec_depth = 2;
  o.model.encoder.dim_emb = 8;
  o.model.encoder.transformer.feed_forward.inner = 16;
  o.schedule.learn_rate = 0.01;
  return o;
}

inline std::vector<UpdateReport> reports_of(const TranslationOptions& options) {
  std::vector<UpdateReport> reports;
  train(options, &reports);
  return reports;
}

}  // namespace weft::train

#endif  // WEFT_TESTS_TRAIN_SMALL_TRAINING_H_
