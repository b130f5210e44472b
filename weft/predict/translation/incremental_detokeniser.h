// The text of a translation word by word, while it is being decoded.
#ifndef WEFT_PREDICT_TRANSLATION_INCREMENTAL_DETOKENISER_H_
#define WEFT_PREDICT_TRANSLATION_INCREMENTAL_DETOKENISER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::predict {

// Passes on whole words, each once, as soon as all tokens up to the next space are decided. A line
// may be decoded in several pieces, whose texts are joined in order (data::join_sentences).
class IncrementalDetokeniser {
 public:
  using Detokenise = std::function<std::string(std::span<const int32_t> tokens)>;
  using Callback = std::function<void(std::string_view more)>;

  // `detokenise` turns a piece's first tokens into text; further tokens must not change what is
  // before its last space. `callback` receives the text in parts.
  IncrementalDetokeniser(size_t pieces, Detokenise detokenise, Callback callback)
      : texts_(pieces),
        is_finished_(pieces),
        detokenise_(std::move(detokenise)),
        callback_(std::move(callback)) {}

  // The piece begins with these tokens, and has no others if it is finished.
  void decide(size_t piece, std::span<const int32_t> tokens, bool is_finished);
  // Passes on the rest of the whole line.
  void finish(std::string_view line);

 private:
  std::vector<std::string> texts_;
  std::vector<bool> is_finished_;
  Detokenise detokenise_;
  Callback callback_;
  size_t passed_ = 0;  // bytes of the line passed on so far
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_INCREMENTAL_DETOKENISER_H_
