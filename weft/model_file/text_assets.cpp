#include "weft/model_file/text_assets.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft::model_file {
namespace {

std::string name_of_labels(size_t set) { return fmt::format("labels.{}", set); }

}  // namespace

data::TokeniserPtr read_vocabulary(ContentsReader& file, const char* name) {
  if (data::TokeniserPtr loaded = file.tokeniser(name)) return loaded;
  return data::load_tokeniser(file.asset(name, "the vocabulary"),
                              fmt::format("{}: {}", file.path(), name));
}

data::ChatTemplates read_chat_templates(ContentsReader& file) {
  if (!file.has_asset(kChatTemplates)) return {};
  return data::read_chat_templates(file.asset(kChatTemplates, "the chat templates"),
                                   fmt::format("{}: chat_template", file.path_of(kChatTemplates)));
}

std::vector<data::LabelSet> read_label_sets(ContentsReader& file, size_t sets) {
  std::vector<data::LabelSet> out;
  for (size_t set = 0; set < sets; ++set) {
    const std::string name = name_of_labels(set);
    out.push_back(data::LabelSet::load(file.asset(name, "the labels"),
                                       fmt::format("{}: {}", file.path(), name)));
  }
  return out;
}

TextAssets read_text_assets(ContentsReader& file, size_t label_sets) {
  return {read_vocabulary(file, kSourceVocabulary), read_label_sets(file, label_sets)};
}

void check_text_assets(const TextAssets& text, int64_t vocab, const std::vector<int64_t>& labels,
                       const std::string& path) {
  if (text.tokeniser != nullptr) check_vocabulary_size(*text.tokeniser, vocab, path);
  for (size_t set = 0; set < labels.size(); ++set) {
    if (text.labels[set].size() == labels[set]) continue;
    fail<FormatError>(path, "{} labels in {}; the options say {}", text.labels[set].size(),
                      name_of_labels(set), labels[set]);
  }
}

void check_statistics(const data::ChannelStatistics& statistics, int64_t count,
                      std::string_view name, const std::string& path) {
  if (std::ssize(statistics.mean) == count && std::ssize(statistics.deviation) == count) return;
  fail<FormatError>(path, "{}-mean and {}-deviation of {} and {} numbers; expected {}", name, name,
                    statistics.mean.size(), statistics.deviation.size(), count);
}

void check_vocabulary_size(const data::Tokeniser& tokeniser, int64_t rows,
                           const std::string& path) {
  if (tokeniser.size() <= rows) return;
  fail<FormatError>(path, "a vocabulary of {} entries; expected at most {}, as the model",
                    tokeniser.size(), rows);
}

models::TextEncoderDims dims_of(const data::Tokeniser& tokeniser) {
  const int64_t end = std::max(tokeniser.end_id(), 0);
  const auto known = [&](int32_t id) { return id < 0 ? end : id; };
  return {.vocab = tokeniser.size(),
          .unknown_id = known(tokeniser.unknown_id()),
          .begin_id = known(tokeniser.begin_id()),
          .end_id = end};
}

std::vector<Asset> assets_of(const TextAssets& text) {
  std::vector<Asset> out;
  if (text.tokeniser) out.push_back({kSourceVocabulary, text.tokeniser->serialise()});
  for (size_t set = 0; set < text.labels.size(); ++set) {
    out.push_back({name_of_labels(set), text.labels[set].serialise()});
  }
  return out;
}

}  // namespace weft::model_file
