#include "weft/model_file/tagger.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/model_file/header.h"

namespace weft::model_file {
namespace {

// What the options of a file say of its assets.
struct Sizes {
  models::TextEncoderDims text;
  int64_t characters = 0;
  std::vector<int64_t> word_labels, text_labels;  // labels of each column

  template <class V>
  void fields(V& v) {
    text.fields(v);
    v("character-count", characters, {.help = "vocabulary of characters", .min = 0});
    v("word-label-counts", word_labels, {.help = "labels of each column of words", .min = 1});
    v("text-label-counts", text_labels, {.help = "labels of each column of texts", .min = 1});
  }
  std::vector<int64_t> labels() const {
    std::vector<int64_t> out = word_labels;
    out.insert(out.end(), text_labels.begin(), text_labels.end());
    return out;
  }
};

// What the file says beside the options of the network.
struct TaggerMetadata {
  Sizes dims;
  data::LabelledFields trained_on;

  template <class V>
  void fields(V& v, const models::TaggerOptions&) {
    dims.fields(v);
    trained_on.fields(v);
  }
};

// The vocabulary of characters that the options say there is.
data::TokeniserPtr read_characters(ContentsReader& file, const models::TaggerOptions& options,
                                   int64_t characters) {
  if (!options.characters.is_on()) return nullptr;
  data::TokeniserPtr out = read_vocabulary(file, kCharacterVocabulary);
  if (out->size() != characters) {
    fail<FormatError>(file.path(), "a vocabulary of {} characters; the options say {}", out->size(),
                      characters);
  }
  if (out->begin_id() == out->end_id()) {
    fail<FormatError>(file.path(), "{} has no begin symbol; expected one", kCharacterVocabulary);
  }
  return out;
}

void check_fields(const TaggerMetadata& metadata, const std::string& path) {
  const data::LabelledFields& fields = metadata.trained_on;
  if (!fields.is_known() || (fields.word_labels.size() == metadata.dims.word_labels.size() &&
                             fields.text_labels.size() == metadata.dims.text_labels.size())) {
    return;
  }
  fail<FormatError>(path, "{} fields of labels; expected one for each of {} columns",
                    fields.columns(), metadata.dims.labels().size());
}

models::Tagger tagger_with(const models::TaggerOptions& options, const TaggerAssets& assets,
                           const models::TextEncoderDims& text) {
  models::TaggerDims dims{.encoder = text};
  if (assets.characters != nullptr) {
    dims.characters = assets.characters->size();
    dims.character_end_id = assets.characters->end_id();
  }
  std::vector<std::vector<std::string>> labels;
  for (const data::LabelSet& set : assets.text.labels) labels.push_back(set.names());
  dims.columns = models::label_columns(options, labels, assets.word_columns);
  return {options, dims};
}

}  // namespace

TaggerSession TaggerSession::open(ContentsReader& file) {
  const auto header = read_header<TaggerSession, TaggerMetadata>(file);
  const std::vector<int64_t> labels = header.metadata.dims.labels();
  if (labels.empty()) fail<FormatError>(file.path(), "no column of labels; expected at least one");
  TaggerAssets assets{read_text_assets(file, labels.size()),
                      header.metadata.dims.word_labels.size(),
                      read_characters(file, header.options, header.metadata.dims.characters),
                      header.metadata.trained_on};
  check_fields(header.metadata, file.path());
  check_text_assets(assets.text, header.metadata.dims.text.vocab, labels, file.path());
  models::Tagger model = make_model(
      file, [&] { return tagger_with(header.options, assets, header.metadata.dims.text); });
  return {std::move(model), {}, std::move(assets)};
}

Contents TaggerSession::contents() const {
  TaggerMetadata metadata;
  metadata.trained_on = assets.trained_on;
  metadata.dims.text = model.dims.encoder;
  for (const models::LabelColumn& column : model.dims.columns) {
    (column.is_of_text ? metadata.dims.text_labels : metadata.dims.word_labels)
        .push_back(column.labels);
  }
  std::vector<Asset> out = assets_of(assets.text);
  if (assets.characters != nullptr) {
    metadata.dims.characters = assets.characters->size();
    out.push_back({kCharacterVocabulary, assets.characters->serialise()});
  }
  return contents_of(*this, std::move(metadata), std::move(out));
}

models::Tagger make_tagger(const models::TaggerOptions& options, const TaggerAssets& assets) {
  return tagger_with(options, assets, dims_of(*assets.text.tokeniser));
}

TaggerSession new_tagger(const models::TaggerOptions& options, TaggerAssets assets, uint64_t seed) {
  models::Tagger model = make_tagger(options, assets);
  TaggerSession session{std::move(model), {}, std::move(assets)};
  initialise(session, seed);
  return session;
}

void check_same_assets(const TaggerSession& first, const TaggerSession& other,
                       std::string_view path) {
  const auto check = [&](bool fits, std::string_view what) {
    if (!fits) fail<OptionError>(path, "the {} those of the first model; expected the same", what);
  };
  check(is_same(first.tokeniser(), other.tokeniser()), "vocabulary is not");
  check(first.assets.word_columns == other.assets.word_columns &&
            std::ranges::equal(first.labels(), other.labels(), {}, &data::LabelSet::names,
                               &data::LabelSet::names),
        "labels are not");
  check(first.model.options.with_begin() == other.model.options.with_begin(),
        "begin symbols, which --pooling first reads, are not");
}

}  // namespace weft::model_file
