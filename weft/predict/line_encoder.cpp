#include "weft/predict/line_encoder.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "weft/core/chunks.h"
#include "weft/core/text/counted.h"
#include "weft/core/text/utf8.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::predict {

std::string LineReport::text() const {
  std::vector<std::string> parts;
  const auto count = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  count(empty, "empty");
  count(over_long, "over the limit in bytes (left empty)");
  count(bad_utf8, "not UTF-8 (left empty)");
  count(malformed, "not UTF-8");
  count(faulty, "with faults (left empty)");
  count(split, "in several windows");
  count(cropped, "cropped");
  count(with_unknown, "with unknown tokens");
  count(not_finite.count, text_of(not_finite));
  return fmt::format("{}{}{}", counted(lines, "line"), parts.empty() ? "" : ": ",
                     fmt::join(parts, ", "));
}

LineEncoder::LineEncoder(data::TokeniserPtr tokeniser, const data::TokenRule& rule)
    : tokeniser_(std::move(tokeniser)), rule_(rule) {}

data::EncodedText LineEncoder::encode(const Line& line) {
  ++report_.lines;
  if (line.is_over_long) {
    ++report_.over_long;
    return {};
  }
  if (!valid_utf8(line.text)) {
    ++report_.bad_utf8;
    return {};
  }
  std::vector<std::string_view> words;
  data::for_each_word(line.text, [&](std::string_view word) { words.push_back(word); });
  if (words.empty()) {
    ++report_.empty;
    return {};
  }
  data::EncodedText out = data::encode_text(*tokeniser_, rule_, line.text, words);
  if (out.is_cropped) ++report_.cropped;
  if (std::ranges::count(out.ids, tokeniser_->unknown_id()) > 0) ++report_.with_unknown;
  report_.tokens += std::ssize(out.ids);
  return out;
}

std::vector<data::EncodedText> LineEncoder::encode(std::span<const Line> lines) {
  std::vector<data::EncodedText> out;
  out.reserve(lines.size());
  for (const Line& line : lines) out.push_back(encode(line));
  return out;
}

void for_each_batch(std::span<const data::EncodedText> texts, int64_t mini_batch,
                    const RunBatch& run) {
  std::vector<size_t> order;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].ids.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return texts[i].ids.size(); });
  for_each_chunk(std::span(order), mini_batch, [&](std::span<const size_t> numbers, size_t) {
    data::Tokens tokens;
    for (const size_t i : numbers) tokens.add(texts[i].ids);
    run(tokens, numbers);
  });
}

}  // namespace weft::predict
