// Selects the tokens that the live hypotheses of a step are continued with, each by the rules of
// its request.
#ifndef WEFT_DECODE_SEARCH_TOKEN_SELECTOR_H_
#define WEFT_DECODE_SEARCH_TOKEN_SELECTOR_H_

#include <span>
#include <vector>

#include "weft/decode/request.h"
#include "weft/decode/search/next_tokens.h"

namespace weft::decode {

// A row of a step: a live hypothesis.
struct ActiveRow {
  const Request* request;
  const Beam* beam;
  int32_t hypothesis;  // of the beam's live ones
};

class TokenSelector {
 public:
  explicit TokenSelector(const ModelTraits& model) : model_(&model), next_(model.is_normalised) {}

  // The tokens after each row of `logits` [W, C], which are overwritten and have to live as long as
  // the result is used. See NextTokens::find.
  const NextTokens& select(const Tensor& logits, std::span<const ActiveRow> rows);
  // The same without any tokens, for their log-probabilities; row w is of the request requests[w].
  const NextTokens& score(const Tensor& logits, std::span<const Request* const> requests);

 private:
  RowSelection selection_of(const ActiveRow& row, int64_t columns) const;
  void adjust(const ActiveRow& row, TokenScores& scores) const;

  const ModelTraits* model_;
  NextTokens next_;
  std::vector<RowSelection> selections_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_TOKEN_SELECTOR_H_
