// Trainings that are stopped and go on.
#ifndef WEFT_TESTS_TASKS_RESUMPTION_H_
#define WEFT_TESTS_TASKS_RESUMPTION_H_

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "tests/support/scratch.h"
#include "weft/options/period.h"
#include "weft/train/trainer.h"

namespace weft::tasks {

// Expects the same model of a training in one piece and of one that stops after `pause` updates.
// make(folder, flags) gives the options of one with more updates, which has a validation text and
// writes model.safetensors into the folder.
template <class Task, class Make>
void expect_resumes(Make make, const std::string& flags, int64_t pause = 4) {
  SCOPED_TRACE(flags);
  const auto train = [](const typename Task::Options& options) {
    const std::atomic<bool> stop{false};
    train::Trainer(std::make_unique<Task>(options)).run(stop, [](const train::UpdateReport&) {});
  };
  // It validates after `pause` updates in any case, so that both choose among the same weights.
  const std::string often = flags + " --valid-freq 2u --save-freq 3u";
  const test::Scratch whole, parts;
  train(make(whole, often));
  typename Task::Options o = make(parts, often);
  const options::Period end = o.loop.after;
  for (const options::Period& after : {options::Period::updates(pause), end}) {
    o.loop.after = after;
    train(o);
  }
  const std::string model = "model.safetensors";
  EXPECT_TRUE(test::read_bytes(whole.path(model)) == test::read_bytes(parts.path(model)));
}

}  // namespace weft::tasks

#endif  // WEFT_TESTS_TASKS_RESUMPTION_H_
