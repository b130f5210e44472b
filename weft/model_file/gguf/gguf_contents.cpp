#include "weft/model_file/gguf/gguf_contents.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "weft/core/text/utf8.h"
#include "weft/model_file/foreign/tokeniser_asset.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

// Whether it is a fraction in the range of 32 bits.
bool has_float32(const Json& value) {
  return value.is_number_float() &&
         std::abs(value.get<double>()) <= std::numeric_limits<float>::max();
}

// Numbers of 32 bits by their shortest decimals.
Json as_written(const Json& value) {
  if (!has_float32(value)) return value;
  const auto given = value.get<double>();
  return double{static_cast<float>(given)} == given ? rounded_to_float32(value) : value;
}

// The fields whose names begin with `prefix`, without it.
Fields fields_with(const GgufSource& file, std::string_view prefix) {
  Json out = Json::object();
  for (const auto& [name, value] : file.metadata.items()) {
    if (name.starts_with(prefix)) out[name.substr(prefix.size())] = as_written(value);
  }
  return {out.dump(-1, ' ', false, Json::error_handler_t::replace),
          fmt::format("{}: {}", file.path, prefix.substr(0, prefix.size() - 1))};
}

// Throws FormatError for a field that no part of the reader knows.
void check_groups(const GgufSource& file, const GgufArchitecture& architecture) {
  const std::array<std::string, 4> known = {fmt::format("{}.", architecture.name), "general.",
                                            "tokenizer.", "quantize."};
  for (const auto& [name, value] : file.metadata.items()) {
    if (std::ranges::any_of(known,
                            [&field = name](auto& group) { return field.starts_with(group); })) {
      continue;
    }
    fail<FormatError>(file.path, "field {} is not supported", quote(name));
  }
}

// tokenizer.chat_template, and those with a name, tokenizer.chat_template.NAME.
data::ChatTemplates chat_templates_of(const GgufSource& file) {
  data::ChatTemplates out{.by_name = {}, .where = file.path};
  for (const auto& [field, value] : file.metadata.items()) {
    if (field != kGgufChatTemplate && !field.starts_with(std::string(kGgufChatTemplate) + "."))
      continue;
    if (!value.is_string()) {
      fail<FormatError>(file.path, "{} is {}; expected a string", field, short_text(value));
    }
    const std::string_view name =
        field == kGgufChatTemplate ? data::kDefaultChatTemplate
                                   : std::string_view(field).substr(kGgufChatTemplate.size() + 1);
    out.set(name, repair_utf8(value.get_ref<const std::string&>()));
  }
  return out;
}

void check_token_types(const GgufSource& file) {
  constexpr const char* kCount = "tokenizer.ggml.token_type_count";
  const auto found = file.metadata.find(kCount);
  if (found == file.metadata.end() || *found == file.token_types) return;
  fail<FormatError>(file.path, "{} is {}; expected {}, the rows of their table", kCount,
                    short_text(*found), file.token_types);
}

}  // namespace

Json rounded_to_float32(const Json& value) {
  if (!has_float32(value)) return value;
  const std::string text = fmt::format("{}", static_cast<float>(value.get<double>()));
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

ImportedContents read_gguf_contents(const GgufArchitecture& architecture, const GgufSource& file) {
  ImportedContents out(file.path, architecture.kind);
  check_groups(file, architecture);
  Fields config = fields_with(file, fmt::format("{}.", architecture.name));
  read_fields(architecture.config, config, out);
  GgufReader reader{.config = config,
                    .has_tensor = file.has_tensor,
                    .tensor = file.tensor,
                    .token_types = file.token_types,
                    .out = out};
  architecture.read(reader);
  config.require("vocab_size", file.vocab);
  out.set("vocab-size", file.vocab, file.path);
  config.check_all_consumed();
  const auto tokeniser = data::load_gguf_tokeniser(file.metadata, file.path);
  if (architecture.kind == LanguageModelSession::kKind) {
    add_tokeniser(tokeniser, file.path, out);
    add_chat_templates(chat_templates_of(file), out);
  } else {
    check_token_types(file);
    add_encoder_tokeniser(tokeniser, file.path, out);
  }
  return out;
}

}  // namespace weft::model_file
