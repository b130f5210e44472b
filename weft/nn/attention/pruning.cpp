#include "weft/nn/attention/pruning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "weft/core/error.h"

namespace weft::nn {
namespace {

constexpr std::string_view kCross = "-cross";

struct Head {
  AttentionKey attention;
  int64_t number = 0;
};

// A whole number of at least 0; -1 for other text.
int64_t number_of(std::string_view text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= 0 ? out : -1;
}

// "decoder-cross.2.4"; nothing for text of another form.
std::optional<Head> head_named(std::string_view name) {
  const size_t second = std::min(name.rfind('.'), name.size());
  const size_t first = name.substr(0, second).rfind('.');
  if (second == name.size() || first == std::string_view::npos) return {};
  const int64_t layer = number_of(name.substr(first + 1, second - first - 1));
  const int64_t head = number_of(name.substr(second + 1));
  if (layer < 1 || head < 1) return {};
  std::string_view stack = name.substr(0, first);
  const bool is_cross = stack.ends_with(kCross);
  if (is_cross) stack.remove_suffix(kCross.size());
  return Head{{stack, layer - 1, is_cross ? AttentionRole::kCross : AttentionRole::kSelf},
              head - 1};
}

// "decoder-cross"
std::string name_of(std::string_view stack, AttentionRole role) {
  return fmt::format("{}{}", stack, role == AttentionRole::kCross ? kCross : "");
}

bool has(std::span<const PrunableStack> stacks, const AttentionKey& attention) {
  return std::ranges::any_of(stacks, [&](const PrunableStack& stack) {
    return stack.name == attention.stack && attention.layer < stack.depth &&
           (stack.has_cross_attention || attention.role == AttentionRole::kSelf);
  });
}

// "encoder.1.1 to encoder.6.8, decoder.1.1 to decoder.6.8"
std::string ranges_of(std::span<const PrunableStack> stacks, int64_t heads) {
  std::vector<std::string> out;
  const auto add = [&](const PrunableStack& stack, AttentionRole role) {
    const std::string name = name_of(stack.name, role);
    out.push_back(fmt::format("{}.1.1 to {}.{}.{}", name, name, stack.depth, heads));
  };
  for (const PrunableStack& stack : stacks) {
    add(stack, AttentionRole::kSelf);
    if (stack.has_cross_attention) add(stack, AttentionRole::kCross);
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

std::vector<int64_t> PruningOptions::pruned(const AttentionKey& attention) const {
  std::vector<int64_t> out;
  for (const std::string& name : heads) {
    const std::optional<Head> head = head_named(name);
    if (head && head->attention == attention) out.push_back(head->number);
  }
  std::ranges::sort(out);
  return out;
}

void PruningOptions::check(std::span<const PrunableStack> stacks, const HeadCounts& counts) const {
  std::map<AttentionKey, std::set<int64_t>> found;
  for (const std::string& name : heads) {
    const std::optional<Head> head = head_named(name);
    if (!head || head->number >= counts.all || !has(stacks, head->attention)) {
      fail<OptionError>("--prune-heads", "'{}' is no head of the model; expected {}", name,
                        ranges_of(stacks, counts.all));
    }
    if (!found[head->attention].insert(head->number).second) {
      fail<OptionError>("--prune-heads", "'{}' is given twice; expected each head once", name);
    }
  }
  for (const auto& [attention, pruned] : found) {
    if (counts.all - std::ssize(pruned) >= counts.least) continue;
    fail<OptionError>("--prune-heads", "names {} of the {} heads of {}.{}; expected {} to remain",
                      pruned.size(), counts.all, name_of(attention.stack, attention.role),
                      attention.layer + 1, counts.least == 1 ? "one" : "two");
  }
}

std::vector<int64_t> remaining_heads(int64_t heads, std::span<const int64_t> pruned) {
  std::vector<int64_t> out;
  for (int64_t head = 0; head < heads; ++head) {
    if (std::ranges::find(pruned, head) == pruned.end()) out.push_back(head);
  }
  return out;
}

std::optional<AttentionKey> attention_named(std::string_view prefix) {
  // The last part of what is left.
  const auto take_last = [&] {
    const size_t dot = prefix.rfind('.');
    const std::string_view part = prefix.substr(dot == std::string_view::npos ? 0 : dot + 1);
    prefix = prefix.substr(0, dot == std::string_view::npos ? 0 : dot);
    return part;
  };
  AttentionKey out;
  const std::string_view role = take_last();
  out.layer = number_of(take_last());
  const bool is_layer = take_last() == "layers";
  out.stack = take_last();
  if (role == "encoder_attn") out.role = AttentionRole::kCross;
  const bool is_attention = role == "encoder_attn" || role == "self_attn";
  return is_attention && is_layer && out.layer >= 0 ? std::optional(out) : std::nullopt;
}

}  // namespace weft::nn
