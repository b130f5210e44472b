// Other ways to the same gradients: layers recomputed in backward, and bfloat16.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "tests/models/differences.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/kernels/backend.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/ops/fused/enabled.h"
#include "weft/tensor/pool.h"

namespace weft::models {
namespace {

data::Tokens varied_sentences(int64_t count, uint64_t stream) {
  RandomStream random(5, stream);
  data::Tokens out;
  for (int64_t b = 0; b < count; ++b) {
    std::vector<int32_t> ids(3 + random.below(20));
    for (int32_t& id : ids) id = static_cast<int32_t>(3 + random.below(47));
    out.add(ids, 0);
  }
  return out;
}

struct TrainingCase {
  const char* name;
  void (*change)(Seq2SeqOptions&);
  // Cosine of the gradient in bfloat16; lower where rounding takes scores over corners.
  double direction = 0.995;
  double loss = 0.005;  // what bfloat16 changes of the loss, as a share
  friend std::ostream& operator<<(std::ostream& out, const TrainingCase& c) {
    return out << c.name;
  }
};

class Seq2SeqTraining : public testing::TestWithParam<TrainingCase> {
 protected:
  Seq2SeqTraining() : model_(options(), dims()), named_(nn::parameters_of(model_)) {
    flat_ = nn::bind(named_);
    nn::initialise(named_, 3);
    batch_.fields = {varied_sentences(16, 1), varied_sentences(16, 2)};
    batch_.examples.resize(16);
  }
  static Seq2SeqOptions options() {
    Seq2SeqOptions o;
    o.encoder.enc_depth = o.decoder.dec_depth = 3;
    o.encoder.dim_emb = 32;
    o.encoder.transformer.attention.heads = 4;
    o.encoder.transformer.feed_forward.inner = 64;
    o.encoder.transformer.dropout = o.encoder.transformer.attention.dropout =
        o.encoder.transformer.feed_forward.dropout = 0.2;
    o.tied_embeddings_all = true;
    GetParam().change(o);
    return o;
  }
  static Seq2SeqDims dims() {
    return {.source_vocab = 50, .target_vocab = 50, .begin_id = 2, .end_id = 0};
  }

  struct Result {
    double loss;
    Tensor gradient;
    size_t peak_bytes;
  };
  Result run(const Seq2Seq& model, const Tensor& parameters, bool recompute) {
    autograd::Tape tape;
    autograd::Gradients gradients(parameters);
    nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    context.recompute = recompute;
    reset_pool_peak();
    const size_t before = pool_statistics().live_bytes;
    const ops::Loss loss = model.loss(batch_, {.smoothing = 0.1, .weight = 1.0 / 200}, context);
    tape.backward(loss.value, gradients);
    return {loss.total, gradients.flat(), pool_statistics().peak_bytes - before};
  }

