#include "weft/tasks/masked_lm/masking.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "weft/core/error.h"
#include "weft/nn/context.h"
#include "weft/predict/filling/text_tokens.h"

namespace weft::tasks {
namespace {

// What is drawn for a word or a token of an example.
enum class DrawKind : uint32_t { kWord, kToken };

PhiloxCounter drawn_numbers(const MaskingDraw& draw, uint32_t number, uint32_t index,
                            DrawKind kind) {
  const uint32_t pass_and_kind = draw.pass << 1 | static_cast<uint32_t>(kind);
  return philox({nn::kPredictionStream, number, index, pass_and_kind}, draw.key);
}

double share_of(uint32_t drawn) { return static_cast<double>(drawn) / 4294967296.0; }

}  // namespace

void MaskingOptions::check() const {
  if (mask_share + random_share <= 1) return;
  fail<OptionError>("--random-share", "expected at most 1 together with --mask-share {}, got {}",
                    mask_share, random_share);
}

int64_t MaskingOptions::predicted(int64_t known) const {
  return std::clamp<int64_t>(std::llround(ratio * static_cast<double>(known)), 1, known);
}

Masking::Masking(const MaskingOptions& options, const model_file::MaskedLmSession& session)
    : options_(options),
      mask_id_(static_cast<int32_t>(session.model.dims.mask_id)),
      tokens_(predict::text_tokens(*session.tokeniser)) {}

std::vector<int32_t> Masking::chosen_rows(std::span<const int32_t> words, const MaskingDraw& draw,
                                          uint32_t number) const {
  std::vector<std::vector<int32_t>> rows_of_word;
  int64_t known = 0;
  for (size_t row = 0; row < words.size(); ++row) {
    if (words[row] < 0) continue;
    const auto word = static_cast<size_t>(words[row]);
    if (rows_of_word.size() <= word) rows_of_word.resize(word + 1);
    rows_of_word[word].push_back(static_cast<int32_t>(row));
    ++known;
  }
  std::vector<std::pair<uint32_t, uint32_t>> order;  // by a random number
  for (uint32_t word = 0; word < rows_of_word.size(); ++word) {
    if (rows_of_word[word].empty()) continue;
    order.emplace_back(drawn_numbers(draw, number, word, DrawKind::kWord)[0], word);
  }
  std::ranges::sort(order);
  std::vector<int32_t> out;
  const int64_t most = options_.predicted(known);
  for (const auto& [unused, word] : order) {
    const std::vector<int32_t>& rows = rows_of_word[word];
    if (std::ssize(out) + std::ssize(rows) > most) continue;
    out.insert(out.end(), rows.begin(), rows.end());
    if (std::ssize(out) == most) break;
  }
  if (out.empty()) out = rows_of_word[order.front().second];
  std::ranges::sort(out);
  return out;
}

int32_t Masking::replacement(int32_t token, const PhiloxCounter& drawn) const {
  const double share = share_of(drawn[0]);
  if (share < options_.mask_share) return mask_id_;
  if (share >= options_.mask_share + options_.random_share) return token;
  return tokens_[uint64_t{drawn[1]} * tokens_.size() >> 32];
}

MaskedBatch Masking::operator()(const data::Batch& batch, const MaskingDraw& draw) const {
  MaskedBatch out{.tokens = batch.tokens(0), .rows = {}, .labels = {}, .weights = {}};
  const auto& words = std::get<data::Labels>(batch.fields[1]);
  for (int64_t b = 0; b < out.tokens.examples(); ++b) {
    const uint32_t number = draw.numbers[static_cast<size_t>(b)];
    const std::span<const int32_t> of_example = words[b];
    const std::vector<int32_t> rows = chosen_rows(of_example, draw, number);
    const int64_t known = std::ranges::count_if(of_example, [](int32_t word) { return word >= 0; });
    const double weight =
        static_cast<double>(options_.predicted(known)) / static_cast<double>(rows.size());
    for (const int32_t row : rows) {
      const int32_t n = out.tokens.segments.begin(b) + row;
      int32_t& id = out.tokens.ids[static_cast<size_t>(n)];
      out.rows.push_back(n);
      out.labels.push_back(id);
      out.weights.push_back(static_cast<float>(weight));
      id = replacement(id,
                       drawn_numbers(draw, number, static_cast<uint32_t>(row), DrawKind::kToken));
    }
  }
  return out;
}

}  // namespace weft::tasks
