// The table by which SentencePiece normalises text (`precompiled_charsmap`): uint32 size of the
// trie in bytes, the trie, and the replacements, each ended by a NUL. The trie is a double array of
// little-endian uint32 units (Darts-clone), a value the place of a replacement.
#ifndef WEFT_DATA_TEXT_CHARSMAP_H_
#define WEFT_DATA_TEXT_CHARSMAP_H_

#include <optional>
#include <string>
#include <string_view>

namespace weft::data {

// SentencePiece follows the table without a check of its own. Throws FormatError, naming `where`,
// unless for every text all that it reads lies in the table: transitions in the array and without a
// cycle, at most 32 matches from one place (as many as it has memory for), replacements UTF-8 that
// ends inside the table. Rules and replacements of over 256 bytes are refused too, by which time
// and memory for a text could grow without bounds.
void check_charsmap(std::string_view table, std::string_view where);

class Charsmap {
 public:
  // Throws as check_charsmap() does.
  Charsmap(std::string table, std::string_view where);

  // What the shortest rule that `text` begins with puts for it.
  std::optional<std::string_view> first_replacement(std::string_view text) const;

 private:
  std::string table_;
  size_t trie_end_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_CHARSMAP_H_
