// The modules of a language model by the names of Transformers, by which PEFT names them.
#ifndef WEFT_MODEL_FILE_PEFT_MODULES_H_
#define WEFT_MODEL_FILE_PEFT_MODULES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "weft/model_file/adapter.h"
#include "weft/model_file/foreign/name_map.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

class PeftModules {
 public:
  // Throws OptionError for a model that is none of Transformers.
  explicit PeftModules(LanguageModelSession& session);
  PeftModules(const PeftModules&) = delete;
  PeftModules& operator=(const PeftModules&) = delete;

  const ModelParameters& parameters() const { return parameters_; }
  // All that have weights: "model.embed_tokens", "model.layers.0.self_attn.q_proj".
  const std::vector<std::string>& names() const { return names_; }
  // Those that may have updates, by name.
  const std::map<std::string, MappedTensor>& linear_maps() const { return linear_maps_; }

 private:
  ModelParameters parameters_;
  NameMap map_;
  std::vector<std::string> names_;
  std::map<std::string, MappedTensor> linear_maps_;
};

// The shortest ends of names, from a component on, that fit all of `chosen`, which is sorted, and
// no other of `all`.
std::set<std::string> common_ends(const std::vector<std::string>& chosen,
                                  const std::vector<std::string>& all);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PEFT_MODULES_H_
