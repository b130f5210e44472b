// A cache that keeps the rows of a window has the bits of one that keeps all rows.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/kept_threads.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/core/parallel.h"
#include "weft/models/language_model.h"
#include "weft/nn/attention/observer.h"

namespace weft::models {
namespace {

constexpr int32_t kVocabulary = 19;

LanguageModel windowed_model(const std::string& flags) {
  LanguageModelOptions options;
  test::set(options,
            "--dim-emb 32 --dec-depth 2 --transformer-heads 2 --transformer-key-heads 1 "
            "--transformer-dim-ffn 24 " +
                flags);
  LanguageModelDims dims{.vocab = kVocabulary};
  dims.end_ids = {0};
  LanguageModel model(options, dims);
  const auto parameters = nn::parameters_of(model);
  nn::bind(parameters, DType::kF32);
  nn::initialise(parameters, 11);
  for (const auto& [name, p] : parameters) {
    if (!p->is_matrix()) continue;
    p->packed = PackedWeight(p->value, DType::kF32);
    p->value = {};
  }
  return model;
}

// Prompts in parts, some of whose rows are dropped or shared, and steps of hypotheses.
class Script {
 public:
  Script(const LanguageModel& model, nn::KvCache cache, nn::AttentionObserver* observer = nullptr)
      : model_(model), cache_(std::move(cache)) {
    context_.observer = observer;
  }

  // The states of all passes.
  std::vector<Tensor> run() {
    cache_.add_sequences(std::vector<int32_t>{0, 1, 2}, Segments::uniform(3, 0));
    for (const int32_t count : {70, 1, 33, 90, 64, 40}) prompt({0, 2}, {count, count / 2 + 1});
    cache_.drop_rows(0, 40 + nn::SequenceRows::kDroppable);
    prompt({0}, {40});
    EXPECT_EQ(cache_.share_prompt(0, 1, cache_.prompt_rows(0) - 3), cache_.prompt_rows(0) - 3);
    prompt({1, 2}, {50, 3});
    step({-1, -1, -1, -1}, {2, 1, 1});
    for (int32_t t = 0; t < 130; ++t) {
      const bool is_parked = t > 40 && t < 60;
      step(is_parked ? std::vector<int32_t>{t % 2, 0, 0} : std::vector<int32_t>{0, 1 - t % 2, 0, 0},
           {2, is_parked ? 0 : 1, 1});
    }
    cache_.keep_hypothesis(2);
    prompt({2}, {30});
    return std::move(states_);
  }
  int64_t held_rows() const { return cache_.held_rows(1); }

 private:
  void prompt(const std::vector<int32_t>& slots, const std::vector<int32_t>& counts) {
    Segments segments;
    for (const int32_t count : counts) segments.append(count);
    cache_.begin_prompt(slots, segments);
    states_.push_back(model_.decoder.prefill(ids(), cache_, context_));
  }
  void step(const std::vector<int32_t>& parents, const std::vector<int32_t>& counts) {
    cache_.begin_step(parents, counts);
    states_.push_back(model_.decoder.step(ids(), cache_, context_));
  }
  ops::Ids ids() {
    std::vector<int32_t> out;
    for (int64_t n = 0; n < cache_.rows()->count(); ++n) {
      out.push_back(static_cast<int32_t>(draws_.below(kVocabulary)));
    }
    return ops::make_ids(std::move(out));
  }

  const LanguageModel& model_;
  nn::KvCache cache_;
  nn::Context context_;
  RandomStream draws_{1, 1};
  std::vector<Tensor> states_;
};

class WindowCache : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(, WindowCache, testing::Values(DType::kF32, DType::kBF16, DType::kI8),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(WindowCache, HasTheBitsOfOneThatKeepsAllRows) {
  const test::KeptThreads kept;
  for (const char* flags :
       {"--attention local --attention-window 5",
        "--attention local --attention-window 17 --attention-full-every 2 --rotary-local-base 100",
        "--attention local --attention-window 3 --position alibi --attention-soft-cap 2",
        "--attention block-sparse --attention-block 4 --position relative",
        "--attention block-sparse --attention-block 4 --attention-global 1"}) {
    const LanguageModel model = windowed_model(flags);
    const size_t layers = model.decoder.layers.cache_layers().size();
    Script whole(model, {std::vector<ops::AttentionPattern>(layers), GetParam()});
    const std::vector<Tensor> expected = whole.run();
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(fmt::format("{}, {} threads", flags, threads));
      set_threads(threads);
      Script window(model, model.decoder.make_cache(GetParam()));
      const std::vector<Tensor> states = window.run();
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_TRUE(test::same_bits(states[i], expected[i])) << "pass " << i;
      }
      const bool has_global = std::string(flags).find("global") != std::string::npos;
      EXPECT_EQ(window.held_rows() == whole.held_rows(), has_global);
    }
  }
}

// The probabilities of a layer.
class Watcher final : public nn::AttentionObserver {
 public:
  bool wants(const nn::AttentionKey& key) const override { return key.layer == 1; }
  void see(const nn::AttentionKey&, const nn::ObservedAttention& attention,
           autograd::Tape*) override {
    const int64_t last = attention.examples() - 1;
    seen.push_back(attention.mean(last).clone());
    seen.push_back(attention.probabilities({last, 1}, nullptr).clone());
  }
  std::vector<Tensor> seen;
};

TEST(WindowRows, AreShownAtTheirPositions) {
  const LanguageModel model = windowed_model("--attention local --attention-window 5");
  Watcher whole, window;
  Script(model, {std::vector<ops::AttentionPattern>(2), DType::kF32}, &whole).run();
  Script(model, model.decoder.make_cache(), &window).run();
  ASSERT_EQ(window.seen.size(), whole.seen.size());
  for (size_t i = 0; i < whole.seen.size(); ++i) {
    ASSERT_EQ(window.seen[i].shape(), whole.seen[i].shape());
    ASSERT_TRUE(test::same_bits(window.seen[i], whole.seen[i])) << i;
  }
}

// Only the last of its prompts are within reach.
TEST(WindowRows, SharesAndDropsNoRowsThatSeeWhatIsGone) {
  const LanguageModel model = windowed_model("--attention local --attention-window 5");
  nn::KvCache cache = model.decoder.make_cache();
  cache.add_sequences(std::vector<int32_t>{0, 1}, Segments::uniform(2, 0));
  for (int i = 0; i < 3; ++i)
    cache.begin_prompt(std::vector<int32_t>{0}, Segments::uniform(1, 200));
  EXPECT_EQ(cache.share_prompt(0, 1, 200), 0);
  EXPECT_EQ(cache.share_prompt(0, 1, 400), 400);
  EXPECT_EQ(test::message_of<ShapeError>([&] { cache.drop_rows(0, 400); }),
            "kv cache: 400 rows of slot 0 are dropped, and a window has left behind what is seen "
            "from there; expected at most 64, and those of the last pass");
  cache.drop_rows(0, 264);
  EXPECT_EQ(cache.prompt_rows(0), 336);
}

}  // namespace
}  // namespace weft::models
