// Parallel text as a data set of token ids.
#ifndef WEFT_DATA_CORPUS_CORPUS_H_
#define WEFT_DATA_CORPUS_CORPUS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/data/corpus/corpus_reader.h"
#include "weft/data/dataset.h"

namespace weft::data {

// The ids of examples, in memory or in a file. Any number of threads may read.
class CorpusTokens {
 public:
  virtual ~CorpusTokens() = default;
  // Of one field of an example, without the end symbol. Throws FileError for a file that cannot be
  // read or has changed.
  virtual std::vector<int32_t> ids(int64_t field, int64_t example) const = 0;
  virtual int64_t length(int64_t field, int64_t example) const = 0;  // ids
  virtual int64_t line(int64_t example) const = 0;  // where it is in its file, from 0
};

// Tokenised text.
struct CorpusContents {
  std::shared_ptr<const CorpusTokens> tokens;
  CorpusParts parts;
  uint64_t fingerprint = 0;
};

// A field for each tokeniser. What an example costs is its target's rows, then those of the others.
class Corpus : public Dataset {
 public:
  // Reads text into memory; throws as read_corpus does.
  explicit Corpus(const CorpusText& text);
  Corpus(const std::vector<CorpusFiles>& parts, std::vector<TokeniserPtr> tokenisers,
         const CorpusLimits& limits);
  // Of text that was read before, or a chunk of it.
  Corpus(const CorpusText& text, CorpusContents contents);
  Corpus(const CorpusText& text, ChunkWords chunk);

  int64_t size() const override { return contents_.parts.size(); }
  Cost cost(int64_t example) const override;
  // Throws as CorpusTokens::ids() does.
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override { return contents_.fingerprint; }
  std::vector<Part> parts() const override;

  int64_t field_count() const { return std::ssize(tokenisers_); }
  // As CorpusTokens has them.
  std::vector<int32_t> ids(int64_t field, int64_t example) const {
    return contents_.tokens->ids(field, example);
  }
  int64_t length(int64_t field, int64_t example) const {
    return contents_.tokens->length(field, example);
  }
  int64_t line(int64_t example) const { return contents_.tokens->line(example); }
  const std::vector<CorpusReport>& reports() const { return contents_.parts.reports; }

 private:
  std::vector<TokeniserPtr> tokenisers_;
  std::vector<double> weights_;  // of each part
  CorpusContents contents_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_CORPUS_H_
