#include "weft/data/text/mapped_tokeniser.h"

#include <fmt/core.h>

#include <charconv>

#include "weft/core/error.h"
#include "weft/data/text/sentencepiece.h"

namespace weft::data {
namespace {

// Followed by the number of bytes of the list, a line break, the list and the subword model.
constexpr std::string_view kMappedMagic = "weft mapped 1 ";
constexpr std::string_view kPadSymbol = "<pad>";
constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581, a space in SentencePiece's spelling

// ">>ita<<" at the beginning of the line, or nothing.
std::string_view language_of(std::string_view line) {
  constexpr std::string_view kOpen = ">>", kClose = "<<";
  if (!line.starts_with(kOpen)) return {};
  const size_t end = line.find(kClose);
  return end == line.npos ? std::string_view() : line.substr(0, end + kClose.size());
}

std::string with_spaces(std::string_view pieces) {
  std::string out;
  for (size_t at; (at = pieces.find(kSpace)) != pieces.npos;
       pieces.remove_prefix(at + kSpace.size())) {
    out += pieces.substr(0, at);
    if (!out.empty()) out += ' ';  // the first word's space is SentencePiece's own
  }
  return out.append(pieces);
}

}  // namespace

std::vector<int32_t> MappedTokeniser::encode(std::string_view line) const {
  std::vector<int32_t> ids;
  if (const auto language = language_of(line);
      !language.empty() && vocabulary_.contains(language)) {
    ids.push_back(vocabulary_.find(language));
    line.remove_prefix(language.size());
  }
  for (const int32_t id : subwords_->encode(line)) {
    ids.push_back(id == subwords_->unknown_id() ? unknown_id()
                                                : vocabulary_.find(subwords_->piece(id)));
  }
  return ids;
}

std::string MappedTokeniser::decode(std::span<const int32_t> ids) const {
  std::string pieces;
  for (const int32_t id : ids) {
    const std::string& piece = vocabulary_.token(id);
    if (id != end_id() && id != begin_id() && piece != kPadSymbol) pieces += piece;
  }
  return with_spaces(pieces);
}

std::string MappedTokeniser::serialise() const {
  const std::string list = vocabulary_.to_list();
  return fmt::format("{}{}\n{}{}", kMappedMagic, list.size(), list, subwords_->serialise());
}

std::string MappedTokeniser::file_bytes(bool yaml) const {
  return yaml ? vocabulary_.to_yaml() : vocabulary_.to_list();
}

bool is_serialised_mapped(std::string_view bytes) { return bytes.starts_with(kMappedMagic); }

TokeniserPtr load_mapped_tokeniser(std::string_view bytes, std::string_view where) {
  if (!is_serialised_mapped(bytes)) fail<FormatError>(where, "expected \"{}\"", kMappedMagic);
  bytes.remove_prefix(kMappedMagic.size());
  size_t size = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
  const auto digits = static_cast<size_t>(end - bytes.data());
  if (error != std::errc() || digits == bytes.size() || *end != '\n' ||
      size > bytes.size() - digits - 1) {
    fail<FormatError>(where, "the vocabulary's list is cut off");
  }
  bytes.remove_prefix(digits + 1);
  return std::make_shared<MappedTokeniser>(load_sentencepiece(bytes.substr(size), where),
                                           Vocabulary::from_list(bytes.substr(0, size), where));
}

}  // namespace weft::data
