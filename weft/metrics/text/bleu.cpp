#include "weft/metrics/text/bleu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "weft/core/text/unicode.h"
#include "weft/metrics/text/corpus.h"
#include "weft/metrics/text/ngrams.h"
#include "weft/metrics/text/text.h"
#include "weft/settings.h"

namespace weft::metrics {
namespace {

constexpr int kOrder = BleuScore::kOrder;
constexpr size_t kNumbers = 2 + 2 * kOrder;  // of a line's statistics
using Tokens = std::vector<std::u32string>;

Tokens prepare(const std::string& line, const BleuOptions& options) {
  const std::u32string text = decode_utf8(line);
  return tokenize(options.tokenizer, options.lowercase ? to_lower(text) : text);
}

// The reference length nearest to that of the hypothesis, the shorter on ties.
int64_t closest_length(int64_t length, const std::vector<Tokens>& references) {
  int64_t best = -1;
  for (const Tokens& reference : references) {
    const auto other = static_cast<int64_t>(reference.size());
    const int64_t gap = std::abs(other - length);
    const int64_t best_gap = std::abs(best - length);
    if (best < 0 || gap < best_gap || (gap == best_gap && other < best)) best = other;
  }
  return best;
}

void add_line(const Tokens& hypothesis, const std::vector<Tokens>& references, BleuScore& sum) {
  const auto length = static_cast<int64_t>(hypothesis.size());
  sum.hypothesis_length += length;
  sum.reference_length += closest_length(length, references);
  for (int n = 1; n <= kOrder; ++n) {
    const NgramCounts<std::u32string> found(hypothesis, n);
    NgramCounts<std::u32string> expected(references[0], n);
    for (size_t r = 1; r < references.size(); ++r)
      expected.merge_largest({references[r], size_t(n)});
    sum.matches[n - 1] += found.matches(expected);
    sum.totals[n - 1] += found.total();
  }
}

double brevity_penalty(int64_t hypothesis, int64_t reference) {
  if (hypothesis >= reference) return 1;
  if (hypothesis == 0) return 0;
  return std::exp(1 - static_cast<double>(reference) / static_cast<double>(hypothesis));
}

// Sets the precisions. Returns the number of orders in the geometric mean.
int smoothed_precisions(const BleuOptions& options, BleuScore& s) {
  double half = 1;
  int orders = kOrder;
  for (int n = 0; n < kOrder; ++n) {
    const double one = options.smoothing == Smoothing::kAddOne && n > 0 ? 1 : 0;
    double match = static_cast<double>(s.matches[n]) + one;
    const double total = static_cast<double>(s.totals[n]) + one;
    if (total == 0) break;
    if (options.effective_order) orders = n + 1;
    if (match == 0 && options.smoothing == Smoothing::kExponential) match = half /= 2;
    if (match == 0 && options.smoothing == Smoothing::kFloor) match = 0.1;
    s.precisions[n] = 100 * match / total;
  }
  return orders;
}

// Of the sums of both lengths, matches and totals.
BleuScore score_of(std::span<const double> sums, const BleuOptions& options) {
  BleuScore out;
  out.hypothesis_length = static_cast<int64_t>(sums[0]);
  out.reference_length = static_cast<int64_t>(sums[1]);
  for (size_t n = 0; n < kOrder; ++n) {
    out.matches[n] = static_cast<int64_t>(sums[2 + n]);
    out.totals[n] = static_cast<int64_t>(sums[2 + kOrder + n]);
  }
  out.brevity_penalty = brevity_penalty(out.hypothesis_length, out.reference_length);
  if (std::ranges::all_of(out.matches, [](int64_t m) { return m == 0; })) return out;
  const int orders = smoothed_precisions(options, out);
  double log_sum = 0;
  for (int n = 0; n < orders; ++n) log_sum += std::log(out.precisions[n]);
  out.score = out.brevity_penalty * std::exp(log_sum / orders);
  return out;
}

std::string_view name_of(Smoothing smoothing) {
  switch (smoothing) {
    case Smoothing::kExponential: return "exp";
    case Smoothing::kFloor: return "floor[0.10]";
    case Smoothing::kAddOne: return "add-k[1.00]";
    case Smoothing::kNone: return "none";
  }
  return "?";
}

}  // namespace

std::string BleuScore::text() const {
  const double ratio = reference_length == 0 ? 0
                                             : static_cast<double>(hypothesis_length) /
                                                   static_cast<double>(reference_length);
  return fmt::format("BLEU = {:.2f} {:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     score, fmt::join(precisions, "/"), brevity_penalty, ratio, hypothesis_length,
                     reference_length);
}

Statistics bleu_statistics(std::span<const std::string> hypotheses,
                           std::span<const std::vector<std::string>> references,
                           const BleuOptions& options) {
  check_corpus("bleu", hypotheses, references);
  Statistics out{.width = kNumbers};
  std::vector<Tokens> line_references(references.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    for (size_t r = 0; r < references.size(); ++r)
      line_references[r] = prepare(references[r][i], options);
    BleuScore line;
    add_line(prepare(hypotheses[i], options), line_references, line);
    out.values.push_back(static_cast<double>(line.hypothesis_length));
    out.values.push_back(static_cast<double>(line.reference_length));
    for (const auto* counts : {&line.matches, &line.totals}) {
      out.values.insert(out.values.end(), counts->begin(), counts->end());
    }
  }
  out.score = [options](std::span<const double> sums) { return score_of(sums, options).score; };
  return out;
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      const BleuOptions& options) {
  return score_of(bleu_statistics(hypotheses, references, options).total(), options);
}

std::string bleu_signature(const BleuOptions& options, size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|version:weft-{}", references,
                     options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     metrics::name_of(options.tokenizer), name_of(options.smoothing), version());
}

}  // namespace weft::metrics
