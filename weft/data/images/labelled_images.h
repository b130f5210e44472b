// Pictures with labels, whole in memory: what a classifier of pictures trains on.
#ifndef WEFT_DATA_IMAGES_LABELLED_IMAGES_H_
#define WEFT_DATA_IMAGES_LABELLED_IMAGES_H_

#include <functional>
#include <string>
#include <vector>

#include "weft/data/bad_files.h"
#include "weft/data/images/pixels.h"
#include "weft/data/labels/label_set.h"
#include "weft/data/labels/labelled_dataset.h"
#include "weft/data/labels/labelled_text.h"

namespace weft::data {

// Where labelled pictures stand.
enum class ImageLayout {
  kIdx,      // two files of the MNIST form: pictures, labels
  kFolders,  // a folder that has one of pictures for each label, which is the folder's name
  kText,     // labelled text whose text is a picture's path, from the folder of the text
};
// What these files are. Throws FileError for one that cannot be read, and FormatError for pictures
// of the MNIST form without one file of labels.
ImageLayout image_layout_of(const std::vector<std::string>& files);

struct LabelledImage {
  std::string where;                // of its label: "train.tsv:12", or the picture's file
  std::vector<std::string> labels;  // each once
  std::function<Image()> read;      // throws as read_image() does
};
// Calls take() for each picture: of folders in byte order of the labels, and of the names of files
// in each, but for those that begin with a point; else in their order. Throws FileError and
// FormatError for what cannot be read, for other numbers of pictures than of labels, and for a
// folder without a picture. `text` is of kText alone.
void read_labelled_images(const std::vector<std::string>& files, const LabelledTextOptions& text,
                          const std::function<void(const LabelledImage&)>& take);

// The labels of such pictures, the most frequent first; throws as LabelCounter does.
LabelSet collect_image_labels(const std::vector<std::string>& files,
                              const LabelledTextOptions& text);

struct LabelledImagesOptions {
  LabelledTextOptions text = {};
  ImageShape shape;   // that pictures are brought to; what is 0 of it is that of the first picture
  int64_t patch = 1;  // its side, for cost(); may be set later
  BadFiles bad_files = BadFiles::kRefuse;
};

// The fields of a batch: Features, a row of height * width * channels bytes, from 0 to 255, for
// each picture; Labels.
class LabelledImages : public LabelledDataset {
 public:
  // Throws what read_labelled_images() and read_image() throw, naming the line of a text that the
  // picture stands in, the latter unless bad files are skipped; and FormatError for a label that is
  // not in the set, and where no picture is left.
  LabelledImages(const std::vector<std::string>& files, LabelledImagesOptions options,
                 const LabelSet& labels);

  int64_t size() const override { return std::ssize(labels_); }
  Cost cost(int64_t) const override { return {.rows = options_.shape.patches(options_.patch)}; }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;
  std::span<const int32_t> labels(int64_t example, size_t) const override {
    return labels_[static_cast<size_t>(example)];
  }
  const ImageShape& shape() const { return options_.shape; }
  void set_patch(int64_t patch) { options_.patch = patch; }
  // "photos: 5452 pictures of 32 x 32; 120 resized"
  std::string report() const override;
  ChannelStatistics statistics() const {
    return pixel_statistics(pixels_, options_.shape.channels);
  }

 private:
  LabelledImagesOptions options_;
  std::string name_;
  std::vector<uint8_t> pixels_;  // [size, height, width, channels]
  std::vector<std::vector<int32_t>> labels_;
  SkippedFiles skipped_;
  int64_t resized_ = 0;
};

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_LABELLED_IMAGES_H_
