// The arguments of functions by the names of their parameters.
#ifndef WEFT_DATA_JINJA_ARGUMENTS_H_
#define WEFT_DATA_JINJA_ARGUMENTS_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/jinja/runtime.h"

namespace weft::data::jinja {

// The value of each parameter, null where it is not given. Throws RenderError, naming the function,
// for too many arguments, one given twice or of another name, and without the first `required`.
std::vector<const Value*> bind(std::string_view function, const Arguments& arguments,
                               std::initializer_list<std::string_view> parameters,
                               size_t required = 0);

// Throw RenderError for a value of another type.
const MarkedText& text_argument(const Value& value, std::string_view function);
// Returns nullopt for an argument that is not given or is none.
std::optional<std::string> optional_text(const Value* value, std::string_view function);
int64_t integer_or(const Value* value, int64_t missing, std::string_view function);
bool is_given(const Value* value);  // not missing, and not none

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_ARGUMENTS_H_
