// Attention with some biases against that of Transformers (tools/golden/attention_biases.py).
#include "weft/nn/attention/multi_head.h"

#include <gtest/gtest.h>

#include "tests/nn/family_golden.h"
#include "tests/support/tensors.h"

namespace weft::nn {
namespace {

struct BiasCase {
  const char* name;
  AttentionConfig config;
};

std::vector<BiasCase> bias_cases() {
  const AttentionConfig config{.features = 8, .heads = 4, .key_size = 2, .value_size = 2};
  AttentionConfig whisper = config, qwen = config, vit = config;
  whisper.key_bias = false;
  qwen.output_bias = false;
  qwen.key_heads = 2;
  vit.query_bias = vit.key_bias = vit.value_bias = false;
  return {{"whisper", whisper}, {"qwen2", qwen}, {"vit", vit}};
}

TEST(MultiHeadAttention, WithSomeBiasesIsThatOfWhisperQwenAndVit) {
  const test::Json golden = test::golden_numbers("attention_biases");
  for (const BiasCase& c : bias_cases()) {
    SCOPED_TRACE(c.name);
    const test::Json& numbers = golden.at(c.name);
    const Tensor x = test::matrix(numbers.at("x")), y = test::matrix(numbers.at("y"));
    RngStreams streams;
    MultiHeadAttention attention(c.config, streams);
    test::set_parameters(attention, numbers.at("parameters"));
    const ops::LayoutPtr rows = ops::make_layout({{0, static_cast<int32_t>(x.rows())}});
    Context context;
    const AttentionPosition position;
    // The softmax of Qwen and ViT is in float32.
    EXPECT_LE(test::distance(attention.forward(x, {rows, position, false}, context), y), 1e-6);
    EXPECT_LE(test::distance(attention.cross(x, CrossLayout{rows, x, rows}, context), y), 1e-6);
  }
}

}  // namespace
}  // namespace weft::nn
