// Records of a training that never was.
#ifndef WEFT_TESTS_TRAIN_RECORDS_SMALL_RECORDS_H_
#define WEFT_TESTS_TRAIN_RECORDS_SMALL_RECORDS_H_

#include <string>
#include <utility>

#include "weft/train/records/recorder.h"

namespace weft::train {

inline TrainingStart start_of(int64_t updates = 0, bool resumes = false, std::string id = "0123") {
  return {.task = "tagging",
          .parameters = 7,
          .options = R"({"seed":1})",
          .id = std::move(id),
          .updates = updates,
          .resumes = resumes};
}

inline UpdateRecord update_of(int64_t number, double loss = 1.5) {
  UpdateRecord out;
  out.report = {.progress = {.updates = number, .targets = 100 * number, .epochs = 2},
                .loss = loss,
                .learn_rate = 0.25,
                .gradient_norm = 5,
                .targets_per_second = 1000,
                .skipped = 1};
  out.seconds = 2;
  out.memory = {.resident_bytes = 10, .peak_bytes = 20};
  out.gradient_norms = {{"model.layers.0", 3}, {"lm_head", 4}};
  return out;
}

}  // namespace weft::train

#endif  // WEFT_TESTS_TRAIN_RECORDS_SMALL_RECORDS_H_
