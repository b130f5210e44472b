#include "weft/model_file/hugging_face/encoders/tokeniser.h"

#include <algorithm>
#include <optional>

#include "weft/core/files/atomic_file.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/foreign/tokeniser_asset.h"
#include "weft/model_file/hugging_face/encoders/word_pieces.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

constexpr const char* kTokenizerJson = "tokenizer.json";
constexpr const char* kSettings = "tokenizer_config.json";
constexpr const char* kSpecialTokensMap = "special_tokens_map.json";
constexpr const char* kWordPieces = "vocab.txt";
constexpr int64_t kAnyLength = 1'000'000'000;  // files have 1e30 where there is no limit

std::string read_file(const std::string& path) { return data::read_bytes(path, Pipes::kRefused); }

// The special tokens that the files beside the tokeniser name.
std::optional<data::SpecialTokens> special_tokens_in(const std::string& folder) {
  for (const char* name : {kSettings, kSpecialTokensMap}) {
    const std::string path = path_in(folder, name);
    if (!file_exists(path)) continue;
    data::SpecialTokens out = data::read_special_tokens(read_file(path), path);
    if (!out.begin.empty() || !out.end.empty()) return out;
  }
  return {};
}

// tokenizer_config.json, or an object without fields.
Fields settings_in(const std::string& folder) {
  const std::string path = path_in(folder, kSettings);
  return {file_exists(path) ? read_file(path) : "{}", path};
}

data::SubwordTokeniserPtr load_in(const std::string& folder, Fields& settings) {
  const std::optional<data::SpecialTokens> special = special_tokens_in(folder);
  const std::string path = path_in(folder, kTokenizerJson);
  if (file_exists(path)) return data::load_tokenizer_json(read_file(path), path, special);
  const std::string pieces = path_in(folder, kWordPieces);
  if (!file_exists(pieces)) {
    fail<FileError>(path,
                    "no such file, and no {}; expected a tokeniser; hint: Transformers writes it "
                    "with AutoTokenizer.from_pretrained(name).save_pretrained(folder)",
                    kWordPieces);
  }
  return data::load_tokenizer_json(word_piece_json(read_file(pieces), pieces, settings), pieces,
                                   special);
}

Json symbol_of(const data::Tokeniser& tokeniser, int32_t id) {
  return id < 0 ? Json() : Json(tokeniser.piece(id));
}

}  // namespace

EncoderTokeniser read_encoder_tokeniser(FolderReader& in) {
  Fields settings = settings_in(in.folder);
  EncoderTokeniser out{.tokeniser = load_in(in.folder, settings)};
  add_encoder_tokeniser(out.tokeniser, settings.where(), in.out);
  constexpr const char* kLength = "model_max_length";
  const Json length = settings.take_or(kLength, 0);
  if (!length.is_number() || length < 0) {
    settings.refuse("field '{}': expected a number, got {}", kLength, short_text(length));
  }
  out.max_length = length >= kAnyLength ? 0 : length.get<int64_t>();
  return out;
}

void write_encoder_tokeniser(FolderWriter& out, int64_t max_length, bool has_types) {
  const data::TokeniserPtr read = read_vocabulary(out.contents, kSourceVocabulary);
  const auto* tokeniser = dynamic_cast<const data::SubwordTokeniser*>(read.get());
  if (tokeniser == nullptr) {
    fail<OptionError>("--to-hf", "a tokeniser of kind '{}'; expected one of Transformers",
                      read->kind());
  }
  write_file(path_in(out.folder, kTokenizerJson), tokeniser->file_bytes(false));
  const Json begin = symbol_of(*tokeniser, tokeniser->begin_id());
  const Json end = symbol_of(*tokeniser, tokeniser->end_id());
  const std::pair<const char*, int32_t> ids[] = {{"pad_token_id", tokeniser->padding_id()},
                                                 {"bos_token_id", tokeniser->begin_id()},
                                                 {"eos_token_id", tokeniser->end_id()},
                                                 {"cls_token_id", tokeniser->begin_id()},
                                                 {"sep_token_id", tokeniser->end_id()}};
  for (const auto& [field, id] : ids) {
    if (!out.config.contains(field)) out.config[field] = id < 0 ? Json() : Json(id);
  }
  Json inputs = {"input_ids", "attention_mask"};
  if (has_types) inputs.insert(inputs.begin() + 1, "token_type_ids");
  Json settings = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                   {"cls_token", begin},
                   {"sep_token", end},
                   {"unk_token", symbol_of(*tokeniser, tokeniser->unknown_id())},
                   {"pad_token", symbol_of(*tokeniser, tokeniser->padding_id())},
                   {"mask_token", symbol_of(*tokeniser, tokeniser->mask_id())},
                   {"model_input_names", inputs}};
  if (max_length > 0) settings["model_max_length"] = max_length;
  write_file(path_in(out.folder, kSettings), settings.dump(1) + "\n");
}

}  // namespace weft::model_file
