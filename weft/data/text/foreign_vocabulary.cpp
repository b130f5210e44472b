#include "weft/data/text/foreign_vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "weft/core/error.h"

namespace weft::data {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kExpected =
    "a token a line, `token: id` lines or a SentencePiece .model; hint: the name of a file that "
    "does not exist makes a vocabulary of the training text";
constexpr std::string_view kByteLevelSpace = "\xC4\xA0";  // U+0120, a space before a token

// At least one in ten tokens.
bool has_byte_level_spaces(const Json& root) {
  constexpr int64_t kShare = 10;
  int64_t marked = 0;
  for (const auto& entry : root.items()) marked += entry.key().starts_with(kByteLevelSpace) ? 1 : 0;
  return marked > 0 && marked * kShare >= static_cast<int64_t>(root.size());
}

// A line "[UNK]", and one that begins with "##".
bool is_wordpiece(std::string_view list) {
  constexpr std::string_view kUnknown = "[UNK]", kContinued = "##";
  bool has_unknown = false, has_continued = false;
  while (!list.empty()) {
    const size_t end = std::min(list.find('\n'), list.size());
    std::string_view line = list.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    has_unknown |= line == kUnknown;
    has_continued |= line.starts_with(kContinued) && line.size() > kContinued.size();
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return has_unknown && has_continued;
}

}  // namespace

void refuse_foreign_vocabulary(std::string_view bytes, std::string_view where) {
  if (is_wordpiece(bytes)) {
    fail<FormatError>(where,
                      "is a vocabulary of WordPiece (BERT), whose tokens with ## continue a word, "
                      "and would be read as whole words; expected {}",
                      kExpected);
  }
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == bytes.npos || bytes[begin] != '{') return;
  const Json root = Json::parse(bytes, nullptr, false);
  if (!root.is_object()) return;
  if (has_byte_level_spaces(root)) {
    fail<FormatError>(where,
                      "is a vocabulary of byte-level BPE, whose tokens begin with \u0120 for a "
                      "space; expected {}",
                      kExpected);
  }
}

bool is_tokenizer_json_file(std::string_view bytes) {
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == bytes.npos || bytes[begin] != '{') return false;
  const Json root = Json::parse(bytes, nullptr, false);
  const auto model = root.is_object() ? root.find("model") : root.end();
  return model != root.end() && model->is_object() && model->contains("vocab");
}

}  // namespace weft::data
