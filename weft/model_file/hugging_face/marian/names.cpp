#include "weft/model_file/hugging_face/marian/names.h"

#include <cmath>

#include "weft/core/error.h"

namespace weft::model_file {
namespace {

// Marian's position encoding has all sines before all cosines; Weft's interleaves them, as in the
// paper. Since the order of the features of the residual stream is arbitrary, the two models differ
// by a permutation: feature f in Weft is feature marian_feature(f, D) in Marian.
int64_t marian_feature(int64_t f, int64_t features) {
  return f % 2 == 0 ? f / 2 : (features + 1) / 2 + f / 2;
}

// A stored table of positions must be that of Marian's sinusoids.
ExtraTensor sinusoids(int64_t features) {
  const auto check = [features](const ForeignTensors& tensors, const std::string& name) {
    const Tensor table = tensors.float32(name);
    bool same = table.shape().rank() == 2 && table.cols() == features;
    for (int64_t p = 0; same && p < table.rows(); ++p) {
      for (int64_t f = 0; same && f < features; ++f) {
        const auto pair = static_cast<double>(f - f % 2);
        const double angle =
            static_cast<double>(p) / std::pow(10000.0, pair / static_cast<double>(features));
        const double expected = f % 2 == 0 ? std::sin(angle) : std::cos(angle);
        const float got = table.data<float>()[p * features + marian_feature(f, features)];
        same = std::abs(got - expected) < 1e-4;
      }
    }
    if (same) return;
    fail<FormatError>(tensors.path_of(name),
                      "tensor '{}' is not Marian's sinusoidal encoding of {} features", name,
                      features);
  };
  return {"*.embed_positions.weight", check};
}

}  // namespace

NameMap marian_names(const Json& options) {
  const auto same = [](const char* name) { return NameMapping{.theirs = name, .ours = {name}}; };
  // Of the residual stream's features, which are rows, columns or none of a tensor's dimensions.
  const auto rows = [&](const char* name) {
    NameMapping out = same(name);
    out.rows = marian_feature;
    return out;
  };
  NameMapping bias = same("final_logits_bias"), others = same("*");
  bias.shape = {1, options.at("target-vocab-size").get<int64_t>()};
  others.cols = marian_feature;
  const bool is_shared = options.at("tied-embeddings-all");
  const char* table = is_shared ? "model.shared.weight" : "model.decoder.embed_tokens.weight";
  return {.mappings = {bias, rows("*.out_proj.weight"), rows("*.fc2.weight"), same("*.q_proj.bias"),
                       same("*.k_proj.bias"), same("*.v_proj.bias"), same("*.fc1.bias"), others},
          .extras = {sinusoids(options.at("dim-emb").get<int64_t>()),
                     {.theirs = "lm_head.weight", .same_as = table},
                     {.theirs = "model.encoder.embed_tokens.weight", .same_as = table},
                     {.theirs = "model.decoder.embed_tokens.weight", .same_as = table}}};
}

}  // namespace weft::model_file
