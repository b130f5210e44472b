// Parallel text as a data set of token ids.
#ifndef WEFT_DATA_CORPUS_H_
#define WEFT_DATA_CORPUS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/data/dataset.h"
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
  int64_t empty = 0;             // pairs with a field without tokens
  int64_t too_long = 0;          // pairs with a field over its max_lengths that were left out
  int64_t cropped = 0;           // pairs kept with a field cut to its max_lengths
  std::vector<int64_t> tokens;   // kept, of each field, without end symbols
  std::vector<int64_t> unknown;  // unknown ones among them

  int64_t faults() const { return over_long + bad_utf8 + few_columns + empty + too_long; }
  // "train.en + train.de: 29000 lines, 28996 kept (3 empty, 1 not UTF-8); tokens 380000 + 400000,
  // unknown 0.02 % + 0.5 %"
  std::string text() const;
};

// How lines become examples.
struct CorpusLimits {
  // Tokens without the end symbol, of each field; 0 or not said: any.
  std::vector<int64_t> max_lengths = {};
  bool crop = false;  // cut what is longer, instead of leaving it out
  // Every line is kept, one example each: what is too long is cut, what cannot be read is repaired
  // or becomes an empty example; the report counts them all the same.
  bool keep_all = false;
  size_t max_line_bytes = kMaxLineBytes;
};

// A field for each tokeniser. What an example costs is its target's rows, then those of the others.
class Corpus : public Dataset {
 public:
  // Reads corpora one after the other, encoding on all compute threads. Throws FormatError when
  // there is no usable line in one of them, and what reading throws.
  Corpus(const std::vector<CorpusFiles>& parts, std::vector<TokeniserPtr> tokenisers,
         const CorpusLimits& limits);

  int64_t size() const override { return std::ssize(lines_); }
  Cost cost(int64_t example) const override;
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;
  std::vector<Part> parts() const override;

  int64_t field_count() const { return std::ssize(tokenisers_); }
  // Ids of one field of an example, without the end symbol.
  std::span<const int32_t> ids(int64_t field, int64_t example) const {
    const Arena& arena = arenas_[field];
    return std::span(arena.ids).subspan(arena.offsets[example], length(field, example));
  }
  int64_t length(int64_t field, int64_t example) const {
    return arenas_[field].offsets[example + 1] - arenas_[field].offsets[example];
  }
  int64_t line(int64_t example) const { return lines_[example]; }        // in its file, from 0
  const std::vector<CorpusReport>& reports() const { return reports_; }  // of each part

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
  std::vector<double> weights_;  // of each part
  std::vector<CorpusReport> reports_;
};

// The corpora of --train-sets.
Corpus load_training_corpus(const DataOptions& options, std::vector<TokeniserPtr> tokenisers);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_H_
