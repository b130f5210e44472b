#include "weft/decode/search/processors/token_scores.h"

#include <algorithm>

namespace weft::decode {

float* TokenScores::find(int32_t token) const {
  if (tokens.empty()) return token < std::ssize(logits) ? logits.data() + token : nullptr;
  const auto at = std::ranges::lower_bound(tokens, token);
  const bool is_there = at != tokens.end() && *at == token;
  return is_there ? logits.data() + (at - tokens.begin()) : nullptr;
}

std::vector<int32_t> TokenHistory::last(int64_t count) const {
  const auto of_tokens = static_cast<size_t>(std::min(count, std::ssize(tokens)));
  const auto of_prompt = std::min(static_cast<size_t>(count) - of_tokens, prompt.size());
  const auto before = prompt.last(of_prompt), after = tokens.last(of_tokens);
  std::vector<int32_t> out(before.begin(), before.end());
  out.insert(out.end(), after.begin(), after.end());
  return out;
}

}  // namespace weft::decode
