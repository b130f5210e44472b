#include "weft/predict/generation/phrases.h"

#include <algorithm>

namespace weft::predict {

decode::Phrase phrase_in_text(std::string_view phrase, const data::Tokeniser& tokeniser) {
  if (phrase.empty()) return {};
  const std::string word = "a";
  const std::vector<int32_t> before = tokeniser.encode(word);
  const std::vector<int32_t> all = tokeniser.encode(word + ' ' + std::string(phrase));
  const auto [end, begin] = std::ranges::mismatch(before, all);
  return end == before.end() ? decode::Phrase(begin, all.end()) : tokeniser.encode(phrase);
}

decode::BannedPhrases banned_in_text(const std::vector<std::string>& phrases,
                                     const data::Tokeniser& tokeniser) {
  std::vector<decode::Phrase> out;
  for (const std::string& phrase : phrases) {
    for (const decode::Phrase& ids :
         {phrase_in_text(phrase, tokeniser), tokeniser.encode(phrase)}) {
      if (!ids.empty() && std::ranges::count(out, ids) == 0) out.push_back(ids);
    }
  }
  return decode::BannedPhrases(std::move(out));
}

}  // namespace weft::predict
