#include "weft/data/sequences/plain_texts.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/text_file.h"
#include "weft/data/trimmed.h"

namespace weft::data {
namespace {

PlainText split_pair(std::string_view line, const std::string& where) {
  const size_t tab = std::min(line.find('\t'), line.size());
  const std::string_view rest = line.substr(std::min(tab + 1, line.size()));
  const PlainText out{line.substr(0, tab), rest.substr(0, rest.find('\t'))};
  if (trimmed(out.text).empty() || trimmed(out.pair).empty()) {
    fail<FormatError>(where, "expected two texts with a tab between them");
  }
  return out;
}

}  // namespace

void read_plain_texts(const std::vector<std::string>& files, bool has_pairs,
                      const std::function<void(const PlainText&)>& take) {
  for (const std::string& path : files) {
    TextFile file(path);
    while (file.next()) {
      const std::string where = fmt::format("{}:{}", file.path(), file.line_number());
      if (file.is_too_long()) fail<FormatError>(where, "the line is too long");
      if (!valid_utf8(file.line())) fail<FormatError>(where, "is not UTF-8; expected text");
      bool has_word = false;
      for_each_word(file.line(), [&](std::string_view) { has_word = true; });
      if (!has_word) continue;
      take(has_pairs ? split_pair(file.line(), where) : PlainText{.text = file.line()});
    }
  }
}

}  // namespace weft::data
