#include "weft/tasks/classification/line_reader.h"

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/data/images/image_file.h"
#include "weft/tasks/classification/label_probabilities.h"

namespace weft::tasks {
namespace {

class TextLineReader : public LineReader {
 public:
  TextLineReader(const model_file::ClassifierSession& session, int64_t max_length)
      : encoder_(session.text.tokeniser, token_rule(session.model.options, max_length)) {}

  void for_each_batch(std::span<const decode::SourceLine> lines, int64_t mini_batch,
                      const Run& run) override {
    tasks::for_each_batch(encoder_.encode(lines), mini_batch, run);
  }
  const LineReport& report() const override { return encoder_.report(); }

 private:
  LineEncoder encoder_;
};

class PictureLineReader : public LineReader {
 public:
  explicit PictureLineReader(const model_file::ClassifierSession& session) : session_(session) {}

  void for_each_batch(std::span<const decode::SourceLine> lines, int64_t mini_batch,
                      const Run& run) override {
    data::Features pictures = no_pictures();
    std::vector<size_t> numbers;
    const auto flush = [&] {
      if (!numbers.empty()) run(model_input(session_, pictures), numbers);
      pictures = no_pictures();
      numbers.clear();
    };
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!append(lines[i], pictures)) continue;
      numbers.push_back(i);
      if (std::ssize(numbers) == mini_batch) flush();
    }
    flush();
  }
  const LineReport& report() const override { return report_; }

 private:
  data::Features no_pictures() const { return {{}, session_.model.sizes.image.size(), {}, {}}; }
  // False where the line names no picture that can be read.
  bool append(const decode::SourceLine& line, data::Features& pictures) {
    ++report_.lines;
    if (line.is_over_long) {
      ++report_.over_long;
      return false;
    }
    if (line.text.empty()) {
      ++report_.empty;
      return false;
    }
    try {
      const std::vector<uint8_t> pixels =
          data::pixels_of(data::read_image(line.text), session_.model.sizes.image);
      pictures.values.insert(pictures.values.end(), pixels.begin(), pixels.end());
      pictures.segments.append(1);
      return true;
    } catch (const Error& error) {
      log::warn("line {}: {}", report_.lines, error.what());
      ++report_.faulty;
      return false;
    }
  }

  const model_file::ClassifierSession& session_;
  LineReport report_;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader(const model_file::ClassifierSession& session,
                                             int64_t max_length) {
  if (session.model.options.is_text()) return std::make_unique<TextLineReader>(session, max_length);
  return std::make_unique<PictureLineReader>(session);
}

}  // namespace weft::tasks
