// Decoding with windows of attention, far beyond them.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/decode/draft/drafted_requests.h"
#include "tests/decode/draft/scripted_drafter.h"
#include "weft/decode/step_models.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

models::Seq2SeqOptions windowed(const std::string& flags = "") {
  models::Seq2SeqOptions out = small_options();
  test::set(out, "--attention local --attention-window 6 --position rotary " + flags);
  return out;
}

Request long_request(int64_t prompt, int64_t length) {
  Request out{.source = {5, 7, kEnd}, .beam = {.size = 1}, .length_limit = length};
  out.forbidden = {kEnd};
  for (int64_t i = 0; i < prompt; ++i) out.prompt.push_back(static_cast<int32_t>(3 + i * i % 40));
  return out;
}

// The bytes of a cache after a target of this length.
int64_t cache_bytes_after(const models::Seq2Seq& model, int64_t prompt, int64_t length) {
  DecoderSteps steps = decoder_steps(model);
  alone(steps, long_request(prompt, length));
  return steps.cache_bytes();
}

TEST(Windows, TakeBoundedMemory) {
  const models::Seq2Seq local = small_model(windowed());
  const int64_t bytes = cache_bytes_after(local, 1, 250);
  EXPECT_EQ(cache_bytes_after(local, 1, 1000), bytes);
  EXPECT_EQ(cache_bytes_after(local, 2000, 1), cache_bytes_after(local, 1000, 1));
  const models::Seq2Seq mixed = small_model(windowed("--attention-full-every 2"));
  const int64_t half = cache_bytes_after(mixed, 1, 250);
  const int64_t more = cache_bytes_after(mixed, 1, 1000) - half;
  constexpr int64_t kRow = 2 * 32 * sizeof(float);  // of one layer
  EXPECT_NEAR(static_cast<double>(more), 750 * kRow, 64 * kRow);
}

class WindowPrecision : public testing::TestWithParam<kernels::PackedType> {};
INSTANTIATE_TEST_SUITE_P(, WindowPrecision,
                         testing::Values(DType::kF32, DType::kBF16, DType::kI8,
                                         kernels::BlockType::kQ4_0),
                         [](const auto& one) { return std::string(name_of(one.param)); });

// Nor on drafts, the requests beside them and the beginnings that they share.
TEST_P(WindowPrecision, GiveResultsThatDoNotDependOnHowPromptsAreRead) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  const models::Seq2Seq model = packed_model(windowed("--attention-full-every 3"), GetParam());
  DecoderSteps steps = decoder_steps(model);
  std::vector<Request> requests;
  for (const int64_t prompt : {300, 1, 299, 90, 340, 210}) {
    Request& r = requests.emplace_back(long_request(prompt, 70));
    r.prompt.push_back(static_cast<int32_t>(3 + requests.size()));
    if (prompt % 2 == 1) r.beam = {.size = 3, .n_best = 3};
  }
  const std::vector<NBest> expected = plain_results(steps, requests);
  for (const int64_t slots : {1, 3, 6}) {
    for (const int64_t rows : {19, 256}) {
      SCOPED_TRACE(fmt::format("{} slots, {} rows", slots, rows));
      ScriptedDrafter drafter(Script::kMixed, 50);
      const Log log = run_staggered(steps, requests,
                                    {.slots = slots,
                                     .prefill_share = 0,
                                     .prefill_rows = rows,
                                     .drafter = slots == 3 ? &drafter : nullptr});
      expect_results(log, expected);
    }
  }
}

}  // namespace
}  // namespace weft::decode
