// Which tokens of a batch a masked language model has to predict, and what it reads in their place.
#ifndef WEFT_TASKS_MASKED_LM_MASKING_H_
#define WEFT_TASKS_MASKED_LM_MASKING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/core/random.h"
#include "weft/data/batch.h"
#include "weft/model_file/masked_lm.h"

namespace weft::tasks {

struct MaskingOptions {
  double ratio = 0.15;
  double mask_share = 0.8;
  double random_share = 0.1;
  bool whole_words = false;

  template <class V>
  void fields(V& v) {
    v("mask-ratio", ratio,
      {.help = "share of a sequence's tokens that are predicted, one token at least (Devlin et al. "
               "2019, arXiv 1810.04805)",
       .min = 1e-6,
       .max = 1});
    v("mask-share", mask_share,
      {.help = "share of these in whose place the model reads the mask symbol",
       .min = 0,
       .max = 1});
    v("random-share", random_share,
      {.help = "share of these in whose place the model reads a random token; the others it reads "
               "as they are",
       .min = 0,
       .max = 1});
    v("whole-words", whole_words,
      {.help = "predict all tokens of a word, what is between spaces, or none of them"});
  }

  // Throws OptionError for shares of more than 1 together.
  void check() const;
  // The tokens that are predicted of `known` ones.
  int64_t predicted(int64_t known) const;
};

// The draws of a batch: the same key, pass and number of an example draw the same.
struct MaskingDraw {
  PhiloxKey key = {};
  uint32_t pass = 0;
  std::span<const uint32_t> numbers;  // [B] of the examples
};

struct MaskedBatch {
  data::Tokens tokens;          // what the model reads
  std::vector<int32_t> rows;    // [M] that are predicted, ascending
  std::vector<int32_t> labels;  // [M] their tokens
  // [M] Those of an example sum to MaskingOptions::predicted(). With whole words it may have fewer
  // rows than that, or more if it predicts one long word.
  std::vector<float> weights;
};

class Masking {
 public:
  Masking(const MaskingOptions& options, const model_file::MaskedLmSession& session);

  // Of a batch of data::LineSequences. Words are taken in a random order as long as they have no
  // more tokens than are to be predicted; a first one in any case.
  MaskedBatch operator()(const data::Batch& batch, const MaskingDraw& draw) const;

 private:
  // The rows of an example that are predicted, from its first row on, ascending.
  std::vector<int32_t> chosen_rows(std::span<const int32_t> words, const MaskingDraw& draw,
                                   uint32_t number) const;
  int32_t replacement(int32_t token, const PhiloxCounter& drawn) const;

  MaskingOptions options_;
  int32_t mask_id_ = 0;
  std::vector<int32_t> tokens_;  // that may stand in the place of others
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_MASKED_LM_MASKING_H_
