#include "weft/tag.h"

#include <fmt/format.h>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/predictor_options.h"
#include "weft/api/read_options.h"
#include "weft/data/labels/layout_hint.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/tasks/tagging/options.h"

namespace weft {
namespace api {

std::vector<model_file::TaggerSession> tagger_sessions(const std::vector<Model>& models) {
  auto out = sessions_of<model_file::TaggerSession>(models);
  for (size_t i = 1; i < out.size(); ++i) {
    model_file::check_same_assets(out.front(), out[i], models[i].path());
  }
  return out;
}

}  // namespace api

using api::TaggerOptions;

struct Tagger::State {
  std::vector<model_file::TaggerSession> sessions;
  predict::Tagger tagger;

  State(const std::vector<Model>& models, const TaggerOptions& options)
      : sessions(api::tagger_sessions(models)), tagger(sessions, options.tagging, options.scores) {}

  std::vector<TaggedText> tag(std::vector<Words> texts, Report* report) const {
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

const OptionSchema& Tagger::schema() { return api::schema_of<TaggerOptions>(); }

std::vector<TaggedText> Tagger::tag(std::span<const std::string> texts, Report* report) const {
  std::vector<Words> words;
  words.reserve(texts.size());
  for (const std::string& text : texts) words.push_back(words_of({.text = text}));
  return state_->tag(std::move(words), report);
}

std::vector<TaggedText> Tagger::tag(std::span<const std::vector<std::string>> texts,
                                    Report* report) const {
  std::vector<Words> words;
  words.reserve(texts.size());
  for (const std::vector<std::string>& text : texts) words.push_back({.words = text});
  return state_->tag(std::move(words), report);
}

std::vector<TaggedText> Tagger::tag(std::span<const Words> texts, Report* report) const {
  return state_->tag({texts.begin(), texts.end()}, report);
}

Words words_of(const Line& line) {
  if (line.fault) return {.fault = line.fault};
  Words out;
  data::for_each_word(line.text, [&](std::string_view word) { out.words.emplace_back(word); });
  if (out.words.empty()) out.fault = Fault{FaultKind::kEmpty, "no word"};
  return out;
}

std::string labelled_format(const Model& tagger, std::string_view line) {
  const auto& session = api::session_of<model_file::TaggerSession>(tagger);
  const data::LabelledFields& fields = session.assets.trained_on;
  return data::has_known_labels(line, fields, session.labels()) ? fields.format : "";
}

namespace {

struct LabelledWordsOptions {
  std::string format;
  std::optional<int64_t> text_field = {};

  template <class V>
  void fields(V& v) {
    v("format", format,
      {.help = "how texts and their fields, numbered from 0, are laid out, as in weft train "
               "tagging; none: as in the training of the model",
       .choices = "tsv|files|first-word|jsonl|conll|conllu"});
    tasks::LabelledTextLayout::text_field_field(v, text_field);
  }

  data::LabelledTextOptions reading(const data::LabelledFields& trained_on) const {
    tasks::LabelledTextLayout layout{format, text_field};
    layout.follow(trained_on);
    const data::LabelledFields fields{.format = layout.format,
                                      .text = tasks::TagFieldOptions::text_field(layout)};
    data::LabelledTextOptions out = fields.reading();
    out.standard_input = data::StandardInput::kAsItComes;
    return out;
  }
};

}  // namespace

struct LabelledWords::State {
  std::unique_ptr<data::LabelledText> text;
};

LabelledWords::LabelledWords(const Model& tagger, const std::string& path, const Options& options) {
  const auto given = api::read_options<LabelledWordsOptions>(options);
  const auto& session = api::session_of<model_file::TaggerSession>(tagger);
  state_ = std::make_unique<State>(
      State{data::open_labelled_text({path}, given.reading(session.assets.trained_on))});
}

LabelledWords::~LabelledWords() = default;
LabelledWords::LabelledWords(LabelledWords&&) noexcept = default;
LabelledWords& LabelledWords::operator=(LabelledWords&&) noexcept = default;

const OptionSchema& LabelledWords::schema() { return api::schema_of<LabelledWordsOptions>(); }

bool LabelledWords::next(Words& words) {
  data::LabelledText& text = *state_->text;
  if (!text.next()) return false;
  words = {};
  if (const std::optional<data::ExampleFault>& fault = text.fault()) {
    words.fault = Fault{FaultKind::kUnreadable, fmt::format("{}: {}", fault->where, fault->what)};
  } else {
    words.words.assign(text.example().words.begin(), text.example().words.end());
  }
  return true;
}

bool LabelledWords::is_ready() { return state_->text->is_ready(); }

}  // namespace weft
