// adapter_config.json: the settings of an adapter of PEFT (https://github.com/huggingface/peft).
#ifndef WEFT_MODEL_FILE_PEFT_CONFIG_H_
#define WEFT_MODEL_FILE_PEFT_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/text/regex.h"

namespace weft::model_file {

inline constexpr const char* kPeftConfigFile = "adapter_config.json";

// Whether it is the name of a module or, after a ".", the end of it.
bool is_end_of(std::string_view end, std::string_view module);

// Ends of names of modules, "q_proj" or "layers.0.q_proj", or a regular expression for them.
class ModulePattern {
 public:
  // Throws FormatError, prefixed with `where`.
  ModulePattern(std::string text, const std::string& where);
  bool matches(std::string_view module) const;

 private:
  std::string text_;
  std::optional<Regex> regex_;  // none: each . of the text stands for any character
};

// Values of the modules that fit a pattern, the first one that does.
template <class T>
using ModuleValues = std::vector<std::pair<ModulePattern, T>>;

struct PeftConfig {
  int64_t rank = 8;
  double alpha = 8;
  bool is_rank_stabilised = false;  // scaled by alpha / sqrt(r), as in rsLoRA (arXiv 2312.03732)
  double dropout = 0;
  ModuleValues<int64_t> ranks;             // of modules with another rank
  ModuleValues<double> alphas;             // likewise
  std::vector<std::string> targets;        // modules of these names or with these ends
  std::optional<Regex> target_expression;  // instead of these; neither: any module
  std::string base_model;                  // its name or path; empty: not known

  // Of a module, such as "model.layers.0.self_attn.q_proj".
  int64_t rank_of(std::string_view module) const;
  double scale_of(std::string_view module) const;
  bool is_target(std::string_view module) const;
};

// Throws FormatError, naming the field, for one that is unknown, invalid, or not supported with its
// value.
PeftConfig parse_peft_config(std::string_view json, const std::string& where);

// Throws FormatError, prefixed with `where`, for a target that is none of the modules.
void check_targets(const PeftConfig& config, const std::vector<std::string>& modules,
                   const std::string& where);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PEFT_CONFIG_H_
