// A table of the options of a struct, built from its fields(). Flags, YAML and JSON are read into
// it and written from it; the table itself is independent of command line and file format.
#ifndef WEFT_OPTIONS_OPTION_TABLE_H_
#define WEFT_OPTIONS_OPTION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/options/field_visitor.h"

namespace weft::options {

// The selection of a choice that is not in the table, or that is a list of names.
struct Selected {
  std::string_view option;              // "generation"
  std::vector<std::string_view> kinds;  // several for a list
  std::string_view owner = {};          // prefix of the kind in errors: "a model of "
};

// The value of an option in one struct, with the scopes that enclose it, outermost first.
struct OptionBinding {
  OptionSlot slot;
  std::vector<Scope> scopes;
  std::string value;  // the default, as text

  // The outermost scope none of whose kinds is selected; null if the value is in effect. A choice
  // whose selection is neither in the scope nor in `external` counts as met.
  const Scope* unmet_scope(std::span<const Selected> external = {}) const;
};

struct Option {
  std::string name;
  std::string group;
  std::string help;  // includes the help of the kinds of a choice
  Meta meta;
  std::vector<OptionBinding> bindings;  // several if kinds of a choice share the option
  std::vector<std::string> defaults;    // values_of() when it was added
  std::string origin;  // where it was set: "--beam-size", "a.yml:3"; empty if not set

  // The value in effect; the first one if none is.
  const OptionSlot& slot() const;
  template <class T>
  bool is() const {
    return std::holds_alternative<T*>(bindings.front().slot);
  }
  bool is_list() const;
  // False if it belongs to kinds of a choice and none of them is selected.
  bool is_in_effect() const;
  bool is_bool() const { return is<bool>(); }
  // An optional number.
  bool may_be_auto() const { return is<std::optional<int64_t>>() || is<std::optional<double>>(); }
  // A string, list of strings or choice: its values are strings in YAML and JSON.
  bool is_text() const;
};

// A setting as written, with its values not yet parsed.
struct Setting {
  std::string name;
  std::vector<std::string> values;
  std::string where;     // prefix of errors: "a.yml:3: beam-size"
  bool is_list = false;  // written as a list: an error for a scalar option
};

class OptionTable {
 public:
  // Adds every field of an option struct, which must outlive the table. Throws Error, which
  // indicates a bug, for a duplicate name (unless mutually exclusive kinds of a choice share the
  // option) and for a field that fields() omits, if it leaves a gap of at least 8 bytes.
  template <class T>
  void add(T& options) {
    const size_t first = options_.size();
    group_.clear();
    pointers_.clear();
    options.fields(*this);
    check_complete(first, &options, sizeof(T));
  }

  // The visitor interface that fields() calls.
  template <class T>
  void operator()(std::string_view name, T& field, const Meta& meta = {}) {
    insert(name, &field, meta);
  }
  void group(std::string_view title) { group_ = title; }
  void enter(const Scope& scope) { scopes_.push_back(scope); }
  void leave() { scopes_.pop_back(); }
  void pointer_to_fields(const void* pointer, size_t size) {
    pointers_.push_back({static_cast<const std::byte*>(pointer), size});
  }
  void arrange(std::span<const std::string_view> names);

  std::span<const Option> options() const { return options_; }
  // Finds an option by name or alias; nullptr if there is none.
  const Option* find(std::string_view name) const;
  std::vector<std::string> names() const;

  // Returns a hint for a name that is not an option here, or an empty string.
  using Hints = std::function<std::string_view(std::string_view name)>;
  void set_hints(Hints hints) { hints_ = std::move(hints); }
  // The end of an error about an unknown name: "; hint: " with the text of the hints, or else with
  // the nearest of `known`, prefixed with `prefix`; empty if none is near.
  std::string hint_for(std::string_view name, std::span<const std::string> known,
                       std::string_view prefix = "") const;

  // Parses the values into the option. Throws OptionError for an unknown name and for a value of
  // the wrong type, out of range or not among the choices.
  void assign(const Setting& setting);
  // Takes back an assignment: the option has these values, and no origin.
  void withdraw(std::string_view name, std::span<const std::string> values);
  // Throws OptionError if a required option was not given, unless none of its kinds is selected.
  void check_required() const;
  // The first input file option whose value is standard input: "-", or "stdin" if that is its
  // default. nullptr if there is none.
  const Option* reads_standard_input() const;
  // Throws OptionError for an option that differs from its default although none of the kinds it
  // belongs to is selected: it would have no effect. The error names these kinds.
  void check_scopes(std::span<const Selected> external = {}) const;
  // Throws OptionError if an output file is also an input or another output, and if two options
  // read standard input.
  void check_files() const;
  // Throws FileError for an input file that cannot be read, unless it is to be made, none of the
  // kinds its option belongs to is selected, or the option is `unread`.
  void check_readable(std::string_view unread = "") const;

 private:
  void check_standard_input() const;
  void insert(std::string_view name, OptionSlot slot, const Meta& meta);
  void check_complete(size_t first, const void* begin, size_t size) const;

  std::vector<Option> options_;
  std::vector<Scope> scopes_;                         // entered and not left
  std::vector<std::span<const std::byte>> pointers_;  // members of the struct that lead to fields
  std::string group_;
  Hints hints_;
};

// Throws OptionError for an option that differs from its default although `is_read` is false for
// it: it would have no effect. `when` completes the sentence "is not read ...".
void check_unread(const OptionTable& given, const OptionTable& defaults,
                  const std::function<bool(std::string_view name)>& is_read, std::string_view when);

// The same for an option struct.
template <class T>
void check_unread(const T& options, const std::function<bool(std::string_view name)>& is_read,
                  std::string_view when) {
  T plain, given = options;
  OptionTable defaults, table;
  defaults.add(plain);
  table.add(given);
  check_unread(table, defaults, is_read, when);
}

// OptionTable::check_scopes() for an option struct whose defaults are those of T().
template <class T>
void check_scopes(const T& options, std::span<const Selected> external = {}) {
  T checked;
  OptionTable table;
  table.add(checked);
  checked = options;
  table.check_scopes(external);
}

// OptionTable::check_files() for an option struct.
template <class T>
void check_files(const T& options) {
  T given = options;
  OptionTable table;
  table.add(given);
  table.check_files();
}

}  // namespace weft::options

#endif  // WEFT_OPTIONS_OPTION_TABLE_H_
