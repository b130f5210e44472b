// Options in JSON, as they stand in a model file: one flat object, typed like the options.
#ifndef WEFT_FORMATS_OPTIONS_JSON_H_
#define WEFT_FORMATS_OPTIONS_JSON_H_

#include <optional>
#include <string>
#include <string_view>

#include "weft/formats/options_table.h"

namespace weft::formats {

// Every option of the table; read back, it gives the same values bit for bit. Throws OptionError
// for text that is not UTF-8.
std::string to_json(const OptionTable& table);

// Sets the options named in the object and leaves the others as they are, so that files written
// before an option existed stay readable. Throws FormatError at `where`: bad syntax, no flat
// object, an unknown key, a key given twice, a value of the wrong type or out of range.
void read_json(OptionTable& table, std::string_view text, std::string_view where);

// The same of an object that may be of other options, too: members that the table does not have, or
// whose value its option cannot have, are passed over.
void read_known_json(OptionTable& table, std::string_view text, std::string_view where);

// A member that is an integer, or none where there is none or `text` cannot be read.
std::optional<int64_t> integer_in_json(std::string_view text, const char* key);
// The same of a member that is text.
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

}  // namespace weft::formats

#endif  // WEFT_FORMATS_OPTIONS_JSON_H_
