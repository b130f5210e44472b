#include "weft/data/subwords/nodes/decoder_steps.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "weft/core/text/utf8.h"
#include "weft/data/subwords/aligned_text.h"
#include "weft/data/subwords/byte_characters.h"

namespace weft::data {
namespace {

constexpr std::string_view kMalformed = "\xEF\xBF\xBD";  // U+FFFD

std::string with_replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  size_t done = 0;
  for (size_t i; !from.empty() && (i = text.find(from, done)) != text.npos;
       done = i + from.size()) {
    out += text.substr(done, i - done);
    out += to;
  }
  return out += text.substr(done);
}

// Spaces before punctuation and contractions go away.
std::string cleaned_up(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kRules) text = with_replaced(text, from, to);
  return text;
}

// The byte of "<0xE2>".
std::optional<char> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return {};
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  if (error != std::errc() || end != token.data() + 5) return {};
  return static_cast<char>(byte);
}

// Bytes at the end of the text that begin a character; malformed ones before are none.
size_t unfinished_bytes(std::string_view text) {
  for (size_t size = 1; size <= std::min<size_t>(3, text.size()); ++size) {
    const std::string_view end = text.substr(text.size() - size);
    const auto first = static_cast<unsigned char>(end[0]);
    if ((first & 0xC0) == 0x80) continue;
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (length <= size) return 0;
    std::string whole(end);
    // With the least or the largest continuation, whichever the second byte allows.
    for (const char second : {'\x80', '\xBF', '\x90', '\x9F'}) {
      std::string trial = whole;
      if (trial.size() == 1) trial += second;
      trial.resize(length, '\x80');
      if (utf8_length(trial) == length) return size;
    }
    return 0;
  }
  return 0;
}

}  // namespace

void TokenStep::take(std::string_view text, bool ends) {
  token_ += text;
  if (!ends) return;
  take_token(std::exchange(token_, {}));
  is_first_ = false;
}

// Malformed bytes become U+FFFD, one for each part that no character begins with.
void ByteLevelStep::pass_characters(bool is_end) {
  const size_t kept = is_end ? 0 : unfinished_bytes(bytes_);
  std::string_view rest = std::string_view(bytes_).substr(0, bytes_.size() - kept);
  std::string text;
  while (!rest.empty()) {
    size_t length = utf8_length(rest);
    if (length > 0) {
      text += rest.substr(0, length);
    } else {
      length = 1;
      for (size_t size = std::min<size_t>(3, rest.size()); size > 1; --size) {
        if (unfinished_bytes(rest.substr(0, size)) == size) {
          length = size;
          break;
        }
      }
      text += kMalformed;
    }
    rest.remove_prefix(length);
  }
  bytes_.erase(0, bytes_.size() - kept);
  if (!text.empty()) next_->take(text, false);
}

void ByteLevelStep::take_token(std::string_view token) {
  const std::optional<std::string> bytes = bytes_of_characters(token);
  bytes_ += bytes ? std::string_view(*bytes) : token;
  pass_characters(false);
}

void ByteLevelStep::finish() {
  pass_characters(true);
  next_->take({}, true);
  next_->finish();
}

void ByteFallbackStep::pass_bytes() {
  const std::string bytes = std::exchange(bytes_, {});
  if (bytes.empty()) return;
  if (valid_utf8(bytes)) {
    next_->take(bytes, true);
  } else {
    for (size_t i = 0; i < bytes.size(); ++i) next_->take(kMalformed, true);
  }
}

void ByteFallbackStep::take_token(std::string_view token) {
  if (const std::optional<char> byte = byte_of_token(token)) {
    bytes_ += *byte;
    return;
  }
  pass_bytes();
  next_->take(token, true);
}

void ByteFallbackStep::finish() {
  pass_bytes();
  next_->finish();
}

void FuseStep::take(std::string_view text, bool) { next_->take(text, false); }

void FuseStep::finish() {
  next_->take({}, true);
  next_->finish();
}

void ReplaceStep::take_token(std::string_view token) {
  std::vector<PatternPart> parts;
  pattern_->split(token, parts);
  std::string text;
  for (const PatternPart& part : parts) {
    text += part.is_match ? std::string_view(content_)
                          : token.substr(part.begin, part.end - part.begin);
  }
  check_growth(token.size(), text.size());
  next_->take(text, true);
}

void StripStep::take(std::string_view text, bool ends) {
  while (taken_ >= 0 && taken_ < left_ && text.starts_with(content_)) {
    text.remove_prefix(content_.size());
    ++taken_;
  }
  if (!text.empty()) taken_ = -1;
  kept_ += text;
  size_t pass = kept_.size();  // bytes that are not at the end of the token
  const auto ends_with_content = [&] {
    return std::string_view(kept_).substr(0, pass).ends_with(content_);
  };
  for (int64_t i = 0; i < right_ && ends_with_content(); ++i) pass -= content_.size();
  const std::string out = kept_.substr(0, pass);
  kept_.erase(0, pass);
  if (ends) {
    kept_.clear();
    taken_ = 0;
  }
  if (!out.empty() || ends) next_->take(out, ends);
}

void WordPieceStep::take_token(std::string_view token) {
  std::string text(token);
  if (!is_first()) {
    text = token.starts_with(prefix_) ? std::string(token.substr(prefix_.size()))
                                      : ' ' + std::string(token);
  }
  next_->take(cleans_up_ ? cleaned_up(std::move(text)) : text, true);
}

void MetaspaceStep::take_token(std::string_view token) {
  const bool drops = is_first() && metaspace_.prepend != Prepend::kNever;
  next_->take(with_replaced(token, metaspace_.replacement, drops ? "" : " "), true);
}

void BpeStep::pass(std::string_view replacement) {
  if (last_) next_->take(with_replaced(*last_, suffix_, replacement), true);
}

void BpeStep::take_token(std::string_view token) {
  pass(" ");
  last_ = token;
}

void BpeStep::finish() {
  pass("");
  next_->finish();
}

void CtcStep::take_token(std::string_view token) {
  if (last_ == token) return;
  last_ = token;
  std::string text = with_replaced(token, blank_, "");
  if (cleans_up_) text = with_replaced(cleaned_up(std::move(text)), word_end_, " ");
  if (!text.empty()) next_->take(text, true);
}

void JoinStep::take_token(std::string_view token) {
  next_->take(is_first() ? std::string(token) : ' ' + std::string(token), true);
}

}  // namespace weft::data
