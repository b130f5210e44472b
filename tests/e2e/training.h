// Small training runs for tests: pairs of words and the reversed words.
#ifndef WEFT_TESTS_E2E_TRAINING_H_
#define WEFT_TESTS_E2E_TRAINING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/scratch.h"
#include "weft/core/random.h"
#include "weft/formats/safetensors.h"
#include "weft/options/json.h"
#include "weft/train/state.h"

namespace weft::test {

struct ToyText {
  std::string source, target;
};

// `lines` lines of 2 to 7 words out of twelve.
inline ToyText toy_text(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  ToyText text;
  for (int i = 0; i < lines; ++i) {
    std::vector<std::string> words(2 + random.below(6));
    for (std::string& word : words) word = std::string("w") + std::to_string(random.below(12));
    for (size_t k = 0; k < words.size(); ++k) {
      text.source += (k ? " " : "") + words[k];
      text.target += (k ? " " : "") + words[words.size() - 1 - k];
    }
    text.source += "\n";
    text.target += "\n";
  }
  return text;
}

// Training and validation text.
inline void write_toy_text(const Scratch& folder) {
  const ToyText train = toy_text(1, 300), valid = toy_text(2, 20);
  folder.file("train.src", train.source);
  folder.file("train.trg", train.target);
  folder.file("valid.src", valid.source);
  folder.file("valid.trg", valid.target);
}

// More updates than any test waits for; the training must be stopped or killed.
constexpr int kEndless = 1'000'000;

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// A command that trains on train.src and train.trg, with the space-separated options `more`, and
// `rest`. No preset, unless `rest` names one.
inline std::vector<std::string> training_with(const std::string& more,
                                              const std::vector<std::string>& rest = {}) {
  std::vector<std::string> args =
      words_of("train -t train.src train.trg -v src.vocab trg.vocab -m model.safetensors " + more);
  args.insert(args.end(), rest.begin(), rest.end());
  if (std::ranges::find(rest, "--preset") == rest.end()) {
    args.insert(args.end(), {"--preset", "none"});
  }
  return args;
}

// For `updates` updates with dropout on.
inline std::vector<std::string> toy_training(int updates,
                                             const std::vector<std::string>& more = {}) {
  const bool fits = std::ranges::find(more, "--mini-batch-fit") != more.end();
  return training_with(
      "--enc-depth 1 --dec-depth 1 --dim-emb 32 --transformer-heads 2 --transformer-dim-ffn 64 "
      "--transformer-dropout 0.2 --transformer-dropout-attention 0.1 " +
          std::string(fits ? "" : "--mini-batch-words 200 ") +
          "--lr-warmup 20 --learn-rate 0.005 --disp-freq 10 --threads 2 --after " +
          std::to_string(updates) + "u",
      more);
}

// A model that learns within some hundred updates.
inline std::vector<std::string> learning(const std::string& more,
                                         const std::vector<std::string>& rest = {}) {
  return training_with(
      "--enc-depth 1 --dec-depth 1 --dim-emb 64 --mini-batch-words 400 --precision float32 " + more,
      rest);
}

constexpr const char* kToyState = "model.training.safetensors";

// The progress of the training in the folder.
inline int updates_done(const Scratch& folder) {
  if (!std::filesystem::exists(folder.path(kToyState))) return 0;
  const formats::SafetensorsFile file(folder.path(kToyState));
  const auto state = options::options_from_json<train::State>(
      file.metadata().at("weft.training-state"), file.path());
  return static_cast<int>(state.progress.updates);
}

inline void expect_same_files(const Scratch& got, const Scratch& expected) {
  for (const char* name : {"model.safetensors", kToyState}) {
    EXPECT_TRUE(read_bytes(got.path(name)) == read_bytes(expected.path(name))) << name;
  }
}

// Resumes the training in `stopped` and expects the same bytes as of an uninterrupted training in
// `unbroken`, both by train(folder, updates).
template <class Train>
void expect_to_end_as_if_never_interrupted(const Scratch& stopped, const Scratch& unbroken,
                                           int updates, const Train& train) {
  const auto rest = train(stopped, updates);
  ASSERT_EQ(rest.status, 0) << rest.errors;
  EXPECT_NE(rest.errors.find("resuming from"), std::string::npos) << rest.errors;
  ASSERT_EQ(train(unbroken, updates).status, 0);
  expect_same_files(stopped, unbroken);
}

}  // namespace weft::test

#endif  // WEFT_TESTS_E2E_TRAINING_H_
