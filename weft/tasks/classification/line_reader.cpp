#include "weft/tasks/classification/line_reader.h"

#include "weft/data/images/image_file.h"
#include "weft/tasks/classification/label_probabilities.h"
#include "weft/tasks/labels/path_lines.h"

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

// Lines that are paths of files.
class PathLineReader : public LineReader {
 public:
  // Appends the rows of an example; false where they were cropped.
  using Append = std::function<bool(const std::string& path, data::Features& examples)>;

  PathLineReader(const model_file::ClassifierSession& session, int64_t width, Append append)
      : session_(session), width_(width), append_(std::move(append)) {}

  void for_each_batch(std::span<const decode::SourceLine> lines, int64_t mini_batch,
                      const Run& run) override {
    data::Features examples = no_examples();
    std::vector<size_t> numbers;
    const auto flush = [&] {
      if (!numbers.empty()) run(model_input(session_, examples), numbers);
      examples = no_examples();
      numbers.clear();
    };
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string fault = read_path(lines[i], report_, [&](const std::string& path) {
        if (!append_(path, examples)) ++report_.cropped;
      });
      if (!fault.empty()) continue;
      numbers.push_back(i);
      if (std::ssize(numbers) == mini_batch) flush();
    }
    flush();
  }
  const LineReport& report() const override { return report_; }

 private:
  data::Features no_examples() const { return {{}, width_, {}, {}}; }
  const model_file::ClassifierSession& session_;
  int64_t width_;
  Append append_;
  LineReport report_;
};

std::unique_ptr<LineReader> picture_reader(const model_file::ClassifierSession& session) {
  const data::ImageShape shape = session.model.sizes.image;
  return std::make_unique<PathLineReader>(
      session, shape.size(), [shape](const std::string& path, data::Features& examples) {
        data::append_picture(data::read_image(path), shape, examples);
        return true;
      });
}

std::unique_ptr<LineReader> feature_reader(const model_file::ClassifierSession& session) {
  const int64_t channels = session.model.sizes.channels;
  const data::FeatureRule rule = feature_rule(session.model.options, channels);
  return std::make_unique<PathLineReader>(
      session, channels, [rule](const std::string& path, data::Features& examples) {
        data::FeatureSequence sequence = data::read_features(path);
        const bool is_cropped = data::apply(rule, sequence, path);
        examples.values.insert(examples.values.end(), sequence.values.begin(),
                               sequence.values.end());
        examples.segments.append(sequence.rows());
        return !is_cropped;
      });
}

}  // namespace

std::unique_ptr<LineReader> make_line_reader(const model_file::ClassifierSession& session,
                                             int64_t max_length) {
  const models::InputKinds& input = session.model.options.input;
  if (input.is<models::ImageInput>()) return picture_reader(session);
  if (input.is<models::FeatureInput>()) return feature_reader(session);
  return std::make_unique<TextLineReader>(session, max_length);
}

}  // namespace weft::tasks
