#include "weft/data/sequences/plain_texts.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/data/sequences/training_texts.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/trimmed.h"

namespace weft::data {
namespace {

PlainText split_pair(std::string_view line, std::string_view where) {
  const size_t tab = std::min(line.find('\t'), line.size());
  const std::string_view rest = line.substr(std::min(tab + 1, line.size()));
  const PlainText out{line.substr(0, tab), rest.substr(0, rest.find('\t')), where};
  if (trimmed(out.text).empty() || trimmed(out.pair).empty()) {
    fail<FormatError>(where, "expected two texts with a tab between them");
  }
  return out;
}

}  // namespace

void read_plain_texts(const std::vector<std::string>& files, bool has_pairs,
                      const std::function<void(const PlainText&)>& take) {
  read_training_texts(
      files, TextFormat::kLines, [&](const TrainingText& line, std::string_view where) {
        if (!has_word(line.text)) return;
        take(has_pairs ? split_pair(line.text, where) : PlainText{line.text, {}, where});
      });
}

}  // namespace weft::data
