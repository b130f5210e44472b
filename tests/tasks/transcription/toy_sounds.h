// Sounds with their texts small enough for a test: words are tones.
#ifndef WEFT_TESTS_TASKS_TRANSCRIPTION_TOY_SOUNDS_H_
#define WEFT_TESTS_TASKS_TRANSCRIPTION_TOY_SOUNDS_H_

#include <filesystem>
#include <string>

#include "tests/support/scratch.h"
#include "tests/support/sounds.h"
#include "weft/core/random.h"

namespace weft::test {

constexpr int kToySounds = 60, kToyRate = 8000;

// One to three words out of four.
inline std::vector<int> toy_words(int number) {
  RandomStream random(static_cast<uint64_t>(number), 0);
  std::vector<int> out(1 + random.below(3));
  for (int& word : out) word = static_cast<int>(random.below(4));
  return out;
}

// For each word a tone of 0.1 to 0.15 seconds with silence before and after it.
inline std::vector<int16_t> toy_samples(int number) {
  RandomStream random(static_cast<uint64_t>(number), 1);
  std::vector<int16_t> samples(400);
  for (const int word : toy_words(number)) {
    const int length = 800 + static_cast<int>(random.below(400));
    const std::vector<int16_t> one = tone(length, 400 * (word + 1), kToyRate);
    samples.insert(samples.end(), one.begin(), one.end());
    samples.resize(samples.size() + 400);
  }
  for (int16_t& sample : samples) sample += static_cast<int16_t>(random.below(100));
  return samples;
}
inline std::string toy_text(int number) {
  std::string out;
  for (const int word : toy_words(number)) out += (out.empty() ? "w" : " w") + std::to_string(word);
  return out;
}

// Writes sounds/NUMBER.wav.
inline void write_toy_sounds(const Scratch& folder) {
  std::filesystem::create_directory(folder.path("sounds"));
  for (int number = 0; number < kToySounds; ++number) {
    folder.file("sounds/" + std::to_string(number) + ".wav", wav_of(toy_samples(number), kToyRate));
  }
}

// Lines of `path TAB text` of some of these.
inline std::string sounds_text(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    const auto number = static_cast<int>(random.below(kToySounds));
    out += "sounds/" + std::to_string(number) + ".wav\t" + toy_text(number) + "\n";
  }
  return out;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_TASKS_TRANSCRIPTION_TOY_SOUNDS_H_
