// Options of the library as options of a command.
#ifndef APPS_WEFT_FLAGS_LIBRARY_OPTIONS_H_
#define APPS_WEFT_FLAGS_LIBRARY_OPTIONS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/option_schema.h"
#include "weft/options/fields.h"
#include "weft/options/period.h"

namespace weft::app {

class LibraryOptions {
 public:
  using Value = std::variant<bool, int64_t, double, std::optional<int64_t>, std::optional<double>,
                             std::string, options::Period, std::vector<int64_t>,
                             std::vector<double>, std::vector<std::string>>;

  // All options of the schema, which has to outlive it, but for some.
  explicit LibraryOptions(const OptionSchema& schema,
                          std::initializer_list<std::string_view> left_out = {});

  template <class V>
  void fields(V& v) {
    options::pointer_to_fields(v, *this);
    for (Field& field : fields_) {
      if (!field.info->group.empty()) options::group(v, field.info->group);
      std::visit([&](auto& value) { v(field.info->name, value, meta_of(*field.info)); },
                 field.value);
    }
  }

  // Those that differ from their defaults.
  Options changed() const;
  // `others`, followed by those that differ from their defaults.
  Options added_to(Options others) const;
  bool has(std::string_view name) const;  // whether it is an option of the schema
  // What the option is. Throws, which indicates a bug, for another name or type.
  template <class T>
  const T& value(std::string_view name) const {
    return std::get<T>(field(name).value);
  }
  // Throws what the library would throw.
  void validate() const;

 private:
  struct Field {
    const OptionInfo* info;
    Value value;
  };

  static options::Meta meta_of(const OptionInfo& info);
  const Field& field(std::string_view name) const;

  const OptionSchema* schema_;
  std::vector<Field> fields_;
};

}  // namespace weft::app

#endif  // APPS_WEFT_FLAGS_LIBRARY_OPTIONS_H_
