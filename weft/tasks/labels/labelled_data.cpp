#include "weft/tasks/labels/labelled_data.h"

#include <algorithm>

#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/file_names.h"
#include "weft/predict/token_limit.h"
#include "weft/tasks/open_vocabularies.h"

namespace weft::tasks {

data::VocabularyText labelled_vocabulary_text(const std::vector<std::string>& files,
                                              const data::LabelledTextOptions& text) {
  const auto name = [files](std::span<const int64_t>) { return data::joined_names(files); };
  const auto read = [files, text](std::span<const int64_t>,
                                  const data::VocabularyText::Take& take) {
    data::read_labelled_text(files, text, [&](const data::LabelledText& one) {
      take(one.example().text);
      if (text.pair_field != data::kNoField) take(one.example().pair);
    });
  };
  return {name, read};
}

LabelledData::LabelledData(const LabelledDataOptions& options, data::LabelledCorpusOptions rules,
                           std::vector<std::string> valid_sets)
    : options_(options), corpus_options_(std::move(rules)), valid_sets_(std::move(valid_sets)) {}

void LabelledData::collect_labels() {
  labels_ =
      data::collect_labels(options_.train_sets, corpus_options_.text, corpus_options_.invalid_tags);
}

void LabelledData::open_vocabulary(train::Group& group, uint64_t seed) {
  vocabularies_ = open_vocabularies(
      group, options_, labelled_vocabulary_text(options_.train_sets, corpus_options_.text), seed);
}

void LabelledData::read(train::Group& group, int64_t capacity) {
  corpus_options_.tokens.max_length = predict::token_limit(
      options_.max_length, capacity, corpus_options_.tokens.with_begin ? 2 : 1);
  if (!valid_sets_.empty() && group.is_first()) {
    validation_ = std::make_shared<const data::LabelledCorpus>(
        valid_sets_, corpus_options_, tokeniser(),
        validation_labels_.empty() ? labels_ : validation_labels_);
    log::info("{}", validation_->report());
  }
  training_ = std::make_shared<const data::LabelledCorpus>(options_.train_sets, corpus_options_,
                                                           tokeniser(), labels_);
  log::info("{}", training_->report());
}

uint64_t LabelledData::fingerprint() const {
  Hash hash;
  hash.add(training_->fingerprint());
  for (const data::LabelSet& set : labels_) hash.add(set.fingerprint());
  return hash.value();
}

}  // namespace weft::tasks
