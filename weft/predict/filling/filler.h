// Tokens for the masks of lines, by a masked language model.
#ifndef WEFT_PREDICT_FILLING_FILLER_H_
#define WEFT_PREDICT_FILLING_FILLER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/model_file/masked_lm.h"
#include "weft/predict/batch_options.h"
#include "weft/predict/filling/masked_text.h"
#include "weft/predict/line.h"
#include "weft/predict/predictor.h"

namespace weft::predict {

struct FillOptions {
  std::string mask_token = {};
  int64_t top = 0;

  template <class V>
  void fields(V& v) {
    v("mask-token", mask_token,
      {.help = "what stands for a mask in lines, in place of the model's mask symbol"});
    v("top", top,
      {.help = "in place of each line the n most probable tokens of its masks: token, tab, "
               "probability, tab, token, ..., with an empty column between two masks; 0: the line "
               "with the most probable token of each mask",
       .min = 0,
       .max = 1e5});
  }
  // Throws OptionError for a mask of spaces.
  void validate() const;
};

struct TokenCandidate {
  int32_t token = 0;
  double probability = 0;
};

// A line with its masks filled, each by itself.
struct FilledLine {
  std::string text = {};  // by the most probable tokens
  // Of each mask, the most probable first.
  std::vector<std::vector<TokenCandidate>> masks = {};
  std::optional<Fault> fault = {};  // why there is nothing
};

class Filler {
 public:
  using Request = MaskedText;
  using Answer = std::vector<std::vector<TokenCandidate>>;  // of each mask
  using Result = FilledLine;

  // The session has to outlive it.
  Filler(const model_file::MaskedLmSession& session, const FillOptions& options,
         const TextBatchOptions& batches);

  Prepared<Request> prepare(std::span<const Line> lines, Report& report) const;
  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }

  const MaskSymbol& mask() const { return mask_; }
  int64_t most_tokens() const { return most_tokens_; }  // of a text, without special symbols
  std::string text_of(const TokenCandidate& candidate) const {
    return text_of_token(*session_.tokeniser, candidate.token);
  }

 private:
  std::optional<Fault> prepare_line(const Line& line, MaskedText& text, Report& report) const;
  void run_batch(std::span<const Request> requests, std::span<const size_t> numbers,
                 std::vector<Answer>& out) const;
  std::vector<TokenCandidate> candidates_of(std::span<const float> logits) const;

  const model_file::MaskedLmSession& session_;
  TextBatchOptions batches_;
  int64_t candidates_;  // of each mask
  MaskSymbol mask_;
  int64_t most_tokens_ = 0;
  std::vector<int32_t> tokens_;  // that a mask may stand for
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_FILLING_FILLER_H_
