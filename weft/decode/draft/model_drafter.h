// Drafts of a smaller model.
#ifndef WEFT_DECODE_DRAFT_MODEL_DRAFTER_H_
#define WEFT_DECODE_DRAFT_MODEL_DRAFTER_H_

#include <memory>
#include <vector>

#include "weft/decode/draft/drafter.h"
#include "weft/decode/search/token_selector.h"
#include "weft/models/token_decoder.h"

namespace weft::decode {

// What the small model goes on with, by the options of the request and with the random numbers of
// the verifying model: two models of similar probabilities then draw the same tokens. Requests that
// the small model has no capacity for have no drafts.
class ModelDrafter final : public Drafter {
 public:
  // Throws OptionError where the model cannot drop rows, or has vocabularies of other sizes than
  // the verifying one. For `token_cost` see Drafter.
  ModelDrafter(std::unique_ptr<StepModel> model, const ModelTraits& verifying, double token_cost);

  double token_cost() const override { return token_cost_; }
  void begin(std::span<const NewRequest> requests) override;
  std::vector<std::vector<int32_t>> draft(std::span<const DraftTask> tasks) override;
  void release(std::span<const int32_t> slots) override;

 private:
  // A draft in progress: the target with what is drafted so far.
  struct Draft {
    const DraftTask* task;
    Beam beam;
    std::vector<int32_t>* tokens;
    std::vector<int32_t> unread;  // inputs that the model has not read
  };
  struct Slot {
    bool is_begun = false;
    std::vector<int32_t> read;  // the inputs that the model has rows of
  };

  // Nothing where the request has no drafts.
  std::optional<Draft> start(const DraftTask& task, std::vector<int32_t>& tokens);
  // Adds a token to each draft and drops those that are complete.
  void extend(std::vector<Draft>& drafts);
  // Reads all inputs; scores of the tokens after the last one of each draft.
  Tensor read(std::vector<Draft>& drafts);

  std::unique_ptr<StepModel> model_;
  TokenSelector selector_;
  double token_cost_;
  std::vector<Slot> slots_;
};

// The cost of a token of one decoder as a share of another's: that of reading their weights.
double relative_cost(const models::TokenDecoder& decoder, const models::TokenDecoder& other);

}  // namespace weft::decode

#endif  // WEFT_DECODE_DRAFT_MODEL_DRAFTER_H_
