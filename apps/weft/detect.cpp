// weft detect: paths of pictures in, a line of JSON for each out, with its objects; or how good the
// boxes are on pictures whose boxes are known.
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/idx_pictures.h"
#include "apps/weft/input/listed_files.h"
#include "apps/weft/model_options.h"
#include "apps/weft/output/drawings.h"
#include "apps/weft/output/evaluation_output.h"
#include "weft/core/log.h"
#include "weft/data/images/draw.h"
#include "weft/data/images/image_file.h"
#include "weft/model_file/detector.h"
#include "weft/predict/batch_options.h"
#include "weft/predict/detection/detector.h"
#include "weft/predict/detection/objects.h"
#include "weft/tasks/detection/options.h"

namespace weft::app {
namespace {

struct DetectOptions {
  ModelOptions model;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  predict::DetectorOptions objects;
  std::string draw;
  bool strict = false;
  std::vector<std::string> evaluate;
  EvaluationOutputOptions evaluation;
  tasks::BoxFileOptions files;

  template <class V>
  void fields(V& v) {
    options::group(v, "Pictures");
    model.fields(v);
    v("input", input,
      {.help = "a picture, a folder of pictures, a file of pictures in MNIST's form (IDX), or a "
               "list: the "
               "path of a picture a line, plain or .gz, or - or stdin",
       .letter = 'i',
       .reads = true});
    v("output", output,
      {.help = "file of objects, a line of JSON for each picture, or - or stdout",
       .letter = 'o',
       .writes = true});
    objects.fields(v);
    v("draw", draw,
      {.help =
           "folder for pictures with their boxes, names and scores drawn, a PNG each, whose name "
           "begins with the number of the line"});
    v("strict", strict,
      {.help = "exit status 1 if a picture could not be read; a result is written for every line "
               "in any case"});
    options::group(v, "Evaluation");
    v("evaluate", evaluate,
      {.help = "pictures with boxes, as --train-sets of weft train detection: print average "
               "precision, over all and of each label, in place of objects",
       .reads = true});
    evaluation.fields(v);
    files.fields(v);
  }

  void validate() const {
    const auto is_of_evaluation = [](std::string_view name) {
      return name == "image-folder" || name == "bad-boxes" || name == data::BadFileOptions::kName;
    };
    const auto is_of_lines = [](std::string_view name) {
      return name == "input" || name == "output" || name == "threshold" || name == "draw" ||
             name == "strict" || name.ends_with("-batch");
    };
    check_evaluation(*this, !evaluate.empty(), is_of_evaluation, is_of_lines);
  }
};

double hundredths(double x) { return std::round(x * 100) / 100; }

// {"image": "a.png", "boxes": [{"label": "cup", "score": 0.98, "box": [x, y, width, height]}]}
std::string line_of(const std::string& path, const predict::PictureObjects& picture,
                    const data::LabelSet& labels) {
  Json boxes = Json::array();
  for (const metrics::DetectedBox& object : picture.objects) {
    Json box = Json::array();
    for (const double number : {object.box.x, object.box.y, object.box.width, object.box.height}) {
      box.push_back(hundredths(number));
    }
    boxes.push_back({{"label", labels.name(object.label)},
                     {"score", rounded(object.score)},
                     {"box", std::move(box)}});
  }
  Json out{{"image", path}, {"boxes", std::move(boxes)}};
  if (picture.fault) out["error"] = picture.fault->reason;
  return json_line(out);
}

// On a picture of three channels.
void draw(const predict::PictureObjects& picture, const data::LabelSet& labels,
          data::Image& image) {
  const int64_t thickness = 1 + std::min(image.width, image.height) / 200;
  for (auto object = picture.objects.rbegin(); object != picture.objects.rend(); ++object) {
    const data::Colour colour = data::colour_of(object->label);
    data::draw_box(image, object->box, colour, thickness);
    data::draw_label(image, object->box,
                     fmt::format("{} {:.0f}%", labels.name(object->label), 100 * object->score),
                     colour, 1 + std::min(image.width, image.height) / 400);
  }
}

// Pictures that are all known before the first is read. Throws OptionError where one of them would
// be overwritten.
void protect(const std::vector<std::string>& pictures, Drawings& drawings) {
  for (const std::string& picture : pictures) drawings.add_input(picture);
  drawings.has_all_inputs();
  int64_t line = 0;
  for (const std::string& picture : pictures) drawings.check(++line, picture);
}

// {"label": "cup", "box": [x, y, width, height]}, shares of the picture's width and height.
Json json_of(const std::string& label, const data::Box& box) {
  return {{"label", label},
          {"box", {rounded(box.x), rounded(box.y), rounded(box.width), rounded(box.height)}}};
}

void write_predictions(const predict::ComparedObjects& compared, const data::LabelSet& labels,
                       PredictionFile& file) {
  for (size_t i = 0; file && i < compared.found.size(); ++i) {
    Json expected = Json::array(), boxes = Json::array();
    for (const metrics::ExpectedBox& box : compared.expected[i]) {
      expected.push_back(json_of(labels.name(box.label), box.box));
    }
    for (const metrics::DetectedBox& box : compared.found[i]) {
      boxes.push_back(json_of(labels.name(box.label), box.box));
      boxes.back()["score"] = rounded(box.score);
    }
    file.write({{"expected", std::move(expected)}, {"boxes", std::move(boxes)}});
  }
}

Json json_of(const metrics::PrecisionReport& found, const data::LabelSet& labels) {
  Json out{{"ap", found.mean}, {"ap50", found.at_50}, {"ap75", found.at_75}};
  out["labels"] = Json::object();
  for (int32_t label = 0; label < labels.size(); ++label) {
    const metrics::LabelPrecision& of_label = found.labels[static_cast<size_t>(label)];
    if (of_label.expected == 0) continue;
    out["labels"][std::string(labels.name(label))] = {{"ap", of_label.mean()},
                                                      {"ap50", of_label.at_50()},
                                                      {"recall", of_label.recall},
                                                      {"boxes", of_label.expected}};
  }
  return out;
}

void evaluate(const model_file::DetectorSession& session, const DetectOptions& options) {
  PredictionFile file(options.evaluation);
  const data::LabelledBoxes pictures(
      options.evaluate,
      options.files.params(session.model.dims.image, session.model.options.image.patch_size),
      session.labels);
  log::info("{}", pictures.report());
  const predict::ComparedObjects compared = predict::compare_objects(session, pictures);
  const metrics::PrecisionReport found = predict::evaluate_objects(compared, session.labels.size());
  write_predictions(compared, session.labels, file);
  if (options.evaluation.json) return print(json_page(json_of(found, session.labels)));
  print(fmt::format("AP at IoU 0.5 {:.4f}, at 0.75 {:.4f}, at 0.5:0.95 {:.4f}\n\n{}", found.at_50,
                    found.at_75, found.mean, found.text(session.labels.names())));
}

// Writes what is found, a line for each picture, and draws it.
class ObjectSink {
 public:
  // All pictures are `known` before the first is read, or come with their objects.
  ObjectSink(const DetectOptions& options, const data::LabelSet& labels,
             const std::optional<std::vector<std::string>>& known)
      : labels_(labels), sink_(options.output) {
    if (options.draw.empty()) return;
    drawings_.emplace("--draw", options.draw);
    if (known) protect(*known, *drawings_);
  }

