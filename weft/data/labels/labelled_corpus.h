// Labelled text as token ids and label ids, whole in memory: what taggers and classifiers train on.
#ifndef WEFT_DATA_LABELS_LABELLED_CORPUS_H_
#define WEFT_DATA_LABELS_LABELLED_CORPUS_H_

#include <string>
#include <vector>

#include "weft/data/labels/bio.h"
#include "weft/data/labels/label_set.h"
#include "weft/data/labels/labelled_dataset.h"
#include "weft/data/labels/labelled_text.h"
#include "weft/data/labels/word_characters.h"
#include "weft/data/sequences/plain_texts.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {

// How a text becomes tokens.
struct TokenOptions {
  int64_t max_length = 0;          // tokens without special symbols; 0: any
  bool by_word = false;            // each word by itself, so that the first token of each is known
  bool with_begin = false;         // the begin symbol stands before the others
  WordCharacters characters = {};  // of each word, by_word
};

struct LabelledCorpusOptions {
  LabelledTextOptions text;
  TokenOptions tokens = {};
  // Of labels of words that are BIO.
  InvalidTags invalid_tags = InvalidTags::kRepair;
};

// The tokens of a word as in a text that has it: tokenisers of other systems may tell its first
// word from others by the space before these.
std::vector<int32_t> encode_word(const Tokeniser& tokeniser, std::string_view word, bool is_first);

// The tokens of one text: the begin symbol where wanted, its tokens, the end symbol.
struct EncodedText {
  std::vector<int32_t> ids;
  std::vector<int32_t> words;       // by_word: the row of each word's first token
  std::vector<int32_t> characters;  // of these words, where they are read
  std::vector<int32_t> types;       // of two texts: of each token; empty: all are 0
  bool is_cropped = false;          // tokens, and words with them, were left out at the end
};
// `words` are read where the rule is by word, else the text. Of a first word that is longer than
// the rule allows, some tokens are left out; other words are left out whole.
EncodedText encode_text(const Tokeniser& tokeniser, const TokenOptions& params,
                        std::string_view text, std::span<const std::string_view> words);

// Two texts: what the tokeniser puts around them, such as [CLS] a [SEP] b [SEP], or else the begin
// symbol where wanted and the end symbol after each, with the types 0 and 1. The longer one is cut
// at its end until both have at most `max_length` tokens together, less the special symbols that
// one text does not have. Not by word.
EncodedText encode_pair(const Tokeniser& tokeniser, const TokenOptions& params,
                        std::string_view first, std::string_view second);

// The fields of a batch: Tokens with their special symbols; Labels for each LabelField, those of a
// line or one for each word; where tokens are made by word, Labels with the row in its example of
// each word's first token; and Tokens with the characters of all words, where they are read. Where
// examples have weights, those are the values of the first Labels, whose lines have one label each.
class LabelledCorpus : public LabelledDataset {
 public:
  // Throws FormatError for an example with a fault, naming file and line, for a label that its set
  // does not have, and where there is no example; and what reading throws. `unlabelled` are files
  // of plain text, whose examples have no labels and come after the others; without `files` there
  // are no others.
  LabelledCorpus(const std::vector<std::string>& files, LabelledCorpusOptions options,
                 TokeniserPtr tokeniser, const std::vector<LabelSet>& sets,
                 const std::vector<std::string>& unlabelled = {});

  int64_t labelled() const override { return labelled_; }
  int64_t size() const override { return std::ssize(examples_); }
  Cost cost(int64_t example) const override;  // in tokens, special symbols included
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;

  std::span<const int32_t> labels(int64_t example, size_t field) const override;
  int64_t words(int64_t example) const { return std::ssize(examples_[at(example)].text.words); }
  std::string report() const override;

 private:
  struct Example {
    EncodedText text;
    std::vector<std::vector<int32_t>> labels;  // for each LabelField
    float weight = 1;
  };
  bool has_weights() const { return options_.text.weight_field != kNoField; }
  static size_t at(int64_t index) { return static_cast<size_t>(index); }
  void add(const LabelledText& text, const std::vector<LabelSet>& sets);
  void add_unlabelled(const PlainText& text);
  void add(Example example);
  EncodedText encode(const PlainText& text, std::span<const std::string_view> words) const;

  LabelledCorpusOptions options_;
  TokeniserPtr tokeniser_;
  std::vector<bool> is_bio_;  // for each LabelField
  std::string name_;
  std::vector<Example> examples_;
  int64_t labelled_ = 0;
  int64_t tokens_ = 0, unknown_ = 0, cropped_ = 0, repaired_ = 0;
};

// The labels of the training text, the most frequent first, for each LabelField. Throws as
// LabelledCorpus does.
std::vector<LabelSet> collect_labels(const std::vector<std::string>& files,
                                     const LabelledTextOptions& options, InvalidTags invalid_tags);

}  // namespace weft::data

#endif  // WEFT_DATA_LABELS_LABELLED_CORPUS_H_
