// Models of a tokenizer.json: what cuts a word into subwords.
#ifndef WEFT_DATA_SUBWORDS_MODELS_SUBWORD_MODEL_H_
#define WEFT_DATA_SUBWORDS_MODELS_SUBWORD_MODEL_H_

#include <memory>
#include <string_view>
#include <vector>

#include "weft/data/subwords/models/token_table.h"
#include "weft/data/subwords/nodes/json_node.h"
#include "weft/data/subwords/tokenizer_document.h"

namespace weft::data {

// A token and the bytes of the piece that it stands for.
struct PieceToken {
  int32_t id;
  uint32_t begin, end;
};

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;
  // Appends the tokens of a piece, which is well-formed UTF-8 and not empty.
  virtual void tokenise(std::string_view piece, std::vector<PieceToken>& out) const = 0;
  virtual int32_t unknown_id() const = 0;  // -1: none
};

using SubwordModelPtr = std::unique_ptr<const SubwordModel>;

// The tokens of the model, whose text must live as long as it does, as must `ids`.
struct ModelTokens {
  const TokenizerDocument& document;
  const TokenTable& ids;      // of these tokens and of added ones
  std::vector<bool> special;  // by id: text never becomes these, except the unknown token

  bool is_special(int32_t id) const {
    return static_cast<size_t>(id) < special.size() && special[static_cast<size_t>(id)];
  }
};

// From the node `model`. Throws FormatError for a field that is not supported.
SubwordModelPtr read_model(JsonNode node, const ModelTokens& tokens);

SubwordModelPtr read_bpe(JsonNode& node, const ModelTokens& tokens);
SubwordModelPtr read_word_piece(JsonNode& node, const ModelTokens& tokens);
SubwordModelPtr read_unigram(JsonNode& node, const ModelTokens& tokens);
SubwordModelPtr read_word_level(JsonNode& node, const ModelTokens& tokens);

// The id of a token that a field names, special or not. Throws FormatError if there is none.
int32_t id_of_token(const JsonNode& node, const ModelTokens& tokens, std::string_view text);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_MODELS_SUBWORD_MODEL_H_
