#include "weft/data/sequences/training_texts.h"

#include <fmt/core.h>

#include "weft/core/error.h"
#include "weft/core/text/utf8.h"
#include "weft/data/text/text_file.h"

namespace weft::data {
namespace {

void read_document(const std::string& path, const std::function<void(std::string_view)>& take) {
  const std::string text = read_bytes(path, Pipes::kRead);
  if (!valid_utf8(text)) fail<FormatError>(path, "is not UTF-8; expected text");
  const std::string_view body = without_byte_order_mark(text);
  if (!body.empty()) take(body);
}

void read_text_lines(const std::string& path, const std::function<void(std::string_view)>& take) {
  TextFile file(path);
  while (file.next()) {
    const std::string where = fmt::format("{}:{}", path, file.line_number());
    if (file.is_too_long()) fail<FormatError>(where, "the line is too long");
    if (!valid_utf8(file.line())) fail<FormatError>(where, "is not UTF-8; expected text");
    if (!file.line().empty()) take(file.line());
  }
}

}  // namespace

void read_training_texts(const std::vector<std::string>& files, TextFormat format,
                         const std::function<void(std::string_view)>& take) {
  for (const std::string& path : files) {
    if (format == TextFormat::kDocuments) {
      read_document(path, take);
    } else {
      read_text_lines(path, take);
    }
  }
}

}  // namespace weft::data
