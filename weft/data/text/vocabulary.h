// A list of tokens and their ids.
#ifndef WEFT_DATA_TEXT_VOCABULARY_H_
#define WEFT_DATA_TEXT_VOCABULARY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::data {

// Hashes std::string and std::string_view alike, so that look-ups copy nothing.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

// Every token is non-empty UTF-8, without white space, and stands once. A list with a space is one
// of characters, which may have other white space too; in a file of one token a line `\n`, `\t` and
// `\r` stand for it. The list holds </s> and
// <unk>, and <s> or not (Marian's vocabularies have none: decoding then begins with </s>).
class Vocabulary {
 public:
  // Tokens in the order of their ids. Throws FormatError, naming `where`, when one breaks the rules
  // above. A list with none of the special symbols gets </s> 0, <unk> 1 and <s> 2 put before it.
  Vocabulary(std::vector<std::string> tokens, std::string_view where);
  // One token a line.
  static Vocabulary from_list(std::string_view text, std::string_view where);
  // `token: id` a line, in any order, ids 0, 1, 2, ... without holes.
  static Vocabulary from_yaml(std::string_view text, std::string_view where);

  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }
  const std::string& token(int32_t id) const;  // throws FormatError for an id out of range
  // unknown_id() for a token that is not listed or is a special symbol.
  int32_t find(std::string_view token) const;
  bool contains(std::string_view token) const { return ids_.contains(token); }

  int32_t end_id() const { return end_; }
  int32_t unknown_id() const { return unknown_; }
  int32_t begin_id() const { return begin_; }

  std::string to_list() const;
  std::string to_yaml() const;

 private:
  std::vector<std::string> tokens_;
  TextMap<int32_t> ids_;
  int32_t end_ = 0, unknown_ = 0, begin_ = 0;
};

// Tokens counted, to make a vocabulary of.
class TokenCounter {
 public:
  void add(std::string_view token);
  // The special symbols, then tokens seen at least `min_count` times, the most frequent first,
  // equals in byte order; at most `max_size` in all, 0 for any number. `first` are tokens that
  // stand before the others whatever their count.
  std::vector<std::string> most_frequent(int64_t max_size, int64_t min_count,
                                         const std::vector<std::string>& first = {}) const;

 private:
  TextMap<int64_t> counts_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_VOCABULARY_H_
