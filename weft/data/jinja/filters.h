// The lists of filters and tests.
#ifndef WEFT_DATA_JINJA_FILTERS_H_
#define WEFT_DATA_JINJA_FILTERS_H_

#include <span>
#include <string_view>

#include "weft/data/jinja/builtins.h"

namespace weft::data::jinja {

struct NamedBuiltin {
  std::string_view name;
  Builtin call;
};

std::span<const NamedBuiltin> text_filters();
std::span<const NamedBuiltin> sequence_filters();
std::span<const NamedBuiltin> value_tests();

// Applies a filter or a test whose name is the first argument, with the other arguments.
Value apply(Builtin (*find)(std::string_view name), const Arguments& name_and_arguments,
            const Value& input, Runtime& runtime);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_FILTERS_H_
