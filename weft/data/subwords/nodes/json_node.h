// An object of a tokenizer.json, each of whose fields is consumed or refused by name.
#ifndef WEFT_DATA_SUBWORDS_NODES_JSON_NODE_H_
#define WEFT_DATA_SUBWORDS_NODES_JSON_NODE_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/error.h"

namespace weft::data {

// Whether the value is a whole number from 0 to INT32_MAX.
bool is_id(const nlohmann::ordered_json& value);

// A field that is null counts as missing. Every failure is a FormatError that names the node.
class JsonNode {
 public:
  using Json = nlohmann::ordered_json;

  // `where` prefixes all errors: "tokenizer.json: normalizer". Throws for anything but an object.
  JsonNode(const Json& json, std::string where);

  const std::string& where() const { return where_; }
  const std::string& type();  // of the node, the field "type"

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // The value of a field, which is then consumed. Without a default the field must be there.
  const Json& value(std::string_view name);
  std::string text(std::string_view name);
  std::string text(std::string_view name, std::string_view missing);
  bool flag(std::string_view name);
  bool flag(std::string_view name, bool missing);
  int64_t integer(std::string_view name);
  int64_t integer(std::string_view name, int64_t missing);
  char32_t character(std::string_view name);
  JsonNode node(std::string_view name);
  std::vector<JsonNode> nodes(std::string_view name);

  // Marks a field that does not change results as consumed.
  void ignore(std::string_view name) { consumed_.emplace(name); }
  // Throws, naming the field, if one is not consumed.
  void finish() const;

  template <class... Values>
  [[noreturn]] void refuse(MessageText<sizeof...(Values)> message, const Values&... values) const {
    fail<FormatError>(where_, message, values...);
  }

 private:
  const Json* find(std::string_view name) const;
  [[noreturn]] void refuse_field(std::string_view name, std::string_view expected) const;

  const Json* json_;
  std::string where_;
  std::string type_;
  std::set<std::string, std::less<>> consumed_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_NODES_JSON_NODE_H_
