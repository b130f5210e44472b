#include "weft/tasks/translation/samples.h"

#include <algorithm>
#include <cmath>

#include "weft/nn/attention/trace.h"

namespace weft::tasks {
namespace {

constexpr int64_t kCell = 12;       // pixels
constexpr size_t kMaxTokens = 100;  // on a side

// The mean over layers and heads of the cross-attention of the one example; empty if there is none.
Tensor mean_cross_attention(const nn::AttentionTrace& trace) {
  Tensor sum;
  double count = 0;
  for (const nn::AttentionKey& key : trace.keys()) {
    if (key.role != nn::AttentionRole::kCross) continue;
    for (const Tensor& head : trace.probabilities(key, 0)) {
      if (!sum) sum = Tensor::zeros(head.shape());
      for (int64_t t = 0; t < head.rows(); ++t) {
        for (int64_t s = 0; s < head.cols(); ++s) {
          sum.data<float>()[t * sum.stride() + s] += head.data<float>()[t * head.stride() + s];
        }
      }
      ++count;
    }
  }
  if (sum) {
    for (float& p : sum.span<float>()) p /= static_cast<float>(count);
  }
  return sum;
}

// probabilities [T, S]
data::Image picture_of(const Tensor& probabilities) {
  data::Image out{.height = probabilities.rows() * kCell,
                  .width = probabilities.cols() * kCell,
                  .channels = 1,
                  .pixels = {}};
  out.pixels.reserve(static_cast<size_t>(out.height * out.width));
  for (int64_t y = 0; y < out.height; ++y) {
    const float* row = probabilities.data<float>() + y / kCell * probabilities.stride();
    for (int64_t x = 0; x < out.width; ++x) {
      const float p = std::clamp(row[x / kCell], 0.0F, 1.0F);
      out.pixels.push_back(static_cast<uint8_t>(std::lround(255 * (1 - p))));
    }
  }
  return out;
}

data::Tokens tokens_of(std::span<const int32_t> ids, int32_t end) {
  data::Tokens out;
  out.add(ids.first(std::min(ids.size(), kMaxTokens)), end);
  return out;
}

}  // namespace

std::vector<train::Sample::Picture> attention_pictures(const model_file::TranslatorSession& session,
                                                       std::span<const int32_t> source,
                                                       std::span<const int32_t> target) {
  if (!session.model.options.is_left_to_right()) return {};
  nn::AttentionTrace trace;
  nn::Context context;
  context.observer = &trace;
  const nn::Memory memory =
      session.model.encode(tokens_of(source, session.source().end_id()), context);
  session.model.states(memory, tokens_of(target, session.target().end_id()), context);
  const Tensor mean = mean_cross_attention(trace);
  if (!mean) return {};
  return {{.name = "cross-attention", .image = picture_of(mean)}};
}

}  // namespace weft::tasks
