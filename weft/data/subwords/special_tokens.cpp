#include "weft/data/subwords/special_tokens.h"

#include "weft/core/error.h"
#include "weft/data/subwords/nodes/json_node.h"

namespace weft::data {
namespace {

constexpr const char* kField = "special_tokens";

// "</s>", or the object of an added token.
std::string token_text_of(const DocumentJson& value, JsonNode& node, std::string_view name) {
  if (value.is_string()) return value.get<std::string>();
  const auto content = value.is_object() ? value.find("content") : value.end();
  if (!value.is_object() || content == value.end() || !content->is_string()) {
    node.refuse("field {} is no token", quote(name));
  }
  return content->get<std::string>();
}

std::vector<std::string> take(JsonNode& node, std::string_view name) {
  if (!node.has(name)) return {};
  const DocumentJson& value = node.value(name);
  if (!value.is_array()) return {token_text_of(value, node, name)};
  std::vector<std::string> out;
  for (const DocumentJson& each : value) out.push_back(token_text_of(each, node, name));
  return out;
}

std::string take_one(JsonNode& node, std::string_view name, std::string_view other = {}) {
  std::vector<std::string> found = take(node, name);
  if (found.empty() && !other.empty()) found = take(node, other);
  if (found.size() > 1) node.refuse("field {} has {} tokens; expected one", name, found.size());
  return found.empty() ? std::string() : found.front();
}

SpecialTokens read(JsonNode& node) {
  SpecialTokens out;
  out.begin = take_one(node, "bos_token", "cls_token");
  out.end = take(node, "eos_token");
  if (out.end.empty()) out.end = take(node, "sep_token");
  out.padding = take_one(node, "pad_token");
  out.mask = take_one(node, "mask_token");
  return out;
}

}  // namespace

SpecialTokens read_special_tokens(std::string_view config, std::string_view where) {
  const DocumentJson json = DocumentJson::parse(config, nullptr, false);
  JsonNode node(json, std::string(where));
  return read(node);
}

SpecialTokens special_tokens_of(const TokenizerDocument& document, std::string_view where) {
  const auto found = document.nodes.find(kField);
  if (found == document.nodes.end()) return {};
  JsonNode node(*found, std::string(where) + ": " + kField);
  SpecialTokens out = read(node);
  node.finish();
  return out;
}

void set_special_tokens(TokenizerDocument& document, const SpecialTokens& tokens) {
  DocumentJson field = DocumentJson::object();
  if (!tokens.begin.empty()) field["bos_token"] = tokens.begin;
  if (!tokens.end.empty()) field["eos_token"] = tokens.end;
  if (!tokens.padding.empty()) field["pad_token"] = tokens.padding;
  if (!tokens.mask.empty()) field["mask_token"] = tokens.mask;
  document.nodes[kField] = std::move(field);
}

void remove_special_tokens(TokenizerDocument& document) { document.nodes.erase(kField); }

}  // namespace weft::data
