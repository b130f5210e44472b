// Models without some heads against those with all of them, and their gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/differences.h"
#include "tests/models/random_batch.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "weft/models/encoders/text_encoder_options.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/options/json.h"

namespace weft::models {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Seq2SeqDims kVocabularies{
    .source_vocab = 9, .target_vocab = 8, .begin_id = 2, .end_id = 0};
constexpr const char* kPruned =
    " --prune-heads encoder.1.1 decoder.1.2 decoder.2.1 decoder.2.3 decoder-cross.1.3 "
    "decoder-cross.2.1";
// The same, by the prefixes of parameters.
const std::map<std::string, std::vector<int64_t>> kPrunedOf = {
    {"model.encoder.layers.0.self_attn.", {0}},
    {"model.decoder.layers.0.self_attn.", {1}},
    {"model.decoder.layers.1.self_attn.", {0, 2}},
    {"model.decoder.layers.0.encoder_attn.", {2}},
    {"model.decoder.layers.1.encoder_attn.", {0}}};
constexpr int64_t kHeads = 3;

Seq2SeqOptions options_of(const std::string& flags) {
  Seq2SeqOptions o;
  o.encoder.enc_depth = 1;
  o.decoder.dec_depth = 2;
  o.encoder.dim_emb = 12;
  o.encoder.transformer.attention.heads = kHeads;
  o.encoder.transformer.feed_forward.inner = 10;
  o.encoder.position.max_positions = 12;
  test::set(o, flags);
  return o;
}

// The attention that a parameter is of, and its name there.
std::pair<std::string, std::string> split_name(const std::string& name) {
  for (const auto& [prefix, heads] : kPrunedOf) {
    if (name.starts_with(prefix)) return {prefix, name.substr(prefix.size())};
  }
  return {};
}

// Copies the weights of the heads that remain, and sets those of the others to 0 in the columns of
// `all` that read them.
void prune(Seq2Seq& all, Seq2Seq& some) {
  std::map<std::string, nn::Parameter*> by_name;
  for (const auto& [name, p] : nn::parameters_of(some)) by_name[name] = p;
  for (const auto& [name, p] : nn::parameters_of(all)) {
    const Tensor to = by_name.at(name)->value;
    const auto [prefix, part] = split_name(name);
    if (to.shape() == p->shape) {
      backend_of(to)(kernels::Copy{.x = p->value, .y = to});
      continue;
    }
    const std::vector<int64_t>& pruned = kPrunedOf.at(prefix);
    const bool in_rows = part.ends_with("weight") && part != "out_proj.weight";
    const int64_t size = (in_rows ? p->shape.rows() : p->shape.cols()) / kHeads;
    int64_t next = 0;
    for (int64_t h = 0; h < kHeads; ++h) {
      const auto head = [&](const Tensor& x, int64_t i) {
        return in_rows ? x.row_range(i * size, i * size + size)
                       : x.col_range(i * size, i * size + size);
      };
      if (std::ranges::find(pruned, h) == pruned.end()) {
        backend_of(to)(kernels::Copy{.x = head(p->value, h), .y = head(to, next++)});
      } else if (part == "out_proj.weight") {
        backend_of(to)(kernels::Fill{.y = head(p->value, h), .value = 0});
      }
    }
  }
}

constexpr const char* kKinds[] = {
    "",
    "--attention local --attention-window 1",
    "--attention block-sparse --attention-block 2 --attention-global 1",
    "--attention linear",
    "--attention linear-unnormalised --position rotary",
    "--attention average",
    "--attention linformer --attention-keys 3 --attention-in encoder",
    "--attention sinkhorn --attention-block 2 --attention-in encoder",
    "--attention-prior diagonal --attention-prior-width 2",
    "--attention-qk-norm rms --position rotary",
    "--attention-qk-norm l2 --attention-activation sparsemax --attention-bias false",
    "--transformer-dim-key 2 --transformer-dim-value 6 --transformer-norm pre",
    "--generation mask-predict"};

class PrunedHeads : public testing::TestWithParam<const char*> {};

TEST_P(PrunedHeads, LeaveWhatTheOtherHeadsSay) {
  Seq2Seq all(options_of(GetParam()), kVocabularies),
      some(options_of(GetParam() + std::string(kPruned)), kVocabularies);
  bind_in_no_special_place(all);
  nn::bind(nn::parameters_of(some), DType::kF64);
  const data::Batch batch = random_batch(5, 6);
  const auto loss = [&](const Seq2Seq& model) {
    return model.loss(batch, {.smoothing = 0.1, .weight = 1}, {}).value.item();
  };
  const double before = loss(all);
  prune(all, some);
  EXPECT_NEAR(loss(some), loss(all), 1e-10);
  EXPECT_GT(std::abs(before - loss(some)), 1e-4);
}

TEST_P(PrunedHeads, HaveTheGradientThatDifferencesShow) {
  Seq2Seq model(options_of(GetParam() + std::string(kPruned) + " --transformer-dropout-attention " +
                           (std::string(GetParam()).find("linear") != std::string::npos ||
                                    std::string(GetParam()).find("average") != std::string::npos
                                ? "0"
                                : "0.2") +
                           " --transformer-ffn-activation gelu"),
                kVocabularies);
  const Tensor flat = bind_in_no_special_place(model);
  const data::Batch batch = random_batch(3, 5);
  expect_gradient_of_differences(model, flat, [&] {
    autograd::Tape tape;
    autograd::Gradients gradients(flat);
    const nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    const ops::Loss loss = model.loss(batch, {.smoothing = 0.1, .weight = 0.1}, context);
    tape.backward(loss.value, gradients);
    return LossAndGradient{loss.value.item(), gradients.flat()};
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, PrunedHeads, testing::ValuesIn(kKinds));

TEST(PrunedHeadsOptions, SayWhatTheyDoNotGoWith) {
  const std::pair<const char*, const char*> cases[] = {
      {"--position relative", "--position relative has a number for each head"},
      {"--position alibi", "--position alibi has a number for each head"},
      {"--tied-layers 1", "--tied-layers gives layers one set of heads; expected none"},
      {"--transformer-key-heads 1", "--transformer-key-heads makes heads share keys"},
      {"--attention synthesizer-dense", "--attention synthesizer-dense learns tables"},
      {"--attention synthesizer-random", "--attention synthesizer-random learns tables"},
      {"--attention clustered --attention-clusters 2", "--attention clustered has clusters"},
      {"--enc-depth 2 --prune-heads encoder.2.4", "'encoder.2.4' is no head of the model"},
      {"--prune-heads decoder.1.1 decoder.1.2 decoder.1.3", "names 3 of the 3 heads of decoder.1"},
      {"--transformer-dim-key 1 --prune-heads encoder.1.1 encoder.1.2",
       "names 2 of the 3 heads of encoder.1; expected two to remain"}};
  for (const auto& [flags, message] : cases) {
    const std::string with = std::string("--prune-heads encoder.1.1 ") + flags;
    EXPECT_THAT(test::message_of<OptionError>([&] { check(options_of(with)); }),
                testing::StartsWith(std::string("--prune-heads: ") + message));
  }
  EXPECT_EQ(test::message_of<OptionError>([] {
              check(options_of("--type cnn --prune-heads encoder.1.1"));
            }).substr(0, 40),
            "--transformer-heads: belongs to --type t");
}

TEST(PrunedHeadsOptions, OfAnEncoderAreItsOwn) {
  TextEncoderOptions o;
  test::set(o, "--transformer-heads 2 --prune-heads encoder.2.1");
  EXPECT_NO_THROW(o.check());
  test::set(o, "--prune-heads decoder.1.1");
  EXPECT_EQ(test::message_of<OptionError>([&] { o.check(); }),
            "--prune-heads: 'decoder.1.1' is no head of the model; expected encoder.1.1 to "
            "encoder.2.2");
}

// Files of models with all heads have the bytes that they had before heads could be pruned.
TEST(PrunedHeadsOptions, StandInFilesOnlyWhereThereAreAny) {
  EXPECT_THAT(options::options_to_json(options_of("")), Not(HasSubstr("prune")));
  const std::string text = options::options_to_json(options_of(kPruned));
  EXPECT_THAT(text, HasSubstr(R"("tied-layers":[],"prune-heads":["encoder.1.1","decoder.1.2",)"));
  const auto back = options::options_from_json<Seq2SeqOptions>(text, "model");
  EXPECT_EQ(back.encoder.transformer.pruning.heads,
            options_of(kPruned).encoder.transformer.pruning.heads);
}

}  // namespace
}  // namespace weft::models
