// The vocabularies of a training run: read where their files exist, else made from its text.
#ifndef WEFT_DATA_TEXT_OPEN_VOCABULARIES_H_
#define WEFT_DATA_TEXT_OPEN_VOCABULARIES_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/data/options.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {

struct Vocabularies {
  std::vector<TokeniserPtr> fields;                        // one for each name in options.vocabs
  std::vector<std::pair<std::string, TokeniserPtr>> made;  // by the file each is to be written to

  // Writes those that were made, each file whole or not at all. Throws FileError.
  void write_made() const;
};

// The text that vocabularies are made of.
struct VocabularyText {
  using Take = std::function<void(std::string_view)>;
  // The text of some fields, for messages: "train.en + train.de".
  std::function<std::string(std::span<const int64_t> fields)> name;
  // Calls take(text) for every usable text of these fields.
  std::function<void(std::span<const int64_t> fields, const Take& take)> read;
  // Tokens of their own in a vocabulary that is made, which a text may spell.
  std::vector<std::string> symbols = {};
};

// Equal names share one tokeniser, made over all their fields. A vocabulary that is made is a pure
// function of text, options and seed; nothing is written. Throws OptionError when the options
// contradict each other or a file found (a vocabulary larger than --dim-vocabs, say), FormatError,
// naming the text, when the training text has no usable line, and what reading throws.
Vocabularies open_vocabularies(const VocabularyOptions& options, const VocabularyText& text,
                               uint64_t seed);

// Parallel text, a field for each vocabulary.
VocabularyText vocabulary_text(const DataOptions& options);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_OPEN_VOCABULARIES_H_
