#include "weft/tasks/language_modelling/low_rank_options.h"

#include <algorithm>
#include <set>

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/train/parameter_ranges.h"

namespace weft::tasks {
namespace {

constexpr std::string_view kAllMaps = "all";

// The pattern of names of weights that a name of a map stands for.
std::string pattern_of(const std::string& target) {
  if (target == kAllMaps) return "*";
  return target.find_first_of(".*?[") == target.npos ? "*." + target + ".weight" : target;
}

}  // namespace

void LowRankOptions::validate() const {
  if (targets.empty()) fail<OptionError>("--lora-targets", "no target; expected all, or some maps");
  if (is_used()) return;
  options::check_unread(
      *this, [](std::string_view) { return false; }, "without --lora-rank");
}

model_file::AdapterOptions LowRankOptions::adapter(const model_file::ModelParameters& model) const {
  return {.rank = rank,
          .alpha = alpha.value_or(2 * static_cast<double>(rank)),
          .dropout = dropout,
          .base_checksum = model_file::base_checksum(model)};
}

std::vector<nn::LowRankTarget> LowRankOptions::chosen(
    const model_file::ModelParameters& model) const {
  const model_file::ModelParameters maps = nn::linear_maps(model);
  std::vector<std::string> patterns;
  std::ranges::transform(targets, std::back_inserter(patterns), pattern_of);
  std::vector<nn::LowRankTarget> out;
  for (const nn::NamedParameter& map : train::matching(maps, patterns, "--lora-targets")) {
    out.push_back({map.name, rank});
  }
  return out;
}

}  // namespace weft::tasks
