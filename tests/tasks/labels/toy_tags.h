// Tagged text small enough for a test: words whose labels follow from the words.
#ifndef WEFT_TESTS_TASKS_LABELS_TOY_TAGS_H_
#define WEFT_TESTS_TASKS_LABELS_TOY_TAGS_H_

#include <sstream>
#include <string>

#include "tests/e2e/training.h"

namespace weft::test {

// Lines of `words TAB chunks TAB kinds TAB intent`: words are w0 to w11; one whose number is below
// 6 begins a chunk, L below 3 and M else, and those below 9 after it go on with it; the kind is the
// number modulo 4, the intent that of the first word.
inline std::string tagged_text(uint64_t seed, int lines) {
  std::istringstream in(toy_text(seed, lines).source);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string chunks, kinds, intent, open;
    for (std::string word; words >> word;) {
      const int number = std::stoi(word.substr(1));
      if (number < 6) {
        open = number < 3 ? "L" : "M";
        chunks += " B-" + open;
      } else if (number >= 9 || open.empty()) {
        open.clear();
        chunks += " O";
      } else {
        chunks += " I-" + open;
      }
      kinds += " K" + std::to_string(number % 4);
      if (intent.empty()) intent = "intent" + std::to_string(number % 4);
    }
    out += line + "\t" + chunks.substr(1) + "\t" + kinds.substr(1) + "\t" + intent + "\n";
  }
  return out;
}

// The words alone, a line each.
inline std::string words_of_tagged(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) out += line.substr(0, line.find('\t')) + "\n";
  return out;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_TASKS_LABELS_TOY_TAGS_H_
