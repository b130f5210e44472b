// What commands write with --evaluate: their results as text or JSON, and each prediction beside
// what was expected, as weft compare reads it (apps/weft/output/predictions.h).
#ifndef APPS_WEFT_OUTPUT_EVALUATION_OUTPUT_H_
#define APPS_WEFT_OUTPUT_EVALUATION_OUTPUT_H_

#include <optional>
#include <string>
#include <string_view>

#include "apps/weft/flags/library_options.h"
#include "apps/weft/input/lines.h"
#include "weft/evaluate.h"
#include "weft/options/option_table.h"

namespace weft::app {

// Options of an evaluation: those of the library for this kind of models, and what is written.
struct EvaluationFlags {
  LibraryOptions library;
  std::string predictions = {};
  bool json = false;

  explicit EvaluationFlags(std::string_view kind,
                           std::initializer_list<std::string_view> left_out = {})
      : library(evaluation_schema(kind), left_out) {}

  template <class V>
  void fields(V& v) {
    library.fields(v);
    v("predictions", predictions,
      {.help = "also write to this file what was predicted beside what was expected, a line of "
               "JSON for each example, as weft compare reads it",
       .writes = true});
    v("json", json, {.help = "print the results as JSON"});
  }
  bool is_option(std::string_view name) const {
    return library.has(name) || name == "predictions" || name == "json";
  }
  // Throws OptionError for an option of an evaluation without --evaluate, and for one of the usual
  // output, is_of_output(name), with it. `options` is the command's struct.
  template <class CommandOptions, class IsOfOutput>
  void check(const CommandOptions& options, bool evaluates, const IsOfOutput& is_of_output) const {
    const auto is_read = [&](std::string_view name) {
      return evaluates ? !is_of_output(name) : !is_option(name);
    };
    options::check_unread(options, is_read, evaluates ? "with --evaluate" : "without --evaluate");
    library.validate();
  }
  // Evaluates the models and prints the results. `prediction` are the options of the class that
  // predicts. Throws what evaluate_model() throws, and FileError.
  void run(const std::vector<Model>& models, const std::vector<std::string>& files,
           Options prediction) const;
};

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_EVALUATION_OUTPUT_H_
