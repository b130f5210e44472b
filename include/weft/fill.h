// Tokens for the masks of texts, by a masked language model.
#ifndef WEFT_FILL_H_
#define WEFT_FILL_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/line.h"
#include "weft/model.h"
#include "weft/options.h"
#include "weft/report.h"

namespace weft {

struct MaskCandidate {
  std::string token;
  double probability = 0;
};
struct FilledText {
  std::string text = {};  // by the most probable tokens
  // The candidates for each mask, the most probable first. Masks are filled independently of each
  // other.
  std::vector<std::vector<MaskCandidate>> masks = {};
  std::optional<Fault> fault = {};  // why there is nothing
};

// Options: `mask-token`, `top`, `max-length`, `mini-batch`, `maxi-batch`, as of `weft fill`.
class WEFT_API MaskFiller {
 public:
  // Throws OptionError for a model of another kind.
  explicit MaskFiller(const Model& model, const Options& options = {});
  static const OptionSchema& schema();

  // One result for each text, in order.
  std::vector<FilledText> fill(std::span<const std::string> texts, Report* report = nullptr) const;
  std::vector<FilledText> fill(std::span<const Line> lines, Report* report = nullptr) const;
  // Of texts in braces: fill({"a", "b"}).
  std::vector<FilledText> fill(std::initializer_list<std::string> texts,
                               Report* report = nullptr) const {
    return fill(std::span(texts.begin(), texts.size()), report);
  }
  FilledText fill(const std::string& text) const {
    return std::move(fill(std::span(&text, 1)).front());
  }

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft

#endif  // WEFT_FILL_H_
