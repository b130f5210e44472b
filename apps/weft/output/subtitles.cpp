#include "apps/weft/output/subtitles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weft::app {
namespace {

constexpr int64_t kLine = 42;  // characters
constexpr int64_t kMostLines = 2;
constexpr int64_t kLongest = 7000, kPause = 800;  // milliseconds

int64_t milliseconds(double seconds) { return std::llround(seconds * 1000); }

int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; });
}

// A word of one line: without what would end a cue.
std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

std::string with_replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t i = 0; (i = text.find(from, i)) != text.npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
  return text;
}

// The words in one line if they fit, else in two of about the same length.
std::string in_lines(std::span<const std::string> words) {
  std::string all;
  std::vector<size_t> ends;  // of the words but the last
  for (const std::string& word : words) {
    if (!all.empty()) {
      ends.push_back(all.size());
      all += ' ';
    }
    all += word;
  }
  if (characters(all) <= kLine || ends.empty()) return all;
  const auto longer = [&](size_t end) {
    const std::string_view text = all;
    return std::max(characters(text.substr(0, end)), characters(text.substr(end + 1)));
  };
  all[*std::ranges::min_element(ends, {}, longer)] = '\n';
  return all;
}

}  // namespace

bool CueBuilder::is_full_before(const Word& word) const {
  if (words_.empty()) return false;
  if (word.begin - words_.back().end >= kPause || word.end - words_.front().begin > kLongest) {
    return true;
  }
  int64_t lines = 1, length = characters(words_.front().text);
  const auto append = [&](const Word& next) {
    const int64_t size = characters(next.text);
    length += 1 + size;
    if (length > kLine) ++lines, length = size;
  };
  std::ranges::for_each(std::span(words_).subspan(1), append);
  append(word);
  return lines > kMostLines;
}

void CueBuilder::add(std::span<const TimedWord> words, std::vector<Cue>& out) {
  for (const TimedWord& next : words) {
    Word word{milliseconds(next.begin), milliseconds(next.end), on_one_line(next.text)};
    word.begin = std::max(word.begin, end_);
    word.end = std::max(word.end, word.begin + 1);
    if (is_full_before(word)) finish(out);
    end_ = word.end;
    words_.push_back(std::move(word));
  }
}

void CueBuilder::finish(std::vector<Cue>& out) {
  if (words_.empty()) return;
  std::vector<std::string> texts;
  for (const Word& word : words_) texts.push_back(word.text);
  out.push_back({words_.front().begin, words_.back().end, in_lines(texts)});
  words_.clear();
}

std::string time_text(int64_t milliseconds, char mark) {
  const int64_t seconds = milliseconds / 1000;
  return fmt::format("{:02}:{:02}:{:02}{}{:03}", seconds / 3600, seconds / 60 % 60, seconds % 60,
                     mark, milliseconds % 1000);
}

// SubRip has no escapes: an arrow in a text would be taken for times.
std::string SubRip::text_of(const Cue& cue, int64_t number) {
  return fmt::format("{}\n{} --> {}\n{}\n\n", number, time_text(cue.begin, ','),
                     time_text(cue.end, ','), with_replaced(cue.text, "-->", "-- >"));
}

std::string WebVtt::text_of(const Cue& cue, int64_t number) {
  std::string text = with_replaced(cue.text, "&", "&amp;");
  text = with_replaced(with_replaced(std::move(text), "<", "&lt;"), ">", "&gt;");
  return fmt::format("{}\n{} --> {}\n{}\n\n", number, time_text(cue.begin), time_text(cue.end),
                     text);
}

}  // namespace weft::app
