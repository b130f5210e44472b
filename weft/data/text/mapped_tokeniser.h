// SentencePiece subwords numbered by a vocabulary of its own, as in Marian models: the subword
// model cuts the text, the vocabulary gives the ids.
#ifndef WEFT_DATA_TEXT_MAPPED_TOKENISER_H_
#define WEFT_DATA_TEXT_MAPPED_TOKENISER_H_

#include "weft/data/text/tokeniser.h"
#include "weft/data/text/vocabulary.h"

namespace weft::data {

// A line may begin with the language to translate to, as in ">>ita<< some text", where the
// vocabulary lists it.
class MappedTokeniser : public Tokeniser {
 public:
  MappedTokeniser(TokeniserPtr subwords, Vocabulary vocabulary)
      : subwords_(std::move(subwords)), vocabulary_(std::move(vocabulary)) {}

  std::vector<int32_t> encode(std::string_view line) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  std::string_view piece(int32_t id) const override { return vocabulary_.token(id); }
  int32_t size() const override { return vocabulary_.size(); }
  int32_t end_id() const override { return vocabulary_.end_id(); }
  int32_t unknown_id() const override { return vocabulary_.unknown_id(); }
  int32_t begin_id() const override { return vocabulary_.begin_id(); }
  std::string_view kind() const override { return "mapped"; }
  std::string serialise() const override;
  std::string file_bytes(bool yaml) const override;

  const Tokeniser& subwords() const { return *subwords_; }

 private:
  TokeniserPtr subwords_;
  Vocabulary vocabulary_;
};

bool is_serialised_mapped(std::string_view bytes);
// From serialise()'s bytes; throws FormatError, naming `where`.
TokeniserPtr load_mapped_tokeniser(std::string_view bytes, std::string_view where);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_MAPPED_TOKENISER_H_
