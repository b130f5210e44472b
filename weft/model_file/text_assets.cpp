#include "weft/model_file/text_assets.h"

#include <fmt/format.h>

namespace weft::model_file {
namespace {

std::string name_of_labels(size_t set) { return fmt::format("labels.{}", set); }

}  // namespace

data::TokeniserPtr read_vocabulary(ModelFile& file, const char* name) {
  return data::load_tokeniser(file.asset(name, "the vocabulary"),
                              fmt::format("{}: {}", file.path(), name));
}

TextAssets read_text_assets(ModelFile& file, size_t label_sets) {
  TextAssets out{read_vocabulary(file, kSourceVocabulary), {}};
  for (size_t set = 0; set < label_sets; ++set) {
    const std::string name = name_of_labels(set);
    out.labels.push_back(data::LabelSet::load(file.asset(name, "the labels"),
                                              fmt::format("{}: {}", file.path(), name)));
  }
  return out;
}

std::vector<Asset> assets_of(const TextAssets& text) {
  std::vector<Asset> out = {{kSourceVocabulary, text.tokeniser->serialise()}};
  for (size_t set = 0; set < text.labels.size(); ++set) {
    out.push_back({name_of_labels(set), text.labels[set].serialise()});
  }
  return out;
}

}  // namespace weft::model_file
