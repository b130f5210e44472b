// Taggers as files, with their tokeniser, characters and labels.
#ifndef WEFT_MODEL_FILE_TAGGER_H_
#define WEFT_MODEL_FILE_TAGGER_H_

#include <string>
#include <string_view>

#include "weft/data/labels/labelled_fields.h"
#include "weft/data/labels/word_characters.h"
#include "weft/model_file/session.h"
#include "weft/model_file/text_assets.h"
#include "weft/models/tagger.h"

namespace weft::model_file {

// What a tagger has beside its weights.
struct TaggerAssets {
  TextAssets text;                       // label sets of words, then those of texts
  size_t word_columns = 0;               // label sets of words
  data::TokeniserPtr characters = {};    // null where they are not read
  data::LabelledFields trained_on = {};  // not known of files of earlier versions
};

struct TaggerSession {
  static constexpr std::string_view kKind = "tagger";

  models::Tagger model;
  Tensor parameters;  // [P], flat, in visiting order; empty where packed
  TaggerAssets assets;

  static TaggerSession open(ContentsReader& file);
  Contents contents() const;
  const data::Tokeniser& tokeniser() const { return *assets.text.tokeniser; }
  const std::vector<data::LabelSet>& labels() const { return assets.text.labels; }
  data::WordCharacters characters() const {
    return {assets.characters, model.options.characters.max_length};
  }
};

// Throws OptionError if the options contradict the labels or each other.
TaggerSession new_tagger(const models::TaggerOptions& options, TaggerAssets assets, uint64_t seed);

// Shapes only, as models::Tagger's constructor.
models::Tagger make_tagger(const models::TaggerOptions& options, const TaggerAssets& assets);

// Throws OptionError, naming `path`, the file of `other`, unless it has the vocabularies and labels
// of `first`.
void check_same_assets(const TaggerSession& first, const TaggerSession& other,
                       std::string_view path);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_TAGGER_H_
