#include "weft/decode/search/processors/token_penalties.h"

#include <map>

#include "weft/options/option_table.h"

namespace weft::decode {

void TokenPenalties::operator()(const TokenHistory& history, TokenScores& next) const {
  std::map<int32_t, int64_t> counts;
  for (const int32_t token : history.last(last_n)) ++counts[token];
  for (const auto& [token, count] : counts) {
    float* const logit = next.find(token);
    if (logit == nullptr) continue;
    const double repeated = *logit > 0 ? *logit / repetition : *logit * repetition;
    *logit = static_cast<float>(repeated - static_cast<double>(count) * frequency - presence);
  }
}

void TokenPenalties::validate() const {
  if (is_on()) return;
  options::check_unread(
      *this, [](std::string_view) { return false; },
      "without --repetition-penalty, --frequency-penalty or --presence-penalty");
}

}  // namespace weft::decode
