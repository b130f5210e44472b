#include "weft/decode/translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/core/utf8.h"
#include "weft/data/sentence_ends.h"
#include "weft/data/text_file.h"
#include "weft/decode/source_pieces.h"
#include "weft/models/capacity.h"

namespace weft::decode {

std::string TranslationReport::text() const {
  std::vector<std::string> parts;
  const auto count = [&](int64_t n, std::string_view what) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, what));
  };
  count(empty, "empty");
  count(over_long, "over the limit in bytes (left empty)");
  count(bad_utf8, "not UTF-8 (left empty)");
  count(split, "split at sentence ends");
  count(cropped, "cropped");
  count(unfinished, "whose translation was cut off before its end");
  count(incomplete, "whose translation lacks what it had to hold");
  count(with_unknown, "with unknown tokens");
  return fmt::format("{} lines{}{}", lines, parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

Translator::Translator(std::span<const model_file::Session> sessions, const DecodeOptions& options,
                       const std::vector<std::string>& banned)
    : session_(&sessions.front()), options_(options) {
  options_.validate();
  for (const model_file::Session& session : sessions) models_.push_back(&session.model);
  for (const models::Seq2Seq* model : models_) check_model(options_, model->options);
  check_together(options_, models_);
  if (!options_.normalize && options_.length_penalty == 0) {
    options_.normalize = session_->normalize;
  }
  if (!banned.empty()) check_left_to_right("--banned-words");
  if (options_.alignment.is_on()) {
    heads_ = printed_heads(options_.alignment.heads, session_->model.options);
  }
  const data::Tokeniser& target = session_->target();
  if (!options_.allow_unk) demands_.forbidden.push_back(target.unknown_id());
  for (const std::string& phrase : banned) {
    std::vector<int32_t> ids = target.encode(phrase);
    if (!ids.empty()) demands_.banned.push_back(std::move(ids));
  }
  for (const models::Seq2Seq* model : models_) {
    if (options_.coverage_penalty != 0 && !model->has_attention()) {
      fail<OptionError>("--coverage-penalty", "a model of type {} does not attend to its source",
                        model->options.type.name());
    }
    options_.max_length =
        std::min(options_.max_length, models::source_capacity(model->options) - 1);
  }
}

void Translator::check_left_to_right(std::string_view option) const {
  const models::Seq2SeqOptions& model = session_->model.options;
  if (model.is_left_to_right()) return;
  fail<OptionError>(option,
                    "is for translations that come about token by token; the model is of "
                    "--generation {}, which predicts all of them at once",
                    model.generation.name());
}

void Translator::use_shortlist(Shortlist list) {
  check_left_to_right("--shortlist");
  shortlist_ = std::move(list);
}

void Translator::use_constraints(ConstraintLines lines) {
  check_left_to_right("--constraints");
  if (options_.sampling.is_on()) {
    fail<OptionError>("--constraints", "contradicts --sampling; expected one of them");
  }
  int64_t most = options_.max_output_length;
  for (const models::Seq2Seq* model : models_)
    most = std::min(most, models::target_capacity(model->options));
  lines.check_length(most - 1);
  lines.check_banned(demands_.banned);
  constraints_ = std::move(lines);
}

void Translator::check_constraints_used() const {
  if (constraints_) constraints_->check_lines(report_.lines);
}

// No pieces for a line that is not translated.
std::vector<std::vector<int32_t>> Translator::encode(const SourceLine& line) {
  if (line.is_over_long || line.text.size() > data::kMaxLineBytes) {
    ++report_.over_long;
    return {};
  }
  if (!valid_utf8(line.text)) {
    ++report_.bad_utf8;
    return {};
  }
  const size_t end = options_.force_decode ? line.text.find('\t') : line.text.npos;
  SourcePieces source = cut_source(session_->source(), std::string_view(line.text).substr(0, end),
                                   options_.max_length);
  if (source.pieces.empty()) ++report_.empty;
  if (source.pieces.size() > 1) ++report_.split;
  if (source.is_cropped) ++report_.cropped;
  const int32_t unknown = session_->source().unknown_id();
  const auto has_unknown = [&](const auto& ids) { return std::ranges::count(ids, unknown) > 0; };
  if (std::ranges::any_of(source.pieces, has_unknown)) ++report_.with_unknown;
  return std::move(source.pieces);
}

std::vector<int32_t> Translator::encode_prefix(const SourceLine& line) const {
  const size_t tab = line.text.find('\t');
  if (!options_.force_decode || tab == line.text.npos) return {};
  return session_->target().encode(line.text.substr(tab + 1));
}

size_t Translator::ask(const SourceLine& line, int64_t number, data::Tokens& sources,
                       Demands& demands) {
  const std::vector<std::vector<int32_t>> pieces = encode(line);
  const std::vector<Phrase> phrases =
      constraints_ ? constraints_->of(number) : std::vector<Phrase>();
  for (const std::vector<int32_t>& ids : pieces) {
    const bool is_first = &ids == &pieces.front();
    sources.add(ids, session_->source().end_id());
    demands.prefixes.push_back(is_first ? encode_prefix(line) : std::vector<int32_t>());
    demands.constraints.push_back(is_first ? Constraints(phrases) : Constraints());
    if (!shortlist_) continue;
    std::vector<int32_t> allowed = shortlist_->of(ids);
    const auto add = [&](const std::vector<int32_t>& tokens) {
      allowed.insert(allowed.end(), tokens.begin(), tokens.end());
    };
    add(demands.prefixes.back());
    for (const Phrase& phrase : phrases) add(phrase);
    std::ranges::sort(allowed);
    allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
    demands.allowed.push_back(std::move(allowed));
  }
  return pieces.size();
}

void Translator::count_incomplete(std::span<const NBest> found, std::span<const size_t> counts) {
  size_t first = 0;
  for (size_t l = 0; l < counts.size(); first += counts[l++]) {
    if (constraints_->of(report_.lines + static_cast<int64_t>(l)).empty()) continue;
    const bool is_complete = counts[l] > 0 && found[first].front().is_complete;
    if (!is_complete) ++report_.incomplete;
  }
}

std::vector<std::string> Translator::translate(std::span<const SourceLine> lines,
                                               const GrowingText::Tell& tell) {
  if (tell) check_left_to_right("--stream");
  data::Tokens sources;
  Demands demands = demands_;
  std::vector<size_t> counts;  // of each line's pieces
  for (const SourceLine& line : lines) {
    counts.push_back(ask(line, report_.lines + std::ssize(counts), sources, demands));
  }
  report_.source_tokens += std::ssize(sources.ids);
  GrowingText text(
      static_cast<size_t>(sources.examples()),
      [this](std::span<const int32_t> tokens) { return text_of(tokens); }, tell);
  OnDecided on_decided;
  if (tell) {
    on_decided = [&](const Decided& d) {
      text.decide(static_cast<size_t>(d.sentence), d.tokens, d.is_over);
    };
  }
  std::vector<NBest> found = decode(models_, sources, options_, demands, on_decided);
  if (constraints_) count_incomplete(found, counts);
  std::vector<std::string> out = show_all(sources, found, counts);
  if (tell) text.finish(out.front());
  return out;
}

std::vector<std::string> Translator::show_all(const data::Tokens& sources, std::span<NBest> found,
                                              std::span<const size_t> counts) {
  std::span<NBest> rest = found;
  for (const size_t count : counts) {
    for (NBest& n_best : rest.first(count)) {
      if (count > 1) n_best.resize(1);
      for (const Hypothesis& h : n_best) {
        report_.output_tokens += std::ssize(h.tokens) + (h.ended ? 1 : 0);
      }
    }
    rest = rest.subspan(count);
  }
  Alignments aligned(found.size());
  if (!heads_.empty()) {
    aligned = align(session_->model, sources, found, heads_, options_.mini_batch);
  }
  std::vector<std::string> out;
  for (size_t begin = 0; const size_t count : counts) {
    const std::span<const NBest> pieces = found.subspan(begin, count);
    const auto is_cut_off = [](const NBest& n_best) { return !n_best.front().ended; };
    if (std::ranges::any_of(pieces, is_cut_off)) ++report_.unfinished;
    out.push_back(show(join(pieces, std::span(aligned).subspan(begin, count)), report_.lines++));
    begin += count;
  }
  return out;
}

std::string Translator::text_of(std::span<const int32_t> tokens) const {
  std::string text = session_->target().decode(tokens);
  return options_.undo_bpe ? data::undo_bpe(text) : text;
}

std::string Translator::text_of(std::span<const Alignment> pieces) const {
  return aligned_text(options_.alignment, pieces);
}

std::vector<Translator::Translation> Translator::join(
    std::span<const NBest> pieces, std::span<const std::vector<Alignment>> alignments) const {
  std::vector<Translation> out;
  const bool has_alignment = !heads_.empty();
  if (pieces.size() == 1) {
    const NBest& n_best = pieces.front();
    for (size_t i = 0; i < n_best.size(); ++i) {
      const Hypothesis& h = n_best[i];
      out.push_back({text_of(h.tokens), h.log_probability, h.score, h.token_scores});
      if (has_alignment) out.back().alignment = text_of({&alignments.front()[i], 1});
    }
    return out;
  }
  Translation whole;
  std::vector<std::string> texts;
  std::vector<Alignment> parts;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const Hypothesis& best = pieces[p].front();
    texts.push_back(text_of(best.tokens));
    whole.log_probability += best.log_probability;
    whole.score += best.score;
    whole.token_scores.insert(whole.token_scores.end(), best.token_scores.begin(),
                              best.token_scores.end());
    if (has_alignment) parts.push_back(alignments[p].front());
  }
  whole.text = data::join_sentences(texts);
  whole.alignment = text_of(parts);
  out.push_back(std::move(whole));
  return out;
}

std::string Translator::show(const std::vector<Translation>& translations, int64_t line) const {
  std::string out;
  for (const Translation& t : translations) {
    std::string behind = heads_.empty() ? "" : " ||| " + t.alignment;
    if (options_.word_scores) {
      behind += " ||| WordScores=";
      for (const double score : t.token_scores) behind += fmt::format(" {:.6f}", score);
    }
    if (!options_.n_best) return t.text + behind;
    if (!out.empty()) out += '\n';
    out += fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}", line, t.text, behind,
                       t.log_probability, t.score);
  }
  return out;
}

}  // namespace weft::decode
