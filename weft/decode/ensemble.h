// Several models in one search.
#ifndef WEFT_DECODE_ENSEMBLE_H_
#define WEFT_DECODE_ENSEMBLE_H_

#include <memory>
#include <vector>

#include "weft/decode/step_model.h"

namespace weft::decode {

struct Member {
  std::unique_ptr<StepModel> model;
  double weight = 1;  // above 0
};

// A model whose scores are sum_i weight_i * log p_i over its members, as in Marian: log-probability
// where the weights sum up to 1, and never normalised again (ModelTraits::is_normalised).
class Ensemble : public StepModel {
 public:
  // One member at least. Throws ShapeError where the members differ in their vocabularies, begin or
  // end symbols.
  explicit Ensemble(std::vector<Member> members);

  const ModelTraits& traits() const override { return traits_; }
  void reset() override;
  void begin(std::span<const NewRequest> requests) override;
  // Attention is the first member's.
  Tensor prefill(const PromptRows& prompts) override;
  Tensor step(const Step& step) override;
  void drop_rows(int32_t slot, int64_t count) override;
  void release(std::span<const int32_t> slots) override;

 private:
  void log_softmax(const Tensor& scores, std::span<const SlotRows> slots) const;
  // The weighted sum of the members' scores, which scores_of(member) is before log_softmax().
  template <class F>
  Tensor weighted_sum(std::span<const SlotRows> slots, F scores_of) const;

  std::vector<Member> members_;
  ModelTraits traits_;
  std::vector<bool> is_limited_;  // [slots] its request has allowed tokens
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_ENSEMBLE_H_
