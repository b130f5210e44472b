// Parses templates.
#ifndef WEFT_DATA_JINJA_PARSER_H_
#define WEFT_DATA_JINJA_PARSER_H_

#include <string_view>

#include "weft/data/jinja/syntax.h"

namespace weft::data::jinja {

// Throws FormatError, prefixed with `where`, with the line and the column.
Body parse(std::string_view source, std::string_view where);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_PARSER_H_
