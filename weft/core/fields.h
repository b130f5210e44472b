// The visitor contract of options and modules: a struct names each of its parts once, in
//   template <class V> void fields(V& v) { v("enc-depth", enc_depth, {.help = "..."}); }
// and flags, YAML, help, JSON, state dicts, counting, loading and saving are derived from it.
//
// An option is a bool, int64_t, double, std::optional<double>, std::string, Period, or a vector of
// int64_t, double or std::string; a struct inside a struct calls the inner one's fields(v). Names
// are kebab-case and unique over everything that one command visits.
#ifndef WEFT_CORE_FIELDS_H_
#define WEFT_CORE_FIELDS_H_

#include <limits>
#include <string_view>

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

}  // namespace weft

#endif  // WEFT_CORE_FIELDS_H_
