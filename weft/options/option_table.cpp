#include "weft/options/option_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/text/nearest.h"
#include "weft/options/option_value.h"

namespace weft::options {
namespace {

bool is_standard_input(const Option& option, std::string_view value) {
  const bool has_word = option.defaults == std::vector<std::string>{"stdin"};
  return value == "-" || (has_word && value == "stdin");
}

int64_t count_standard_input(const Option& option) {
  return std::ranges::count_if(values_of(option), [&](const std::string& value) {
    return is_standard_input(option, value);
  });
}

// No kinds if the selection is unknown.
Selected selected_in(const Scope& scope, std::span<const Selected> external) {
  if (scope.selection != nullptr) return {scope.option, {scope.selection->name()}};
  const auto found = std::ranges::find(external, scope.option, &Selected::option);
  return found == external.end() ? Selected() : *found;
}

// "a", "a or b", "a, b or c"
std::string any_of(const std::vector<std::string_view>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

// The kinds of `choice` that an option belongs to.
std::vector<std::string_view> kinds_of(const Option& option, std::string_view choice) {
  std::vector<std::string_view> out;
  for (const OptionBinding& binding : option.bindings) {
    for (const Scope& scope : binding.scopes) {
      if (scope.option != choice) continue;
      for (const std::string_view kind : scope.kinds)
        if (std::ranges::find(out, kind) == out.end()) out.push_back(kind);
    }
  }
  return out;
}

// Whether two bindings of an option are mutually exclusive: their scopes require different kinds of
// the same choice.
bool are_exclusive(std::span<const Scope> one, std::span<const Scope> other) {
  const auto contradicts = [](const Scope& a, const Scope& b) {
    return a.option == b.option && std::ranges::find_first_of(a.kinds, b.kinds) == a.kinds.end();
  };
  return std::ranges::any_of(one, [&](const Scope& a) {
    return std::ranges::any_of(other, [&](const Scope& b) { return contradicts(a, b); });
  });
}

std::string described(const Meta& meta, const OptionSlot& slot) {
  std::string out(meta.help);
  if (const auto* selection = std::get_if<Selection*>(&slot)) {
    for (const KindInfo& kind : (*selection)->kinds())
      if (!kind.help.empty()) out += fmt::format("; {}: {}", kind.name, kind.help);
  }
  return out;
}

}  // namespace

const Scope* OptionBinding::unmet_scope(std::span<const Selected> external) const {
  for (const Scope& scope : scopes) {
    const std::vector<std::string_view> kinds = selected_in(scope, external).kinds;
    if (kinds.empty()) continue;
    if (std::ranges::find_first_of(scope.kinds, kinds) == scope.kinds.end()) return &scope;
  }
  return nullptr;
}

const OptionSlot& Option::slot() const {
  const auto is_read = [](const OptionBinding& binding) {
    return binding.unmet_scope() == nullptr;
  };
  const auto found = std::ranges::find_if(bindings, is_read);
  return found == bindings.end() ? bindings.front().slot : found->slot;
}

bool Option::is_in_effect() const {
  return std::ranges::any_of(
      bindings, [](const OptionBinding& binding) { return binding.unmet_scope() == nullptr; });
}

bool Option::is_list() const {
  return is<std::vector<int64_t>>() || is<std::vector<double>>() || is<std::vector<std::string>>();
}

bool Option::is_text() const {
  return is<std::string>() || is<std::vector<std::string>>() || is<Selection>();
}

const Option* OptionTable::find(std::string_view name) const {
  const auto it = std::find_if(options_.begin(), options_.end(), [&](const Option& option) {
    return option.name == name || (!option.meta.alias.empty() && option.meta.alias == name);
  });
  return it == options_.end() ? nullptr : &*it;
}

std::vector<std::string> OptionTable::names() const {
  std::vector<std::string> out;
  for (const Option& option : options_) {
    out.push_back(option.name);
    if (!option.meta.alias.empty()) out.emplace_back(option.meta.alias);
  }
  return out;
}

std::string OptionTable::hint_for(std::string_view name, std::span<const std::string> known,
                                  std::string_view prefix) const {
  const std::string_view hint = hints_ ? hints_(name) : std::string_view();
  return hint.empty() ? nearest_hint(name, known, prefix) : fmt::format("; hint: {}", hint);
}

void OptionTable::assign(const Setting& setting) {
  const Option* option = find(setting.name);
  if (option == nullptr)
    fail<OptionError>(setting.where, "unknown option{}", hint_for(setting.name, names()));
  if (setting.is_list && !option->is_list())
    fail<OptionError>(setting.where, "one value is needed; expected {}, got a list",
                      expectation(*option));
  read_values(*option, setting.values, setting.where);
  options_[static_cast<size_t>(option - options_.data())].origin = setting.where;
}

void OptionTable::withdraw(std::string_view name, std::span<const std::string> values) {
  const Option* option = find(name);
  read_values(*option, values, name);
  options_[static_cast<size_t>(option - options_.data())].origin.clear();
}

void OptionTable::check_required() const {
  for (const Option& option : options_)
    if (option.meta.required && option.origin.empty() && option.is_in_effect())
      fail<OptionError>("--" + option.name, "not given; expected {} ({})", expectation(option),
                        option.help);
}

const Option* OptionTable::reads_standard_input() const {
  const auto reads = [](const Option& o) { return o.meta.reads && count_standard_input(o) > 0; };
  const auto it = std::ranges::find_if(options_, reads);
  return it == options_.end() ? nullptr : &*it;
}

void OptionTable::check_standard_input() const {
  const Option* const first = reads_standard_input();
  if (first == nullptr) return;
  if (count_standard_input(*first) > 1)
    fail<OptionError>("--" + first->name, "standard input is given twice; expected once");
  for (const Option& other : options_) {
    if (&other == first || !other.meta.reads || count_standard_input(other) == 0) continue;
    const bool is_given = !other.origin.empty();  // else standard input is its default
    fail<OptionError>("--" + (is_given ? other : *first).name,
                      "is standard input, which --{} reads too; expected a file for one of them",
                      (is_given ? *first : other).name);
  }
}

void OptionTable::check_files() const {
  check_standard_input();
  for (const Option& output : options_) {
    if (!output.meta.writes) continue;
    const std::string path = values_of(output).front();
    if (path.empty() || path == "stdout" || path == "-") continue;
    const std::string name = "--" + output.name;
    for (const Option& other : options_) {
      if (other.meta.reads) check_output(name, path, values_of(other));
      if (!other.meta.writes || &other == &output || values_of(other).front() != path) continue;
      fail<OptionError>(name, "'{}' is also the output of --{}; expected another file", path,
                        other.name);
    }
  }
}

void OptionTable::check_readable(std::string_view unread) const {
  for (const Option& option : options_) {
    const bool is_read = option.meta.reads && option.is_in_effect() && option.name != unread;
    if (!is_read || option.meta.made_if_missing) continue;
    for (const std::string& path : values_of(option)) {
      if (path.empty() || is_standard_input(option, path)) continue;
      if (::access(path.c_str(), R_OK) == 0) continue;
      fail<FileError>(path, "cannot be opened: {}", std::strerror(errno));
    }
  }
}

void OptionTable::check_scopes(std::span<const Selected> external) const {
  for (const Option& option : options_) {
    const Scope* unmet = nullptr;
    size_t met_scopes = 0;
    bool is_read = false, is_set = false;
    for (const OptionBinding& binding : option.bindings) {
      const Scope* const scope = binding.unmet_scope(external);
      is_read = is_read || scope == nullptr;
      is_set = is_set || text_of(binding.slot) != binding.value;
      if (scope == nullptr) continue;
      const auto depth = static_cast<size_t>(scope - binding.scopes.data());
      if (unmet == nullptr || depth > met_scopes) unmet = scope, met_scopes = depth;
    }
    if (is_read || !is_set) continue;
    const Selected selected = selected_in(*unmet, external);
    const std::string kinds = any_of(kinds_of(option, unmet->option));
    const std::string flag = "--" + option.name;
    if (selected.kinds.front().empty())
      fail<OptionError>(flag, "needs --{} {}", unmet->option, kinds);
    fail<OptionError>(flag, "belongs to --{} {}; got it with {}{}", unmet->option, kinds,
                      selected.owner, fmt::format("{}", fmt::join(selected.kinds, " ")));
  }
}

void OptionTable::arrange(std::span<const std::string_view> names) {
  std::vector<size_t> positions;
  std::vector<Option> arranged;
  for (const std::string_view name : names) {
    const Option* option = find(name);
    if (option == nullptr) continue;
    positions.push_back(static_cast<size_t>(option - options_.data()));
    arranged.push_back(*option);
  }
  std::ranges::sort(positions);
  for (size_t i = 0; i < positions.size(); ++i) options_[positions[i]] = std::move(arranged[i]);
}

void OptionTable::insert(std::string_view name, OptionSlot slot, const Meta& meta) {
  OptionBinding binding{slot, scopes_, text_of(slot)};
  for (Option& known : options_) {
    const bool is_shared =
        known.name == name && known.bindings.front().slot.index() == slot.index();
    const bool is_exclusive = std::ranges::all_of(
        known.bindings, [&](const OptionBinding& p) { return are_exclusive(p.scopes, scopes_); });
    if (!is_shared || !is_exclusive) continue;
    known.bindings.push_back(std::move(binding));
    known.defaults = values_of(known);
    return;
  }
  for (const std::string_view known : {name, meta.alias})
    if (!known.empty() && find(known) != nullptr)
      fail("options", "two fields are called '{}'", known);
  for (const Option& option : options_)
    if (meta.letter != 0 && option.meta.letter == meta.letter)
      fail("options", "'{}' and '{}' share the letter '{}'", option.name, name, meta.letter);
  Option option{
      std::string(name), group_, described(meta, slot), meta, {std::move(binding)}, {}, ""};
  option.defaults = values_of(option);
  options_.push_back(std::move(option));
}

void OptionTable::check_complete(size_t first, const void* begin, size_t size) const {
  struct Range {
    const std::byte* begin;
    const std::byte* end;
    std::string_view name;
  };
  const auto* reached = static_cast<const std::byte*>(begin);
  const std::byte* const end = reached + size;
  std::vector<Range> ranges{{end, end, "the end"}};
  const auto add = [&](const std::byte* field, size_t bytes, std::string_view name) {
    const bool is_inside = !std::less()(field, reached) && std::less()(field, end);
    if (is_inside) ranges.push_back({field, field + bytes, name});
  };
  for (const std::span<const std::byte> pointer : pointers_)
    add(pointer.data(), pointer.size(), "a pointer");
  for (const Option& option : options().subspan(first))
    for (const OptionBinding& binding : option.bindings)
      std::visit(
          [&](auto* slot) {
            add(reinterpret_cast<const std::byte*>(slot), sizeof(*slot), option.name);
          },
          binding.slot);
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  // Padding is smaller than the strictest alignment, so a wider gap is a field that fields() omits.
  constexpr std::ptrdiff_t kMaxPadding = alignof(int64_t) - 1;
  for (const Range& range : ranges) {
    if (range.begin - reached > kMaxPadding)
      fail("options", "no fields() visits a field of {} bytes before '{}'", range.begin - reached,
           range.name);
    reached = std::max(reached, range.end);
  }
}

void check_unread(const OptionTable& given, const OptionTable& defaults,
                  const std::function<bool(std::string_view name)>& is_read,
                  std::string_view when) {
  for (size_t i = 0; i < given.options().size(); ++i) {
    const Option& option = given.options()[i];
    const std::vector<std::string>& plain = defaults.options()[i].defaults;
    if (option.defaults == plain || is_read(option.name)) continue;
    const std::string value = fmt::format("{}", fmt::join(plain, " "));
    fail<OptionError>(fmt::format("--{}", option.name), "is not read {}; expected its default, {}",
                      when, value.empty() ? "none" : value);
  }
}

}  // namespace weft::options
