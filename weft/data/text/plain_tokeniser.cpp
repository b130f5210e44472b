#include "weft/data/text/plain_tokeniser.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

constexpr std::string_view kPlainMagic = "weft vocabulary 1 ";
constexpr std::string_view kWord = "word\n";
constexpr std::string_view kCharacter = "character\n";

}  // namespace

std::vector<int32_t> WordTokeniser::encode(std::string_view line) const {
  std::vector<int32_t> ids;
  for_each_word(line, [&](std::string_view word) { ids.push_back(vocabulary_.find(word)); });
  return ids;
}

std::string WordTokeniser::decode(std::span<const int32_t> ids) const {
  std::string out;
  for (const int32_t id : ids) {
    const std::string& word = vocabulary_.token(id);
    if (is_silent(id)) continue;
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

std::string WordTokeniser::serialise() const {
  return fmt::format("{}{}\n{}", kPlainMagic, kind(), vocabulary_.to_list());
}

std::string WordTokeniser::file_bytes(bool yaml) const {
  return yaml ? vocabulary_.to_yaml() : vocabulary_.to_list();
}

std::vector<int32_t> CharacterTokeniser::encode(std::string_view line) const {
  std::vector<int32_t> ids;
  ids.reserve(line.size());
  for_each_character(line, [&](std::string_view c) { ids.push_back(vocabulary_.find(c)); });
  return ids;
}

std::string CharacterTokeniser::decode(std::span<const int32_t> ids) const {
  std::string out;
  for (const int32_t id : ids) {
    const std::string& character = vocabulary_.token(id);
    if (!is_silent(id)) out += id == unknown_id() ? "\xEF\xBF\xBD" : character;
  }
  return out;
}

void for_each_character(std::string_view line, const std::function<void(std::string_view)>& take) {
  while (!line.empty()) {
    const size_t length = std::max<size_t>(1, utf8_length(line));
    take(line.substr(0, length));
    line.remove_prefix(length);
  }
}

TokeniserPtr make_plain_tokeniser(Vocabulary vocabulary) {
  if (vocabulary.contains(" ")) return std::make_shared<CharacterTokeniser>(std::move(vocabulary));
  return std::make_shared<WordTokeniser>(std::move(vocabulary));
}

bool is_serialised_plain(std::string_view bytes) { return bytes.starts_with(kPlainMagic); }

TokeniserPtr load_plain_tokeniser(std::string_view bytes, std::string_view where) {
  if (is_serialised_plain(bytes)) {
    bytes.remove_prefix(kPlainMagic.size());
    if (bytes.starts_with(kWord)) {
      bytes.remove_prefix(kWord.size());
      return std::make_shared<WordTokeniser>(Vocabulary::from_list(bytes, where));
    }
    if (bytes.starts_with(kCharacter)) {
      bytes.remove_prefix(kCharacter.size());
      return std::make_shared<CharacterTokeniser>(Vocabulary::from_list(bytes, where));
    }
  }
  fail<FormatError>(where, "not a vocabulary; expected \"{}word\" or \"{}character\"", kPlainMagic,
                    kPlainMagic);
}

}  // namespace weft::data
