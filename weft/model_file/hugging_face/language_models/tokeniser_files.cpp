#include "weft/model_file/hugging_face/language_models/tokeniser_files.h"

#include <optional>

#include "weft/core/files/atomic_file.h"
#include "weft/core/text/utf8.h"
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
constexpr const char *kAddsBegin = "add_bos_token", *kAddsEnd = "add_eos_token";
constexpr const char *kChatFile = "chat_template.jinja", *kChatField = "chat_template";

// chat_template of tokenizer_config.json: a text, or a list of texts with names.
void take_chat_templates(const Json& field, const std::string& path, data::ChatTemplates& out) {
  constexpr const char* kExpected =
      "chat_template is {}; expected a text, or a list of objects with name and template";
  if (field.is_string()) return out.set(data::kDefaultChatTemplate, field.get<std::string>());
  if (!field.is_array()) fail<FormatError>(path, kExpected, short_text(field));
  for (const Json& one : field) {
    const bool is_named = one.is_object() && one.contains("name") && one["name"].is_string() &&
                          one.contains("template") && one["template"].is_string();
    if (!is_named) fail<FormatError>(path, kExpected, short_text(field));
    out.set(one["name"].get<std::string>(), one["template"].get<std::string>());
  }
}

// Those of tokenizer_config.json, and of chat_template.jinja, which comes before. Errors name the
// file of the default one.
data::ChatTemplates chat_templates_in(const std::string& folder) {
  data::ChatTemplates out;
  const std::string config = path_in(folder, kTokenizerConfig), file = path_in(folder, kChatFile);
  if (file_exists(config)) {
    const Json json = Json::parse(data::read_bytes(config, Pipes::kRefused), nullptr, false);
    const auto field = json.is_object() ? json.find(kChatField) : json.end();
    if (json.is_object() && field != json.end() && !field->is_null()) {
      take_chat_templates(*field, config, out);
      out.where = config;
    }
  }
  if (file_exists(file)) {
    out.set(data::kDefaultChatTemplate, repair_utf8(data::read_bytes(file, Pipes::kRefused)));
    out.where = file;
  }
  return out;
}

// As take_chat_templates() reads it.
Json chat_field(const data::ChatTemplates& templates) {
  const std::string* only = templates.find(data::kDefaultChatTemplate);
  if (only != nullptr && templates.by_name.size() == 1) return *only;
  Json out = Json::array();
  for (const auto& [name, text] : templates.by_name) {
    out.push_back({{"name", name}, {"template", text}});
  }
  return out;
}

// Whether a tokenizer.model puts a begin symbol before a text. A tokenizer.json says it itself, and
// Transformers ignores the fields beside one.
bool adds_begin_symbol(const std::string& folder) {
  const std::string config = path_in(folder, kTokenizerConfig);
  if (!file_exists(config)) return true;
  Fields fields(data::read_bytes(config, Pipes::kRefused), config);
  fields.require(kAddsEnd, false);
  return fields.take_bool_or(kAddsBegin, true);
}

// The symbol with this id; null where there is none.
Json symbol(const data::Tokeniser& tokeniser, int32_t id) {
  return id < 0 ? Json() : Json(tokeniser.piece(id));
}

}  // namespace

data::SubwordTokeniserPtr load_tokenizer(const std::string& folder, const std::string& path) {
  std::optional<data::SpecialTokens> special;
  const std::string config = path_in(folder, kTokenizerConfig);
  if (file_exists(config)) {
    special = data::read_special_tokens(data::read_bytes(config, Pipes::kRefused), config);
  }
  return data::load_tokenizer_json(data::read_bytes(path, Pipes::kRefused), path, special);
}

void read_tokeniser(const std::string& folder, ImportedContents& out) {
  add_chat_templates(chat_templates_in(folder), out);
  const std::string path = path_in(folder, kTokenizerFile);
  if (file_exists(path)) return add_tokeniser(load_tokenizer(folder, path), path, out);
  const std::string model = path_in(folder, kTokenizerModel);
  if (!file_exists(model)) {
    fail<FileError>(path, "no such file, and no {}; expected a tokeniser", kTokenizerModel);
  }
  const std::string bytes = data::read_bytes(model, Pipes::kRefused);
  out.add({kSourceVocabulary, data::load_sentencepiece(bytes, model)->serialise()});
  out.set("adds-begin", adds_begin_symbol(folder), model);
}

void write_tokeniser(const std::string& folder, const data::Tokeniser& tokeniser,
                     const data::ChatTemplates& templates, bool adds_begin) {
  Json config = Json::object();
  if (tokeniser.kind() == "sentencepiece") {
    write_file(path_in(folder, kTokenizerModel), tokeniser.serialise());
    if (!adds_begin) config[kAddsBegin] = false;
  } else if (tokeniser.kind() == "tokenizer") {
    write_file(path_in(folder, kTokenizerFile), tokeniser.file_bytes(false));
    config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
              {"bos_token", symbol(tokeniser, tokeniser.begin_id())},
              {"eos_token", symbol(tokeniser, tokeniser.end_id())}};
    if (const auto* subwords = dynamic_cast<const data::SubwordTokeniser*>(&tokeniser)) {
      for (const auto& [name, id] : {std::pair{"unk_token", subwords->unknown_id()},
                                     std::pair{"pad_token", subwords->padding_id()}}) {
        if (id >= 0) config[name] = subwords->piece(id);
      }
    }
  } else {
    fail<OptionError>("--to-hf", "a tokeniser of kind '{}'; expected one of Transformers",
                      tokeniser.kind());
  }
  if (!templates.empty()) config[kChatField] = chat_field(templates);
  if (!config.empty()) write_file(path_in(folder, kTokenizerConfig), config.dump(1) + "\n");
}

}  // namespace weft::model_file
