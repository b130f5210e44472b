#include "weft/model_file/hugging_face/t5/tokeniser.h"

#include <fmt/core.h>

#include <utility>

#include "weft/core/error.h"
#include "weft/data/subwords/added_tokens.h"
#include "weft/data/subwords/tokenizer_document.h"
#include "weft/model_file/hugging_face/language_models/tokeniser_files.h"
#include "weft/model_file/hugging_face/paths.h"

namespace weft::model_file {
namespace {

constexpr const char *kAdded = "added_tokens", *kTokeniser = "tokenizer.json";

std::string unused_token(int64_t id) { return fmt::format("<unused_{}>", id); }

}  // namespace

data::SubwordTokeniserPtr read_t5_tokeniser(const std::string& folder) {
  const std::string path = path_in(folder, kTokeniser);
  if (!file_exists(path)) {
    fail<FileError>(path,
                    "no such file; expected a tokeniser; hint: Transformers writes it with "
                    "AutoTokenizer.from_pretrained(name).save_pretrained(folder)");
  }
  return load_tokenizer(folder, path);
}

data::SubwordTokeniserPtr with_unused_tokens(const data::SubwordTokeniser& tokeniser,
                                             int64_t size) {
  data::TokenizerDocument document = data::parse_tokenizer_json(tokeniser.serialise(), kTokeniser);
  for (int64_t id = tokeniser.size(); id < size; ++id) {
    document.nodes[kAdded].push_back(
        data::node_of({.id = static_cast<int32_t>(id), .text = unused_token(id), .special = true}));
  }
  return std::make_shared<data::SubwordTokeniser>(std::move(document), kTokeniser);
}

data::SubwordTokeniserPtr without_unused_tokens(const data::SubwordTokeniser& tokeniser) {
  data::TokenizerDocument document = data::parse_tokenizer_json(tokeniser.serialise(), kTokeniser);
  data::DocumentJson kept = data::DocumentJson::array();
  for (const data::DocumentJson& token : document.nodes[kAdded]) {
    if (token.at("content") != unused_token(token.at("id"))) kept.push_back(token);
  }
  document.nodes[kAdded] = std::move(kept);
  return std::make_shared<data::SubwordTokeniser>(std::move(document), kTokeniser);
}

}  // namespace weft::model_file
