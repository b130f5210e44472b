#include "weft/data/subwords/nodes/json_node.h"

#include "weft/core/text/utf8.h"

namespace weft::data {

bool is_id(const nlohmann::ordered_json& value) {
  return value.is_number_integer() && value >= 0 && value <= INT32_MAX;
}

JsonNode::JsonNode(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {
  if (!json.is_object()) refuse("is no object");
}

const JsonNode::Json* JsonNode::find(std::string_view name) const {
  const auto found = json_->find(name);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

void JsonNode::refuse_field(std::string_view name, std::string_view expected) const {
  const Json* found = find(name);
  if (found == nullptr) refuse("has no field {}; expected {}", quote(name), expected);
  refuse("field {} is {}; expected {}", quote(name),
         quote(found->dump(-1, ' ', false, Json::error_handler_t::replace)), expected);
}

const JsonNode::Json& JsonNode::value(std::string_view name) {
  consumed_.emplace(name);
  const Json* found = find(name);
  if (found == nullptr) refuse("has no field {}", quote(name));
  return *found;
}

const std::string& JsonNode::type() {
  if (type_.empty()) type_ = text("type");
  return type_;
}

std::string JsonNode::text(std::string_view name) {
  consumed_.emplace(name);
  const Json* found = find(name);
  if (found == nullptr || !found->is_string()) refuse_field(name, "a string");
  return found->get<std::string>();
}

std::string JsonNode::text(std::string_view name, std::string_view missing) {
  return has(name) ? text(name) : std::string(missing);
}

bool JsonNode::flag(std::string_view name) {
  consumed_.emplace(name);
  const Json* found = find(name);
  if (found == nullptr || !found->is_boolean()) refuse_field(name, "true or false");
  return found->get<bool>();
}

bool JsonNode::flag(std::string_view name, bool missing) {
  return has(name) ? flag(name) : missing;
}

int64_t JsonNode::integer(std::string_view name) {
  consumed_.emplace(name);
  const Json* found = find(name);
  if (found == nullptr || !is_id(*found)) {
    refuse_field(name, "a whole number");
  }
  return found->get<int64_t>();
}

int64_t JsonNode::integer(std::string_view name, int64_t missing) {
  return has(name) ? integer(name) : missing;
}

char32_t JsonNode::character(std::string_view name) {
  const std::string value = text(name);
  char32_t c = 0;
  if (value.empty() || decode_code_point(value, c) != value.size()) {
    refuse_field(name, "one character");
  }
  return c;
}

JsonNode JsonNode::node(std::string_view name) {
  return {value(name), where_ + "." + std::string(name)};
}

std::vector<JsonNode> JsonNode::nodes(std::string_view name) {
  consumed_.emplace(name);
  const Json* found = find(name);
  if (found == nullptr || !found->is_array()) refuse_field(name, "a list");
  std::vector<JsonNode> out;
  out.reserve(found->size());
  for (size_t i = 0; i < found->size(); ++i) {
    out.emplace_back((*found)[i], where_ + "." + std::string(name) + "[" + std::to_string(i) + "]");
  }
  return out;
}

void JsonNode::finish() const {
  for (const auto& [name, value] : json_->items()) {
    if (!value.is_null() && !consumed_.contains(name)) {
      refuse("field {} is not supported", quote(name));
    }
  }
}

}  // namespace weft::data
