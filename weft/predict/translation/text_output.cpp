#include "weft/predict/translation/text_output.h"

#include <fmt/core.h>

#include "weft/data/text/sentence_ends.h"

namespace weft::predict {

std::string TextOutput::text_of(std::span<const int32_t> tokens) const {
  std::string text = target_->decode(tokens);
  return options_.undo_bpe ? data::undo_bpe(text) : text;
}

std::vector<TextOutput::Decoded> TextOutput::hypotheses_of(
    const decode::NBest& n_best, std::span<const decode::Alignment> alignments) const {
  std::vector<Decoded> out;
  for (size_t i = 0; i < n_best.size(); ++i) {
    const decode::Hypothesis& h = n_best[i];
    out.push_back({text_of(h.tokens), h.log_probability, h.score, h.token_scores});
    if (!options_.alignment.is_on()) continue;
    out.back().alignment = decode::aligned_text(options_.alignment, alignments.subspan(i, 1));
  }
  return out;
}

TextOutput::Decoded TextOutput::join(
    std::span<const decode::NBest> pieces,
    std::span<const std::vector<decode::Alignment>> alignments) const {
  Decoded whole;
  std::vector<std::string> texts;
  std::vector<decode::Alignment> parts;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const decode::Hypothesis& best = pieces[p].front();
    texts.push_back(text_of(best.tokens));
    whole.log_probability += best.log_probability;
    whole.score += best.score;
    whole.token_scores.insert(whole.token_scores.end(), best.token_scores.begin(),
                              best.token_scores.end());
    if (options_.alignment.is_on()) parts.push_back(alignments[p].front());
  }
  whole.text = data::join_sentences(texts);
  if (options_.alignment.is_on()) whole.alignment = decode::aligned_text(options_.alignment, parts);
  return whole;
}

std::string TextOutput::annotations(const Decoded& t) const {
  std::string out;
  if (options_.alignment.is_on()) out += " ||| " + t.alignment;
  if (options_.word_scores) {
    out += " ||| WordScores=";
    for (const double score : t.token_scores) out += fmt::format(" {:.6f}", score);
  }
  return out;
}

std::string TextOutput::line(std::span<const decode::NBest> pieces,
                             std::span<const std::vector<decode::Alignment>> alignments,
                             int64_t line) const {
  std::vector<Decoded> outputs;
  if (pieces.size() == 1) {
    outputs = hypotheses_of(pieces.front(), alignments.front());
  } else {
    outputs.push_back(join(pieces, alignments));
  }
  std::string out;
  for (const Decoded& t : outputs) {
    const std::string rest = annotations(t);
    if (!options_.n_best) return t.text + rest;
    if (!out.empty()) out += '\n';
    out += fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}", line, t.text, rest,
                       t.log_probability, t.score);
  }
  return out;
}

}  // namespace weft::predict
