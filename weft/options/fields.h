// The visitor contract of options and modules: a struct lists each of its members once, in
//   template <class V> void fields(V& v) { v("enc-depth", enc_depth, {.help = "..."}); }
// Flags, YAML, help, JSON, state dicts, counting, loading and saving are derived from it.
//
// An option is a bool, int64_t, double, std::optional of the two, std::string, Period, or a vector
// of int64_t, double or std::string; a nested struct is visited by calling its fields(v); a OneOf
// (weft/options/one_of.h) by choice(v, "attention", kind, {.help = "..."}). Names are kebab-case
// and unique among all options of a command, except for an option that several kinds of one choice
// share.
#ifndef WEFT_OPTIONS_FIELDS_H_
#define WEFT_OPTIONS_FIELDS_H_

#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "weft/options/one_of.h"

namespace weft::options {

// Attributes of an option besides its name, type and default.
struct Meta {
  std::string_view help = {};                             // meaning, unit, paper
  double min = -std::numeric_limits<double>::infinity();  // inclusive; of a number, of each
  double max = std::numeric_limits<double>::infinity();   // element of a list, of a period
  std::string_view choices = {};  // "relu|gelu|silu"; of a string or each element of a list
  char letter = 0;                // short form: 'm' for -m
  std::string_view alias = {};    // its name in another system or in an earlier version
  std::string_view implied = {};  // the value of a flag given without one
  // Another option that this one is an alternative to: presets set neither if either is given.
  std::string_view replaces = {};
  bool required = false;         // must be given: on the command line or in a file
  bool positional = false;       // also taken from positional arguments
  bool flag_only = false;        // only on the command line: neither in YAML nor dumped
  bool reads = false;            // its values are paths of input files
  bool made_if_missing = false;  // of input files: those that do not exist are made
  bool replaces_file = false;  // its value is the path of an input file, which may be an output too
  bool writes = false;      // its value is the path of an output file, which must not be an input
  bool may_change = false;  // a resumed training may change it: it influences no update
  // With this value, its default, it is not in model files, as before it existed; "" is that of an
  // empty list. Without data: it is always there.
  std::string_view omitted_if = {};
};

// The heading of the fields that follow, in --help and --dump-config; other visitors ignore it.
template <class V>
void group(V& v, std::string_view title) {
  if constexpr (requires { v.group(title); }) v.group(title);
}

// Options visited inside a scope apply only to the listed kinds of a choice.
struct Scope {
  std::string_view option;                  // the name of the choice: "attention"
  std::span<const std::string_view> kinds;  // "local", "sinkhorn"
  // Null if the choice is not visited itself; for example, prediction options that depend on the
  // model's architecture.
  const Selection* selection = nullptr;
};

template <class... Kinds>
inline constexpr std::array<std::string_view, sizeof...(Kinds)> kNamesOf{Kinds::kName...};

// Calls visit() inside the scope of the kinds. A visitor without enter(scope) and leave() ignores
// scopes.
template <class... Kinds, class V, class F>
void belongs_to(V& v, std::string_view option, const Selection* selection, F&& visit) {
  if constexpr (requires(const Scope& scope) { v.enter(scope), v.leave(); }) {
    v.enter({option, kNamesOf<Kinds...>, selection});
    visit();
    v.leave();
  } else {
    visit();
  }
}

// Visits the selected kind as the option `name`, then the options of each kind inside its scope.
template <class V, class... Kinds>
void choice(V& v, std::string_view name, OneOf<Kinds...>& chosen, Meta meta) {
  meta.choices = chosen.choices();
  v(name, chosen.selection(), meta);
  chosen.each([&]<class Kind>(Kind& kind) {
    if constexpr (requires { kind.fields(v); }) {
      belongs_to<Kind>(v, name, &chosen.selection(), [&] { kind.fields(v); });
    }
  });
}

// Tells a visitor that looks for members that fields() omits that this one, a pointer, leads to
// fields; other visitors ignore it.
template <class V, class Pointer>
void pointer_to_fields(V& v, const Pointer& pointer) {
  if constexpr (requires { v.pointer_to_fields(&pointer, sizeof(pointer)); })
    v.pointer_to_fields(&pointer, sizeof(pointer));
}

// Reorders those of these options that were visited: they take the order of `names` within the
// positions that they occupy.
template <class V>
void arrange(V& v, std::span<const std::string_view> names) {
  if constexpr (requires { v.arrange(names); }) v.arrange(names);
}

}  // namespace weft::options

#endif  // WEFT_OPTIONS_FIELDS_H_
