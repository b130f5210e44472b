// Text as pairs: a source in which spans are missing, and a target that holds them.
#ifndef WEFT_TASKS_SPAN_CORRUPTION_CORRUPTION_H_
#define WEFT_TASKS_SPAN_CORRUPTION_CORRUPTION_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/core/random.h"
#include "weft/data/batch.h"
#include "weft/data/text/tokeniser.h"
#include "weft/models/seq2seq/seq2seq_options.h"

namespace weft::tasks {

// How much of a text is missing.
struct SpanCounts {
  int64_t tokens = 0;  // missing, in all spans
  int64_t spans = 0;
};

struct CorruptionOptions {
  double ratio = 0.15;
  double mean_length = 3;

  template <class V>
  void fields(V& v) {
    v("corruption-ratio", ratio,
      {.help = "share of a sequence's tokens that are missing in the source, one token at least "
               "(Raffel et al. 2020, arXiv 1910.10683)",
       .min = 1e-6,
       .max = 1});
    v("mean-span-length", mean_length,
      {.help = "mean length of the spans of missing tokens, in tokens", .min = 1, .max = 1e6});
  }

  // Of a text of `tokens` tokens, one at least. There are no more spans than `sentinels`, and a
  // token at least between two of them.
  SpanCounts counts(int64_t tokens, int64_t sentinels) const;
};

// What stands for span `i` of a text: <extra_id_0>, <extra_id_1>, ..., as in T5.
std::string sentinel(int64_t i);
// The ids of the sentinels that a vocabulary has, from the first on, without a gap.
std::vector<int32_t> sentinels_of(const data::Tokeniser& tokeniser);

// The draws of a batch: the same key, pass and number of an example draw the same.
struct CorruptionDraw {
  PhiloxKey key = {};
  uint32_t pass = 0;
  std::span<const uint32_t> numbers;  // [B] of the examples
};

class Corruption {
 public:
  // Throws FormatError, naming `where`, for a vocabulary without sentinels.
  Corruption(const CorruptionOptions& options, const data::Tokeniser& tokeniser,
             const std::string& where);

  int64_t sentinels() const { return std::ssize(sentinels_); }
  // Tokens, end symbols included, of the pair that a text of `tokens` tokens becomes.
  models::PairLengths lengths(int64_t tokens) const;

  // Pairs of a batch of data::LineSequences. The spans of each example are drawn: every choice
  // of spans with these counts has the same probability.
  //   A B C D E F G  ->  A <0> D E <1>   and   <0> B C <1> F G, each with the end symbol
  data::Batch operator()(const data::Batch& lines, const CorruptionDraw& draw) const;

 private:
  CorruptionOptions options_;
  std::vector<int32_t> sentinels_;
  int32_t end_id_;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_SPAN_CORRUPTION_CORRUPTION_H_
