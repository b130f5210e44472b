// Drafts copied from a text.
#ifndef WEFT_DECODE_DRAFT_NGRAM_DRAFTER_H_
#define WEFT_DECODE_DRAFT_NGRAM_DRAFTER_H_

#include "weft/decode/draft/drafter.h"

namespace weft::decode {

// What follows the last n-gram where it occurs earlier in the prompt and the target, or in
// Request::draft_text (prompt lookup decoding, Saxena 2023; Yang et al. 2023, arXiv 2304.04487). Of
// several places that with the longest n-gram is taken, of these the last.
class NgramDrafter final : public Drafter {
 public:
  double token_cost() const override { return 0; }
  void begin(std::span<const NewRequest>) override {}
  std::vector<std::vector<int32_t>> draft(std::span<const DraftTask> tasks) override;
  void release(std::span<const int32_t>) override {}
};

// What NgramDrafter drafts after a prompt and the tokens of a target.
std::vector<int32_t> ngram_draft(const Request& request, std::span<const int32_t> target,
                                 int64_t limit);

}  // namespace weft::decode

#endif  // WEFT_DECODE_DRAFT_NGRAM_DRAFTER_H_
