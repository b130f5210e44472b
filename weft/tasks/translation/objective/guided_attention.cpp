#include "weft/tasks/translation/objective/guided_attention.h"

#include <fmt/core.h>

#include <cmath>

#include "weft/decode/alignment.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::tasks {
namespace {

// Penalties [T, S] that grow with the distance from the diagonal.
Tensor off_diagonal(int64_t targets, int64_t sources, double width) {
  Tensor out = Tensor::empty({targets, sources});
  for (int64_t i = 0; i < targets; ++i) {
    float* row = out.row_range(i, i + 1).data<float>();
    for (int64_t j = 0; j < sources; ++j) {
      const double distance = (static_cast<double>(i) / static_cast<double>(targets) -
                               static_cast<double>(j) / static_cast<double>(sources)) /
                              width;
      row[j] = static_cast<float>(1 - std::exp(-distance * distance / 2));
    }
  }
  return out;
}

// The reference distribution [T, S]: the row of a linked target token is uniform over its links,
// other rows are 0.
Tensor link_distribution(const std::vector<Link>& links, int64_t targets, int64_t sources) {
  if (links.empty()) return Tensor::empty({0, 0});
  Tensor out = Tensor::zeros({targets, sources});
  std::vector<float> counts(static_cast<size_t>(targets));
  for (const Link& link : links) counts[static_cast<size_t>(link.target)] += 1;
  for (const Link& link : links) {
    float* row = out.row_range(link.target, link.target + 1).data<float>();
    row[link.source] += 1 / counts[static_cast<size_t>(link.target)];
  }
  return out;
}

// Multiplies each row [S] by its weight.
void scale_rows(const Tensor& aim, const float* weights) {
  for (int64_t i = 0; i < aim.rows(); ++i) {
    const Tensor row = aim.row_range(i, i + 1);
    backend_of(aim)(kernels::Scale{.alpha = weights[i], .x = row, .y = row});
  }
}

}  // namespace

void GuidanceOptions::validate(const models::Seq2SeqOptions& model) const {
  const GuidanceOptions plain;
  require_option(is_on() || weight == plain.weight, "--guided-attention-weight",
                 "needs --guided-attention or --guided-alignment");
  require_option(is_on() || heads == plain.heads, "--guided-attention-heads",
                 "needs --guided-attention or --guided-alignment");
  if (!is_on()) return;
  require_option(!is_diagonal() || guided_alignment.empty(), "--guided-alignment",
                 "contradicts --guided-attention; expected one of them");
  require_option(
      model.is_transformer(), option(),
      fmt::format("needs attention heads; expected --type transformer, got {}", model.type.name()));
  if (model.is_left_to_right()) decode::alignment_heads(heads, model, "--guided-attention-heads");
  const auto& activation = model.encoder.transformer.attention.activation;
  require_option(
      guided_alignment.empty() || activation.is<nn::SoftmaxActivation>(), option(),
      fmt::format("is a cross-entropy, but probabilities of --attention-activation {} may "
                  "be 0; expected softmax",
                  activation.name()));
}

GuidedAttention::GuidedAttention(const GuidanceOptions& options,
                                 const models::Seq2SeqOptions& model)
    : options_(options),
      heads_(decode::alignment_heads(options.heads, model, "--guided-attention-heads")) {
  options.validate(model);
}

nn::AttentionGuide GuidedAttention::guide(const data::Batch& batch, const BatchLinks& links,
                                          double weight, const ops::RowWeights& row_weights) const {
  nn::AttentionGuide out;
  out.heads = heads_;
  out.is_penalty = links == nullptr;
  out.weight = weight * options_.weight / static_cast<double>(heads_.size());
  const double width = options_.guided_attention.get<DiagonalGuide>().width;
  int64_t row = 0;
  for (int64_t b = 0; b < batch.size(); ++b) {
    const int64_t targets = std::ssize(batch.target()[b]), sources = std::ssize(batch.source()[b]);
    out.aims.push_back(links == nullptr
                           ? off_diagonal(targets, sources, width)
                           : link_distribution((*links)[static_cast<size_t>(b)], targets, sources));
    if (row_weights) scale_rows(out.aims.back(), row_weights->data() + row);
    row += targets;
  }
  return out;
}

}  // namespace weft::tasks
