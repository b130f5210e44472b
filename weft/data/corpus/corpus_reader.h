// From text to chunks of token ids.
#ifndef WEFT_DATA_CORPUS_CORPUS_READER_H_
#define WEFT_DATA_CORPUS_CORPUS_READER_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weft/data/corpus/corpus_chunk.h"
#include "weft/data/corpus/corpus_report.h"
#include "weft/data/corpus/parallel_text.h"
#include "weft/data/text/tokeniser.h"

namespace weft::data {

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

// Corpora one after the other, and the tokenisers of their fields.
struct CorpusText {
  std::vector<CorpusFiles> parts;
  std::vector<TokeniserPtr> tokenisers;
  CorpusLimits limits;

  int64_t field_count() const { return std::ssize(tokenisers); }
};

// Ids of field f are below the number f.
std::vector<int32_t> vocabulary_sizes(std::span<const TokeniserPtr> tokenisers);

// The parts of what was read: part p is examples begins[p] .. begins[p + 1].
struct CorpusParts {
  std::vector<int64_t> begins{0};
  std::vector<CorpusReport> reports;  // of each part

  int64_t size() const { return begins.back(); }  // examples
};

// Calls take(chunk) for every chunk, in order, and of files that are read as they come
// (CorpusFiles::standard_input) also for what there is where they pause; nothing read stays in
// memory. Tokenises on all compute threads. Throws FormatError when there is no usable line in a
// part, and what reading, tokenising and `take` throw.
CorpusParts read_corpus(const CorpusText& text, const std::function<void(ChunkWords)>& take);

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_CORPUS_READER_H_
