// weft complete: masked views completed by second views, as pictures and as errors.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/view_input.h"
#include "apps/weft/output/evaluation_output.h"
#include "apps/weft/output/picture_folder.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"

namespace weft::app {
namespace {

struct CompleteOptions {
  ViewInput views;
  LibraryOptions completion{ViewCompleter::schema(), {"pictures"}};
  std::string output_dir;
  int64_t pairs_per_file = 1;
  bool separate = false;
  bool evaluate = false;
  EvaluationFlags evaluation{"cross-view"};

  template <class V>
  void fields(V& v) {
    views.fields(v);
    options::group(v, "Completion");
    completion.fields(v);
    v("output-dir", output_dir,
      {.help = "folder of PNG files with a row for each pair: the masked first view, the completed "
               "one, the true one and the second view"});
    v("pairs-per-file", pairs_per_file,
      {.help = "rows of a file, which has the number of its first pair", .min = 1, .max = 1000});
    v("separate", separate,
      {.help = "a PNG file for each of the four: 1-masked.png, 1-completed.png, 1-first.png, "
               "1-second.png"});
    v("evaluate", evaluate, {.help = "print the mean error alone"});
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
    views.pairs.validate();
    completion.validate();
    evaluation.check(*this, evaluate, [](std::string_view) { return false; });
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
      : options_(options), folder_("--output-dir", options.output_dir, inputs) {
    const bool reads_all =
        !options.views.is_pipe() || options.completion.value<bool>("without-second");
    if (reads_all) folder_.has_all_inputs();
  }

  void add(const CompletedView& found, int64_t pair) {
    const std::string number = std::to_string(pair);
    if (options_.separate) {
      folder_.write(number + "-masked", found.masked);
      folder_.write(number + "-completed", found.completed);
      folder_.write(number + "-first", found.first);
      return folder_.write(number + "-second", found.second);
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
    folder_.write(std::to_string(first_), out);
    rows_.clear();
  }

 private:
  const CompleteOptions& options_;
  PictureFolder folder_;
  std::vector<CompletedView> rows_;  // of the file to be written
  int64_t first_ = 0;                // the number of the first one
};

// Writes the error of each pair, and the pictures of --output-dir.
class CompletionSink {
 public:
  CompletionSink(const CompleteOptions& options, const ReadFiles& inputs)
      : options_(options), inputs_(inputs) {}

  void write(const std::vector<CompletedView>& completions) {
    if (!options_.output_dir.empty() && !pictures_) pictures_.emplace(options_, inputs_);
    for (const CompletedView& found : completions) {
      ++pairs_;
      if (found.fault) {
        print(fmt::format("{}\t\n", pairs_));
        continue;
      }
      ++completed_;
      sum_ += found.error;
      if (pictures_) pictures_->add(found, pairs_);
      print(fmt::format("{}\t{:.6f}\n", pairs_, found.error));
    }
    flush_output();
  }
  void finish() {
    if (pictures_) pictures_->flush();
    const double mean = sum_ / static_cast<double>(std::max<int64_t>(1, completed_));
    log::info("mean error of {}: {:.4f}", counted(completed_, "pair"), mean);
  }

 private:
  const CompleteOptions& options_;
  const ReadFiles& inputs_;
  std::optional<PictureWriter> pictures_;
  double sum_ = 0;
  int64_t pairs_ = 0, completed_ = 0;
};

// Pairs one after the other. With --without-second all are read together: each gets a view of
// another.
class PairSource {
 public:
  PairSource(const CompleteOptions& options, const Model& model) {
    const std::vector<std::string> files = options.views.files();
    const Options given = options.views.pairs.changed();
    if (options.completion.value<bool>("without-second")) {
      all_ = read_view_pairs(model, files, given);
    } else {
      reader_.emplace(model, files, given);
    }
  }

  ViewPairs next(int64_t most) {
    if (reader_) return reader_->next(most);
    ViewPairs out = all_.part(taken_, most);
    taken_ += out.size();
    return out;
  }

 private:
  std::optional<ViewPairReader> reader_;
  ViewPairs all_;
  int64_t taken_ = 0;  // of all
};

Options prediction_of(const CompleteOptions& options) {
  Options out = options.completion.changed();
  out.push_back({"pictures", !options.output_dir.empty()});
  return out;
}

}  // namespace

int run_complete(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<CompleteOptions>(info, args);
  if (!options) return 0;
  const Model model = options->views.model.load("cross-view");
  const ViewCompleter completer(model, prediction_of(*options));
  if (options->evaluate) {
    options->evaluation.run({model}, options->views.files(),
                            options->views.pairs.added_to(options->completion.changed()));
    return 0;
  }
  const ReadFiles inputs;
  CompletionSink sink(*options, inputs);
  PairSource source(*options, model);
  Report report("pair");
  const Answering answering{.together = options->completion.value<int64_t>("mini-batch"),
                            .done = "completed",
                            .unit = "pair"};
  for (ViewPairs pairs; (pairs = source.next(answering.together)).size() > 0;) {
    sink.write(completer.complete(pairs, &report));
  }
  const int status = conclude(report, answering);
  sink.finish();
  return status;
}

}  // namespace weft::app
