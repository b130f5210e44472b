// Norms of queries and keys, hashes, sparse blocks and T5's attention against PyTorch and
// Transformers (tools/golden/attention_family.py).
#include "tests/nn/family_golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/attention/config.h"
#include "weft/nn/attention/kinds.h"
#include "weft/nn/attention/kinds/clustered.h"
#include "weft/nn/attention/qk_norm.h"

namespace weft::nn {
namespace {

using test::distance;
using test::family_golden;
using test::Json;
using test::matrix;

Tensor row(const Json& numbers) {
  return Tensor::from(numbers.get<std::vector<double>>(), {1, std::ssize(numbers)});
}

TEST(QkNorm, IsThatOfQwen) {
  const Json file = family_golden(), &norms = file.at("norms");
  QkNorm norm = make_qk_norm(RmsQkNormOptions{}, 4, 1e-5);
  const Tensor flat = nn::bind(parameters_of(norm), DType::kF64);
  const auto& rms = std::get<RmsQkNorm>(norm.kind);
  backend_of(flat)(kernels::Copy{.x = row(norms.at("weight")), .y = rms.q_weight.value});
  autograd::Tape tape;
  autograd::Gradients gradients(flat);
  const Tensor x = tape.watch(matrix(norms.at("x")));
  const Tensor y = norm.queries(x, &tape);
  constexpr double kInF32 = 1e-6;  // as Qwen3's norms are
  EXPECT_LT(distance(y, matrix(norms.at("rms"))), kInF32);
  tape.backward(y, matrix(norms.at("d_y")), gradients);
  EXPECT_LT(distance(gradients.of(x), matrix(norms.at("d_x"))), kInF32);
  EXPECT_LT(distance(gradients.of(rms.q_weight.value), row(norms.at("d_weight"))), kInF32);
}

TEST(QkNorm, OfKindL2HasTheCosinesOfPyTorch) {
  const Json file = family_golden(), &norms = file.at("norms");
  const Tensor x = matrix(norms.at("x"));
  const Tensor y = CosineQkNorm(4, 1e-12).keys(x, nullptr);
  for (int64_t r = 0; r < 3; ++r) {
    double sum = 0;  // of vectors of the length sqrt(4)
    for (int64_t f = 0; f < 4; ++f) {
      sum += y.data<double>()[r * 8 + f] * y.data<double>()[r * 8 + 4 + f];
    }
    EXPECT_NEAR(sum / 4, norms.at("cosines")[static_cast<size_t>(r)].get<double>(), 1e-11);
  }
}

TEST(ClusteredAttention, HasTheHashesOfReformer) {
  const Json file = family_golden(), &hashes = file.at("hashes");
  ClusteredAttention kind({.heads = 2, .key_size = 4, .clusters = 6, .by_hash = true, .rounds = 3});
  const Tensor flat = nn::bind(parameters_of(kind), DType::kF64);
  backend_of(flat)(kernels::Copy{.x = row(hashes.at("directions")), .y = kind.vectors.value});
  const Tensor k = matrix(hashes.at("rows"));
  for (int64_t round = 0; round < 3; ++round) {
    EXPECT_THAT(kind.clusters_of(k, round),
                testing::ElementsAreArray(
                    hashes.at("buckets")[static_cast<size_t>(round)].get<std::vector<int32_t>>()));
  }
}

// The last of the blocks is short.
TEST(DotProductAttention, OfSparseBlocksIsThatOfPyTorchUnderTheirMask) {
  const Json file = family_golden(), &golden = file.at("block_sparse");
  const DotProductAttention kind{
      {.window = 1, .block = golden.at("block"), .global = golden.at("global")}};
  AttentionConfig options;
  options.heads = golden.at("heads");
  options.scale = 1 / std::sqrt(3);
  const ops::LayoutPtr rows = ops::make_layout({{0, 9}});
  const AttentionPosition nowhere{};
  for (const char* sides : {"both", "before"}) {
    SCOPED_TRACE(sides);
    const Json& expected = golden.at(sides);
    autograd::Tape tape;
    const Tensor q = tape.watch(matrix(golden.at("q"))), k = tape.watch(matrix(golden.at("k"))),
                 v = tape.watch(matrix(golden.at("v")));
    Context context{.tape = &tape};
    const SelfLayout of{rows, nowhere, std::string_view(sides) == "before"};
    const Tensor out = kind.forward({q, q, k, v, of, options}, context);
    EXPECT_LT(distance(out, matrix(expected.at("out"))), 1e-12);
    autograd::Gradients gradients;
    tape.backward(out, matrix(golden.at("d_out")), gradients);
    EXPECT_LT(distance(gradients.of(q), matrix(expected.at("d_q"))), 1e-12);
    EXPECT_LT(distance(gradients.of(k), matrix(expected.at("d_k"))), 1e-12);
    EXPECT_LT(distance(gradients.of(v), matrix(expected.at("d_v"))), 1e-12);
  }
}

// 24 rows, with distances beyond the last bucket's; scores are not scaled in T5.
TEST(RelativePosition, BiasesAttentionAsT5Does) {
  const Json file = family_golden(), &golden = file.at("relative");
  AttentionConfig options;
  options.heads = golden.at("heads");
  options.scale = 1;
  const ops::LayoutPtr rows = ops::make_layout({{0, 24}});
  for (const char* sides : {"both", "before"}) {
    SCOPED_TRACE(sides);
    const Json& expected = golden.at(sides);
    const bool causal = std::string_view(sides) == "before";
    const Tensor numbers = matrix(expected.at("table"));
    Position position =
        make_position(RelativePositionOptions{.buckets = numbers.rows(),
                                              .max_distance = golden.at("max_distance")},
                      {.heads = options.heads, .causal = causal});
    const Tensor flat = nn::bind(parameters_of(position), DType::kF64);
    const Tensor table = std::get<RelativePosition>(position.kind).weight.value;
    backend_of(table)(kernels::Copy{.x = numbers, .y = table});
    autograd::Tape tape;
    Context context{.tape = &tape};
    const AttentionPosition biased = position.in_attention(rows, context);
    const SelfLayout of{rows, biased, causal};
    const Tensor q = matrix(golden.at("q")), k = matrix(golden.at("k")), v = matrix(golden.at("v"));
    const Tensor out = DotProductAttention().forward({q, q, k, v, of, options}, context);
    EXPECT_LT(distance(out, matrix(expected.at("out"))), 1e-12);
    autograd::Gradients gradients(flat);
    tape.backward(out, matrix(golden.at("d_out")), gradients);
    EXPECT_LT(distance(gradients.of(table), matrix(expected.at("d_table"))), 1e-12);
  }
}

}  // namespace
}  // namespace weft::nn
