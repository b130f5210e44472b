// What a training on labelled text reads: its vocabulary, its sets of labels, and its examples.
#ifndef WEFT_TASKS_LABELS_LABELLED_DATA_H_
#define WEFT_TASKS_LABELS_LABELLED_DATA_H_

#include <memory>
#include <string>
#include <vector>

#include "weft/data/labels/labelled_corpus.h"
#include "weft/data/text/open_vocabularies.h"
#include "weft/tasks/labels/options.h"
#include "weft/train/distributed/group.h"

namespace weft::tasks {

// How another model reads the same text: a teacher.
struct OtherReading {
  data::TokeniserPtr tokeniser;
  data::TokenOptions tokens = {};  // their max_length is not read
  int64_t capacity = 0;            // rows of a text that its tables have rows for
};

class LabelledData {
 public:
  LabelledData() = default;
  LabelledData(const LabelledDataOptions& options, data::LabelledCorpusOptions rules,
               std::vector<std::string> valid_sets, std::vector<std::string> unlabelled = {});

  // Makes the label sets, whose labels are those of the training text, if there is any, on every
  // rank.
  void collect_labels();
  // In place of these, and of the validation text where it has others.
  void set_labels(std::vector<data::LabelSet> labels) { labels_ = std::move(labels); }
  void set_validation_labels(std::vector<data::LabelSet> labels) {
    validation_labels_ = std::move(labels);
  }
  // In place of a vocabulary that is read or made.
  void set_tokeniser(data::TokeniserPtr tokeniser) {
    vocabularies_.fields = {std::move(tokeniser)};
  }
  // Reads or makes the vocabulary, on rank 0. Nothing is written.
  void open_vocabulary(train::Group& group, uint64_t seed);
  // Reads the examples of training on every rank and those of validation on rank 0; texts of more
  // than `capacity` tokens, special symbols included, are cut.
  void read(train::Group& group, int64_t capacity);
  // The examples of training as another model reads them, without labels.
  std::shared_ptr<const data::LabelledCorpus> read_as(const OtherReading& reading) const;

  const data::TokeniserPtr& tokeniser() const { return vocabularies_.fields.front(); }
  const std::vector<data::LabelSet>& labels() const { return labels_; }
  // The examples of training, but not of validation, have weights in this field; before they are
  // read.
  void set_weights(int64_t field) { weight_field_ = field; }
  // Examples have the characters of their words, too; before they are read.
  void set_characters(data::WordCharacters characters) {
    corpus_options_.tokens.characters = std::move(characters);
  }
  const std::shared_ptr<const data::LabelledCorpus>& training() const { return training_; }
  // Null where there is none.
  const std::shared_ptr<const data::LabelledCorpus>& validation() const { return validation_; }
  void write_made() const { vocabularies_.write_made(); }
  // Of the examples and the label sets.
  uint64_t fingerprint() const;

 private:
  // The text of all examples, to make a vocabulary of.
  data::VocabularyText vocabulary_text() const;

  LabelledDataOptions options_;
  data::LabelledCorpusOptions corpus_options_;
  std::vector<std::string> valid_sets_, unlabelled_;
  int64_t weight_field_ = data::kNoField;
  data::Vocabularies vocabularies_;
  std::vector<data::LabelSet> labels_, validation_labels_;  // the latter empty: the same
  std::shared_ptr<const data::LabelledCorpus> training_;
  std::shared_ptr<const data::LabelledCorpus> validation_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LABELS_LABELLED_DATA_H_
