// Options in JSON, as stored in a model file: one flat object of typed values.
#ifndef WEFT_OPTIONS_JSON_H_
#define WEFT_OPTIONS_JSON_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "weft/options/option_table.h"

namespace weft::options {

// All options of the table except those that are omitted with their defaults
// (Meta::omitted_if). read_json() into a table of defaults restores the same values bit for
// bit. Throws OptionError for text that is not UTF-8.
std::string to_json(const OptionTable& table);

// Sets the options named in the object and leaves the others unchanged, so that files written
// before an option existed stay readable. Throws FormatError, prefixed with `where`, for invalid
// JSON, anything but a flat object, an unknown or duplicate key, and a value of the wrong type or
// out of range.
void read_json(OptionTable& table, std::string_view text, std::string_view where);

// The same for an object that may have other members: those that the table does not have, or whose
// value is invalid for their option, are ignored.
void read_known_json(OptionTable& table, std::string_view text, std::string_view where);

// The names of the members of an object. Throws FormatError for anything else.
std::set<std::string> names_in_json(std::string_view text);
// An integer member; nullopt if it is missing, not an integer, or `text` is invalid JSON.
std::optional<int64_t> integer_in_json(std::string_view text, const char* key);
// A string member; nullopt if it is missing, not a string, or `text` is invalid JSON.
std::optional<std::string> text_in_json(std::string_view text, const char* key);

template <class T>
std::string options_to_json(T options) {
  OptionTable table;
  table.add(options);
  return to_json(table);
}

template <class T>
T options_from_json(std::string_view text, std::string_view where) {
  T options;
  OptionTable table;
  table.add(options);
  read_json(table, text, where);
  return options;
}

}  // namespace weft::options

#endif  // WEFT_OPTIONS_JSON_H_
