// Unigram language model (Kudo 2018): the most probable tokens of a text, by Viterbi's algorithm.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "weft/core/text/utf8.h"
#include "weft/data/subwords/models/byte_trie.h"
#include "weft/data/subwords/models/subword_model.h"

namespace weft::data {
namespace {

constexpr double kUnknownPenalty = 10;  // of an unknown character, below the least score

class Unigram : public SubwordModel {
 public:
  Unigram(JsonNode& node, const ModelTokens& tokens);

  void tokenise(std::string_view piece, std::vector<PieceToken>& out) const override;
  int32_t unknown_id() const override { return unknown_; }

 private:
  // The best path to a place of the text: its last token.
  struct Best {
    double score = 0;
    int32_t id = -1;
    uint32_t begin = 0;
    bool is_reached = false;
  };

  void put_unknown(std::string_view piece, PieceToken token, std::vector<PieceToken>& out) const;

  std::vector<double> scores_;
  ByteTrie trie_;
  int32_t unknown_ = -1;
  double unknown_score_ = 0;
  std::array<int32_t, 256> bytes_ = {};  // ids of <0x00> to <0xFF>
  bool falls_back_to_bytes_;
};

Unigram::Unigram(JsonNode& node, const ModelTokens& tokens)
    : falls_back_to_bytes_(node.flag("byte_fallback", false)) {
  const std::vector<ModelToken>& all = tokens.document.tokens;
  if (all.empty()) node.refuse("has no vocabulary");
  if (node.has("unk_id")) {
    unknown_ = static_cast<int32_t>(node.integer("unk_id"));
    if (unknown_ >= std::ssize(all)) node.refuse("unk_id {} is not in the vocabulary", unknown_);
  }
  std::vector<std::pair<std::string_view, int32_t>> strings;
  bytes_.fill(-1);
  scores_.reserve(all.size());
  for (const ModelToken& token : all) {
    scores_.push_back(token.score);
    if (!tokens.is_special(token.id)) strings.emplace_back(token.text, token.id);
    unsigned byte = 0;
    if (token.text.size() == 6 && std::sscanf(token.text.c_str(), "<0x%2X>", &byte) == 1) {
      bytes_[byte] = token.id;
    }
  }
  trie_ = ByteTrie(std::move(strings));
  unknown_score_ = std::ranges::min(scores_) - kUnknownPenalty;
}

void Unigram::put_unknown(std::string_view piece, PieceToken token,
                          std::vector<PieceToken>& out) const {
  const std::string_view text = piece.substr(token.begin, token.end - token.begin);
  const auto id_of = [&](char c) { return bytes_[static_cast<unsigned char>(c)]; };
  if (falls_back_to_bytes_ && std::ranges::none_of(text, [&](char c) { return id_of(c) < 0; })) {
    for (const char c : text) out.push_back({id_of(c), token.begin, token.end});
  } else if (unknown_ >= 0) {
    out.push_back({unknown_, token.begin, token.end});
  } else {
    fail<FormatError>("tokeniser", "no token for {}, and no unknown token", quote(text));
  }
}

void Unigram::tokenise(std::string_view piece, std::vector<PieceToken>& out) const {
  std::vector<Best> best(piece.size() + 1);
  const auto reach = [&](size_t begin, size_t end, int32_t id, double score) {
    const double total = best[begin].score + score;
    if (best[end].is_reached && total <= best[end].score) return;
    best[end] = {total, id, static_cast<uint32_t>(begin), true};
  };
  for (size_t i = 0, length; i < piece.size(); i += length) {
    length = utf8_length(piece.substr(i));
    bool has_character = false;
    trie_.for_each_prefix(piece.substr(i), [&](size_t size, int32_t id) {
      reach(i, i + size, id, scores_[static_cast<size_t>(id)]);
      has_character |= size == length;
    });
    if (!has_character) reach(i, i + length, -1, unknown_score_);
  }
  std::vector<PieceToken> tokens;  // the last first; a run of unknown characters is one
  for (auto end = static_cast<uint32_t>(piece.size()); end > 0;) {
    const Best& last = best[end];
    if (last.id < 0 && !tokens.empty() && tokens.back().id < 0) {
      tokens.back().begin = last.begin;
    } else {
      tokens.push_back({last.id, last.begin, end});
    }
    end = last.begin;
  }
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    if (token->id >= 0) {
      out.push_back(*token);
    } else {
      put_unknown(piece, *token, out);
    }
  }
}

}  // namespace

SubwordModelPtr read_unigram(JsonNode& node, const ModelTokens& tokens) {
  return std::make_unique<Unigram>(node, tokens);
}

}  // namespace weft::data
