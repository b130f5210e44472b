#include "weft/data/text/tokeniser.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/data/subwords/tokenizer_document.h"
#include "weft/data/text/foreign_vocabulary.h"
#include "weft/data/text/mapped_tokeniser.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/sentencepiece.h"
#include "weft/data/text/text_file.h"

namespace weft::data {

bool is_same(const Tokeniser& a, const Tokeniser& b) {
  return &a == &b || (a.kind() == b.kind() && a.serialise() == b.serialise());
}

std::vector<std::string> pieces(const Tokeniser& tokeniser, std::span<const int32_t> ids) {
  std::vector<std::string> out;
  out.reserve(ids.size());
  for (const int32_t id : ids) out.emplace_back(tokeniser.piece(id));
  return out;
}

TokeniserPtr load_tokeniser(std::string_view bytes, std::string_view where) {
  if (is_serialised_plain(bytes)) return load_plain_tokeniser(bytes, where);
  if (is_serialised_mapped(bytes)) return load_mapped_tokeniser(bytes, where);
  if (is_tokenizer_json(bytes)) return load_tokenizer_json(bytes, where);
  return load_sentencepiece(bytes, where);
}

namespace {

// A tokenizer.json does not say which tokens begin and end a text: the ones of these names do.
TokeniserPtr load_with_named_symbols(std::string_view bytes, const std::string& path) {
  const SubwordTokeniserPtr plain = load_tokenizer_json(bytes, path);
  const auto first_of = [&](std::initializer_list<std::string_view> names) {
    const auto* found = std::ranges::find_if(names, [&](std::string_view name) {
      const auto id = plain->find(name);
      return id && plain->is_special(*id);
    });
    return found == names.end() ? std::string() : std::string(*found);
  };
  SpecialTokens special{.begin = first_of({kBeginSymbol, "[CLS]", "<|endoftext|>"})};
  special.end = {first_of({kEndSymbol, "[SEP]", "<|endoftext|>"})};
  if (special.end.front().empty()) {
    fail<FormatError>(path,
                      "no token that ends a text; expected the special token {}, [SEP] or "
                      "<|endoftext|>",
                      kEndSymbol);
  }
  if (special.begin.empty()) special.begin = special.end.front();
  if (plain->unknown_id() < 0) {
    fail<FormatError>(path, "the model has no unk_token; expected one, such as {}", kUnknownSymbol);
  }
  return load_tokenizer_json(bytes, path, special);
}

}  // namespace

TokeniserPtr load_tokeniser_file(const std::string& path) {
  const std::string bytes = read_bytes(path, Pipes::kRead);
  if (is_sentencepiece_file(path)) return load_sentencepiece(bytes, path);
  if (is_tokenizer_json_file(bytes)) return load_with_named_symbols(bytes, path);
  refuse_foreign_vocabulary(bytes, path);
  return make_plain_tokeniser(is_yaml_file(path) ? Vocabulary::from_yaml(bytes, path)
                                                 : Vocabulary::from_list(bytes, path));
}

bool is_sentencepiece_file(std::string_view path) {
  return path.ends_with(".model") || path.ends_with(".spm");
}

bool is_yaml_file(std::string_view path) {
  return path.ends_with(".yml") || path.ends_with(".yaml") || path.ends_with(".json");
}

std::string undo_bpe(std::string_view line) {
  constexpr std::string_view kJoiner = "@@ ";
  std::string out;
  out.reserve(line.size());
  size_t from = 0;
  for (size_t at; (at = line.find(kJoiner, from)) != line.npos; from = at + kJoiner.size()) {
    out += line.substr(from, at - from);
  }
  out += line.substr(from);
  if (out.ends_with("@@")) out.resize(out.size() - 2);
  return out;
}

}  // namespace weft::data
