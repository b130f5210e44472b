// Labels of texts, pictures and sequences of vectors.
#ifndef WEFT_CLASSIFY_H_
#define WEFT_CLASSIFY_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/picture.h"
#include "weft/report.h"

namespace weft {

struct Classification {
  std::vector<std::string> labels = {};  // those predicted, the most probable first
  std::vector<float> probabilities =
      {};                           // of each of Model::labels(); of a regression, the numbers
  std::optional<Fault> fault = {};  // why there are none
};

// Options: `threshold`, `max-length`, `mini-batch`, `maxi-batch`, as of `weft classify`.
class WEFT_API Classifier {
 public:
  // Throws OptionError for a model of another kind.
  explicit Classifier(const Model& model, const Options& options = {});
  // Models with the same labels, whose probabilities are averaged.
  explicit Classifier(const std::vector<Model>& models, const Options& options = {});
  static const OptionSchema& schema();

  // Returns one result for each input, in order. An input is a text, two texts with a tab between
  // them (for a model of text pairs), or the path of a file (for a model of pictures or vectors).
  std::vector<Classification> classify(std::span<const std::string> inputs,
                                       Report* report = nullptr) const;
  // Of texts in braces: classify({"a", "b"}).
  std::vector<Classification> classify(std::initializer_list<std::string> texts,
                                       Report* report = nullptr) const {
    return classify(std::span(texts.begin(), texts.size()), report);
  }
  Classification classify(const std::string& input) const {
    return std::move(classify(std::span(&input, 1)).front());
  }
  std::vector<Classification> classify(std::span<const Line> lines, Report* report = nullptr) const;
  // Of a model of pictures. Throws ShapeError for a picture whose pixels do not have its shape.
  std::vector<Classification> classify(std::span<const Picture> pictures,
                                       Report* report = nullptr) const;

  std::string_view input() const;  // what is classified: "text", "image" or "features"
  bool has_numbers() const;        // of --labels numbers: it predicts numbers in place of labels

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_CLASSIFY_H_
