#include "apps/weft/flags/library_options.h"

#include <algorithm>
#include <iterator>

#include "weft/core/error.h"
#include "weft/options/option_value.h"

namespace weft::app {
namespace {

template <class T>
LibraryOptions::Value value_for(const OptionInfo& info) {
  if (info.is_list) return std::vector<T>();
  return T();
}

template <class T>
LibraryOptions::Value number_for(const OptionInfo& info) {
  if (info.may_be_auto) return std::optional<T>();
  return value_for<T>(info);
}

LibraryOptions::Value value_for(const OptionInfo& info) {
  switch (info.type) {
    case OptionInfo::Type::kBool: return false;
    case OptionInfo::Type::kInteger: return number_for<int64_t>(info);
    case OptionInfo::Type::kNumber: return number_for<double>(info);
    case OptionInfo::Type::kPeriod: return options::Period();
    case OptionInfo::Type::kText: break;
  }
  return value_for<std::string>(info);
}

options::OptionSlot slot_of(LibraryOptions::Value& value) {
  return std::visit([](auto& held) { return options::OptionSlot(&held); }, value);
}

}  // namespace

LibraryOptions::LibraryOptions(const OptionSchema& schema,
                               std::initializer_list<std::string_view> left_out)
    : schema_(&schema) {
  for (const OptionInfo& info : schema.infos()) {
    if (std::ranges::find(left_out, info.name) != left_out.end()) continue;
    Field& field = fields_.emplace_back(Field{&info, value_for(info)});
    options::Option option;
    option.bindings.push_back({.slot = slot_of(field.value), .scopes = {}, .value = {}});
    option.defaults = info.defaults;
    options::read_values(option, info.defaults, info.name);
  }
}

Options LibraryOptions::changed() const {
  Options out;
  for (Field field : fields_) {
    std::vector<std::string> values = options::values_of(slot_of(field.value));
    if (values == field.info->defaults) continue;
    out.push_back({field.info->name, field.info->is_list ? OptionValue(values)
                                                         : OptionValue(std::move(values.front()))});
  }
  return out;
}

Options LibraryOptions::added_to(Options others) const {
  std::ranges::move(changed(), std::back_inserter(others));
  return others;
}

bool LibraryOptions::has(std::string_view name) const {
  return std::ranges::any_of(fields_, [&](const Field& field) { return field.info->name == name; });
}

const LibraryOptions::Field& LibraryOptions::field(std::string_view name) const {
  for (const Field& field : fields_) {
    if (field.info->name == name) return field;
  }
  fail("options", "no option {} of the library", quote(name));
}

void LibraryOptions::validate() const { schema_->check(changed()); }

options::Meta LibraryOptions::meta_of(const OptionInfo& info) {
  return {.help = info.help,
          .min = info.min,
          .max = info.max,
          .choices = info.choices,
          .letter = info.letter,
          .alias = info.alias,
          .implied = info.implied,
          .required = info.required,
          .positional = info.positional,
          .reads = info.reads,
          .replaces_file = info.replaces_file,
          .writes = info.writes};
}

}  // namespace weft::app
