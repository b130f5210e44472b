// The options of training a detector.
#ifndef WEFT_TASKS_DETECTION_OPTIONS_H_
#define WEFT_TASKS_DETECTION_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/data/boxes/labelled_boxes.h"
#include "weft/data/images/augmentation.h"
#include "weft/models/detector_options.h"
#include "weft/models/set_loss.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

// Where pictures lie, and what becomes of boxes that are not inside them.
struct BoxFileOptions {
  std::string image_folder;
  data::BadFileOptions bad_files;
  std::string bad_boxes = "refuse";

  template <class V>
  void fields(V& v) {
    v("image-folder", image_folder,
      {.help = "folder that the paths of pictures are relative to; by default that of the file "
               "that names them, of Pascal VOC JPEGImages, or wherever a file has the name"});
    bad_files.fields(v);
    v("bad-boxes", bad_boxes,
      {.help =
           "what becomes of a box that has no area or reaches over a pixel beyond its picture: "
           "an error, what is inside of it is kept, or it is left out; the last two are counted",
       .choices = "refuse|clip|skip"});
  }
  data::LabelledBoxesOptions params(const data::ImageShape& shape, int64_t patch) const;
};

// The weights of the parts of the loss, and of the costs of the matching, beside 1 of labels.
struct BoxLossOptions {
  double no_object_weight = 0.1;
  double l1_weight = 5;
  double giou_weight = 2;
  bool count_empty_pictures = false;

  template <class V>
  void fields(V& v) {
    options::group(v, "Loss");
    v("no-object-weight", no_object_weight,
      {.help = "what a query without an object counts in the cross-entropy of labels",
       .min = 0,
       .max = 1});
    v("box-l1-weight", l1_weight,
      {.help = "weight of the L1 distance of boxes, beside 1 of labels", .min = 0, .max = 1e3});
    v("box-giou-weight", giou_weight,
      {.help = "weight of 1 - GIoU of boxes (Rezatofighi et al. 2019, arXiv 1902.09630)",
       .min = 0,
       .max = 1e3});
    v("count-empty-pictures", count_empty_pictures,
      {.help = "the loss is divided by the number of boxes of the update, as in DETR; this counts "
               "a picture without boxes as one box"});
  }
  models::SetLossParams params() const;
};

struct DetectionOptions : TaskOptions {
  static constexpr train::EarlierDefault kEarlierDefaults[] = {
      {"patch-size", "8"}, {"max-positions", "512"}, {"count-empty-pictures", "true"}};

  std::vector<std::string> train_sets;
  BoxFileOptions files;
  data::AugmentationOptions augmentation;
  models::DetectorOptions model;
  BoxLossOptions loss;
  bool valid_report = false;

  DetectionOptions();

  template <class V>
  void fields(V& v) {
    loop_fields(v);
    options::group(v, "Data");
    v("train-sets", train_sets,
      {.help = "pictures with boxes, in one of three forms, told by content: lines of JSON, each "
               "{\"image\": path, \"boxes\": [{\"label\": name, \"box\": [x, y, width, height]}]}; "
               "COCO's JSON; a folder of Pascal VOC, or a list of names in one",
       .letter = 't',
       .required = true,
       .reads = true,
       .may_change = true});
    files.fields(v);
    augmentation.fields(v);
    batching.fields(v);
    model.fields(v);
    loss.fields(v);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(
        v, {.sets = "pictures with boxes to validate on, as --train-sets", .metrics = "ap50|map"});
    v("valid-report", valid_report,
      {.help = "log the average precision of each label at each validation", .may_change = true});
  }

  static constexpr std::string_view kExamples = "pictures";
  std::span<const DataPreset> presets() const;  // weft/tasks/presets.h
  int64_t count_examples(int64_t enough) const;

  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DETECTION_OPTIONS_H_
