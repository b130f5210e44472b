// Parallel text as a data set of token ids.
#ifndef WEFT_DATA_CORPUS_H_
#define WEFT_DATA_CORPUS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "weft/data/corpus_reader.h"
#include "weft/data/dataset.h"

namespace weft::data {

// Tokenised text and what holds its memory.
struct CorpusContents {
  std::vector<CorpusChunk> chunks;
  CorpusParts parts;
  std::optional<uint64_t> fingerprint;  // where it is known
  std::shared_ptr<const void> memory;
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
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;
  std::vector<Part> parts() const override;

  int64_t field_count() const { return std::ssize(tokenisers_); }
  // Ids of one field of an example, without the end symbol.
  std::span<const int32_t> ids(int64_t field, int64_t example) const {
    const CorpusChunk::Field& in = field_of(field, example);
    const int64_t i = example % kChunkExamples;
    return in.ids.subspan(in.offsets[i], in.offsets[i + 1] - in.offsets[i]);
  }
  int64_t length(int64_t field, int64_t example) const {
    const CorpusChunk::Field& in = field_of(field, example);
    const int64_t i = example % kChunkExamples;
    return in.offsets[i + 1] - in.offsets[i];
  }
  // Where the example stands in its file, from 0.
  int64_t line(int64_t example) const {
    return contents_.chunks[example / kChunkExamples].lines[example % kChunkExamples];
  }
  const std::vector<CorpusReport>& reports() const { return contents_.parts.reports; }

 private:
  const CorpusChunk::Field& field_of(int64_t field, int64_t example) const {
    return contents_.chunks[example / kChunkExamples].fields[field];
  }

  std::vector<TokeniserPtr> tokenisers_;
  std::vector<double> weights_;  // of each part
  CorpusContents contents_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_H_
