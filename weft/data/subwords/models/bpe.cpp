// Byte-pair encoding (Sennrich et al. 2016): merges of adjacent tokens, in the order of their
// ranks.
#include <algorithm>
#include <array>
#include <queue>
#include <string>

#include "weft/core/text/utf8.h"
#include "weft/data/subwords/models/subword_model.h"
#include "weft/data/subwords/models/token_table.h"

namespace weft::data {
namespace {

constexpr size_t kShortPiece = 48;  // symbols: of fewer the least rank is searched for each merge
constexpr uint32_t kNoRank = Merge().rank;

// A token of a long piece, in a list.
struct Symbol {
  int32_t id;
  uint32_t begin, end;  // begin == end: merged into another
  int32_t before, after;
};

// The token that the symbol at `position` and the one after it may merge to.
struct Candidate {
  Merge merge;
  uint32_t position;
  bool operator<(const Candidate& other) const {  // the queue has the largest first
    if (merge.rank != other.merge.rank) return merge.rank > other.merge.rank;
    return position > other.position;
  }
};

class Bpe : public SubwordModel {
 public:
  Bpe(JsonNode& node, const ModelTokens& tokens);

  void tokenise(std::string_view piece, std::vector<PieceToken>& out) const override;
  int32_t unknown_id() const override { return unknown_; }

 private:
  // Whether a token is one of the model, and whether text may become it.
  enum class TokenUse : uint8_t { kNotOfModel, kSpecial, kText };

  void list_tokens(const ModelTokens& tokens);
  void add_merges(const JsonNode& node, const ModelTokens& tokens);
  void find_bytes();
  // The id of a token of the model, special or not; -1: none.
  int32_t find_any(std::string_view text) const;
  // The id of a token that text may become; -1: none.
  int32_t find(std::string_view text) const;
  int32_t id_of_character(std::string_view character, bool is_first, bool is_last) const;
  bool add_bytes(std::string_view character, uint32_t begin, std::vector<PieceToken>& out) const;
  void split_characters(std::string_view piece, std::vector<PieceToken>& out) const;
  void merge_short(size_t begin, std::vector<PieceToken>& tokens) const;
  void merge_long(size_t begin, std::vector<PieceToken>& tokens) const;

