// weft classify: lines in, each a text or the path of a file, their labels out; or how good the
// labels are on examples whose labels are known.
#include "weft/classify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/idx_pictures.h"
#include "apps/weft/input/listed_files.h"
#include "apps/weft/model_options.h"
#include "apps/weft/output/evaluation_output.h"

namespace weft::app {
namespace {

// What a model classifies, as Classifier::input() names it.
constexpr std::string_view kPictures = "image", kVectors = "features";

struct ClassifyOptions {
  ModelsOptions models;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  bool scores = false;
  LibraryOptions prediction{Classifier::schema()};
  bool strict = false;
  std::vector<std::string> evaluate;
  EvaluationFlags evaluation{"classifier"};

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    models.fields(v,
                  "model file, or several with the same labels, whose probabilities are averaged");
    v("input", input,
      {.help =
           "what to classify, a text or the path of a file a line, plain or .gz, or - or stdin; "
           "with a model of --input image or features also a picture or a file of vectors itself, "
           "a "
           "folder of them, or a file of pictures in MNIST's form (IDX)",
       .letter = 'i',
       .reads = true});
    v("output", output, {.help = "file of labels, or - or stdout", .letter = 'o', .writes = true});
    v("scores", scores,
      {.help = "print the probability of each label, the highest first: label, tab, probability, "
               "tab, label, ..."});
    prediction.fields(v);
    v("strict", strict,
      {.help =
           "exit status 1 if a line was cropped, over-long or not UTF-8; a result is written for "
           "every line in any case"});
    options::group(v, "Evaluation");
    v("evaluate", evaluate,
      {.help = "labelled text, plain or .gz, or - for standard input, or what else training on "
               "pictures or vectors takes: print accuracy, F1 and calibration error, and "
               "precision, recall and F1 of each label, in place of labels",
       .reads = true});
    evaluation.fields(v);
  }

  void validate() const {
    prediction.validate();
    const auto is_of_lines = [](std::string_view name) {
      return name == "input" || name == "output" || name == "scores" || name == "strict";
    };
    evaluation.check(*this, !evaluate.empty(), is_of_lines);
  }
};

// "NUM\t0.981237\tDESC\t0.012345"
std::string scores_text(const std::vector<float>& probabilities,
                        const std::vector<std::string>& labels) {
  std::vector<int32_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](int32_t label) { return probabilities[label]; });
  std::string out;
  for (const int32_t label : order) {
    if (!out.empty()) out += '\t';
    out += fmt::format("{}\t{:.6f}", labels[static_cast<size_t>(label)], probabilities[label]);
  }
  return out;
}

std::string numbers_text(const std::vector<float>& numbers) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const float number : numbers) texts.push_back(fmt::format("{:.6g}", number));
  return fmt::format("{}", fmt::join(texts, " "));
}

// What is written of inputs.
struct OutputFormat {
  bool has_numbers;
  bool scores;
  std::vector<std::string> labels;

  std::vector<std::string> operator()(const std::vector<Classification>& inputs) const {
    std::vector<std::string> out;
    out.reserve(inputs.size());
    for (const Classification& input : inputs) {
      out.push_back(has_numbers ? numbers_text(input.probabilities)
                    : scores    ? scores_text(input.probabilities, labels)
                                : fmt::format("{}", fmt::join(input.labels, " ")));
    }
    return out;
  }
};

// The kind of the files whose paths the lines are; nothing where they are texts.
std::optional<data::FileKind> file_kind(std::string_view input) {
  if (input == kPictures) return data::FileKind::kPicture;
  if (input == kVectors) return data::FileKind::kVectors;
  return std::nullopt;
}

template <class Source>
int classify_all(const Classifier& classifier, Source source, const OutputFormat& format,
                 const ClassifyOptions& options) {
  constexpr std::string_view unit = Source::kUnit;
  LineSink sink(options.output);
  Report report(unit);
  const Answering answering{.together = lines_together(options.prediction),
                            .done = "classified",
                            .unit = unit,
                            .is_strict = options.strict};
  for (std::vector<typename Source::Item> inputs;
       next_window(source, answering.together, inputs);) {
    sink.write(format(classifier.classify(inputs, &report)));
  }
  return conclude(report, answering);
}

int classify_lines(const Classifier& classifier, const OutputFormat& format,
                   const ClassifyOptions& options) {
  const std::optional<data::FileKind> kind = file_kind(classifier.input());
  LineSource source = kind ? LineSource(options.input, *kind) : LineSource(options.input);
  if (kind) check_listed_output(options.output, listed_files(source, options.input), *kind);
  return classify_all(classifier, std::move(source), format, options);
}

}  // namespace

int run_classify(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ClassifyOptions>(info, args);
  if (!options) return 0;
  const std::vector<Model> models = options->models.load("classifier");
  const Classifier classifier(models, options->prediction.changed());
  require_option(!options->scores || !classifier.has_numbers(), "--scores",
                 "the model is of --labels numbers, which have no probabilities");
  if (!options->evaluate.empty()) {
    options->evaluation.run(models, options->evaluate, options->prediction.changed());
    return 0;
  }
  const OutputFormat format{.has_numbers = classifier.has_numbers(),
                            .scores = options->scores,
                            .labels = models.front().labels()};
  if (classifier.input() == kPictures && is_idx_file(options->input)) {
    return classify_all(classifier, IdxSource(options->input), format, *options);
  }
  return classify_lines(classifier, format, *options);
}

}  // namespace weft::app
