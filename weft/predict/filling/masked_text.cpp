#include "weft/predict/filling/masked_text.h"

#include <algorithm>
#include <cctype>

#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::predict {
namespace {

bool keeps_spaces(const data::Tokeniser& tokeniser) { return tokeniser.kind() == "character"; }

void trim_end(std::string& text) {
  const size_t last = text.find_last_not_of(" \t");
  text.resize(last == text.npos ? 0 : last + 1);
}

std::vector<std::string> parts_of(std::string_view line, std::string_view mask) {
  std::vector<std::string> out;
  size_t begin = 0;
  for (size_t found; (found = line.find(mask, begin)) != line.npos; begin = found + mask.size()) {
    out.emplace_back(line.substr(begin, found - begin));
  }
  out.emplace_back(line.substr(begin));
  return out;
}

// By a tokeniser that has the mask symbol itself. False where it does not read a mask as one, as
// inside a word.
bool encode_with_symbol(const data::SubwordTokeniser& tokeniser, int32_t mask, MaskedText& out) {
  const std::string symbol(tokeniser.piece(mask));
  std::string line;
  std::vector<data::ByteRange> typed;  // where no other special token is read
  for (size_t i = 0; i < out.parts.size(); ++i) {
    if (i > 0) line += symbol;
    const auto begin = static_cast<uint32_t>(line.size());
    line += out.parts[i];
    if (!out.parts[i].empty()) typed.push_back({begin, static_cast<uint32_t>(line.size())});
  }
  out.ids = tokeniser.encode(line, {.parse_special = true, .typed = typed}).ids;
  for (size_t i = 0; i < out.ids.size(); ++i) {
    if (out.ids[i] == mask) out.masks.push_back(static_cast<int32_t>(i));
  }
  if (out.masks.size() + 1 == out.parts.size()) return true;
  out.ids.clear();
  out.masks.clear();
  return false;
}

void encode_parts(const data::Tokeniser& tokeniser, int32_t mask, MaskedText& out) {
  for (size_t i = 0; i < out.parts.size(); ++i) {
    const bool is_last = i + 1 == out.parts.size();
    std::string part = out.parts[i];
    if (!is_last && !keeps_spaces(tokeniser)) trim_end(part);
    const std::vector<int32_t> ids = tokeniser.encode(part);
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    if (is_last) return;
    out.masks.push_back(static_cast<int32_t>(out.ids.size()));
    out.ids.push_back(mask);
  }
}

// What a token adds to the text of the one before it, with a space where it begins a word.
std::string added_text(const data::Tokeniser& tokeniser, int32_t before, int32_t token) {
  const int32_t both[] = {before, token};
  const std::string first = tokeniser.decode({both, 1}), whole = tokeniser.decode(both);
  if (!first.empty() && whole.starts_with(first)) return whole.substr(first.size());
  return " " + text_of_token(tokeniser, token);
}

void append_token(const data::Tokeniser& tokeniser, const std::string& added, std::string& out) {
  if (keeps_spaces(tokeniser)) {
    out += added;
  } else if (added.starts_with(' ')) {
    const bool is_in_word = !out.empty() && std::isalnum(static_cast<unsigned char>(out.back()));
    out += is_in_word ? added : added.substr(1);
  } else {
    trim_end(out);
    out += added;
  }
}

}  // namespace

MaskedText read_masked_text(const data::Tokeniser& tokeniser, const MaskSymbol& mask,
                            std::string_view line) {
  MaskedText out{.parts = parts_of(line, mask.text), .ids = {}, .masks = {}};
  const auto* const subwords = dynamic_cast<const data::SubwordTokeniser*>(&tokeniser);
  const bool has_symbol = subwords != nullptr && mask.id < tokeniser.size();
  if (has_symbol && encode_with_symbol(*subwords, mask.id, out)) return out;
  encode_parts(tokeniser, mask.id, out);
  return out;
}

std::string text_of_token(const data::Tokeniser& tokeniser, int32_t token) {
  std::string out = tokeniser.decode({&token, 1});
  if (keeps_spaces(tokeniser)) return out;
  trim_end(out);
  return out.substr(std::min(out.find_first_not_of(' '), out.size()));
}

std::string filled_text(const data::Tokeniser& tokeniser, const MaskedText& text,
                        std::span<const int32_t> tokens) {
  std::vector<int32_t> ids = text.ids;
  std::string out = text.parts.front();
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto row = static_cast<size_t>(text.masks[i]);
    ids[row] = tokens[i];
    const std::string added = row == 0 ? text_of_token(tokeniser, tokens[i])
                                       : added_text(tokeniser, ids[row - 1], tokens[i]);
    append_token(tokeniser, row == 0 && !keeps_spaces(tokeniser) ? " " + added : added, out);
    out += text.parts[i + 1];
  }
  return out;
}

}  // namespace weft::predict
