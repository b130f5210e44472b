// weft complete: masked views completed by second views, as pictures and as errors.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/view_input.h"
#include "apps/weft/output/evaluation_output.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/data/images/png.h"

namespace weft::app {
namespace {

struct CompleteOptions {
  ViewInput views;
  std::optional<double> mask_ratio = {};
  bool without_second = false;
  std::string output_dir;
  int64_t pairs_per_file = 1;
  bool separate = false;
  bool evaluate = false;
  data::BadFileOptions bad_files;
  EvaluationOutputOptions evaluation;

  template <class V>
  void fields(V& v) {
    views.fields(v);
    options::group(v, "Completion");
    v("mask-ratio", mask_ratio,
      {.help = "share of the first view's patches that are masked; auto: that of training",
       .min = 0,
       .max = 1});
    v("without-second", without_second,
      {.help = "give each pair the second view of another pair, to measure what its own is worth"});
    v("output-dir", output_dir,
      {.help = "folder of PNG files with a row for each pair: the masked first view, the completed "
               "one, the true one and the second view"});
    v("pairs-per-file", pairs_per_file,
      {.help = "rows of a file, which has the number of its first pair", .min = 1, .max = 1000});
    v("separate", separate,
      {.help = "a PNG file for each of the four: 1-masked.png, 1-completed.png, 1-first.png, "
               "1-second.png"});
    v("evaluate", evaluate, {.help = "print the mean error alone"});
    bad_files.fields(v);
    evaluation.fields(v);
  }

  void validate() const {
    if (output_dir.empty() && (separate || pairs_per_file > 1)) {
      fail<OptionError>(separate ? "--separate" : "--pairs-per-file",
                        "is of --output-dir, which is not given");
    }
    if (separate && pairs_per_file > 1) {
      fail<OptionError>("--pairs-per-file", "contradicts --separate; expected one of them");
    }
    const auto is_read = [](std::string_view name) {
      return !EvaluationOutputOptions::is_option(name) && name != data::BadFileOptions::kName;
    };
    if (!evaluate) options::check_unread(*this, is_read, "without --evaluate");
    if (evaluate && !output_dir.empty()) {
      fail<OptionError>("--evaluate", "writes no pictures; expected no --output-dir");
    }
  }
};

// A canvas of white, and the picture pasted into it with its upper left corner there.
data::Image canvas(int64_t height, int64_t width, int64_t channels) {
  data::Image out{.height = height, .width = width, .channels = channels, .pixels = {}};
  out.pixels.assign(static_cast<size_t>(height * width * channels), 255);
  return out;
}
void paste(const data::Image& picture, int64_t top, int64_t left, data::Image& out) {
  const int64_t bytes = picture.width * picture.channels;
  for (int64_t row = 0; row < picture.height; ++row) {
    std::copy_n(picture.pixels.begin() + row * bytes, bytes,
                out.pixels.begin() + ((top + row) * out.width + left) * out.channels);
  }
}

// Writes completed pairs to --output-dir.
class PictureWriter {
 public:
  // Throws FileError where the folder cannot be made.
  PictureWriter(const CompleteOptions& options, const ReadFiles& inputs)
      : options_(options), inputs_(inputs) {
    make_folder(options.output_dir);
  }

  void add(const CompletedView& found, int64_t pair) {
    const std::string number = std::to_string(pair);
    if (options_.separate) {
      write(number + "-masked", found.masked);
      write(number + "-completed", found.completed);
      write(number + "-first", found.first);
      return write(number + "-second", found.second);
    }
    if (rows_.empty()) first_ = pair;
    rows_.push_back(found);
    if (std::ssize(rows_) == options_.pairs_per_file) flush();
  }
  // Writes the rows that are left.
  void flush() {
    if (rows_.empty()) return;
    constexpr int64_t kGap = 2;
    const data::Image& first = rows_.front().first;
    const int64_t height = first.height + kGap, width = first.width + kGap;
    data::Image out = canvas(std::ssize(rows_) * height - kGap, 4 * width - kGap, first.channels);
    for (size_t row = 0; row < rows_.size(); ++row) {
      const CompletedView& found = rows_[row];
      int64_t column = 0;
      for (const data::Image* view :
           {&found.masked, &found.completed, &found.first, &found.second}) {
        paste(*view, static_cast<int64_t>(row) * height, column++ * width, out);
      }
    }
    write(std::to_string(first_), out);
    rows_.clear();
  }

