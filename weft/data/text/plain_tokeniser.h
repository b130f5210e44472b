// Tokenisers over a plain vocabulary: words between white space, and single characters.
#ifndef WEFT_DATA_TEXT_PLAIN_TOKENISER_H_
#define WEFT_DATA_TEXT_PLAIN_TOKENISER_H_

#include "weft/data/text/tokeniser.h"
#include "weft/data/text/vocabulary.h"

namespace weft::data {

// Words are what stands between ASCII white space; decoding joins them by one space. An unknown is
// shown as <unk>.
class WordTokeniser : public Tokeniser {
 public:
  explicit WordTokeniser(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::vector<int32_t> encode(std::string_view line) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  std::string_view piece(int32_t id) const override { return vocabulary_.token(id); }
  int32_t size() const override { return vocabulary_.size(); }
  int32_t end_id() const override { return vocabulary_.end_id(); }
  int32_t unknown_id() const override { return vocabulary_.unknown_id(); }
  int32_t begin_id() const override { return vocabulary_.begin_id(); }
  std::string_view kind() const override { return "word"; }
  std::string serialise() const override;
  std::string file_bytes(bool yaml) const override;

 protected:
  bool is_silent(int32_t id) const { return id == end_id() || id == begin_id(); }
  Vocabulary vocabulary_;
};

// One token a Unicode code point, spaces included. An unknown is shown as U+FFFD.
class CharacterTokeniser : public WordTokeniser {
 public:
  using WordTokeniser::WordTokeniser;
  std::vector<int32_t> encode(std::string_view line) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  std::string_view kind() const override { return "character"; }
};

// Calls take(word) for each word of the line.
template <class Take>
void for_each_word(std::string_view line, Take&& take) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  for (size_t from = line.find_first_not_of(kSpace); from != line.npos;) {
    const size_t end = std::min(line.find_first_of(kSpace, from), line.size());
    take(line.substr(from, end - from));
    from = line.find_first_not_of(kSpace, end);
  }
}
inline bool has_word(std::string_view line) {
  bool out = false;
  for_each_word(line, [&](std::string_view) { out = true; });
  return out;
}

// Calls take(character) for each code point of the line, and for each malformed byte.
void for_each_character(std::string_view line, const std::function<void(std::string_view)>& take);

// A character tokeniser where the vocabulary holds the entry " ", else a word tokeniser.
TokeniserPtr make_plain_tokeniser(Vocabulary vocabulary);

bool is_serialised_plain(std::string_view bytes);
// From serialise()'s bytes; throws FormatError.
TokeniserPtr load_plain_tokeniser(std::string_view bytes, std::string_view where);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_PLAIN_TOKENISER_H_
