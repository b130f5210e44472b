// A training of a tagger in this process, small enough for a test.
#ifndef WEFT_TESTS_TASKS_TAGGING_SMALL_TAGGING_H_
#define WEFT_TESTS_TASKS_TAGGING_SMALL_TAGGING_H_

#include <atomic>
#include <memory>
#include <string>

#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/tasks/labels/toy_tags.h"
#include "weft/tasks/tagging/tagging.h"
#include "weft/train/trainer.h"

namespace weft::tasks {

// 12 updates with the options `flags`: chunks, kinds and intents.
inline TaggingOptions small_tagging(const test::Scratch& folder, const std::string& flags = "") {
  TaggingOptions o;
  test::set(o,
            "--enc-depth 1 --dim-emb 16 --lr-warmup 4 --mini-batch-words 150 --after 12u "
            "--word-labels 1 2 --text-labels 3 " +
                flags);
  if (o.model.encoder.is_transformer()) {
    o.model.encoder.transformer.attention.heads = 2;
    o.model.encoder.transformer.feed_forward.inner = 32;
  }
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.tsv", test::tagged_text(1, 100))};
  o.validation.valid_sets = {folder.file("valid.tsv", test::tagged_text(2, 40))};
  o.data.vocabs = {folder.path("words.vocab")};
  return o;
}

inline train::Ending train_tagger(const TaggingOptions& options) {
  const std::atomic<bool> stop{false};
  return train::Trainer(std::make_unique<Tagging>(options))
      .run(stop, [](const train::UpdateReport&) {});
}

}  // namespace weft::tasks

#endif  // WEFT_TESTS_TASKS_TAGGING_SMALL_TAGGING_H_
