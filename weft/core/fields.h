// The visitor contract of options and modules: a struct names each of its parts once, in
//   template <class V> void fields(V& v) { v("enc-depth", enc_depth, {.help = "..."}); }
// and flags, YAML, help, JSON, state dicts, counting, loading and saving are derived from it.
//
// An option is a bool, int64_t, double, std::optional<double>, std::string, Period, or a vector of
// int64_t, double or std::string; a struct inside a struct calls the inner one's fields(v); a OneOf
// (weft/core/one_of.h) is visited by choice(v, "attention", kind, {.help = "..."}). Names are
// kebab-case and unique over everything that one command visits, but for an option that several
// kinds of one choice have.
#ifndef WEFT_CORE_FIELDS_H_
#define WEFT_CORE_FIELDS_H_

#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "weft/core/one_of.h"

namespace weft {

// What is known of an option beside its name, its type and its default.
struct Meta {
  std::string_view help = {};                             // meaning, unit, paper
  double min = -std::numeric_limits<double>::infinity();  // of a number, of each one in a list,
  double max = std::numeric_limits<double>::infinity();   // of a period's value; both inclusive
  std::string_view choices = {};  // "relu|gelu|silu" for a string, or each one in a list
  char letter = 0;                // short form: 'm' for -m
  std::string_view alias = {};    // another system's spelling of the same option
  std::string_view implied =
      {};                   // what the flag alone means, for a flag whose value may be left out
  bool required = false;    // one that has to be given: on the command line or in a file
  bool positional = false;  // also taken from arguments that belong to no flag
  bool flag_only = false;   // only on the command line: not in YAML, not dumped
  bool reads = false;       // its values name files that are read,
  bool writes = false;      // or one that is written and must be none of those
  bool may_change = false;  // a resumed training may have another value: it decides no update
};

// Titles the fields that follow, in --help and --dump-config; other visitors ignore it.
template <class V>
void group(V& v, std::string_view title) {
  if constexpr (requires { v.group(title); }) v.group(title);
}

// The options that are visited inside a scope are read with some kinds of a choice only.
struct Scope {
  std::string_view option;                  // the choice: "attention"
  std::span<const std::string_view> kinds;  // "local", "sinkhorn"
  // Null where the choice is not among the options visited, as that of the model whose output
  // options are for.
  const Selection* selection = nullptr;
};

template <class... Kinds>
inline constexpr std::array<std::string_view, sizeof...(Kinds)> kNamesOf{Kinds::kName...};

// visit() in the scope of the kinds; a visitor without enter(scope) and leave() sees no scopes.
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

// Visits which kind is selected as the option `name`, and the options of each kind in its scope.
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

// Lets options that are there stand in this order, in the places that they have together.
template <class V>
void arrange(V& v, std::span<const std::string_view> names) {
  if constexpr (requires { v.arrange(names); }) v.arrange(names);
}

}  // namespace weft

#endif  // WEFT_CORE_FIELDS_H_
