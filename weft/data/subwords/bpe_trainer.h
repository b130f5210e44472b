// Learns byte-level byte-pair encodings from text (Sennrich et al. 2016, arXiv 1508.07909; Radford
// et al. 2019).
#ifndef WEFT_DATA_SUBWORDS_BPE_TRAINER_H_
#define WEFT_DATA_SUBWORDS_BPE_TRAINER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/data/subwords/nodes/pre_tokeniser.h"
#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::data {

struct BpeTraining {
  int64_t size = 0;       // tokens at most, with the special symbols and the 256 bytes
  int64_t min_count = 1;  // a pair that occurs less often is not merged
  std::vector<std::string> symbols = {};  // tokens beside those, which a text may spell
};

// The special symbols and the bytes: the least size.
inline constexpr int64_t kBpeBaseSize = 259;

class BpeTrainer {
 public:
  BpeTrainer();

  // Counts the words of a text, cut as GPT-2 does.
  void add(std::string_view text);
  // A tokeniser with the symbols </s>, <unk> and <s>, a token for each byte, the symbols of
  // `params`, and the tokens that the most frequent pairs of tokens merge to, one after the other;
  // equally frequent ones by their ids.
  SubwordTokeniserPtr train(const BpeTraining& params) const;

 private:
  PreTokenisers pre_tokenisers_;
  std::unordered_map<std::string, int64_t> counts_;  // of words
};

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_BPE_TRAINER_H_
