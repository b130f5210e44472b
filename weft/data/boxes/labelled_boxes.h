// Pictures with labelled boxes, whole in memory: what a detector trains on.
#ifndef WEFT_DATA_BOXES_LABELLED_BOXES_H_
#define WEFT_DATA_BOXES_LABELLED_BOXES_H_

#include <string>
#include <vector>

#include "weft/data/bad_files.h"
#include "weft/data/boxes/boxed_pictures.h"
#include "weft/data/dataset.h"
#include "weft/data/images/pixels.h"
#include "weft/data/labels/label_set.h"

namespace weft::data {

// What becomes of a box that has no area or is not inside its picture.
enum class BadBoxes {
  kRefuse,  // FormatError
  kClip,    // what is inside remains; skipped where that has no area
  kSkip,    // left out
};
// "refuse", "clip" or "skip"; throws OptionError for another name.
BadBoxes bad_boxes_named(std::string_view name);

struct LabelledBoxesOptions {
  std::string image_folder = {};
  BadBoxes bad_boxes = BadBoxes::kRefuse;
  ImageShape shape = {};  // that pictures are brought to; what is 0 of it is that of the first one
  int64_t patch = 1;      // its side, for cost(); may be set later
  BadFiles bad_files = BadFiles::kRefuse;
};

// The labels of all boxes, the most frequent first; throws as read_boxed_pictures() and
// LabelCounter do, and FormatError where all files are left out. Names none of them.
LabelSet collect_box_labels(const std::vector<std::string>& files,
                            const LabelledBoxesOptions& options);

// The fields of a batch: Features, a row of height * width * channels bytes, from 0 to 255, for
// each picture; Labels, one for each of its boxes; and Features, a row for each box: centre x,
// centre y, width and height as shares of the picture's width and height.
class LabelledBoxes : public Dataset {
 public:
  // Throws what read_boxed_pictures() throws; what read_image() throws, naming the place that has
  // the picture's path, unless bad files are skipped; and FormatError for a label that is not in
  // the set and for bad boxes, a pixel beyond the picture being none, since annotators round.
  LabelledBoxes(const std::vector<std::string>& files, LabelledBoxesOptions options,
                const LabelSet& labels);

  int64_t size() const override { return boxes_.segments.count(); }
  Cost cost(int64_t) const override { return {.rows = options_.shape.patches(options_.patch)}; }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;

  int64_t box_count(int64_t example) const { return boxes_.segments.length(example); }
  int64_t box_count() const { return boxes_.segments.rows(); }
  int64_t most_boxes() const;  // of a picture
  const ImageShape& shape() const { return options_.shape; }
  void set_patch(int64_t patch) { options_.patch = patch; }
  // "train.jsonl: 205 pictures of 96 x 96, 2710 boxes; 12 resized, 2 boxes skipped"
  std::string report() const;
  ChannelStatistics statistics() const {
    return pixel_statistics(pixels_, options_.shape.channels);
  }

 private:
  void add(const PictureBoxes& picture, const LabelSet& labels);
  // False where it is left out.
  bool correct(LabelledBox& box, const Image& image);

  LabelledBoxesOptions options_;
  std::string name_;
  std::vector<uint8_t> pixels_;  // [size, height, width, channels]
  Features boxes_;               // [boxes, 4] of each picture
  std::vector<int32_t> labels_;  // [boxes]
  int64_t resized_ = 0, clipped_ = 0, skipped_ = 0, crowds_ = 0;
  SkippedFiles skipped_files_;
};

}  // namespace weft::data

#endif  // WEFT_DATA_BOXES_LABELLED_BOXES_H_
