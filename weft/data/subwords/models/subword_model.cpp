#include "weft/data/subwords/models/subword_model.h"

#include <algorithm>

#include "weft/data/subwords/models/token_table.h"

namespace weft::data {
namespace {

// Whole words only.
class WordLevel : public SubwordModel {
 public:
  WordLevel(JsonNode& node, const ModelTokens& tokens)
      : table_(tokens.document.tokens.size()),
        unknown_(id_of_token(node, tokens, node.text("unk_token"))) {
    for (const ModelToken& token : tokens.document.tokens) {
      if (!tokens.is_special(token.id)) table_.add(token.text, token.id);
    }
  }

  void tokenise(std::string_view piece, std::vector<PieceToken>& out) const override {
    const int32_t found = table_.find(piece);
    out.push_back({found < 0 ? unknown_ : found, 0, static_cast<uint32_t>(piece.size())});
  }
  int32_t unknown_id() const override { return unknown_; }

 private:
  TokenTable table_;
  int32_t unknown_;
};

// Files of former versions do not say the type.
std::string model_type(JsonNode& node) {
  if (node.has("type")) return node.type();
  if (node.has("unk_id")) return "Unigram";
  if (node.has("max_input_chars_per_word")) return "WordPiece";
  return node.has("fuse_unk") || node.has("dropout") ? "BPE" : "WordLevel";
}

}  // namespace

int32_t id_of_token(const JsonNode& node, const ModelTokens& tokens, std::string_view text) {
  const auto found = std::ranges::find(tokens.document.tokens, text, &ModelToken::text);
  if (found == tokens.document.tokens.end()) {
    node.refuse("the token {} is not in the vocabulary", quote(text));
  }
  return found->id;
}

SubwordModelPtr read_word_level(JsonNode& node, const ModelTokens& tokens) {
  return std::make_unique<WordLevel>(node, tokens);
}

SubwordModelPtr read_model(JsonNode node, const ModelTokens& tokens) {
  const std::string type = model_type(node);
  SubwordModelPtr out;
  if (type == "BPE") {
    out = read_bpe(node, tokens);
  } else if (type == "WordPiece") {
    out = read_word_piece(node, tokens);
  } else if (type == "Unigram") {
    out = read_unigram(node, tokens);
  } else if (type == "WordLevel") {
    out = read_word_level(node, tokens);
  } else {
    node.refuse("the model {} is not supported", quote(type));
  }
  node.finish();
  return out;
}

}  // namespace weft::data