 private:
  void write(const std::string& name, const data::Image& image) const {
    const std::filesystem::path folder = options_.output_dir;
    const std::string path = (folder / (name + ".png")).string();
    inputs_.check_output("--output-dir", path);
    write_file(path, data::encode_png(image));
  }

  const CompleteOptions& options_;
  const ReadFiles& inputs_;
  std::vector<CompletedView> rows_;  // of the file to be written
  int64_t first_ = 0;                // the number of the first one
};

// Writes the error of each pair, or their mean, and the pictures of --output-dir.
class CompletionSink {
 public:
  CompletionSink(const CompleteOptions& options, const ReadFiles& inputs)
      : options_(options), inputs_(inputs), file_(options.evaluation) {}

  void write(const std::vector<CompletedView>& completions) {
    if (!options_.output_dir.empty() && !pictures_) pictures_.emplace(options_, inputs_);
    for (const CompletedView& found : completions) {
      ++pairs_;
      if (found.fault) {
        if (options_.evaluate) {
          fail<NumericError>("--evaluate", "pair {}: {}", pairs_, found.fault->reason);
        }
        print(fmt::format("{}\t\n", pairs_));
        continue;
      }
      ++completed_;
      sum_ += found.error;
      file_.write({{"error", found.error}});
      if (pictures_) pictures_->add(found, pairs_);
      if (!options_.evaluate) print(fmt::format("{}\t{:.6f}\n", pairs_, found.error));
    }
    flush_output();
  }
  void finish() {
    if (pictures_) pictures_->flush();
    const double mean = sum_ / static_cast<double>(std::max<int64_t>(1, completed_));
    if (options_.evaluation.json) {
      print(json_page({{"error", mean}, {"pairs", completed_}}));
    } else if (options_.evaluate) {
      print(fmt::format("error {:.6f}\n", mean));
    }
    log::info("mean error of {}: {:.4f}", counted(completed_, "pair"), mean);
  }

 private:
  const CompleteOptions& options_;
  const ReadFiles& inputs_;
  std::optional<PictureWriter> pictures_;
  PredictionFile file_;
  double sum_ = 0;
  int64_t pairs_ = 0, completed_ = 0;
};

// With --without-second all pairs are read together: each gets a view of another.
PairSource source_of(const CompleteOptions& options, const model_file::CrossViewSession& session) {
  if (!options.evaluate && !options.without_second) return {options.views, session};
  auto pairs = options.evaluate ? options.views.read(session, options.bad_files.params())
                                : options.views.read(session);
  if (options.without_second && pairs->size() < 2) {
    fail<OptionError>("--without-second", "needs the second view of another pair, got one pair");
  }
  return PairSource(std::move(pairs));
}

}  // namespace

int run_complete(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<CompleteOptions>(info, args);
  if (!options) return 0;
  const model_file::CrossViewSession session =
      options->views.model.load<model_file::CrossViewSession>();
  const models::CrossViewOptions& model = session.model.options;
  if (!model.is_completion()) {
    fail<FormatError>(options->views.model.path,
                      "predicts motion; expected --objective completion; "
                      "hint: weft motion runs it");
  }
  if (options->without_second && !model.has_second_view()) {
    fail<OptionError>("--without-second", "the model sees no second view");
  }
  const ReadFiles inputs;
  predict::ViewPredictorOptions prediction = options->views.prediction();
  prediction.mask_ratio =
      options->mask_ratio.value_or(model.objective.get<models::CompletionObjective>().mask_ratio);
  if (options->without_second) prediction.second = predict::SecondView::kOther;
  prediction.with_pictures = !options->output_dir.empty();
  CompletionSink sink(*options, inputs);
  PairSource source = source_of(*options, session);
  const predict::Completer completer(session, prediction);
  Report report("pair");
  const Answering answering{
      .together = options->views.mini_batch, .done = "completed", .unit = "pair"};
  for (std::vector<predict::PairOfSet> pairs; source.next(answering.together, pairs);) {
    sink.write(predict::predict(completer, pairs, report));
  }
  const int status = conclude(report, answering);
  sink.finish();
  return status;
}

}  // namespace weft::app
