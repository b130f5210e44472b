#include "weft/data/subwords/score_merges.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

using IdsOfTexts = std::unordered_map<std::string_view, int32_t>;

IdsOfTexts ids_of(const std::vector<ModelToken>& tokens) {
  IdsOfTexts out;
  out.reserve(tokens.size());
  for (const ModelToken& token : tokens) out.emplace(token.text, token.id);
  return out;
}

// A way to cut a token in two.
struct Cut {
  double score;
  uint32_t left_size, right_size;  // bytes
  int32_t left, right;
};

// The place among the merges of the first and the last to a token.
struct MergeRange {
  size_t first, last;
  size_t token;  // its place in the document
};

// By the first merge; nullopt where a merge makes no token.
std::optional<std::vector<MergeRange>> ranges_of(const TokenizerDocument& document) {
  std::unordered_map<int32_t, std::string_view> texts;
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < document.tokens.size(); ++i) {
    texts.emplace(document.tokens[i].id, document.tokens[i].text);
    places.emplace(document.tokens[i].text, i);
  }
  std::vector<MergeRange> out;
  std::unordered_map<size_t, size_t> range_of;
  for (size_t i = 0; i < document.merges.size(); ++i) {
    const auto [left, right] = document.merges[i];
    const auto token = places.find(std::string(texts.at(left)) + std::string(texts.at(right)));
    if (token == places.end()) return {};
    const auto [range, is_new] = range_of.try_emplace(token->second, out.size());
    if (is_new) out.push_back({i, i, token->second});
    out[range->second].last = i;
  }
  return out;
}

}  // namespace

Merges merges_by_score(const std::vector<ModelToken>& tokens) {
  const IdsOfTexts ids = ids_of(tokens);
  std::vector<Cut> cuts;
  for (const ModelToken& token : tokens) {
    const std::string_view text = token.text;
    for (size_t i = utf8_length(text); i < text.size(); i += utf8_length(text.substr(i))) {
      const auto left = ids.find(text.substr(0, i)), right = ids.find(text.substr(i));
      if (left == ids.end() || right == ids.end()) continue;
      cuts.push_back({token.score, static_cast<uint32_t>(i), static_cast<uint32_t>(text.size() - i),
                      left->second, right->second});
    }
  }
  std::ranges::stable_sort(cuts, [](const Cut& a, const Cut& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.left_size != b.left_size ? a.left_size > b.left_size : a.right_size > b.right_size;
  });
  Merges out;
  out.reserve(cuts.size());
  for (const Cut& cut : cuts) out.emplace_back(cut.left, cut.right);
  return out;
}

// Tokens whose merges are mixed have one score.
std::optional<std::vector<double>> scores_of_merges(const TokenizerDocument& document) {
  const auto ranges = ranges_of(document);
  if (!ranges) return {};
  std::vector<ModelToken> tokens = document.tokens;
  for (ModelToken& token : tokens) token.score = -static_cast<double>(ranges->size());
  double score = 0;
  size_t end = 0;  // of the merges so far
  for (const MergeRange& range : *ranges) {
    if (range.first >= end && end > 0) score -= 1;
    end = std::max(end, range.last + 1);
    tokens[range.token].score = score;
  }
  if (merges_by_score(tokens) != document.merges) return {};
  std::vector<double> out;
  out.reserve(tokens.size());
  for (const ModelToken& token : tokens) out.push_back(token.score);
  return out;
}

}  // namespace weft::data
