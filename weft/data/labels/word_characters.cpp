#include "weft/data/labels/word_characters.h"

#include <algorithm>

#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {

void WordCharacters::append(std::string_view word, std::vector<int32_t>& ids) const {
  std::vector<int32_t> characters = vocabulary->encode(word);
  if (max_length > 0 && std::ssize(characters) > max_length) {
    characters.resize(static_cast<size_t>(max_length));
  }
  ids.push_back(vocabulary->begin_id());
  ids.insert(ids.end(), characters.begin(), characters.end());
  ids.push_back(vocabulary->end_id());
}

TokeniserPtr make_character_vocabulary(const std::vector<std::string>& files,
                                       const LabelledTextOptions& options, int64_t min_count) {
  TokenCounter counter;
  read_labelled_text(files, options, [&](const LabelledText& text) {
    for (const std::string_view word : text.example().words) {
      for_each_character(word, [&](std::string_view character) { counter.add(character); });
    }
  });
  // The space makes it a list of characters.
  return make_plain_tokeniser(
      Vocabulary(counter.most_frequent(0, min_count, {" "}), "characters of the training text"));
}

}  // namespace weft::data
