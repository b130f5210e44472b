// The model against PyTorch's nn.Transformer: loss, every gradient, ten Adam updates. The files are
// written by tools/golden/seq2seq.py.
#include "tests/models/seq2seq_golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "weft/train/optim/optimizer.h"

namespace weft::models {
namespace {

TEST_P(Seq2SeqGolden, LossAndGradientsAgreeWithPyTorch) {
  autograd::Gradients gradients(flat_);
  const double first = loss(gradients);
  EXPECT_NEAR(first, file_.tensor("losses").data<float>()[0], 1e-5);
  for (const auto& [name, p] : named_) {
    const Tensor expected = file_.tensor("grad." + in_file(name));
    const Tensor got = gradients.of(p->value);
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < got.size(); ++i) {
      const double e = expected.data<float>()[i], g = got.data<float>()[i];
      difference += (e - g) * (e - g);
      norm += e * e;
    }
    // The floor is for key biases, whose gradient is zero.
    EXPECT_LE(std::sqrt(difference), 1e-4 * std::sqrt(norm) + 1e-7) << name;
  }
}

TEST_P(Seq2SeqGolden, TenAdamUpdatesFollowPyTorch) {
  train::OptimizerOptions options;
  train::Optimizer adam(options, flat_);
  const Tensor losses = file_.tensor("losses");
  for (int64_t i = 0; i < losses.size(); ++i) {
    autograd::Gradients gradients(flat_);
    EXPECT_NEAR(loss(gradients), losses.data<float>()[i], 2e-5) << "update " << i;
    adam.step(gradients.flat(), 1, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Seq2SeqGolden, golden_files(), golden_name);

}  // namespace
}  // namespace weft::models
