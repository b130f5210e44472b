// Small trainings of language models.
#ifndef WEFT_TESTS_TASKS_LANGUAGE_MODELLING_SMALL_MODELLING_H_
#define WEFT_TESTS_TASKS_LANGUAGE_MODELLING_SMALL_MODELLING_H_

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "tests/e2e/training.h"
#include "tests/model_file/small_chat_model.h"
#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/train/small_training.h"
#include "weft/tasks/language_modelling/language_modelling.h"
#include "weft/tasks/language_modelling/validation.h"
#include "weft/train/trainer.h"

namespace weft::tasks {

inline LanguageModellingOptions small_modelling(const test::Scratch& folder,
                                                const std::string& flags = "") {
  LanguageModellingOptions o;
  test::set(o,
            "--dec-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 24 "
            "--format lines --max-length 16 --lr-warmup 4 --mini-batch-words 150 --after 12u " +
                flags);
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.txt", test::toy_text(1, 200).source)};
  o.validation.valid_sets = {folder.file("valid.txt", test::toy_text(2, 40).source)};
  o.data.vocabs = {folder.path("words.vocab")};
  return o;
}

// Starts from the small chat model.
inline LanguageModellingOptions small_tuning(const test::Scratch& folder,
                                             const std::string& flags = "") {
  const auto session = model_file::small_chat_model();
  model_file::save(folder.path("base.safetensors"), session, session.parameters);
  LanguageModellingOptions o;
  test::set(o, "--mini-batch-words 100 --after 6u --max-length 64 --lr-warmup 2 " + flags);
  o.from = folder.path("base.safetensors");
  o.loop.model = folder.path("model.safetensors");
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    lines += R"({"messages": [{"role": "user", "content": "say )" +
             std::string(1, static_cast<char>('a' + i)) +
             R"("}, {"role": "assistant", "content": "ok"}]})" + "\n";
  }
  o.data.train_sets = {folder.file("train.jsonl", lines)};
  o.validation.valid_sets = {folder.file("valid.jsonl", lines)};
  return o;
}

inline train::Ending train_language_model(const LanguageModellingOptions& options) {
  const std::atomic<bool> stop{false};
  return train::Trainer(std::make_unique<LanguageModelling>(options))
      .run(stop, [](const train::UpdateReport&) {});
}

}  // namespace weft::tasks

#endif  // WEFT_TESTS_TASKS_LANGUAGE_MODELLING_SMALL_MODELLING_H_
