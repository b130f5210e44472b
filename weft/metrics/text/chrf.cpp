#include "weft/metrics/text/chrf.h"

#include <fmt/core.h>

#include "weft/core/error.h"
#include "weft/core/text/unicode.h"
#include "weft/metrics/text/corpus.h"
#include "weft/metrics/text/ngrams.h"
#include "weft/metrics/text/text.h"
#include "weft/settings.h"

namespace weft::metrics {
namespace {

// Counts of n-grams of one order.
struct Matches {
  int64_t hypothesis = 0;
  int64_t reference = 0;
  int64_t both = 0;
};
using Orders = std::vector<Matches>;  // of characters, then of words

bool is_punctuation(const char32_t c) {
  return c > U' ' && c < 0x7F && !(c >= U'0' && c <= U'9') && !(c >= U'A' && c <= U'Z') &&
         !(c >= U'a' && c <= U'z');
}

// Words with one punctuation mark split off: the last character, else the first.
std::vector<std::u32string> chrf_words(std::u32string_view text) {
  std::vector<std::u32string> out;
  for (const std::u32string& word : split(text)) {
    size_t cut = 0;
    if (word.size() > 1 && is_punctuation(word.back())) {
      cut = word.size() - 1;
    } else if (word.size() > 1 && is_punctuation(word.front())) {
      cut = 1;
    }
    if (cut > 0) out.push_back(word.substr(0, cut));
    out.push_back(word.substr(cut));
  }
  return out;
}

// A preprocessed line.
struct Line {
  std::u32string characters;  // without whitespace
  std::vector<std::u32string> words;
};

Line prepare(const std::string& line, const ChrfOptions& options) {
  std::u32string text = decode_utf8(line);
  if (options.lowercase) text = to_lower(text);
  Line out;
  if (options.word_order > 0) out.words = chrf_words(text);
  std::erase_if(text, is_space);
  out.characters = std::move(text);
  return out;
}

template <class T>
void compare(std::span<const T> hypothesis, std::span<const T> reference, int order, Orders& out) {
  for (int n = 1; n <= order; ++n) {
    const NgramCounts<T> found(hypothesis, n);
    const NgramCounts<T> expected(reference, n);
    // If the reference is too short for an order, the order is not counted.
    const int64_t total = expected.total() == 0 ? 0 : found.total();
    out.push_back({total, expected.total(), found.matches(expected)});
  }
}

Orders compare(const Line& hypothesis, const Line& reference, const ChrfOptions& options) {
  Orders out;
  compare<char32_t>(hypothesis.characters, reference.characters, options.char_order, out);
  compare<std::u32string>(hypothesis.words, reference.words, options.word_order, out);
  return out;
}

// 100 (1 + beta^2) P R / (beta^2 P + R) of precision P and recall R averaged over orders.
double f_score(const Orders& all, int beta) {
  double precision = 0;
  double recall = 0;
  int orders = 0;
  for (const Matches& m : all) {
    if (m.hypothesis == 0 || m.reference == 0) continue;
    precision += static_cast<double>(m.both) / static_cast<double>(m.hypothesis);
    recall += static_cast<double>(m.both) / static_cast<double>(m.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  const double factor = static_cast<double>(beta) * beta;
  return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}

// Of the sums of the counts of all orders.
double score_of(std::span<const double> sums, const ChrfOptions& options) {
  Orders all;
  for (size_t k = 0; k < sums.size(); k += 3) {
    all.push_back({static_cast<int64_t>(sums[k]), static_cast<int64_t>(sums[k + 1]),
                   static_cast<int64_t>(sums[k + 2])});
  }
  return f_score(all, options.beta);
}

void check_options(const ChrfOptions& o) {
  if (o.char_order < 1)
    fail<OptionError>("chrf", "char order {}; expected at least 1", o.char_order);
  if (o.word_order < 0)
    fail<OptionError>("chrf", "word order {}; expected at least 0", o.word_order);
  if (o.beta < 1) fail<OptionError>("chrf", "beta {}; expected at least 1", o.beta);
}

}  // namespace

std::string ChrfScore::name() const {
  return fmt::format("chrF{}{}", options.beta, std::string(options.word_order, '+'));
}

std::string ChrfScore::text() const { return fmt::format("{} = {:.2f}", name(), score); }

Statistics chrf_statistics(std::span<const std::string> hypotheses,
                           std::span<const std::vector<std::string>> references,
                           const ChrfOptions& options) {
  check_corpus("chrf", hypotheses, references);
  check_options(options);
  Statistics out{.width = 3 * static_cast<size_t>(options.char_order + options.word_order)};
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Line hypothesis = prepare(hypotheses[i], options);
    Orders best;
    double best_score = -1;
    for (const auto& reference : references) {
      Orders now = compare(hypothesis, prepare(reference[i], options), options);
      const double score = f_score(now, options.beta);
      if (score <= best_score) continue;
      best_score = score;
      best = std::move(now);
    }
    for (const Matches& m : best) {
      for (const int64_t count : {m.hypothesis, m.reference, m.both}) {
        out.values.push_back(static_cast<double>(count));
      }
    }
  }
  out.score = [options](std::span<const double> sums) { return score_of(sums, options); };
  return out;
}

ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      const ChrfOptions& options) {
  return {score_of(chrf_statistics(hypotheses, references, options).total(), options), options};
}

std::string chrf_signature(const ChrfOptions& options, size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:weft-{}", references,
                     options.lowercase ? "lc" : "mixed", options.char_order, options.word_order,
                     version());
}

}  // namespace weft::metrics
