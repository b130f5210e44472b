#include "weft/api/read_options.h"

#include <algorithm>

namespace weft::api {
namespace {

using Type = OptionInfo::Type;

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, bool>) return Type::kBool;
  if constexpr (std::is_same_v<T, int64_t>) return Type::kInteger;
  if constexpr (std::is_same_v<T, double>) return Type::kNumber;
  if constexpr (std::is_same_v<T, options::Period>) return Type::kPeriod;
  return Type::kText;
}

struct TypeOfSlot {
  template <class T>
  Type operator()(const T*) const {
    return type_of<T>();
  }
  template <class T>
  Type operator()(const std::optional<T>*) const {
    return type_of<T>();
  }
  template <class T>
  Type operator()(const std::vector<T>*) const {
    return type_of<T>();
  }
};

// An option that only some kinds of a choice require is checked when the options are read.
bool is_always_required(const options::Option& option) {
  return option.meta.required && option.bindings.front().scopes.empty();
}

OptionInfo info_of(const options::Option& option) {
  const options::Meta& meta = option.meta;
  return {.name = option.name,
          .help = option.help,
          .group = option.group,
          .type = std::visit(TypeOfSlot(), option.slot()),
          .is_list = option.is_list(),
          .may_be_auto = option.may_be_auto(),
          .defaults = option.defaults,
          .min = meta.min,
          .max = meta.max,
          .choices = std::string(meta.choices),
          .implied = std::string(meta.implied),
          .alias = std::string(meta.alias),
          .letter = meta.letter,
          .required = is_always_required(option),
          .positional = meta.positional,
          .reads = meta.reads,
          .writes = meta.writes,
          .replaces_file = meta.replaces_file};
}

}  // namespace

void assign(const Options& given, options::OptionTable& table) {
  for (const Option& option : given) {
    std::string name = option.name;
    std::ranges::replace(name, '_', '-');
    table.assign({.name = name,
                  .values = option.value.texts(),
                  .where = name,
                  .is_list = option.value.is_list()});
  }
}

std::vector<OptionInfo> infos_of(const options::OptionTable& table) {
  std::vector<OptionInfo> out;
  for (const options::Option& option : table.options()) out.push_back(info_of(option));
  return out;
}

}  // namespace weft::api
