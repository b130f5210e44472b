// A training of a model of two views in this process, small enough for a test.
#ifndef WEFT_TESTS_TASKS_CROSS_VIEW_SMALL_CROSS_VIEW_H_
#define WEFT_TESTS_TASKS_CROSS_VIEW_SMALL_CROSS_VIEW_H_

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/options.h"
#include "tests/support/scratch.h"
#include "tests/tasks/cross_view/toy_views.h"
#include "weft/tasks/cross_view/cross_view.h"
#include "weft/train/trainer.h"

namespace weft::tasks {

// 12 updates with the options `flags`.
inline CrossViewTrainOptions small_cross_view(const test::Scratch& folder,
                                              const std::string& flags = "") {
  test::write_toy_views(folder);
  CrossViewTrainOptions o;
  test::set(o, std::string(test::kToyViewModel) +
                   " --mini-batch 8 --lr-warmup 4 --after 12u --image-size 8 " + flags);
  o.loop.model = folder.path("model.safetensors");
  const bool is_cut = o.views.is<data::CroppedPairs>();
  o.train_sets = {folder.path(is_cut ? "pictures" : "train.tsv")};
  o.validation.valid_sets = {folder.path(is_cut ? "pictures" : "valid.tsv")};
  return o;
}

inline train::Ending train_cross_view(const CrossViewTrainOptions& options) {
  const std::atomic<bool> stop{false};
  return train::Trainer(std::make_unique<CrossView>(options))
      .run(stop, [](const train::UpdateReport&) {});
}

}  // namespace weft::tasks

#endif  // WEFT_TESTS_TASKS_CROSS_VIEW_SMALL_CROSS_VIEW_H_
