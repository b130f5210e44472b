#include "weft/model_file/peft/modules.h"

#include <algorithm>
#include <string_view>

#include "weft/core/error.h"
#include "weft/model_file/hugging_face/architectures.h"
#include "weft/model_file/peft/config.h"
#include "weft/options/json.h"

namespace weft::model_file {
namespace {

constexpr std::string_view kWeightEnd = ".weight";

NameMap transformers_names(const LanguageModelSession& session, const ModelParameters& parameters) {
  const Json options = Json::parse(options::options_to_json(session.model.options));
  for (const Architecture* architecture : kArchitectures) {
    if (architecture->kind != LanguageModelSession::kKind) continue;
    NameMap out = architecture->names(options);
    if (covers(out, parameters)) return out;
  }
  fail<OptionError>("model",
                    "is no language model of Transformers, by whose names PEFT's adapters "
                    "name their weights");
}

bool are_linear_maps(const MappedTensor& tensor, const ModelParameters& maps) {
  return std::ranges::all_of(tensor.parts, [&](const nn::NamedParameter& part) {
    return std::ranges::find(maps, part.name, &nn::NamedParameter::name) != maps.end();
  });
}

}  // namespace

PeftModules::PeftModules(LanguageModelSession& session)
    : parameters_(nn::parameters_of(session.model)),
      map_(transformers_names(session, parameters_)) {
  const ModelParameters maps = nn::linear_maps(parameters_);
  for (const MappedTensor& tensor : mapped_tensors(map_, parameters_)) {
    if (!tensor.theirs.ends_with(kWeightEnd)) continue;
    names_.push_back(tensor.theirs.substr(0, tensor.theirs.size() - kWeightEnd.size()));
    if (are_linear_maps(tensor, maps)) linear_maps_.emplace(names_.back(), tensor);
  }
}

std::set<std::string> common_ends(const std::vector<std::string>& chosen,
                                  const std::vector<std::string>& all) {
  const auto fits_others = [&](std::string_view end) {
    return std::ranges::any_of(all, [&](const std::string& name) {
      return is_end_of(end, name) && !std::ranges::binary_search(chosen, name);
    });
  };
  std::set<std::string> out;
  for (const std::string& name : chosen) {
    size_t dot = name.rfind('.');
    while (dot != name.npos && fits_others(std::string_view(name).substr(dot + 1))) {
      dot = dot == 0 ? name.npos : name.rfind('.', dot - 1);
    }
    out.insert(dot == name.npos ? name : name.substr(dot + 1));
  }
  return out;
}

}  // namespace weft::model_file
