// The added tokens of a tokenizer.json, special ones among them: found in the text before it is cut
// into words.
#ifndef WEFT_DATA_SUBWORDS_ADDED_TOKENS_H_
#define WEFT_DATA_SUBWORDS_ADDED_TOKENS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/subwords/models/byte_trie.h"
#include "weft/data/subwords/nodes/normaliser.h"
#include "weft/data/subwords/split_text.h"
#include "weft/data/subwords/tokenizer_document.h"

namespace weft::data {

struct AddedToken {
  int32_t id = 0;
  std::string text;
  bool special = false;
  bool single_word = false;  // not inside a word
  bool lstrip = false;       // takes the spaces before it
  bool rstrip = false;       // takes the spaces behind it
  bool normalised = false;   // sought in normalised text
};

// From the list `added_tokens`.
std::vector<AddedToken> read_added_tokens(std::vector<JsonNode> nodes);
// The entry of a token in that list.
DocumentJson node_of(const AddedToken& token);

class AddedTokens {
 public:
  AddedTokens(std::vector<AddedToken> tokens, const Normalisers& normalisers);

  const std::vector<AddedToken>& tokens() const { return tokens_; }

  // Where special tokens are found: nowhere unless `parse_special`, and never in what a user typed,
  // ascending ranges of the original text.
  struct Search {
    bool parse_special = false;
    std::span<const ByteRange> typed = {};
  };
  // Cuts pieces around the tokens that are sought in this text, normalised or not.
  void split(SplitText& text, bool normalised, const Search& search) const;

 private:
  struct Found {
    size_t begin, end;
    const AddedToken* token;
  };

  std::vector<Found> find(const SplitText& text, const Piece& piece, bool normalised,
                          const Search& search) const;

  std::vector<AddedToken> tokens_;
  std::vector<std::string> normalised_texts_;  // of the tokens that are sought in normalised text
  ByteTrie original_, normalised_;             // values are indices of tokens_
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_ADDED_TOKENS_H_
