// Parallel text as token ids, whole in memory.
#ifndef WEFT_DATA_CORPUS_H_
#define WEFT_DATA_CORPUS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/data/batch.h"
#include "weft/data/options.h"
#include "weft/data/parallel_text.h"
#include "weft/data/tokeniser.h"

namespace weft::data {

// What became of the lines of one corpus. A line is counted under the first fault found.
struct CorpusReport {
  std::string name;
  int64_t lines = 0;
  int64_t kept = 0;
  int64_t over_long = 0;  // lines over the limit in bytes
  int64_t bad_utf8 = 0;
  int64_t few_columns = 0;
  int64_t empty = 0;             // pairs with a side without tokens
  int64_t too_long = 0;          // pairs with a side over its max_lengths that were left out
  int64_t cropped = 0;           // pairs kept with a side cut to its max_lengths
  std::vector<int64_t> tokens;   // kept, of each side, without end symbols
  std::vector<int64_t> unknown;  // unknown ones among them

  int64_t faults() const { return over_long + bad_utf8 + few_columns + empty + too_long; }
  // "train.en + train.de: 29000 lines, 28996 kept (3 empty, 1 not UTF-8); tokens 380000 + 400000,
  // unknown 0.02 % + 0.5 %"
  std::string text() const;
};

// How lines become sentences.
struct CorpusLimits {
  // Tokens without the end symbol, of each side; 0 or not said: any.
  std::vector<int64_t> max_lengths = {};
  bool crop = false;  // cut what is longer, instead of leaving it out
  // Every line is kept, one sentence each: what is too long is cut, what cannot be read is repaired
  // or becomes an empty sentence; the report counts them all the same.
  bool keep_all = false;
  size_t max_line_bytes = kMaxLineBytes;
};

class Corpus {
 public:
  // Reads corpora one after the other, encoding on all compute threads. Throws FormatError when
  // there is no usable line in one of them, and what reading throws.
  Corpus(const std::vector<CorpusFiles>& parts, std::vector<TokeniserPtr> tokenisers,
         const CorpusLimits& limits);

  int64_t size() const { return std::ssize(lines_); }  // sentences
  int64_t sides() const { return std::ssize(tokenisers_); }
  // Ids of one side of a sentence, without the end symbol.
  std::span<const int32_t> ids(int64_t side, int64_t sentence) const {
    const Arena& arena = arenas_[side];
    return std::span(arena.ids).subspan(arena.offsets[sentence], length(side, sentence));
  }
  int64_t length(int64_t side, int64_t sentence) const {
    return arenas_[side].offsets[sentence + 1] - arenas_[side].offsets[sentence];
  }
  int64_t line(int64_t sentence) const { return lines_[sentence]; }  // in its file, from 0

  // Part p is sentences part_begin(p) .. part_begin(p + 1).
  int64_t parts() const { return std::ssize(reports_); }
  int64_t part_begin(int64_t part) const { return part_begins_[part]; }
  const std::vector<CorpusReport>& reports() const { return reports_; }

  Batch batch(std::span<const int64_t> sentences) const;
  // The same number for the same ids in the same order, and hardly ever for others.
  uint64_t fingerprint() const;

 private:
  struct Arena {
    std::vector<int32_t> ids;
    std::vector<int64_t> offsets{0};
  };
  struct Block;
  void read(const CorpusFiles& files, const CorpusLimits& limits);
  void encode(Block& block) const;
  void append(Block& block, const CorpusLimits& limits, CorpusReport& report);

  std::vector<TokeniserPtr> tokenisers_;
  std::vector<Arena> arenas_;
  std::vector<int64_t> lines_;
  std::vector<int64_t> part_begins_{0};
  std::vector<CorpusReport> reports_;
};

// The corpora of --train-sets.
Corpus load_training_corpus(const DataOptions& options, std::vector<TokeniserPtr> tokenisers);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_H_
