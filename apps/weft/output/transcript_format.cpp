#include "apps/weft/output/transcript_format.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/weft/output/subtitles.h"
#include "weft/core/error.h"

namespace weft::app {
namespace {

using Json = nlohmann::ordered_json;

// On one line.
std::string line_of(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string text_of(std::span<const TimedWord> words) {
  std::string out;
  for (const TimedWord& word : words) out += (out.empty() ? "" : " ") + word.text;
  return line_of(std::move(out));
}

double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

// "[00:00:01.200 --> 00:00:02.400] seven four"
std::string timed_line(std::span<const TimedWord> words) {
  const auto time = [](double seconds) { return time_text(std::llround(seconds * 1000)); };
  return fmt::format("[{} --> {}] {}\n", time(words.front().begin), time(words.back().end),
                     text_of(words));
}

class TextFormat : public TranscriptFormat {
 public:
  std::string of_file(const std::string&, const Transcript& transcript) override {
    return line_of(transcript.text) + "\n";
  }
  std::string of_words(std::span<const TimedWord> words) override {
    return words.empty() ? std::string() : timed_line(words);
  }
};

class JsonFormat : public TranscriptFormat {
 public:
  explicit JsonFormat(bool has_times) : has_times_(has_times) {}

  std::string of_file(const std::string& path, const Transcript& transcript) override {
    Json out;
    out["audio"] = path;
    if (transcript.fault) {
      const bool is_read = transcript.fault->kind == FaultKind::kNotFinite;
      out["error"] = is_read ? transcript.fault->reason : "cannot be read";
    } else {
      out["seconds"] = rounded(transcript.seconds);
      out["text"] = transcript.text;
      add_words(out, transcript.words);
    }
    return line_of_json(out);
  }
  std::string of_words(std::span<const TimedWord> words) override {
    if (words.empty()) return {};
    Json out;
    out["begin"] = rounded(words.front().begin);
    out["end"] = rounded(words.back().end);
    out["text"] = text_of(words);
    add_words(out, words);
    return line_of_json(out);
  }

 private:
  void add_words(Json& out, std::span<const TimedWord> words) const {
    if (!has_times_) return;
    out["words"] = Json::array();
    for (const TimedWord& word : words) {
      out["words"].push_back(
          {{"word", word.text}, {"begin", rounded(word.begin)}, {"end", rounded(word.end)}});
    }
  }
  static std::string line_of_json(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  bool has_times_;
};

template <class Syntax>
class SubtitleFormat : public TranscriptFormat {
 public:
  explicit SubtitleFormat(std::string_view name) : name_(name) {}

  std::string header() const override { return std::string(Syntax::kHeader); }
  std::string of_file(const std::string& path, const Transcript& transcript) override {
    if (has_file_) {
      fail<OptionError>("--format", "{} is for one sound; got a second, {}", name_, path);
    }
    has_file_ = true;
    std::string out = of_words(transcript.words);
    return out += end();
  }
  std::string of_words(std::span<const TimedWord> words) override {
    std::vector<Cue> cues;
    builder_.add(words, cues);
    return text_of_cues(cues);
  }
  std::string end() override {
    std::vector<Cue> cues;
    builder_.finish(cues);
    return text_of_cues(cues);
  }

 private:
  std::string text_of_cues(std::span<const Cue> cues) {
    std::string out;
    for (const Cue& cue : cues) out += Syntax::text_of(cue, ++number_);
    return out;
  }

  std::string name_;
  bool has_file_ = false;
  CueBuilder builder_;
  int64_t number_ = 0;
};

}  // namespace

std::unique_ptr<TranscriptFormat> make_transcript_format(std::string_view name, bool has_times) {
  if (name == "json") return std::make_unique<JsonFormat>(has_times);
  if (name == "srt") return std::make_unique<SubtitleFormat<SubRip>>(name);
  if (name == "vtt") return std::make_unique<SubtitleFormat<WebVtt>>(name);
  return std::make_unique<TextFormat>();
}

}  // namespace weft::app
