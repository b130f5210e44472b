#include "weft/data/audio/transcribed_audio.h"

#include <fmt/ranges.h>

#include <bit>
#include <filesystem>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/parallel.h"
#include "weft/core/text/counted.h"
#include "weft/data/audio/sound_frames.h"
#include "weft/data/file_names.h"
#include "weft/data/labels/labelled_text.h"
#include "weft/data/labels/listed_file.h"

namespace weft::data {
namespace {

// The path is a label of the text.
LabelledTextOptions transcribed_lines() {
  return {.text_field = 1, .labels = {{.field = 0, .is_of_line = true}}};
}

constexpr std::string_view kSwappedText = "expected `path TAB text`";

struct ReadSound {
  std::string where, path, text;
  SoundFrames frames = {};
  std::optional<std::string> fault = {};  // why it cannot be read
};

void read_sound(ReadSound& sound, const LogMel& log_mel, double max_seconds) {
  try {
    sound.frames = read_frames(sound.path, log_mel, max_seconds);
  } catch (const Error& error) {
    const std::filesystem::path path(sound.path);
    const ListedFile file{path.parent_path(), path.filename().string(), sound.text};
    sound.fault =
        fmt::format("{}: {}{}", sound.where, error.what(), file.swapped_hint(kSwappedText));
  }
}

}  // namespace

void read_transcribed_audio(const std::vector<std::string>& files,
                            const std::function<void(const TranscribedSound&)>& take) {
  for (const std::string& file : files) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    read_labelled_text({file}, transcribed_lines(), [&](const LabelledText& line) {
      const LabelledExample& example = line.example();
      const std::string_view path = example.labels.front().front();
      take({line.where(), (folder / path).string(), example.text});
    });
  }
}

TranscribedAudio::TranscribedAudio(const std::vector<std::string>& files, const LogMel& log_mel,
                                   TokeniserPtr tokeniser, const TranscribedAudioOptions& options)
    : name_(joined_names(files)),
      tokeniser_(std::move(tokeniser)),
      bins_(log_mel.options().mel_bins),
      max_seconds_(options.max_seconds),
      skipped_(options.bad_files) {
  constexpr size_t kTogether = 256;
  std::vector<ReadSound> sounds;
  const auto add_all = [&] {
    parallel_for(std::ssize(sounds), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        read_sound(sounds[static_cast<size_t>(i)], log_mel, options.max_seconds);
      }
    });
    for (ReadSound& sound : sounds) {
      if (sound.fault) {
        skipped_.add(*sound.fault);
        continue;
      }
      SoundFrames& frames = sound.frames;
      if (frames.is_too_long) {
        ++counts_.too_long;
        continue;
      }
      counts_.resampled += frames.is_resampled ? 1 : 0;
      counts_.mixed_down += frames.is_mixed_down ? 1 : 0;
      seconds_ += frames.seconds;
      add(sound.text, std::move(frames.frames), options);
    }
    sounds.clear();
  };
  read_transcribed_audio(files, [&](const TranscribedSound& sound) {
    sounds.push_back({sound.where, sound.path, std::string(sound.text)});
    if (sounds.size() == kTogether) add_all();
  });
  add_all();
  if (texts_.empty()) fail<FormatError>(name_, "no sound is left; {}", report());
}

void TranscribedAudio::add(std::string_view text, std::vector<float> frames,
                           const TranscribedAudioOptions& options) {
  const std::vector<int32_t> ids = tokeniser_->encode(text);
  const int64_t count = std::ssize(frames) / bins_;
  std::string reason;
  if (count == 0) {
    reason = "shorter than a frame";
  } else if (options.why_unfit) {
    reason = options.why_unfit(count, ids);
  }
  if (!reason.empty()) {
    ++counts_.unfit[reason];
    return;
  }
  options.frame_norm.visit([&](const auto& norm) { norm.level(frames); });
  values_.insert(values_.end(), frames.begin(), frames.end());
  frames_.append(count);
  tokens_.add(ids, tokeniser_->end_id());
  texts_.emplace_back(text);
}

Batch TranscribedAudio::batch(std::span<const int64_t> examples) const {
  Features frames;
  frames.width = bins_;
  Tokens tokens;
  for (const int64_t number : examples) {
    const auto begin = values_.begin() + int64_t{frames_.begin(number)} * bins_;
    frames.values.insert(frames.values.end(), begin,
                         begin + int64_t{frames_.length(number)} * bins_);
    frames.segments.append(frames_.length(number));
    tokens.add(tokens_[number]);
  }
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  out.fields.emplace_back(std::move(frames));
  out.fields.emplace_back(std::move(tokens));
  return out;
}

uint64_t TranscribedAudio::fingerprint() const {
  Hash hash;
  hash.add(static_cast<uint64_t>(bins_));
  for (const int32_t offset : frames_.offsets) hash.add(static_cast<uint32_t>(offset));
  for (const float value : values_) hash.add(std::bit_cast<uint32_t>(value));
  for (const int32_t offset : tokens_.segments.offsets) hash.add(static_cast<uint32_t>(offset));
  for (const int32_t id : tokens_.ids) hash.add(static_cast<uint32_t>(id));
  return hash.value();
}

std::string TranscribedAudio::report() const {
  std::vector<std::string> parts;
  const auto count = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  count(counts_.too_long, fmt::format("over {:g} seconds left out", max_seconds_));
  for (const auto& [reason, n] : counts_.unfit) count(n, reason + " left out");
  count(counts_.resampled, "resampled");
  count(counts_.mixed_down, "of several channels averaged");
  return fmt::format("{}: {}, {:.2f} hours, {}{}{}", name_, counted(size(), "sound"),
                     seconds_ / 3600, counted(tokens_.rows(), "token"), parts.empty() ? "" : "; ",
                     fmt::join(parts, ", ")) +
         skipped_.report();
}

}  // namespace weft::data
