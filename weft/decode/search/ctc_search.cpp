#include "weft/decode/search/ctc_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "weft/decode/search/ctc_prefix.h"

namespace weft::decode {
namespace {

constexpr double kNoPath = -std::numeric_limits<double>::infinity();
constexpr double kLeast = -16;  // log p of a token below which no prefix is extended by it

struct Layout {
  const Tensor& logs;  // [T, V]

  int64_t count() const { return logs.rows(); }
  std::span<const float> operator[](int64_t t) const {
    return {logs.row_range(t, t + 1).data<float>(), static_cast<size_t>(logs.cols())};
  }
};

Hypothesis best_alignment(const Layout& rows, const CtcSearch& search) {
  Hypothesis out;
  int32_t before = search.blank;
  for (int64_t t = 0; t < rows.count(); ++t) {
    std::vector<float> row(rows[t].begin(), rows[t].end());
    for (const int32_t id : search.forbidden) row[id] = -std::numeric_limits<float>::infinity();
    const auto best = static_cast<int32_t>(std::ranges::max_element(row) - row.begin());
    out.log_probability += row[best];
    if (best != search.blank && best != before) out.tokens.push_back(best);
    before = best;
  }
  out.score = out.log_probability;
  return out;
}

// The prefixes that a search has met, as a tree; 0 is the one without tokens.
class PrefixTree {
 public:
  int32_t extend(int32_t prefix, int32_t token) {
    const auto [it, is_new] =
        children_.try_emplace({prefix, token}, static_cast<int32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({prefix, token});
    return it->second;
  }
  int32_t last(int32_t prefix) const { return nodes_[prefix].token; }
  std::vector<int32_t> tokens(int32_t prefix) const {
    std::vector<int32_t> out;
    for (; prefix > 0; prefix = nodes_[prefix].parent) out.push_back(nodes_[prefix].token);
    std::ranges::reverse(out);
    return out;
  }

 private:
  struct Node {
    int32_t parent, token;
  };
  std::vector<Node> nodes_{{-1, -1}};
  std::map<std::pair<int32_t, int32_t>, int32_t> children_;
};

// log p of the alignments of a prefix that end in its last token, and in the blank.
struct Ends {
  double token = kNoPath, blank = kNoPath;
  double total() const { return log_add(token, blank); }
};
using Beams = std::vector<std::pair<int32_t, Ends>>;  // prefixes

Beams advance(const Beams& beams, std::span<const float> row, std::span<const int32_t> extensions,
              int32_t blank, PrefixTree& tree) {
  std::map<int32_t, Ends> next;
  const auto add = [](double& sum, double log_p) { sum = log_add(sum, log_p); };
  for (const auto& [prefix, ends] : beams) {
    const int32_t last = tree.last(prefix);
    Ends& same = next[prefix];
    add(same.blank, ends.total() + row[blank]);
    if (last >= 0) add(same.token, ends.token + row[last]);
    for (const int32_t token : extensions) {
      const double before = token == last ? ends.blank : ends.total();
      if (before == kNoPath) continue;
      add(next[tree.extend(prefix, token)].token, before + row[token]);
    }
  }
  return {next.begin(), next.end()};
}

}  // namespace

NBest search_ctc(const Tensor& log_probabilities, const CtcSearch& search) {
  const Layout rows{log_probabilities};
  if (search.beam_size == 1) return {best_alignment(rows, search)};
  PrefixTree tree;
  Beams beams = {{0, {.blank = 0}}};
  for (int64_t t = 0; t < rows.count(); ++t) {
    const std::span<const float> row = rows[t];
    std::vector<int32_t> extensions;
    for (int32_t c = 0; c < log_probabilities.cols(); ++c) {
      if (c == search.blank || row[c] < kLeast) continue;
      if (std::ranges::count(search.forbidden, c) == 0) extensions.push_back(c);
    }
    beams = advance(beams, row, extensions, search.blank, tree);
    std::ranges::stable_sort(beams, std::greater(), [](const auto& b) { return b.second.total(); });
    if (std::ssize(beams) > search.beam_size) beams.resize(search.beam_size);
  }
  NBest out;
  for (const auto& [prefix, ends] : beams) {
    out.push_back(
        {.tokens = tree.tokens(prefix), .log_probability = ends.total(), .score = ends.total()});
  }
  return out;
}

std::vector<TokenRows> align_ctc(const Tensor& log_probabilities, std::span<const int32_t> tokens,
                                 int32_t blank) {
  const Layout rows{log_probabilities};
  // States are the tokens with blanks before, between and after them.
  const int64_t states = 2 * std::ssize(tokens) + 1;
  const auto token_of = [&](int64_t s) { return s % 2 == 0 ? blank : tokens[s / 2]; };
  std::vector<double> best(static_cast<size_t>(states), kNoPath);
  std::vector<int8_t> steps(static_cast<size_t>(rows.count() * states));  // from which state
  for (int64_t t = 0; t < rows.count(); ++t) {
    const std::span<const float> row = rows[t];
    std::vector<double> next(best.size(), kNoPath);
    for (int64_t s = 0; s < states; ++s) {
      double from = t == 0 ? (s < 2 ? 0 : kNoPath) : best[s];
      int8_t step = 0;
      const auto consider = [&](int8_t back) {
        if (t == 0 || s < back || best[s - back] <= from) return;
        from = best[s - back];
        step = back;
      };
      consider(1);
      if (s % 2 == 1 && s >= 3 && token_of(s) != token_of(s - 2)) consider(2);
      next[s] = from + row[token_of(s)];
      steps[t * states + s] = step;
    }
    best = std::move(next);
  }
  int64_t s = states - 1;
  if (states > 1 && best[s - 1] > best[s]) --s;
  if (rows.count() == 0 || best[s] == kNoPath) return {};
  std::vector<TokenRows> out(tokens.size());
  for (int64_t t = rows.count() - 1; t >= 0; s -= steps[t * states + s], --t) {
    if (s % 2 == 0) continue;
    TokenRows& at = out[s / 2];
    if (at.end == 0) at.end = t + 1;
    at.begin = t;
  }
  return out;
}

}  // namespace weft::decode
