#include "weft/decode/step_model.h"

namespace weft::decode {

std::vector<SlotRows> rows_by_slot(const Step& step) {
  std::vector<SlotRows> out;
  for (int32_t s = 0; s < std::ssize(step.counts); ++s) {
    if (step.counts[s] > 0) out.push_back({s, step.counts[s]});
  }
  return out;
}

std::vector<SlotRows> rows_by_slot(const PromptRows& prompts) {
  std::vector<SlotRows> out;
  for (size_t i = 0; i < prompts.slots.size(); ++i) {
    if (prompts.scored_counts[i] > 0) out.push_back({prompts.slots[i], prompts.scored_counts[i]});
  }
  return out;
}

}  // namespace weft::decode
