// Option structs of the library filled from the options that its users give, and what is told of
// them.
#ifndef WEFT_API_READ_OPTIONS_H_
#define WEFT_API_READ_OPTIONS_H_

#include "weft/option_schema.h"
#include "weft/options/option_table.h"

namespace weft::api {

// Sets the table's options. Throws OptionError.
void assign(const Options& given, options::OptionTable& table);

std::vector<OptionInfo> infos_of(const options::OptionTable& table);

// A struct with these options, and all others at their defaults. Throws OptionError, FileError.
template <class T>
T read_options(const Options& given) {
  T out;
  options::OptionTable table;
  table.add(out);
  assign(given, table);
  table.check_required();
  table.check_files();
  if constexpr (requires { out.validate(); }) out.validate();
  return out;
}

template <class T>
const OptionSchema& schema_of() {
  static const OptionSchema schema = [] {
    T defaults;
    options::OptionTable table;
    table.add(defaults);
    return OptionSchema(infos_of(table), [](const Options& given) { read_options<T>(given); });
  }();
  return schema;
}

}  // namespace weft::api

#endif  // WEFT_API_READ_OPTIONS_H_
