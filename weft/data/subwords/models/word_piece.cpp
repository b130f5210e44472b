// WordPiece (Wu et al. 2016): of the rest of a word the longest token that it begins with.
#include <algorithm>
#include <string>

#include "weft/core/text/utf8.h"
#include "weft/data/subwords/models/subword_model.h"
#include "weft/data/subwords/models/token_table.h"

namespace weft::data {
namespace {

class WordPiece : public SubwordModel {
 public:
  WordPiece(JsonNode& node, const ModelTokens& tokens)
      : beginnings_(tokens.document.tokens.size()),
        continuations_(tokens.document.tokens.size()),
        unknown_(id_of_token(node, tokens, node.text("unk_token"))),
        most_characters_(node.integer("max_input_chars_per_word", 100)) {
    const std::string prefix = node.text("continuing_subword_prefix", "##");
    for (const ModelToken& token : tokens.document.tokens) {
      if (tokens.is_special(token.id) || token.text.empty()) continue;
      beginnings_.add(token.text, token.id);
      const std::string_view text = token.text;
      if (text.starts_with(prefix) && text.size() > prefix.size()) {
        continuations_.add(text.substr(prefix.size()), token.id);
      }
    }
  }

  void tokenise(std::string_view piece, std::vector<PieceToken>& out) const override {
    const auto is_first_byte = [](char c) { return (c & 0xC0) != 0x80; };
    const size_t begin = out.size();
    bool is_known = std::ranges::count_if(piece, is_first_byte) <= most_characters_;
    for (size_t i = 0; is_known && i < piece.size();) {
      const TokenTable& table = i == 0 ? beginnings_ : continuations_;
      size_t size = std::min(piece.size() - i, table.longest());
      int32_t id = -1;
      for (; size > 0; --size) {
        if (i + size < piece.size() && !is_first_byte(piece[i + size])) continue;
        id = table.find(piece.substr(i, size));
        if (id >= 0) break;
      }
      is_known = id >= 0;
      out.push_back({id, static_cast<uint32_t>(i), static_cast<uint32_t>(i + size)});
      i += size;
    }
    if (is_known) return;
    out.resize(begin);
    out.push_back({unknown_, 0, static_cast<uint32_t>(piece.size())});
  }
  int32_t unknown_id() const override { return unknown_; }

 private:
  TokenTable beginnings_, continuations_;  // of words
  int32_t unknown_;
  int64_t most_characters_;
};

}  // namespace

SubwordModelPtr read_word_piece(JsonNode& node, const ModelTokens& tokens) {
  return std::make_unique<WordPiece>(node, tokens);
}

}  // namespace weft::data