  // read(i) is the picture of found[i], whose path is paths[i].
  template <class Read>
  void write(const std::vector<std::string>& paths,
             const std::vector<predict::PictureObjects>& found, const Read& read) {
    std::vector<std::string> out;
    for (size_t i = 0; i < found.size(); ++i) {
      out.push_back(line_of(paths[i], found[i], labels_));
      if (drawings_) drawings_->add_input(paths[i]);
    }
    sink_.write(out);
    for (size_t i = 0; i < found.size(); ++i) {
      ++line_;
      if (!drawings_ || found[i].fault) continue;
      data::Image image = data::with_channels(read(i), 3);
      draw(found[i], labels_, image);
      drawings_->write(line_, paths[i], image);
    }
  }

 private:
  const data::LabelSet& labels_;
  LineSink sink_;
  std::optional<Drawings> drawings_;
  int64_t line_ = 0;
};

Answering answering_of(const DetectOptions& options) {
  return {.together = options.objects.batches.lines_together(),
          .done = "detected objects in",
          .unit = "picture",
          .is_strict = options.strict};
}

int detect_idx(const predict::Detector& detector, const data::LabelSet& labels,
               const DetectOptions& options) {
  const std::vector<std::string> file{options.input};
  check_listed_output(options.output, file);
  ObjectSink sink(options, labels, {file});
  IdxSource source(options.input);
  Report report("picture");
  const Answering answering = answering_of(options);
  for (std::vector<data::Image> pictures; next_window(source, answering.together, pictures);) {
    std::vector<std::string> names;
    for (size_t i = 1; i <= pictures.size(); ++i) {
      names.push_back(fmt::format("{}:{}", options.input, report.inputs + static_cast<int64_t>(i)));
    }
    sink.write(names, predict::predict(detector, pictures, report),
               [&](size_t i) { return pictures[i]; });
  }
  return conclude(report, answering);
}

int detect_lines(const predict::Detector& detector, const data::LabelSet& labels,
                 const DetectOptions& options) {
  LineSource source(options.input, data::FileKind::kPicture);
  const std::optional<std::vector<std::string>> pictures = listed_files(source, options.input);
  if (pictures) check_listed_output(options.output, *pictures);
  ObjectSink sink(options, labels, pictures);
  Report report;
  const Answering answering = answering_of(options);
  for (std::vector<predict::Line> lines; next_window(source, answering.together, lines);) {
    std::vector<std::string> paths;
    paths.reserve(lines.size());
    for (const predict::Line& line : lines) paths.push_back(line.text);
    sink.write(paths, predict::predict(detector, lines, report),
               [&](size_t i) { return data::read_image(paths[i]); });
  }
  return conclude(report, answering);
}

}  // namespace

int run_detect(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<DetectOptions>(info, args);
  if (!options) return 0;
  const auto session = options->model.load<model_file::DetectorSession>();
  if (!options->evaluate.empty()) {
    evaluate(session, *options);
    return 0;
  }
  const predict::Detector detector(session, options->objects);
  return (is_idx_file(options->input) ? detect_idx : detect_lines)(detector, session.labels,
                                                                   *options);
}

}  // namespace weft::app
