// Options as a table: what an option struct's fields() yields, and what flags, YAML and JSON are
// read into and written from. Knows no command line and no file format.
#ifndef WEFT_FORMATS_OPTIONS_TABLE_H_
#define WEFT_FORMATS_OPTIONS_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/core/fields.h"
#include "weft/core/period.h"

namespace weft::formats {

// Where the value of an option stands, and with it its type. An optional number is "auto" where it
// has no value.
using OptionSlot = std::variant<bool*, int64_t*, double*, std::optional<double>*, std::string*,
                                Period*, Selection*, std::vector<int64_t>*, std::vector<double>*,
                                std::vector<std::string>*>;

// What is selected in a choice that a table does not hold, or by a list of names.
struct Selected {
  std::string_view option;              // "generation"
  std::vector<std::string_view> kinds;  // one, or those of a list
  std::string_view owner = {};          // whose choice it is, for errors: "a model of "
};

// One value of an option, and the scopes around it, from the outermost.
struct OptionPlace {
  OptionSlot slot;
  std::vector<Scope> scopes;
  std::string value;  // the default, as text

  // The first scope none of whose kinds is selected; null where the value is read. A choice that is
  // not in `elsewhere` either counts as fit.
  const Scope* unfit_scope(std::span<const Selected> elsewhere = {}) const;
};

struct Option {
  std::string name;
  std::string group;
  std::string help;  // with those of the kinds of a choice
  Meta meta;
  std::vector<OptionPlace> places;    // several where kinds of a choice share the option
  std::vector<std::string> defaults;  // values_of() before anything was set
  std::string origin;                 // where it was set: "--beam-size", "a.yml:3"; empty: nowhere

  // The value of the kind selected; of the first one where none of its kinds is.
  const OptionSlot& slot() const;
  template <class T>
  bool is() const {
    return std::holds_alternative<T*>(places.front().slot);
  }
  bool is_list() const;
  bool is_bool() const { return is<bool>(); }
  // Of text, one or a list: the kinds whose values need quotes in YAML and JSON.
  bool is_text() const;
};

// One setting as it was written, before its values are read.
struct Setting {
  std::string name;
  std::vector<std::string> values;
  std::string where;     // names file, line and option, for errors: "a.yml:3: beam-size"
  bool is_list = false;  // written as a list: an error for an option of one value
};

class OptionTable {
 public:
  // Adds every field of an option struct, which has to outlive the table. Throws Error, a mistake
  // in the program, for a name that is there already, unless it is that of an option which kinds of
  // one choice share, and for a field that fields() leaves out, as far as that leaves a hole of 8
  // bytes.
  template <class T>
  void add(T& options) {
    const size_t first = options_.size();
    group_.clear();
    options.fields(*this);
    check_complete(first, &options, sizeof(T));
  }

  // The visitor's side.
  template <class T>
  void operator()(std::string_view name, T& field, const Meta& meta = {}) {
    insert(name, &field, meta);
  }
  void group(std::string_view title) { group_ = title; }
  void enter(const Scope& scope) { scopes_.push_back(scope); }
  void leave() { scopes_.pop_back(); }
  void arrange(std::span<const std::string_view> names);

  std::span<const Option> options() const { return options_; }
  // By name or alias; nullptr where there is none.
  const Option* find(std::string_view name) const;
  std::vector<std::string> names() const;

  // What is known of names that are no options here: a hint for a name, or nothing.
  using Hints = std::function<std::string_view(std::string_view name)>;
  void set_hints(Hints hints) { hints_ = std::move(hints); }
  // What an error about an unknown name ends with: "; hint: " and what the hints say, or else which
  // of `known` is nearest, behind `prefix`; nothing where none is near.
  std::string hint_for(std::string_view name, std::span<const std::string> known,
                       std::string_view prefix = "") const;

  // Reads the setting's values into its option. Throws OptionError: an unknown name, a value of
  // the wrong type, out of range or not among the choices.
  void assign(const Setting& setting);
  // Throws OptionError when an option that has to be given was not.
  void check_required() const;
  // The first option of files to read whose value is standard input: "-", or "stdin" where that is
  // its default. None: nullptr.
  const Option* reads_standard_input() const;
  // Throws OptionError, naming the kinds that an option belongs to, where none of them is selected
  // and the option is not at its default: whoever set it expects something of it.
  void check_scopes(std::span<const Selected> elsewhere = {}) const;
  // Throws OptionError when a file to write is one to read, or one that another option writes, and
  // when standard input is to be read twice.
  void check_files() const;

 private:
  void check_standard_input() const;
  void insert(std::string_view name, OptionSlot slot, const Meta& meta);
  void check_complete(size_t first, const void* begin, size_t size) const;

  std::vector<Option> options_;
  std::vector<Scope> scopes_;  // those entered
  std::string group_;
  Hints hints_;
};

// Throws OptionError, naming the option, where one that `is_read` does not know is not at its
// default: whoever set it expects something of it. `when` ends the sentence "is not read ...".
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

// OptionTable::check_scopes() of an option struct, whose defaults are those of T().
template <class T>
void check_scopes(const T& options, std::span<const Selected> elsewhere = {}) {
  T checked;
  OptionTable table;
  table.add(checked);
  checked = options;
  table.check_scopes(elsewhere);
}

// OptionTable::check_files() of an option struct.
template <class T>
void check_files(const T& options) {
  T given = options;
  OptionTable table;
  table.add(given);
  table.check_files();
}

}  // namespace weft::formats

#endif  // WEFT_FORMATS_OPTIONS_TABLE_H_
