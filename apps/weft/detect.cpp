// weft detect: paths of pictures in, a line of JSON for each out, with its objects; or how good the
// boxes are on pictures whose boxes are known.
#include "weft/detect.h"

#include <fmt/core.h>

#include <algorithm>
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
#include "weft/data/images/draw.h"
#include "weft/data/images/image_file.h"

namespace weft::app {
namespace {

struct DetectOptions {
  ModelOptions model;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  LibraryOptions objects{Detector::schema()};
  std::string draw;
  bool strict = false;
  std::vector<std::string> evaluate;
  EvaluationFlags evaluation{"detector"};

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
  }

  void validate() const {
    objects.validate();
    const auto is_of_lines = [](std::string_view name) {
      return name == "input" || name == "output" || name == "threshold" || name == "draw" ||
             name == "strict" || name.ends_with("-batch");
    };
    evaluation.check(*this, !evaluate.empty(), is_of_lines);
  }
};

double hundredths(double x) { return std::round(x * 100) / 100; }

using Json = nlohmann::ordered_json;

// {"image": "a.png", "boxes": [{"label": "cup", "score": 0.98, "box": [x, y, width, height]}]}
std::string line_of(const std::string& path, const Detection& picture) {
  Json boxes = Json::array();
  for (const DetectedObject& object : picture.objects) {
    Json box = Json::array();
    for (const double number : {object.x, object.y, object.width, object.height}) {
      box.push_back(hundredths(number));
    }
    boxes.push_back({{"label", object.label},
                     {"score", std::round(object.score * 1e6) / 1e6},
                     {"box", std::move(box)}});
  }
  Json out{{"image", path}, {"boxes", std::move(boxes)}};
  if (picture.fault) out["error"] = picture.fault->reason;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// On a picture of three channels; `labels` are those of the model.
void draw(const Detection& picture, const std::vector<std::string>& labels, data::Image& image) {
  const int64_t thickness = 1 + std::min(image.width, image.height) / 200;
  for (auto object = picture.objects.rbegin(); object != picture.objects.rend(); ++object) {
    const auto label = std::ranges::find(labels, object->label) - labels.begin();
    const data::Colour colour = data::colour_of(static_cast<int32_t>(label));
    const data::Box box{object->x, object->y, object->width, object->height};
    data::draw_box(image, box, colour, thickness);
    data::draw_label(image, box, fmt::format("{} {:.0f}%", object->label, 100 * object->score),
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

// Writes what is found, a line for each picture, and draws it.
class ObjectSink {
 public:
  // All pictures are `known` before the first is read, or come with their objects.
  ObjectSink(const DetectOptions& options, std::vector<std::string> labels,
             const std::optional<std::vector<std::string>>& known)
      : labels_(std::move(labels)), sink_(options.output) {
    if (options.draw.empty()) return;
    drawings_.emplace("--draw", options.draw);
    if (known) protect(*known, *drawings_);
  }

  // read(i) is the picture of found[i], whose path is paths[i].
  template <class Read>
  void write(const std::vector<std::string>& paths, const std::vector<Detection>& found,
             const Read& read) {
    std::vector<std::string> out;
    for (size_t i = 0; i < found.size(); ++i) {
      out.push_back(line_of(paths[i], found[i]));
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
  std::vector<std::string> labels_;
  LineSink sink_;
  std::optional<Drawings> drawings_;
  int64_t line_ = 0;
};

Answering answering_of(const DetectOptions& options) {
  return {.together = lines_together(options.objects),
          .done = "detected objects in",
          .unit = "picture",
          .is_strict = options.strict};
}

int detect_idx(const Detector& detector, const std::vector<std::string>& labels,
               const DetectOptions& options) {
  ObjectSink sink(options, labels, std::vector{options.input});
  IdxSource source(options.input);
  Report report("picture");
  const Answering answering = answering_of(options);
  for (std::vector<data::Image> pictures; next_window(source, answering.together, pictures);) {
    std::vector<std::string> names;
    for (size_t i = 1; i <= pictures.size(); ++i) {
      names.push_back(fmt::format("{}:{}", options.input, report.inputs + static_cast<int64_t>(i)));
    }
    sink.write(names, detector.detect(pictures, &report), [&](size_t i) { return pictures[i]; });
  }
  return conclude(report, answering);
}

int detect_lines(const Detector& detector, const std::vector<std::string>& labels,
                 const DetectOptions& options) {
  LineSource source(options.input, data::FileKind::kPicture);
  const std::optional<std::vector<std::string>> pictures = listed_files(source, options.input);
  check_listed_output(options.output, pictures, data::FileKind::kPicture);
  ObjectSink sink(options, labels, pictures);
  Report report;
  const Answering answering = answering_of(options);
  for (std::vector<Line> lines; next_window(source, answering.together, lines);) {
    std::vector<std::string> paths;
    paths.reserve(lines.size());
    for (const Line& line : lines) paths.push_back(line.text);
    sink.write(paths, detector.detect(lines, &report),
               [&](size_t i) { return data::read_image(paths[i]); });
  }
  return conclude(report, answering);
}

}  // namespace

int run_detect(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<DetectOptions>(info, args);
  if (!options) return 0;
  const Model model = options->model.load("detector");
  if (!options->evaluate.empty()) {
    options->evaluation.run({model}, options->evaluate, options->objects.changed());
    return 0;
  }
  const Detector detector(model, options->objects.changed());
  return (is_idx_file(options->input) ? detect_idx : detect_lines)(detector, model.labels(),
                                                                   *options);
}

}  // namespace weft::app
