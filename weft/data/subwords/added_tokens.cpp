#include "weft/data/subwords/added_tokens.h"

#include <algorithm>

#include "weft/core/text/character_classes.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

bool is_word_character(char32_t c) {
  return c == U'_' ||
         (CharacterClasses::instance()[c] & (kLetterClass | kNumberClass | kMarkClass)) != 0;
}

// The beginning of the last character before byte i > 0.
size_t before(std::string_view text, size_t i) {
  do {
    --i;
  } while (i > 0 && (text[i] & 0xC0) == 0x80);
  return i;
}

char32_t character_at(std::string_view text, size_t i) {
  char32_t c = 0;
  decode_code_point(text.substr(i), c);
  return c;
}

bool is_space_at(std::string_view text, size_t i) {
  return (CharacterClasses::instance()[character_at(text, i)] & kSpaceClass) != 0;
}

bool is_single_word(std::string_view text, size_t begin, size_t end) {
  const bool joins_left = begin > 0 && is_word_character(character_at(text, before(text, begin)));
  const bool joins_right = end < text.size() && is_word_character(character_at(text, end));
  return !joins_left && !joins_right;
}

// Whether one of the ranges, which are ascending, shares a byte with another range.
bool overlaps(std::span<const ByteRange> ranges, ByteRange other) {
  const auto next = std::ranges::upper_bound(ranges, other.begin, {}, &ByteRange::end);
  return next != ranges.end() && next->begin < other.end;
}

}  // namespace

DocumentJson node_of(const AddedToken& token) {
  return {{"id", token.id},          {"content", token.text},  {"single_word", token.single_word},
          {"lstrip", token.lstrip},  {"rstrip", token.rstrip}, {"normalized", token.normalised},
          {"special", token.special}};
}

std::vector<AddedToken> read_added_tokens(std::vector<JsonNode> nodes) {
  std::vector<AddedToken> out;
  out.reserve(nodes.size());
  for (JsonNode& node : nodes) {
    AddedToken token;
    token.id = static_cast<int32_t>(node.integer("id"));
    if (token.id >= kMaxTokens) node.refuse("id {}; expected less than {}", token.id, kMaxTokens);
    token.text = node.text("content");
    token.special = node.flag("special", false);
    token.single_word = node.flag("single_word", false);
    token.lstrip = node.flag("lstrip", false);
    token.rstrip = node.flag("rstrip", false);
    token.normalised = node.flag("normalized", !token.special);
    node.finish();
    out.push_back(std::move(token));
  }
  return out;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalisers& normalisers)
    : tokens_(std::move(tokens)), normalised_texts_(tokens_.size()) {
  std::vector<std::pair<std::string_view, int32_t>> original, changed;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    if (!tokens_[i].normalised) {
      original.emplace_back(tokens_[i].text, index);
      continue;
    }
    normalised_texts_[i] = normalised(normalisers, AlignedText(tokens_[i].text)).text();
    changed.emplace_back(normalised_texts_[i], index);
  }
  original_ = ByteTrie(std::move(original));
  normalised_ = ByteTrie(std::move(changed));
}

std::vector<AddedTokens::Found> AddedTokens::find(const SplitText& split, const Piece& piece,
                                                  bool normalised, const Search& search) const {
  const std::string_view text = split.piece(piece);
  const ByteTrie& trie = normalised ? normalised_ : original_;
  const uint32_t base = piece.range.begin;
  std::vector<Found> out;
  size_t done = 0;
  for (size_t i = 0; i < text.size();) {
    const AddedToken* token = nullptr;
    size_t size = 0;
    trie.for_each_prefix(text.substr(i), [&](size_t bytes, int32_t index) {
      const AddedToken& one = tokens_[static_cast<size_t>(index)];
      const bool is_typed = one.special && !search.typed.empty() &&
                            overlaps(search.typed, split.text.origin(base + i, base + i + bytes));
      if (is_typed) return;
      token = &one;
      size = bytes;
    });
    if (token == nullptr) {
      ++i;
      continue;
    }
    size_t begin = i, end = i + size;
    i = end;
    if (begin < done || (token->special && !search.parse_special)) continue;
    if (token->single_word && !is_single_word(text, begin, end)) continue;
    if (token->lstrip) {
      while (begin > done && is_space_at(text, before(text, begin))) begin = before(text, begin);
    }
    if (token->rstrip) {
      while (end < text.size() && is_space_at(text, end)) end += utf8_length(text.substr(end));
    }
    out.push_back({begin, end, token});
    done = end;
  }
  return out;
}

void AddedTokens::split(SplitText& text, bool normalised, const Search& search) const {
  std::vector<Piece> pieces;
  for (const Piece& piece : text.pieces) {
    if (!piece.is_text()) {
      pieces.push_back(piece);
      continue;
    }
    const uint32_t base = piece.range.begin;
    uint32_t done = base;
    for (const Found& found : find(text, piece, normalised, search)) {
      const auto begin = static_cast<uint32_t>(base + found.begin);
      const auto end = static_cast<uint32_t>(base + found.end);
      if (done < begin) pieces.push_back({{done, begin}});
      pieces.push_back({{begin, end}, found.token->id});
      done = end;
    }
    if (done < piece.range.end) pieces.push_back({{done, piece.range.end}});
  }
  text.pieces = std::move(pieces);
}

}  // namespace weft::data
