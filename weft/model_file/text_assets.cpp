#include "weft/model_file/text_assets.h"

#include <fmt/format.h>

#include "weft/core/error.h"

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

void check_text_assets(const TextAssets& text, int64_t vocab, const std::vector<int64_t>& labels,
                       const std::string& path) {
  if (text.tokeniser->size() != vocab) {
    fail<FormatError>(path, "a vocabulary of {} entries; the options say {}",
                      text.tokeniser->size(), vocab);
  }
  for (size_t set = 0; set < labels.size(); ++set) {
    if (text.labels[set].size() == labels[set]) continue;
    fail<FormatError>(path, "{} labels in {}; the options say {}", text.labels[set].size(),
                      name_of_labels(set), labels[set]);
  }
}

models::TextEncoderSizes sizes_of(const data::Tokeniser& tokeniser) {
  return {.vocab = tokeniser.size(),
          .unknown_id = tokeniser.unknown_id(),
          .begin_id = tokeniser.begin_id(),
          .end_id = tokeniser.end_id()};
}

std::vector<Asset> assets_of(const TextAssets& text) {
  std::vector<Asset> out = {{kSourceVocabulary, text.tokeniser->serialise()}};
  for (size_t set = 0; set < text.labels.size(); ++set) {
    out.push_back({name_of_labels(set), text.labels[set].serialise()});
  }
  return out;
}

}  // namespace weft::model_file
