#include "apps/weft/output/evaluation_output.h"

#include <filesystem>

#include "apps/weft/command.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/read_files.h"

namespace weft::app {
namespace {

// Whether the path is that of a regular file or of nothing. False for standard output, a pipe and a
// device.
bool is_file(const std::string& path) {
  if (is_standard_output(path)) return false;
  std::error_code none;
  return !std::filesystem::exists(path, none) || std::filesystem::is_regular_file(path, none);
}

// What --predictions names. A file is replaced when all predictions are known, unless it was
// read for them. Anything else receives the predictions as they come.
class PredictionSink {
 public:
  explicit PredictionSink(std::string path) : path_(std::move(path)) {}

  // Throws OptionError for a file that was read, and FileError.
  void write(const std::string& line) {
    open();
    file_ ? file_->write(line + "\n") : lines_->write({line});
  }
  // Throws the same.
  void finish() {
    open();
    if (!file_) return;
    inputs_.check_output("--predictions", path_);
    file_->commit();
  }

 private:
  // At the first prediction: by then most of the data have been read.
  void open() {
    if (file_ || lines_) return;
    inputs_.check_output("--predictions", path_);
    if (is_file(path_)) {
      file_.emplace(path_);
    } else {
      lines_.emplace(path_);
    }
  }

  std::string path_;
  ReadFiles inputs_;
  std::optional<AtomicFile> file_ = {};
  std::optional<LineSink> lines_ = {};
};

}  // namespace

void EvaluationFlags::run(const std::vector<Model>& models, const std::vector<std::string>& files,
                          Options prediction) const {
  const Options options = library.added_to(std::move(prediction));
  std::optional<PredictionSink> sink;
  OnPrediction on_prediction;
  if (!predictions.empty()) {
    sink.emplace(predictions);
    on_prediction = [&](std::string_view line) { sink->write(std::string(line)); };
  }
  const ModelEvaluation found = evaluate_model(models, files, options, on_prediction);
  print(json ? found.json : found.text);
  if (sink) sink->finish();
}

}  // namespace weft::app
