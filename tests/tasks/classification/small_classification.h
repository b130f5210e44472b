// A training of a classifier in this process, small enough for a test.
#ifndef WEFT_TESTS_TASKS_CLASSIFICATION_SMALL_CLASSIFICATION_H_
#define WEFT_TESTS_TASKS_CLASSIFICATION_SMALL_CLASSIFICATION_H_

#include <atomic>
#include <memory>
#include <string>

#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/tasks/labels/toy_labels.h"
#include "weft/tasks/classification/classification.h"
#include "weft/train/trainer.h"

namespace weft::tasks {

// 12 updates with the options `flags`.
inline ClassificationOptions small_classification(const test::Scratch& folder,
                                                  const std::string& flags = "") {
  ClassificationOptions o;
  test::set(o,
            "--enc-depth 1 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 32 --lr-warmup "
            "4 --mini-batch-words 150 --after 12u " +
                flags);
  const bool has_one = o.model.has_one_label();
  const auto text = [&](uint64_t seed, int lines) {
    return has_one ? test::one_label_text(seed, lines) : test::several_labels_text(seed, lines);
  };
  o.loop.model = folder.path("model.safetensors");
  o.data.train_sets = {folder.file("train.tsv", text(1, 100))};
  o.validation.valid_sets = {folder.file("valid.tsv", text(2, 40))};
  o.data.vocabs = {folder.path("words.vocab")};
  return o;
}

inline train::Ending train_classifier(const ClassificationOptions& options) {
  const std::atomic<bool> stop{false};
  return train::Trainer(std::make_unique<Classification>(options))
      .run(stop, [](const train::UpdateReport&) {});
}

}  // namespace weft::tasks

#endif  // WEFT_TESTS_TASKS_CLASSIFICATION_SMALL_CLASSIFICATION_H_
