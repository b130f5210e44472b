// Models of two views of a scene: what is hidden in one view, and how the views differ.
#ifndef WEFT_VIEWS_H_
#define WEFT_VIEWS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/picture.h"
#include "weft/report.h"

namespace weft {

// Views of any size, which are brought to the model's. A model without a second view reads the
// first one alone.
struct PicturePair {
  Picture first, second;
};

// Pairs of views that were read from files. Copies share them.
class WEFT_API ViewPairs {
 public:
  ViewPairs();  // none
  int64_t size() const;
  // Those from `first` on, `most` at most. Throws ShapeError for numbers out of range.
  ViewPairs part(int64_t first, int64_t most) const;

  struct Read;
  explicit ViewPairs(std::shared_ptr<const Read> read, int64_t first, int64_t size)
      : read_(std::move(read)), first_(first), size_(size) {}
  // For the library itself.
  const Read& read() const { return *read_; }
  int64_t first() const { return first_; }

 private:
  std::shared_ptr<const Read> read_;
  int64_t first_ = 0, size_ = 0;
};

// Reads pairs of views, or pictures from which pairs are cut. The files are lists; for pictures
// they may also be single pictures and folders. Options: `views` and those of its kinds, as of
// `weft complete`.
class WEFT_API ViewPairReader {
 public:
  // Reads views at the sizes that the model reads. A single pipe, or standard input ("-"), is read
  // as its lines arrive; other files are read at once. Throws OptionError, FileError, FormatError.
  ViewPairReader(const Model& model, const std::vector<std::string>& files,
                 const Options& options = {});
  static const OptionSchema& schema();
  ~ViewPairReader();
  ViewPairReader(ViewPairReader&&) noexcept;
  ViewPairReader& operator=(ViewPairReader&&) noexcept;

  // The next pairs, `most` at most; none at the end. Throws OptionError unless `most` is above 0,
  // and FormatError for what the lines of a pipe name.
  ViewPairs next(int64_t most);

 private:
  struct State;
  std::unique_ptr<State> state_;
};
// All pairs at once, of pipes, too; as ViewPairReader reads them.
WEFT_API ViewPairs read_view_pairs(const Model& model, const std::vector<std::string>& files,
                                   const Options& options = {});

struct CompletedView {
  Picture masked = {};     // the first view with grey in place of its masked patches
  Picture completed = {};  // with what the model predicts there
  Picture first = {}, second = {};
  double error = 0;  // mean squared, of the masked patches, in units of what the model predicts
  std::optional<Fault> fault = {};
};

// Options, as of `weft complete`: `mask-ratio`, the share of patches that are masked,
// `without-second`, `seed` and `mini-batch`; also `pictures`, whether results have pictures.
// `without-second` replaces the second view by that of another pair of the same call or file, and
// needs at least two pairs.
class WEFT_API ViewCompleter {
 public:
  // Throws OptionError for a model of another kind, and for one of --objective motion.
  explicit ViewCompleter(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each pair, in order; masks depend on the seed and on the number of the pair.
  // Throws ShapeError for pixels that do not have the shape of their picture.
  std::vector<CompletedView> complete(std::span<const PicturePair> pairs,
                                      Report* report = nullptr) const;
  std::vector<CompletedView> complete(const ViewPairs& pairs, Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

struct ViewMotion {
  std::vector<float> numbers = {};  // those that the model was trained on
  std::optional<Fault> fault = {};  // why there are none
};

// Options: `seed` and `mini-batch`, as of `weft motion`.
class WEFT_API MotionPredictor {
 public:
  // Throws OptionError for a model of another kind, and for one of --objective completion.
  explicit MotionPredictor(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each pair, in order. Throws ShapeError as ViewCompleter does.
  std::vector<ViewMotion> predict(std::span<const PicturePair> pairs,
                                  Report* report = nullptr) const;
  std::vector<ViewMotion> predict(const ViewPairs& pairs, Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_VIEWS_H_
