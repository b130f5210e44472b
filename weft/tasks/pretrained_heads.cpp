#include "weft/tasks/pretrained_heads.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::tasks {
namespace {

// Where an attention's parameter has its heads.
enum class HeadAxis { kNone, kRows, kColumns };

HeadAxis axis_of(std::string_view part) {
  if (part == "q_proj.weight" || part == "k_proj.weight" || part == "v_proj.weight") {
    return HeadAxis::kRows;  // [H*K, D]
  }
  const bool is_bias = part == "q_proj.bias" || part == "k_proj.bias" || part == "v_proj.bias";
  return is_bias || part == "out_proj.weight" ? HeadAxis::kColumns : HeadAxis::kNone;
}

// A parameter of an attention; nothing for other parameters and those without heads.
struct HeadParameter {
  nn::AttentionKey attention;
  HeadAxis axis = HeadAxis::kNone;
};

// "model.encoder.layers.0.self_attn.q_proj.weight"
std::optional<HeadParameter> head_parameter(std::string_view name) {
  const size_t last = std::min(name.rfind('.'), name.size());
  const size_t part = name.substr(0, last).rfind('.');
  if (part == std::string_view::npos) return {};
  const HeadAxis axis = axis_of(name.substr(part + 1));
  const std::optional<nn::AttentionKey> attention = nn::attention_named(name.substr(0, part));
  if (!attention || axis == HeadAxis::kNone) return {};
  return HeadParameter{*attention, axis};
}

std::vector<int64_t> remaining(const ModelHeads& heads, const nn::AttentionKey& attention) {
  return nn::remaining_heads(heads.count, heads.pruning.pruned(attention));
}

}  // namespace

ModelHeads::ModelHeads(const options::OptionTable& options) {
  const options::Option* const heads = options.find("transformer-heads");
  const options::Option* const pruned = options.find("prune-heads");
  if (heads == nullptr || pruned == nullptr) return;
  count = *std::get<int64_t*>(heads->slot());
  pruning.heads = *std::get<std::vector<std::string>*>(pruned->slot());
}

Tensor select_heads(const Tensor& weight, const ParameterOfModel& then, const ParameterOfModel& now,
                    const std::string& path) {
  if (!then.heads.pruning.is_on() && !now.heads.pruning.is_on()) return weight;
  const std::optional<HeadParameter> before = head_parameter(then.name),
                                     after = head_parameter(now.name);
  if (!before || !after || then.heads.count != now.heads.count) return weight;
  const std::vector<int64_t> given = remaining(then.heads, before->attention),
                             wanted = remaining(now.heads, after->attention);
  if (!std::ranges::includes(given, wanted)) {
    fail<OptionError>("--prune-heads",
                      "{} is itself without {}; expected these among the heads to prune", path,
                      fmt::format("{}", fmt::join(then.heads.pruning.heads, " ")));
  }
  const bool in_rows = after->axis == HeadAxis::kRows;
  const int64_t extent = in_rows ? weight.rows() : weight.cols();
  if (given == wanted || extent % std::ssize(given) != 0) return weight;
  const int64_t size = extent / std::ssize(given), kept = size * std::ssize(wanted);
  const auto head = [&](const Tensor& x, int64_t i) {
    return in_rows ? x.row_range(i * size, (i + 1) * size) : x.col_range(i * size, (i + 1) * size);
  };
  Tensor out = Tensor::empty(in_rows ? Shape{kept, weight.cols()} : Shape{weight.rows(), kept},
                             weight.dtype());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto from = std::ranges::find(given, wanted[i]) - given.begin();
    backend_of(out)(
        kernels::Copy{.x = head(weight, from), .y = head(out, static_cast<int64_t>(i))});
  }
  return out;
}

}  // namespace weft::tasks
