// The fields of a model's configuration in another system's format, such as config.json.
#ifndef WEFT_MODEL_FILE_FOREIGN_FIELDS_H_
#define WEFT_MODEL_FILE_FOREIGN_FIELDS_H_

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "weft/core/error.h"

namespace weft::model_file {

using Json = nlohmann::ordered_json;

// An object of JSON, each of whose fields is consumed, harmless, or refused by name. A field that
// is null counts as missing. Every failure is a FormatError that names the file and the field.
class Fields {
 public:
  // Throws for anything but an object without duplicate keys and with at most 16 levels. `where`
  // prefixes all errors.
  Fields(std::string_view json, std::string_view where);

  const std::string& where() const { return where_; }
  bool has(std::string_view name) const;

  // The value of a field, which is then consumed. Throws if it is missing.
  const Json& take(std::string_view name);
  // The same of a value of this type: a whole number, or true or false.
  int64_t take_integer(std::string_view name);
  bool take_bool(std::string_view name);
  // The same, or `missing` where there is no such field.
  Json take_or(std::string_view name, const Json& missing);
  int64_t take_integer_or(std::string_view name, int64_t missing);
  bool take_bool_or(std::string_view name, bool missing);
  // Throws if the field is there with another value. Numbers may differ in their last digits.
  void require(std::string_view name, const Json& value);

  // Marks fields that do not matter as consumed.
  void ignore(std::span<const std::string_view> names);
  // Throws, naming the field, if one is not consumed.
  void check_all_consumed() const;

  // "config.json: field 'hidden_size'", to prefix errors about the value of a field.
  std::string where_of(std::string_view name) const;
  template <class... Values>
  [[noreturn]] void refuse(MessageText<sizeof...(Values)> text, const Values&... values) const {
    fail<FormatError>(where_, text, values...);
  }

 private:
  std::string where_;
  Json fields_;
  std::set<std::string, std::less<>> consumed_;
};

// A value in an error: JSON of at most 60 bytes.
std::string short_text(const Json& value);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_FIELDS_H_
