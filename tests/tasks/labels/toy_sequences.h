// Labelled sequences of vectors small enough for a test: waves, whose label is their frequency.
#ifndef WEFT_TESTS_TASKS_LABELS_TOY_SEQUENCES_H_
#define WEFT_TESTS_TASKS_LABELS_TOY_SEQUENCES_H_

#include <cmath>
#include <filesystem>
#include <string>

#include "tests/support/scratch.h"
#include "weft/core/random.h"

namespace weft::test {

constexpr int kToySequences = 20;  // of each label

// Lines of three numbers, 5 to 14 of them; one number of each sequence is missing.
inline std::string toy_sequence(int label, int number) {
  RandomStream random(static_cast<uint64_t>(number), static_cast<uint64_t>(label));
  const int rows = 5 + static_cast<int>(random.below(10));
  const double start = 6 * random.uniform();
  std::string out;
  for (int row = 0; row < rows; ++row) {
    const double angle = start + row * 0.5 * (label + 1);
    out += (row == 2 ? "?" : std::to_string(std::sin(angle))) + "," +
           std::to_string(std::cos(angle)) + "," + std::to_string(random.normal()) + "\n";
  }
  return out;
}

// Writes sequences/LABEL_NUMBER.csv.
inline void write_toy_sequences(const Scratch& folder) {
  std::filesystem::create_directory(folder.path("sequences"));
  for (int label = 0; label < 3; ++label) {
    for (int number = 0; number < kToySequences; ++number) {
      folder.file("sequences/" + std::to_string(label) + "_" + std::to_string(number) + ".csv",
                  toy_sequence(label, number));
    }
  }
}

// Lines of `label TAB path` of some of these.
inline std::string sequences_text(uint64_t seed, int lines) {
  RandomStream random(seed, 0);
  std::string out;
  for (int i = 0; i < lines; ++i) {
    const std::string label = std::to_string(random.below(3));
    out += "class" + label + "\tsequences/" + label + "_" +
           std::to_string(random.below(kToySequences)) + ".csv\n";
  }
  return out;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_TASKS_LABELS_TOY_SEQUENCES_H_
