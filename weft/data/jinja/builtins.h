// The filters, tests, functions and methods of templates.
#ifndef WEFT_DATA_JINJA_BUILTINS_H_
#define WEFT_DATA_JINJA_BUILTINS_H_

#include <string_view>
#include <utility>
#include <vector>

#include "weft/data/jinja/runtime.h"

namespace weft::data::jinja {

// A filter, whose input and arguments make a value, or a test, which makes true or false.
using Builtin = Value (*)(Runtime& runtime, const Value& input, const Arguments& arguments);

// Null: there is none of that name.
Builtin find_filter(std::string_view name);
Builtin find_test(std::string_view name);

// range, namespace, dict, raise_exception, strftime_now.
std::vector<std::pair<std::string, Value>> global_functions(Runtime& runtime);

// value.name: a method of Python's types, or an entry; undefined if there is none.
Value attribute_of(const Value& object, std::string_view name, Runtime& runtime);
// value[key]
Value item_of(const Value& object, const Value& key, Runtime& runtime);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_BUILTINS_H_
