// Models of two views of a scene: what is hidden in one view, and how the views differ.
#ifndef WEFT_VIEWS_H_
#define WEFT_VIEWS_H_

#include <memory>
#include <optional>
#include <span>
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

struct CompletedView {
  Picture masked = {};     // the first view with grey in place of its masked patches
  Picture completed = {};  // with what the model predicts there
  Picture first = {}, second = {};
  double error = 0;  // mean squared, of the masked patches, in units of what the model predicts
  std::optional<Fault> fault = {};
};

// Options: `mask-ratio`, the share of patches that are masked, `seed` and `mini-batch`, as of
// `weft complete`.
class WEFT_API ViewCompleter {
 public:
  // Throws OptionError for a model of another kind, and for one of --objective motion.
  explicit ViewCompleter(const Model& model, const Options& options = {});

  // One result for each pair, in order; masks depend on the seed and on the number of the pair.
  // Throws ShapeError for pixels that do not have the shape of their picture.
  std::vector<CompletedView> complete(std::span<const PicturePair> pairs,
                                      Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

struct ViewMotion {
  std::vector<float> numbers = {};  // those that the model was trained on
  std::optional<Fault> fault = {};  // why there are none
};

// Options: `mini-batch`, as of `weft motion`.
class WEFT_API MotionPredictor {
 public:
  // Throws OptionError for a model of another kind, and for one of --objective completion.
  explicit MotionPredictor(const Model& model, const Options& options = {});

  // One result for each pair, in order. Throws ShapeError as ViewCompleter does.
  std::vector<ViewMotion> predict(std::span<const PicturePair> pairs,
                                  Report* report = nullptr) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_VIEWS_H_
