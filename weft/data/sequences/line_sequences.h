// Lines of text as sequences of tokens, whole in memory: what masked language models and
// encoder-decoders are pretrained on.
#ifndef WEFT_DATA_SEQUENCES_LINE_SEQUENCES_H_
#define WEFT_DATA_SEQUENCES_LINE_SEQUENCES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/data/dataset.h"
#include "weft/data/labels/labelled_corpus.h"

namespace weft::data {

// A line that is longer than the options allow is cut into several sequences, each with special
// symbols. A batch has two fields with the same segments: Tokens, and Labels, for each token the
// number of its word in the sequence, or kNoLabel for special symbols and unknown tokens. Words are
// what is between spaces where tokens are made by word, else each token is one.
class LineSequences : public Dataset {
 public:
  // Throws what read_training_texts() throws, and FormatError where there is no known token.
  LineSequences(const std::vector<std::string>& files, const TokenOptions& tokens,
                const Tokeniser& tokeniser);

  int64_t size() const override { return std::ssize(sequences_); }
  Cost cost(int64_t example) const override { return {.rows = sequences_[at(example)].rows}; }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;

  // Tokens of the sequence that are neither special symbols nor unknown; at least one.
  int64_t known_tokens(int64_t example) const { return sequences_[at(example)].known; }
  // "train.txt: 1000 lines, 1020 sequences, 43210 tokens, unknown 0.1 %"
  std::string report() const;

 private:
  struct Sequence {
    int64_t begin = 0;  // in ids_
    int64_t rows = 0;
    int64_t known = 0;
  };
  static size_t at(int64_t index) { return static_cast<size_t>(index); }
  void add_line(const EncodedText& line, const TokenOptions& tokens, const Tokeniser& tokeniser);
  void add_sequence(std::span<const int32_t> ids, std::span<const int32_t> words,
                    const TokenOptions& tokens, const Tokeniser& tokeniser);

  std::string name_;
  std::vector<int32_t> ids_, words_;  // of all sequences
  std::vector<Sequence> sequences_;
  int64_t lines_ = 0, tokens_ = 0, unknown_ = 0;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SEQUENCES_LINE_SEQUENCES_H_
