#include "weft/predict/tagging/words.h"

#include "weft/data/text/plain_tokeniser.h"

namespace weft::predict {

Words words_of(const Line& line) {
  if (line.fault) return {.fault = line.fault};
  Words out;
  data::for_each_word(line.text, [&](std::string_view word) { out.words.emplace_back(word); });
  if (out.words.empty()) out.fault = Fault{FaultKind::kEmpty, "no word"};
  return out;
}

}  // namespace weft::predict
