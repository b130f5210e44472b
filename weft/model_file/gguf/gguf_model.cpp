#include "weft/model_file/gguf/gguf_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "weft/core/text/utf8.h"
#include "weft/model_file/foreign/tokeniser_asset.h"
#include "weft/model_file/gguf/architectures.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr const char* kEmbeddings = "token_embd.weight";

const GgufArchitecture& architecture_of(const GgufTensors& file) {
  const Json name = file.metadata().value("general.architecture", Json());
  std::vector<std::string_view> known;
  for (const GgufArchitecture* architecture : kGgufArchitectures) {
    if (name == architecture->name) return *architecture;
    known.push_back(architecture->name);
  }
  fail<FormatError>(file.path(), "general.architecture is not supported as {}; expected {}",
                    short_text(name), fmt::format("{}", fmt::join(known, ", ")));
}

// The fields whose names begin with `prefix`, without it.
Fields fields_with(const GgufTensors& file, std::string_view prefix) {
  Json out = Json::object();
  for (const auto& [name, value] : file.metadata().items()) {
    if (name.starts_with(prefix)) out[name.substr(prefix.size())] = value;
  }
  return {out.dump(-1, ' ', false, Json::error_handler_t::replace),
          fmt::format("{}: {}", file.path(), prefix.substr(0, prefix.size() - 1))};
}

// Throws FormatError for a field that no part of the reader knows.
void check_groups(const GgufTensors& file, const GgufArchitecture& architecture) {
  const std::array<std::string, 4> known = {fmt::format("{}.", architecture.name), "general.",
                                            "tokenizer.", "quantize."};
  for (const auto& [name, value] : file.metadata().items()) {
    if (std::ranges::any_of(known,
                            [&field = name](auto& group) { return field.starts_with(group); })) {
      continue;
    }
    fail<FormatError>(file.path(), "field {} is not supported", quote(name));
  }
}

// tokenizer.chat_template, and those with a name, tokenizer.chat_template.NAME.
data::ChatTemplates chat_templates_of(const GgufTensors& file) {
  constexpr std::string_view kField = "tokenizer.chat_template";
  data::ChatTemplates out;
  for (const auto& [field, value] : file.metadata().items()) {
    if (field != kField && !field.starts_with(std::string(kField) + ".")) continue;
    if (!value.is_string()) {
      fail<FormatError>(file.path(), "{} is {}; expected a string", field, short_text(value));
    }
    const std::string_view name = field == kField
                                      ? data::kDefaultChatTemplate
                                      : std::string_view(field).substr(kField.size() + 1);
    out.set(name, repair_utf8(value.get_ref<const std::string&>()));
  }
  return out;
}

}  // namespace

bool is_gguf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  return std::string_view(magic, sizeof(magic)) == "GGUF";
}

GgufModel::GgufModel(const std::string& path)
    : ForeignModel(ImportedContents(path, LanguageModelSession::kKind)),
      tensors_(path),
      architecture_(&architecture_of(tensors_)) {
  check_groups(tensors_, *architecture_);
  Fields config = fields_with(tensors_, fmt::format("{}.", architecture_->name));
  read_fields(architecture_->config, config, contents_);
  GgufReader reader{.config = config,
                    .has_tensor = [&](const std::string& n) { return tensors_.has(n); },
                    .out = contents_};
  architecture_->read(reader);
  if (!tensors_.has(kEmbeddings)) fail<FormatError>(path, "no tensor '{}'", kEmbeddings);
  const int64_t vocab = tensors_.shape(kEmbeddings).rows();
  config.require("vocab_size", vocab);
  contents_.set("vocab-size", vocab, path);
  config.check_all_consumed();
  add_tokeniser(*data::load_gguf_tokeniser(tensors_.metadata(), path), path, contents_);
  add_chat_templates(chat_templates_of(tensors_), contents_);
}

}  // namespace weft::model_file
