#include "weft/tasks/labels/labelled_data.h"

#include <algorithm>

#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/file_names.h"
#include "weft/predict/token_limit.h"
#include "weft/tasks/open_vocabularies.h"

namespace weft::tasks {

LabelledData::LabelledData(const LabelledDataOptions& options, data::LabelledCorpusOptions rules,
                           std::vector<std::string> valid_sets, std::vector<std::string> unlabelled)
    : options_(options),
      corpus_options_(std::move(rules)),
      valid_sets_(std::move(valid_sets)),
      unlabelled_(std::move(unlabelled)) {}

data::VocabularyText LabelledData::vocabulary_text() const {
  std::vector<std::string> all = options_.train_sets;
  all.insert(all.end(), unlabelled_.begin(), unlabelled_.end());
  const auto name = [all](std::span<const int64_t>) { return data::joined_names(all); };
  const auto read = [files = options_.train_sets, unlabelled = unlabelled_,
                     text = corpus_options_.text](std::span<const int64_t>,
                                                  const data::VocabularyText::Take& take) {
    const bool has_pairs = text.pair_field != data::kNoField;
    const auto take_all = [&](std::string_view one, std::string_view pair) {
      take(one);
      if (has_pairs) take(pair);
    };
    if (!files.empty()) {
      data::read_labelled_text(files, text, [&](const data::LabelledText& one) {
        take_all(one.example().text, one.example().pair);
      });
    }
    data::read_plain_texts(unlabelled, has_pairs,
                           [&](const data::PlainText& one) { take_all(one.text, one.pair); });
  };
  return {name, read};
}

void LabelledData::collect_labels() {
  if (options_.train_sets.empty()) return;
  labels_ =
      data::collect_labels(options_.train_sets, corpus_options_.text, corpus_options_.invalid_tags);
}

void LabelledData::open_vocabulary(train::Group& group, uint64_t seed) {
  vocabularies_ = open_vocabularies(group, options_, vocabulary_text(), seed);
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
  data::LabelledCorpusOptions weighted = corpus_options_;
  weighted.text.weight_field = weight_field_;
  training_ = std::make_shared<const data::LabelledCorpus>(options_.train_sets, std::move(weighted),
                                                           tokeniser(), labels_, unlabelled_);
  log::info("{}", training_->report());
}

std::shared_ptr<const data::LabelledCorpus> LabelledData::read_as(
    const OtherReading& reading) const {
  data::LabelledCorpusOptions options{.text = corpus_options_.text, .tokens = reading.tokens};
  options.text.labels.clear();
  options.tokens.max_length = predict::token_limit(options_.max_length, reading.capacity,
                                                   options.tokens.with_begin ? 2 : 1);
  return std::make_shared<const data::LabelledCorpus>(options_.train_sets, std::move(options),
                                                      reading.tokeniser,
                                                      std::vector<data::LabelSet>(), unlabelled_);
}

uint64_t LabelledData::fingerprint() const {
  Hash hash;
  hash.add(training_->fingerprint());
  for (const data::LabelSet& set : labels_) hash.add(set.fingerprint());
  return hash.value();
}

}  // namespace weft::tasks
