// An option struct with one field of every type, shared by the tests of tables, YAML and JSON.
#ifndef WEFT_TESTS_OPTIONS_OPTIONS_CASES_H_
#define WEFT_TESTS_OPTIONS_OPTIONS_CASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/options/fields.h"
#include "weft/options/period.h"

namespace weft::options {

struct LayerOptions {
  int64_t depth = 6;
  double dropout = 0.1;
  std::string activation = "relu";

  template <class V>
  void fields(V& v) {
    options::group(v, "Layers");
    v("enc-depth", depth, {.help = "layers", .min = 1, .max = 64});
    v("dropout", dropout, {.help = "share of zeros", .min = 0, .max = 1, .alias = "drop"});
    v("activation", activation, {.help = "function", .choices = "relu|gelu|silu"});
  }
  bool operator==(const LayerOptions&) const = default;
};

struct SampleOptions {
  LayerOptions layers;
  bool tied = false;
  std::string model;
  std::string unset_choice;  // the default "" is not among the choices
  Period after = Period::epochs(10);
  std::vector<int64_t> seeds = {1, 2};
  std::optional<int64_t> field;
  std::optional<double> power;
  std::vector<double> weights;
  std::vector<std::string> sets;

  template <class V>
  void fields(V& v) {
    layers.fields(v);
    options::group(v, "Training");
    v("tied", tied, {.help = "one matrix"});
    v("model", model, {.help = "a file", .letter = 'm', .required = true});
    v("kind", unset_choice, {.help = "a kind", .choices = "a|b"});
    v("after", after, {.help = "when to end", .max = 1e6});
    v("seeds", seeds, {.help = "seeds", .min = 0});
    v("field", field, {.help = "a field", .min = 0, .max = 1e6});
    v("power", power, {.help = "a power", .min = 0, .max = 2, .implied = "1"});
    v("weights", weights, {.help = "weights"});
    v("sets", sets, {.help = "files", .letter = 't'});
  }
  bool operator==(const SampleOptions&) const = default;
};

// All fields differ from their defaults and have values that are difficult to format.
inline SampleOptions awkward_options() {
  SampleOptions out;
  out.layers = {.depth = 64, .dropout = 0.1 + 0.2, .activation = "silu"};
  out.tied = true;
  out.model = "a \"b\" c: #d\n\t\\ \xC3\xA9 '";
  out.unset_choice = "b";
  out.after = Period::targets(123457);
  out.seeds = {9223372036854775807, 0};
  out.field = 7;
  out.power = 1e-300;
  out.weights = {1e-300, 5e-324, 1.0 / 3, -0.0, 1e22, 123456789.125};
  out.sets = {"", "null", "~", "true", "no", "1", "- a", "[x]", "*y", " pad ", "a,b", "=", "0x1F"};
  return out;
}

}  // namespace weft::options

#endif  // WEFT_TESTS_OPTIONS_OPTIONS_CASES_H_
