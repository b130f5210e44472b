#include "weft/model_file/hugging_face/language_models/tokeniser_files.h"

#include <optional>

#include "weft/core/files/atomic_file.h"
#include "weft/data/text/sentencepiece.h"
#include "weft/data/text/text_file.h"
#include "weft/model_file/foreign/tokeniser_asset.h"
#include "weft/model_file/hugging_face/paths.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

constexpr const char* kTokenizerFile = "tokenizer.json";
constexpr const char* kTokenizerConfig = "tokenizer_config.json";
constexpr const char* kTokenizerModel = "tokenizer.model";

data::SubwordTokeniserPtr load_tokenizer(const std::string& folder, const std::string& path) {
  std::optional<data::SpecialTokens> special;
  const std::string config = path_in(folder, kTokenizerConfig);
  if (file_exists(config)) {
    special = data::read_special_tokens(data::read_bytes(config, Pipes::kRefused), config);
  }
  return data::load_tokenizer_json(data::read_bytes(path, Pipes::kRefused), path, special);
}

// The symbol with this id; null where there is none.
Json symbol(const data::Tokeniser& tokeniser, int32_t id) {
  return id < 0 ? Json() : Json(tokeniser.piece(id));
}

}  // namespace

void read_tokeniser(const std::string& folder, ImportedContents& out) {
  const std::string path = path_in(folder, kTokenizerFile);
  if (file_exists(path)) return add_tokeniser(*load_tokenizer(folder, path), path, out);
  const std::string model = path_in(folder, kTokenizerModel);
  if (!file_exists(model)) {
    fail<FileError>(path, "no such file, and no {}; expected a tokeniser", kTokenizerModel);
  }
  const std::string bytes = data::read_bytes(model, Pipes::kRefused);
  out.add({kSourceVocabulary, data::load_sentencepiece(bytes, model)->serialise()});
  out.set("adds-begin", true, model);
}

void write_tokeniser(const std::string& folder, const data::Tokeniser& tokeniser) {
  if (tokeniser.kind() == "sentencepiece") {
    return write_file(path_in(folder, kTokenizerModel), tokeniser.serialise());
  }
  if (tokeniser.kind() != "tokenizer") {
    fail<OptionError>("--to-hf", "a tokeniser of kind '{}'; expected one of Transformers",
                      tokeniser.kind());
  }
  write_file(path_in(folder, kTokenizerFile), tokeniser.file_bytes(false));
  const Json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                       {"bos_token", symbol(tokeniser, tokeniser.begin_id())},
                       {"eos_token", symbol(tokeniser, tokeniser.end_id())}};
  write_file(path_in(folder, kTokenizerConfig), config.dump(1) + "\n");
}

}  // namespace weft::model_file