  const TokenTable& ids_;
  std::vector<TokenUse> uses_;  // by id
  MergeTable merges_;
  std::string prefix_, suffix_;  // of what continues a word, of what ends it
  bool fuses_unknown_, falls_back_to_bytes_, ignores_merges_;
  int32_t unknown_ = -1;
  std::array<int32_t, 128> ascii_ = {};  // ids of single characters
  std::array<int32_t, 256> bytes_ = {};  // ids of <0x00> to <0xFF>
};

Bpe::Bpe(JsonNode& node, const ModelTokens& tokens)
    : ids_(tokens.ids),
      merges_(tokens.document.merges.size()),
      prefix_(node.text("continuing_subword_prefix", "")),
      suffix_(node.text("end_of_word_suffix", "")),
      fuses_unknown_(node.flag("fuse_unk", false)),
      falls_back_to_bytes_(node.flag("byte_fallback", false)),
      ignores_merges_(node.flag("ignore_merges", false)) {
  if (node.has("dropout") && node.value("dropout") != 0) {
    node.refuse("dropout makes the tokens random; expected none");
  }
  if (node.has("unk_token")) unknown_ = id_of_token(node, tokens, node.text("unk_token"));
  list_tokens(tokens);
  for (size_t c = 0; c < ascii_.size(); ++c) {
    const char text = static_cast<char>(c);
    ascii_[c] = find({&text, 1});
  }
  add_merges(node, tokens);
  if (falls_back_to_bytes_) find_bytes();
}

void Bpe::list_tokens(const ModelTokens& tokens) {
  for (const ModelToken& token : tokens.document.tokens) {
    const auto id = static_cast<size_t>(token.id);
    if (id >= uses_.size()) uses_.resize(id + 1, TokenUse::kNotOfModel);
    uses_[id] = tokens.is_special(token.id) ? TokenUse::kSpecial : TokenUse::kText;
  }
}

int32_t Bpe::find_any(std::string_view text) const {
  const int32_t id = ids_.find(text);
  const bool is_known =
      id >= 0 && id < std::ssize(uses_) && uses_[static_cast<size_t>(id)] != TokenUse::kNotOfModel;
  return is_known ? id : -1;
}

int32_t Bpe::find(std::string_view text) const {
  const int32_t id = find_any(text);
  return id >= 0 && uses_[static_cast<size_t>(id)] == TokenUse::kSpecial ? -1 : id;
}

void Bpe::add_merges(const JsonNode& node, const ModelTokens& tokens) {
  std::vector<std::string_view> texts;  // by id
  for (const ModelToken& token : tokens.document.tokens) {
    texts.resize(std::max(texts.size(), static_cast<size_t>(token.id) + 1));
    texts[static_cast<size_t>(token.id)] = token.text;
  }
  std::string merged;
  uint32_t rank = 0;
  for (const auto& [left, right] : tokens.document.merges) {
    std::string_view end = texts[static_cast<size_t>(right)];
    if (!prefix_.empty() && end.size() >= prefix_.size()) end.remove_prefix(prefix_.size());
    merged = texts[static_cast<size_t>(left)];
    merged += end;
    const int32_t id = find_any(merged);
    if (id < 0) {
      node.refuse("merge {} makes {}, which is not in the vocabulary", rank, quote(merged));
    }
    if (uses_[static_cast<size_t>(id)] == TokenUse::kText) merges_.add(left, right, {rank, id});
    ++rank;
  }
}

void Bpe::find_bytes() {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  for (size_t i = 0; i < bytes_.size(); ++i) {
    bytes_[i] = find_any(std::string("<0x") + kHexDigits[i / 16] + kHexDigits[i % 16] + '>');
  }
}

int32_t Bpe::id_of_character(std::string_view character, bool is_first, bool is_last) const {
  const bool has_prefix = !is_first && !prefix_.empty(), has_suffix = is_last && !suffix_.empty();
  if (!has_prefix && !has_suffix) {
    return character.size() == 1 ? ascii_[static_cast<size_t>(character[0])] : find(character);
  }
  std::string text;
  if (has_prefix) text += prefix_;
  text += character;
  if (has_suffix) text += suffix_;
  return find(text);
}

// False where one of the bytes has no token.
bool Bpe::add_bytes(std::string_view character, uint32_t begin,
                    std::vector<PieceToken>& out) const {
  const auto id_of = [&](char c) { return bytes_[static_cast<unsigned char>(c)]; };
  if (std::ranges::any_of(character, [&](char c) { return id_of(c) < 0; })) return false;
  for (const char c : character) {
    out.push_back({id_of(c), begin, begin + 1});
    ++begin;
  }
  return true;
}

// Tokens of single characters; those that have none become the unknown token or are left out.
void Bpe::split_characters(std::string_view piece, std::vector<PieceToken>& out) const {
  uint32_t pending = 0;  // bytes of unknown characters before
  uint32_t done = 0;     // bytes that have tokens
  const auto put = [&](int32_t id, uint32_t size) {
    out.push_back({id, done, done + size});
    done += size;
  };
  for (size_t i = 0, length; i < piece.size(); i += length) {
    length = utf8_length(piece.substr(i));
    const std::string_view character = piece.substr(i, length);
    const int32_t id = id_of_character(character, i == 0, i + length == piece.size());
    if (id >= 0) {
      if (pending > 0) put(unknown_, std::exchange(pending, 0));
      put(id, static_cast<uint32_t>(length));
    } else if (falls_back_to_bytes_ && add_bytes(character, done, out)) {
      done += static_cast<uint32_t>(length);
    } else if (unknown_ >= 0) {
      if (pending > 0 && !fuses_unknown_) put(unknown_, std::exchange(pending, 0));
      pending += static_cast<uint32_t>(length);
    }
  }
  if (pending > 0) put(unknown_, pending);
}

// Searches the least rank before each merge.
void Bpe::merge_short(size_t begin, std::vector<PieceToken>& tokens) const {
  std::array<Merge, kShortPiece> merges;  // of a token and the next
  PieceToken* const token = tokens.data() + begin;
  size_t count = tokens.size() - begin;
  for (size_t i = 0; i + 1 < count; ++i) merges[i] = merges_.find(token[i].id, token[i + 1].id);
  while (count > 1) {
    size_t least = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
      if (merges[i].rank < merges[least].rank) least = i;
    }
    if (merges[least].rank == kNoRank) break;
    token[least].id = merges[least].id;
    token[least].end = token[least + 1].end;
    --count;
    for (size_t i = least + 1; i < count; ++i) token[i] = token[i + 1];
    for (size_t i = least; i + 1 < count; ++i) merges[i] = merges[i + 1];
    if (least > 0) merges[least - 1] = merges_.find(token[least - 1].id, token[least].id);
    if (least + 1 < count) merges[least] = merges_.find(token[least].id, token[least + 1].id);
  }
  tokens.resize(begin + count);
}

void Bpe::merge_long(size_t begin, std::vector<PieceToken>& tokens) const {
  const auto count = static_cast<int32_t>(tokens.size() - begin);
  std::vector<Symbol> symbols;
  symbols.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    const PieceToken& token = tokens[begin + static_cast<size_t>(i)];
    symbols.push_back({token.id, token.begin, token.end, i - 1, i + 1 < count ? i + 1 : -1});
  }
  const auto at = [&](int32_t i) -> Symbol& { return symbols[static_cast<size_t>(i)]; };
  std::priority_queue<Candidate> queue;
  const auto consider = [&](int32_t i) {
    if (i < 0 || at(i).after < 0) return;
    const Merge merge = merges_.find(at(i).id, at(at(i).after).id);
    if (merge.rank != kNoRank) queue.push({merge, static_cast<uint32_t>(i)});
  };
  for (int32_t i = 0; i + 1 < count; ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    const auto i = static_cast<int32_t>(best.position);
    Symbol& left = at(i);
    if (left.begin == left.end || left.after < 0) continue;
    Symbol& right = at(left.after);
    if (merges_.find(left.id, right.id).id != best.merge.id) continue;  // one of them has changed
    left.id = best.merge.id;
    left.end = right.end;
    left.after = right.after;
    right.begin = right.end;
    if (left.after >= 0) at(left.after).before = i;
    consider(left.before);
    consider(i);
  }
  tokens.resize(begin);
  for (int32_t i = 0; i >= 0; i = at(i).after) tokens.push_back({at(i).id, at(i).begin, at(i).end});
}

void Bpe::tokenise(std::string_view piece, std::vector<PieceToken>& out) const {
  if (ignores_merges_) {
    if (const int32_t id = find(piece); id >= 0) {
      out.push_back({id, 0, static_cast<uint32_t>(piece.size())});
      return;
    }
  }
  const size_t begin = out.size();
  split_characters(piece, out);
  if (out.size() - begin <= kShortPiece) {
    merge_short(begin, out);
  } else {
    merge_long(begin, out);
  }
}

}  // namespace

SubwordModelPtr read_bpe(JsonNode& node, const ModelTokens& tokens) {
  return std::make_unique<Bpe>(node, tokens);
}

}  // namespace weft::data
