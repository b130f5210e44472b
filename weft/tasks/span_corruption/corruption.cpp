#include "weft/tasks/span_corruption/corruption.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "weft/core/error.h"
#include "weft/nn/context.h"

namespace weft::tasks {
namespace {

// What is drawn for an example.
enum class Cut : uint32_t { kMissing, kKept };

// The draws for one example of a batch.
struct ExampleDraw {
  PhiloxKey key;
  uint32_t pass, number;

  uint32_t operator()(Cut cut, uint32_t index) const {
    return philox({nn::kPredictionStream, number, index, pass << 1 | static_cast<uint32_t>(cut)},
                  key)[0];
  }
};

// The lengths of `parts` parts of `tokens` tokens, one at least each; all are equally probable.
std::vector<int64_t> drawn_parts(int64_t tokens, int64_t parts, Cut cut, const ExampleDraw& draw) {
  std::vector<std::pair<uint32_t, int64_t>> places;  // of cuts, by a random number
  for (int64_t place = 1; place < tokens; ++place) {
    places.emplace_back(draw(cut, static_cast<uint32_t>(place)), place);
  }
  std::ranges::sort(places);
  std::vector<int64_t> cuts = {0};
  for (int64_t i = 0; i + 1 < parts; ++i) cuts.push_back(places[static_cast<size_t>(i)].second);
  cuts.push_back(tokens);
  std::ranges::sort(cuts);
  std::adjacent_difference(cuts.begin(), cuts.end(), cuts.begin());
  return {cuts.begin() + 1, cuts.end()};
}

// The lengths of kept parts and missing spans in turn, a kept part first and last; these two may be
// empty.
std::vector<int64_t> drawn_lengths(int64_t tokens, const SpanCounts& counts,
                                   const ExampleDraw& draw) {
  const std::vector<int64_t> missing =
      drawn_parts(counts.tokens, counts.spans, Cut::kMissing, draw);
  std::vector<int64_t> kept =
      drawn_parts(tokens - counts.tokens + 2, counts.spans + 1, Cut::kKept, draw);
  --kept.front();
  --kept.back();
  std::vector<int64_t> out;
  for (size_t i = 0; i < missing.size(); ++i) out.insert(out.end(), {kept[i], missing[i]});
  out.push_back(kept.back());
  return out;
}

}  // namespace

SpanCounts CorruptionOptions::counts(int64_t tokens, int64_t sentinels) const {
  const auto rounded = [](double number, int64_t most) {
    return std::clamp<int64_t>(std::llround(number), 1, std::max<int64_t>(most, 1));
  };
  const int64_t missing = rounded(ratio * static_cast<double>(tokens), tokens);
  const int64_t most = std::min({missing, tokens - missing + 1, sentinels});
  return {missing, rounded(static_cast<double>(missing) / mean_length, most)};
}

std::string sentinel(int64_t i) { return fmt::format("<extra_id_{}>", i); }

std::vector<int32_t> sentinels_of(const data::Tokeniser& tokeniser) {
  constexpr std::string_view kBegin = "<extra_id_";
  std::unordered_map<std::string_view, int32_t> ids;
  for (int32_t id = 0; id < tokeniser.size(); ++id) {
    const std::string_view piece = tokeniser.piece(id);
    if (piece.starts_with(kBegin)) ids.emplace(piece, id);
  }
  std::vector<int32_t> out;
  while (true) {
    const auto found = ids.find(sentinel(std::ssize(out)));
    if (found == ids.end()) return out;
    out.push_back(found->second);
  }
}

Corruption::Corruption(const CorruptionOptions& options, const data::Tokeniser& tokeniser,
                       const std::string& where)
    : options_(options), sentinels_(sentinels_of(tokeniser)), end_id_(tokeniser.end_id()) {
  if (!sentinels_.empty()) return;
  fail<FormatError>(
      where,
      "the vocabulary lacks {}, which stands for a missing span; expected a file that "
      "is to be made, or a vocabulary of T5",
      sentinel(0));
}

models::PairLengths Corruption::lengths(int64_t tokens) const {
  const SpanCounts counts = options_.counts(tokens, sentinels());
  return {.source = tokens - counts.tokens + counts.spans + 1,
          .target = counts.tokens + counts.spans + 1};
}

data::Batch Corruption::operator()(const data::Batch& lines, const CorruptionDraw& draw) const {
  const data::Tokens& tokens = lines.tokens(0);
  data::Tokens sources, targets;
  sources.segments.first = targets.segments.first = tokens.segments.first;
  std::vector<int32_t> source, target;
  for (int64_t b = 0; b < tokens.examples(); ++b) {
    const std::span<const int32_t> text = tokens[b].first(tokens[b].size() - 1);
    const SpanCounts counts = options_.counts(std::ssize(text), sentinels());
    const ExampleDraw drawn{draw.key, draw.pass, draw.numbers[static_cast<size_t>(b)]};
    const std::vector<int64_t> lengths = drawn_lengths(std::ssize(text), counts, drawn);
    source.clear();
    target.clear();
    auto at = text.begin();
    for (size_t i = 0; i < lengths.size(); ++i) {
      const bool is_missing = i % 2 == 1;
      if (is_missing) {
        source.push_back(sentinels_[i / 2]);
        target.push_back(sentinels_[i / 2]);
      }
      std::vector<int32_t>& side = is_missing ? target : source;
      side.insert(side.end(), at, at + lengths[i]);
      at += lengths[i];
    }
    sources.add(source, end_id_);
    targets.add(target, end_id_);
  }
  data::Batch out{.fields = {}, .examples = lines.examples};
  out.fields.emplace_back(std::move(sources));
  out.fields.emplace_back(std::move(targets));
  return out;
}

}  // namespace weft::tasks
