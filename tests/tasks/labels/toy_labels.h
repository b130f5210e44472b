// Labelled text small enough for a test: lines of a few words, whose label follows from the words.
#ifndef WEFT_TESTS_TASKS_LABELS_TOY_LABELS_H_
#define WEFT_TESTS_TASKS_LABELS_TOY_LABELS_H_

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/training.h"

namespace weft::test {

// Lines of `label TAB words`: the label is that of the first word, w0 to w11, modulo 3.
inline std::string one_label_text(uint64_t seed, int lines) {
  std::istringstream in(toy_text(seed, lines).source);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    out += "class" + std::to_string(std::stoi(line.substr(1)) % 3) + "\t" + line + "\n";
  }
  return out;
}

// The labels are those of all words modulo 3, with spaces between them.
inline std::string several_labels_text(uint64_t seed, int lines) {
  std::istringstream in(toy_text(seed, lines).source);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::set<int> labels;
    for (std::string word; words >> word;) labels.insert(std::stoi(word.substr(1)) % 3);
    for (const int label : labels) out += "class" + std::to_string(label) + " ";
    out.back() = '\t';
    out += line + "\n";
  }
  return out;
}

// The words of a command with the options `more`, which replace those of the same name.
inline std::vector<std::string> command_with(const std::string& command, const std::string& more) {
  std::vector<std::string> out = words_of(command);
  const auto is_option = [](const std::string& word) { return word.starts_with("-"); };
  for (const std::string& word : words_of(more)) {
    const auto found = std::ranges::find(out, word);
    if (is_option(word) && found != out.end()) {
      out.erase(found, std::find_if(found + 1, out.end(), is_option));
    }
  }
  for (std::string& word : words_of(more)) out.push_back(std::move(word));
  return out;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_TASKS_LABELS_TOY_LABELS_H_