  Seq2Seq model_;
  std::vector<nn::NamedParameter> named_;
  Tensor flat_;
  data::Batch batch_;
};

TEST_P(Seq2SeqTraining, RecomputedLayersGiveTheSameGradientsInLessMemory) {
  const Result kept = run(model_, flat_, false), again = run(model_, flat_, true);
  // An activation is part of a product or on its own, which rounds in another place.
  EXPECT_NEAR(again.loss / kept.loss, 1, 1e-6);
  EXPECT_LT(test::distance(again.gradient, kept.gradient), 1e-6);
  EXPECT_LT(again.peak_bytes, kept.peak_bytes * 2 / 3);
}

TEST_P(Seq2SeqTraining, FrozenPartsChangeNoOtherGradientKeptOrRecomputed) {
  for (const bool recompute : {false, true}) {
    expect_frozen_parts_to_change_no_other_gradient(
        model_, flat_, [&](const Seq2Seq& model, const Tensor& parameters) {
          const Result found = run(model, parameters, recompute);
          return LossAndGradient{recompute ? 0 : found.loss, found.gradient};
        });
  }
}

TEST_P(Seq2SeqTraining, AFrozenEncoderKeepsNothingForBackward) {
  const Result whole = run(model_, flat_, false);
  for (const auto& [name, p] : named_) {
    if (name.find("encoder.") != std::string::npos || name.find("shared") != std::string::npos) {
      p->freeze();
    }
  }
  EXPECT_LT(run(model_, flat_, false).peak_bytes, whole.peak_bytes * 4 / 5);
}

TEST_P(Seq2SeqTraining, Bfloat16GivesGradientsOfTheSameDirection) {
  if (!kernels::default_backend().is_fast_in(DType::kBF16) || !ops::fused_enabled()) {
    GTEST_SKIP() << "no kernels for bfloat16 here";
  }
  const Result exact = run(model_, flat_, false);
  Seq2Seq rounded = model_;
  const Tensor parameters = bind_rounded(rounded, flat_);
  const Result result = run(rounded, parameters, false);
  EXPECT_EQ(result.gradient.dtype(), DType::kF32);
  EXPECT_NEAR(result.loss / exact.loss, 1, GetParam().loss);
  EXPECT_GT(cosine(exact.gradient, result.gradient), GetParam().direction);
  const auto norm = [](const Tensor& x) { return std::sqrt(sum_of_squares(x)); };
  EXPECT_NEAR(norm(result.gradient) / norm(exact.gradient), 1, 0.02);
}

const TrainingCase kTrainingCases[] = {
    {"post-norm", [](Seq2SeqOptions&) {}},
    {"pre-norm, gelu",
     [](Seq2SeqOptions& o) {
       test::set(o, "--transformer-norm pre --transformer-ffn-activation gelu");
     }},
    {"rotary, one head of keys",
     [](Seq2SeqOptions& o) {
       test::set(o, "--position rotary"), o.encoder.transformer.attention.key_heads = 1;
     }},
    {"relative, local",
     [](Seq2SeqOptions& o) {
       test::set(o, "--position relative --attention local --attention-window 4");
     }},
    {"sandwich norms, local and full layers",
     [](Seq2SeqOptions& o) {
       test::set(o,
                 "--transformer-norm sandwich --norm-kind rms --attention local "
                 "--attention-window 4 --attention-full-every 3 --attention-full-first 3 "
                 "--position rotary --rotary-local-base 100");
     }},
    {"soft caps",
     [](Seq2SeqOptions& o) {
       test::set(o, "--attention-soft-cap 2 --output-soft-cap 5 --attention-value-bias false");
     }},
    {"linear",
     [](Seq2SeqOptions& o) {
       test::set(o, "--attention linear"), o.encoder.transformer.attention.dropout = 0;
     }},
    {"linear-unnormalised",
     [](Seq2SeqOptions& o) {
       test::set(o, "--attention linear-unnormalised"), o.encoder.transformer.attention.dropout = 0;
     }},
    {"average",
     [](Seq2SeqOptions& o) {
       test::set(o, "--attention average"), o.encoder.transformer.attention.dropout = 0;
     }},
    {"norms of queries and keys",
     [](Seq2SeqOptions& o) { test::set(o, "--attention-qk-norm rms"); }},
    {"cosines as scores", [](Seq2SeqOptions& o) { test::set(o, "--attention-qk-norm l2"); }},
    {"linformer",
     [](Seq2SeqOptions& o) {
       test::set(o, "--attention linformer --attention-in encoder --attention-keys 8");
     }},
    {"synthesizer-dense", [](Seq2SeqOptions& o) { test::set(o, "--attention synthesizer-dense"); }},
    {"synthesizer-random",
     [](Seq2SeqOptions& o) { test::set(o, "--attention synthesizer-random"); }},
    // A row between two clusters changes sides.
    {"clusters",
     [](Seq2SeqOptions& o) { test::set(o, "--attention clustered --attention-clusters 4"); }, 0.8,
     0.01},
    {"sinkhorn",
     [](Seq2SeqOptions& o) {
       test::set(o, "--attention sinkhorn --attention-in encoder --attention-block 8");
     }},
    {"alibi, relu2",
     [](Seq2SeqOptions& o) { test::set(o, "--position alibi --attention-activation relu2"); },
     0.98},
    {"learned, entmax15",
     [](Seq2SeqOptions& o) { test::set(o, "--position learned --attention-activation entmax15"); },
     0.98},
};

INSTANTIATE_TEST_SUITE_P(Models, Seq2SeqTraining, testing::ValuesIn(kTrainingCases));

}  // namespace
}  // namespace weft::models
