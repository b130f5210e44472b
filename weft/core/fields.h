// The visitor contract of options and modules: a struct names each of its parts once, in
//   template <class V> void fields(V& v) { v("enc-depth", enc_depth, {.help = "..."}); }
// and flags, YAML, help, JSON, state dicts, counting, loading and saving are derived from it.
#ifndef WEFT_CORE_FIELDS_H_
#define WEFT_CORE_FIELDS_H_

#include <limits>
#include <string_view>

namespace weft {

// What is known of an option beside its name, its type and its default.
struct Meta {
  std::string_view help;  // meaning, unit, paper
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string_view choices;  // "relu|gelu|silu" for a string out of a list
  char letter = 0;           // short form: 'm' for -m
  std::string_view alias;    // another system's spelling of the same option
};

}  // namespace weft

#endif  // WEFT_CORE_FIELDS_H_
