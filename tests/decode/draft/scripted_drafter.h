// Drafts of known quality, for requests whose draft_text is what their targets turn out to be.
#ifndef WEFT_TESTS_DECODE_DRAFT_SCRIPTED_DRAFTER_H_
#define WEFT_TESTS_DECODE_DRAFT_SCRIPTED_DRAFTER_H_

#include <gtest/gtest.h>

#include <vector>

#include "weft/core/random.h"
#include "weft/decode/draft/drafter.h"

namespace weft::decode {

enum class Script { kRight, kWrong, kMixed };

class ScriptedDrafter final : public Drafter {
 public:
  ScriptedDrafter(Script script, int64_t vocabulary) : script_(script), vocabulary_(vocabulary) {}

  double token_cost() const override { return 0; }
  void begin(std::span<const NewRequest>) override {}
  void release(std::span<const int32_t>) override {}
  std::vector<std::vector<int32_t>> draft(std::span<const DraftTask> tasks) override {
    std::vector<std::vector<int32_t>> out;
    for (const DraftTask& task : tasks) {
      const Request& request = *task.request;
      const auto steps = static_cast<int64_t>(task.beam->steps());
      EXPECT_LE(steps + task.limit + 1, request.length_limit);
      std::vector<int32_t>& tokens = out.emplace_back();
      for (int64_t i = steps; i < steps + task.limit; ++i) tokens.push_back(token(request, i));
    }
    return out;
  }

 private:
  // Behind the target there is more.
  int32_t token(const Request& request, int64_t step) {
    const bool is_behind = step >= std::ssize(request.draft_text);
    const int64_t right = is_behind ? step % vocabulary_ : request.draft_text[step];
    const bool is_wrong =
        script_ == Script::kWrong || (script_ == Script::kMixed && random_.below(4) == 0);
    return static_cast<int32_t>(is_wrong ? (right + 1) % vocabulary_ : right);
  }

  Script script_;
  int64_t vocabulary_;
  RandomStream random_{3, 3};
};

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_DRAFT_SCRIPTED_DRAFTER_H_
