#include "weft/predict/translation/translation.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/data/text/sentence_ends.h"
#include "weft/decode/options.h"

namespace weft::predict {
namespace {

TranslatedText joined(std::span<TranslatedPiece> pieces, const data::Tokeniser& target,
                      const decode::DecodeOptions& options) {
  TranslatedText whole;
  std::vector<std::string> texts;
  for (TranslatedPiece& piece : pieces) {
    const decode::Hypothesis& best = piece.found.front();
    texts.push_back(text_of(best.tokens, target, options));
    whole.tokens.insert(whole.tokens.end(), best.tokens.begin(), best.tokens.end());
    whole.log_probability += best.log_probability;
    whole.score += best.score;
    whole.token_scores.insert(whole.token_scores.end(), best.token_scores.begin(),
                              best.token_scores.end());
    if (!piece.alignments.empty()) {
      whole.alignments.push_back(std::move(piece.alignments.front()));
    }
  }
  whole.text = data::join_sentences(texts);
  return whole;
}

// What follows the text on its line.
std::string annotations(const TranslatedText& t, const decode::DecodeOptions& options) {
  std::string out;
  if (options.alignment.is_on()) {
    out += " ||| " + decode::aligned_text(options.alignment, t.alignments);
  }
  if (options.word_scores) {
    out += " ||| WordScores=";
    for (const double score : t.token_scores) out += fmt::format(" {:.6f}", score);
  }
  return out;
}

}  // namespace

bool TranslatedPiece::is_finite() const {
  return found.front().is_finite && std::ranges::all_of(alignments, &decode::Alignment::is_finite);
}

std::string text_of(std::span<const int32_t> tokens, const data::Tokeniser& target,
                    const decode::DecodeOptions& options) {
  std::string text = target.decode(tokens);
  return options.undo_bpe ? data::undo_bpe(text) : text;
}

std::vector<TranslatedText> texts_of(std::span<TranslatedPiece> pieces,
                                     const data::Tokeniser& target,
                                     const decode::DecodeOptions& options) {
  if (pieces.size() != 1) return {joined(pieces, target, options)};
  std::vector<TranslatedText> out;
  auto& [found, alignments] = pieces.front();
  for (size_t i = 0; i < found.size(); ++i) {
    TranslatedText& text =
        out.emplace_back(TranslatedText{.text = text_of(found[i].tokens, target, options),
                                        .tokens = found[i].tokens,
                                        .log_probability = found[i].log_probability,
                                        .score = found[i].score,
                                        .token_scores = std::move(found[i].token_scores)});
    if (!alignments.empty()) text.alignments.push_back(std::move(alignments[i]));
  }
  return out;
}

std::string written(const TranslatedLine& line, int64_t number,
                    const decode::DecodeOptions& options) {
  std::string out;
  for (const TranslatedText& t : line.hypotheses) {
    const std::string rest = annotations(t, options);
    if (!options.n_best) return t.text + rest;
    if (!out.empty()) out += '\n';
    out += fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}", number, t.text, rest,
                       t.log_probability, t.score);
  }
  return out;
}

}  // namespace weft::predict
