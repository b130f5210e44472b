// Pairs of views of a scene, from files or drawn as crops of pictures.
#ifndef WEFT_DATA_VIEWS_VIEW_PAIRS_H_
#define WEFT_DATA_VIEWS_VIEW_PAIRS_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/data/bad_files.h"
#include "weft/data/dataset.h"
#include "weft/data/images/pixels.h"
#include "weft/data/views/crops.h"
#include "weft/data/views/pair_list.h"
#include "weft/options/one_of.h"
#include "weft/views.h"

namespace weft::data {

// Where pairs come from.
struct ListedPairs {
  static constexpr std::string_view kName = "pairs";
  static constexpr std::string_view kHelp =
      "a text with the paths of two pictures a line and any count of numbers, with tabs between";
};
struct CroppedPairs {
  static constexpr std::string_view kName = "crops";
  static constexpr std::string_view kHelp =
      "two crops of a picture, or of each of a folder, a file of the MNIST form or a text of "
      "paths; their numbers are shift right and down, logarithm of scale, and rotation";
  CropOptions crop;

  template <class V>
  void fields(V& v) {
    crop.fields(v);
  }
};
using ViewSources = options::OneOf<ListedPairs, CroppedPairs>;

struct ViewPair {
  std::vector<float> first, second;  // [height, width, channels] from 0 to 255
  std::vector<float> numbers;        // [K]
};

// The one field of a batch is Labels with the number of each example: its pixels are a function of
// random numbers, too.
class ViewPairs : public Dataset {
 public:
  // Draws what is random of a pair; nothing of pairs that files have.
  virtual ViewPair pair(int64_t example, RandomStream& random) const = 0;
  virtual int64_t numbers() const = 0;  // K
  // Of all pixels, and of the numbers, as they are.
  virtual ChannelStatistics statistics() const = 0;
  virtual ChannelStatistics number_statistics() const = 0;
  // "pairs.tsv: 300 pairs of 32 x 32"
  virtual std::string report() const = 0;

  const ImageShape& shape() const { return shape_; }
  void set_patch(int64_t patch) { patch_ = patch; }
  Cost cost(int64_t) const override;
  Batch batch(std::span<const int64_t> examples) const override;

 protected:
  ViewPairs(ImageShape shape, int64_t patch) : shape_(shape), patch_(patch) {}

  ImageShape shape_;
  int64_t patch_;
};

struct ViewPairsOptions {
  ViewSources source = {};
  ImageShape shape;   // that views are brought to; what is 0 of it is that of the first picture
  int64_t patch = 1;  // its side, for cost(); may be set later
  BadFiles bad_files = BadFiles::kRefuse;
};

// Reads all pictures of these files into memory. Throws FileError and FormatError for what cannot
// be read, naming the line of a text that it stands in, unless bad files are skipped and with them
// their pairs; for no pair, and for crops from a folder without a picture.
std::unique_ptr<ViewPairs> read_view_pairs(const std::vector<std::string>& files,
                                           const ViewPairsOptions& options);

// Pairs without numbers. Throws ShapeError for a picture whose pixels do not have its shape, and
// FormatError for no pair.
std::unique_ptr<ViewPairs> pairs_of_pictures(std::span<const PicturePair> pairs,
                                             const ViewPairsOptions& options);

// Pairs of a list, or of a text of paths that they are cut from, some lines after the others.
class ViewPairLines {
 public:
  ViewPairLines(const std::string& path, const ViewPairsOptions& options)
      : path_(path), options_(options), parser_(path) {}

  // The pairs of the next lines; throws what read_view_pairs() throws.
  std::unique_ptr<ViewPairs> read(std::span<const std::string> lines);

 private:
  std::string path_;
  ViewPairsOptions options_;
  PairListParser parser_;
  int64_t lines_ = 0;  // so far
};

}  // namespace weft::data

#endif  // WEFT_DATA_VIEWS_VIEW_PAIRS_H_
