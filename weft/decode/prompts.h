// The prompts of an engine's requests, and how far they are prefilled.
#ifndef WEFT_DECODE_PROMPTS_H_
#define WEFT_DECODE_PROMPTS_H_

#include <functional>
#include <optional>
#include <vector>

#include "weft/decode/step_model.h"

namespace weft::decode {

// The tokens that a decoder reads before its first free step: the prompt, or else the begin symbol,
// followed by the prefix. All of them except the last are prefilled. A prompt that begins like the
// prompt of another request with the same source shares that prompt's rows, unless rows of it are
// scored, as those of a prefix are.
class Prompts {
 public:
  using IsParked = std::function<bool(int32_t slot)>;

  explicit Prompts(int32_t begin_id) : begin_id_(begin_id) {}

  // The request stays where it is until the slot is removed.
  void add(int32_t slot, const Request& request);
  void remove(int32_t slot);
  // The request is done, and the model keeps the rows of its prompt and of `target`, as far as
  // `steps` steps have read it.
  void keep(int32_t slot, std::span<const int32_t> target, int64_t steps);

  bool is_prefilled(int32_t slot) const { return left(prompts_[slot]) == 0; }
  // Tokens whose rows another prompt had.
  int64_t cached(int32_t slot) const { return prompts_[slot].cached; }
  // The input of the first step.
  int32_t last_token(int32_t slot) const { return prompts_[slot].tokens.back(); }

  // The rows that `model` has to prefill next, `limit` at most, those of earlier requests first.
  // They count as prefilled from then on. Parked requests have none.
  PromptRows next(int64_t limit, StepModel& model, const IsParked& is_parked);

 private:
  struct Beginning {
    int32_t slot;
    int64_t count;  // tokens
  };
  struct Prompt {
    const Request* request = nullptr;  // null: the slot is free
    std::vector<int32_t> tokens;
    int64_t done = 0;                 // of them
    int64_t cached = 0;               // of these, whose rows are shared
    int64_t first_scored = 0;         // the first row whose next token is scored
    std::optional<Beginning> shared;  // with a prompt that is not that far yet
  };
  static int64_t left(const Prompt& prompt) { return std::ssize(prompt.tokens) - 1 - prompt.done; }
  std::optional<Beginning> longest_beginning(const Prompt& prompt) const;
  // Shares the beginning once it is prefilled.
  void share(int32_t slot, StepModel& model);
  static void add_rows(int32_t slot, int64_t count, Prompt& prompt, PromptRows& out);

  int32_t begin_id_;
  std::vector<Prompt> prompts_;   // [slots]
  std::vector<int32_t> waiting_;  // slots that are not prefilled, in the order in which they came
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_PROMPTS_H_
