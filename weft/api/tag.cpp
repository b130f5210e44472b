#include "weft/tag.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/tagging/tagger.h"

namespace weft {
namespace {

struct TaggerOptions {
  bool scores = false;
  predict::TaggerOptions tagging;

  template <class V>
  void fields(V& v) {
    v("scores", scores, {.help = "also the probability of each label"});
    tagging.fields(v);
  }
};

}  // namespace

struct Tagger::State {
  std::vector<model_file::TaggerSession> sessions;
  predict::Tagger tagger;

  State(const std::vector<Model>& models, const TaggerOptions& options)
      : sessions(sessions_of(models)), tagger(sessions, options.tagging, options.scores) {}

  static std::vector<model_file::TaggerSession> sessions_of(const std::vector<Model>& models) {
    auto out = api::sessions_of<model_file::TaggerSession>(models);
    for (size_t i = 1; i < out.size(); ++i) {
      model_file::check_same_assets(out.front(), out[i], models[i].path());
    }
    return out;
  }

  std::vector<TaggedText> tag(std::vector<predict::Words> texts, Report* report) const {
    std::vector<TaggedText> out;
    out.reserve(texts.size());
    std::vector<predict::TaggedText> found = api::predict_all(tagger, texts, report);
    for (size_t i = 0; i < texts.size(); ++i) {
      TaggedText& text = out.emplace_back();
      text.words = std::move(texts[i].words);
      text.fault = std::move(found[i].fault);
      for (predict::TaggedText::Column& column : found[i].columns) {
        text.columns.push_back(
            {.labels = std::move(column.labels), .probabilities = std::move(column.probabilities)});
      }
    }
    return out;
  }
};

Tagger::Tagger(const Model& model, const Options& options) : Tagger(std::vector{model}, options) {}

Tagger::Tagger(const std::vector<Model>& models, const Options& options)
    : state_(std::make_shared<const State>(models, api::read_options<TaggerOptions>(options))) {}

std::vector<TaggedText> Tagger::tag(std::span<const std::string> texts, Report* report) const {
  std::vector<predict::Words> words;
  words.reserve(texts.size());
  for (const std::string& text : texts) words.push_back(predict::words_of({.text = text}));
  return state_->tag(std::move(words), report);
}

std::vector<TaggedText> Tagger::tag(std::span<const std::vector<std::string>> texts,
                                    Report* report) const {
  std::vector<predict::Words> words;
  words.reserve(texts.size());
  for (const std::vector<std::string>& text : texts) words.push_back({.words = text});
  return state_->tag(std::move(words), report);
}

}  // namespace weft
