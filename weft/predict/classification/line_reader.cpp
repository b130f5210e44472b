#include "weft/predict/classification/line_reader.h"

#include "weft/core/chunks.h"
#include "weft/data/images/image_file.h"
#include "weft/predict/classification/label_probabilities.h"
#include "weft/predict/path_lines.h"

namespace weft::predict {
namespace {

class TextLineReader : public LineReader {
 public:
  TextLineReader(const model_file::ClassifierSession& session, int64_t max_length)
      : encoder_(session.text.tokeniser, token_rule(session.model.options, max_length)) {}

  void for_each_batch(std::span<const Line> lines, int64_t mini_batch, const Run& run) override {
    predict::for_each_batch(encoder_.encode(lines), mini_batch, run);
  }
  const LineReport& report() const override { return encoder_.report(); }

 private:
  LineEncoder encoder_;
};

// Lines that are paths of files.
class PathLineReader : public LineReader {
 public:
  struct Example {
    std::vector<float> values;  // [N, width]
    bool is_cropped = false;
  };
  using Read = std::function<Example(const std::string& path)>;

  PathLineReader(const model_file::ClassifierSession& session, int64_t width, Read read)
      : session_(session), width_(width), read_(std::move(read)) {}

  void for_each_batch(std::span<const Line> lines, int64_t mini_batch, const Run& run) override {
    for_each_chunk(lines, mini_batch, [&](std::span<const Line> batch, size_t first) {
      run_batch(batch, first, run);
    });
  }
  const LineReport& report() const override { return report_; }

 private:
  // Of lines whose first one has the number `first`.
  void run_batch(std::span<const Line> lines, size_t first, const Run& run) {
    std::vector<Example> examples(lines.size());
    const std::vector<std::optional<std::string>> faults = read_paths(
        lines, report_, [&](size_t i, const std::string& path) { examples[i] = read_(path); });
    data::Features batch{{}, width_, {}, {}};
    std::vector<size_t> numbers;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (faults[i]) continue;
      const auto& [values, is_cropped] = examples[i];
      if (is_cropped) ++report_.cropped;
      batch.values.insert(batch.values.end(), values.begin(), values.end());
      batch.segments.append(std::ssize(values) / width_);
      numbers.push_back(first + i);
    }
    if (!numbers.empty()) run(model_input(session_, batch), numbers);
  }

  const model_file::ClassifierSession& session_;
  int64_t width_;
  Read read_;
  LineReport report_;
};

std::unique_ptr<LineReader> picture_reader(const model_file::ClassifierSession& session) {
  const data::ImageShape shape = session.model.sizes.image;
  const auto read = [shape](const std::string& path) -> PathLineReader::Example {
    const std::vector<uint8_t> pixels = data::pixels_of(data::read_image(path), shape);
    return {.values = {pixels.begin(), pixels.end()}};
  };
  return std::make_unique<PathLineReader>(session, shape.size(), read);
}

std::unique_ptr<LineReader> feature_reader(const model_file::ClassifierSession& session) {
  const int64_t channels = session.model.sizes.channels;
  const data::FeatureRule rule = feature_rule(session.model.options, channels);
  const auto read = [rule](const std::string& path) -> PathLineReader::Example {
    data::FeatureSequence sequence = data::read_features(path);
    const bool is_cropped = data::apply(rule, sequence, path);
    return {std::move(sequence.values), is_cropped};
  };
  return std::make_unique<PathLineReader>(session, channels, read);
}

}  // namespace

std::unique_ptr<LineReader> make_line_reader(const model_file::ClassifierSession& session,
                                             int64_t max_length) {
  const models::InputKinds& input = session.model.options.input;
  if (input.is<models::ImageInput>()) return picture_reader(session);
  if (input.is<models::FeatureInput>()) return feature_reader(session);
  return std::make_unique<TextLineReader>(session, max_length);
}

}  // namespace weft::predict
