#include "weft/predict/translation/translator.h"

#include <algorithm>

#include "weft/core/text/utf8.h"
#include "weft/data/text/text_file.h"
#include "weft/models/capacity.h"
#include "weft/predict/translation/source_pieces.h"

namespace weft::predict {
namespace {

// Of the pieces of a line.
bool have_finite_scores(std::span<const decode::NBest> found,
                        std::span<const std::vector<decode::Alignment>> aligned) {
  const auto is_finite = [](const decode::Alignment& one) { return one.is_finite; };
  return std::ranges::all_of(found,
                             [](const decode::NBest& one) { return one.front().is_finite; }) &&
         std::ranges::all_of(aligned, [&](const std::vector<decode::Alignment>& all) {
           return std::ranges::all_of(all, is_finite);
         });
}

}  // namespace

Translator::Translator(std::span<const model_file::TranslatorSession> sessions,
                       const decode::DecodeOptions& options, const std::vector<std::string>& banned)
    : session_(&sessions.front()), options_(options), output_(session_->target(), options_) {
  options_.validate();
  for (const model_file::TranslatorSession& session : sessions) models_.push_back(&session.model);
  for (const models::Seq2Seq* model : models_) decode::check_model(options_, model->options);
  decode::check_together(models_, options_.weights);
  if (!options_.normalize && options_.length_penalty == 0) {
    options_.normalize = session_->normalize;
  }
  if (!banned.empty()) check_left_to_right("--banned-words");
  if (options_.alignment.is_on()) {
    heads_ = decode::printed_heads(options_.alignment.heads, session_->model.options);
  }
  const data::Tokeniser& target = session_->target();
  if (!options_.allow_unk) forbidden_.push_back(target.unknown_id());
  std::vector<decode::Phrase> phrases;
  for (const std::string& phrase : banned) {
    decode::Phrase ids = target.encode(phrase);
    if (!ids.empty()) phrases.push_back(std::move(ids));
  }
  if (!phrases.empty()) banned_.emplace(std::move(phrases));
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
  if (is_left_to_right()) return;
  fail<OptionError>(option,
                    "is for translations that come about token by token; the model is of "
                    "--generation {}, which predicts all of them at once",
                    session_->model.options.generation.name());
}

void Translator::use_shortlist(decode::Shortlist list) {
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
  if (banned_) lines.check_banned(*banned_->phrases);
  constraints_ = std::move(lines);
}

void Translator::check_constraints_used() const {
  if (constraints_) constraints_->check_lines(report_.lines);
}

// No pieces for a line that is not translated.
std::vector<std::vector<int32_t>> Translator::encode(const Line& line) {
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

std::vector<int32_t> Translator::encode_prefix(const Line& line) const {
  const size_t tab = line.text.find('\t');
  if (!options_.force_decode || tab == line.text.npos) return {};
  return session_->target().encode(line.text.substr(tab + 1));
}

void Translator::limit_to_shortlist(std::span<const decode::Phrase> phrases,
                                    decode::Request& request) const {
  request.allowed = shortlist_->of(std::span(request.source).first(request.source.size() - 1));
  const auto add = [&](const std::vector<int32_t>& tokens) {
    request.allowed.insert(request.allowed.end(), tokens.begin(), tokens.end());
  };
  add(request.prefix);
  for (const decode::Phrase& phrase : phrases) add(phrase);
  std::ranges::sort(request.allowed);
  request.allowed.erase(std::unique(request.allowed.begin(), request.allowed.end()),
                        request.allowed.end());
}

void Translator::add_line(const Line& line, int64_t number, Work& work) {
  const std::vector<std::vector<int32_t>> pieces = encode(line);
  const std::vector<decode::Phrase> phrases =
      constraints_ ? constraints_->of(number) : std::vector<decode::Phrase>();
  work.counts.push_back(pieces.size());
  for (const std::vector<int32_t>& ids : pieces) {
    work.sources.add(ids, session_->source().end_id());
    if (!is_left_to_right()) continue;
    const std::span<const int32_t> source = work.sources[work.sources.examples() - 1];
    decode::Request& request = work.requests.emplace_back();
    request.source.assign(source.begin(), source.end());
    request.forbidden = forbidden_;
    if (banned_) request.processors.emplace_back(*banned_);
    if (&ids == &pieces.front()) {
      request.prefix = encode_prefix(line);
      request.constraints = decode::Constraints(phrases);
    }
    if (shortlist_) limit_to_shortlist(phrases, request);
  }
}

void Translator::count_incomplete(std::span<const decode::NBest> found,
                                  std::span<const size_t> counts) {
  size_t first = 0;
  for (size_t l = 0; l < counts.size(); first += counts[l++]) {
    if (constraints_->of(report_.lines + static_cast<int64_t>(l)).empty()) continue;
    const bool is_complete = counts[l] > 0 && found[first].front().is_complete;
    if (!is_complete) ++report_.incomplete;
  }
}

std::vector<decode::NBest> Translator::decode_all(Work& work,
                                                  const decode::OnDecided& on_decided) const {
  if (!is_left_to_right()) return decode::decode(models_, work.sources, options_, forbidden_);
  return decode::decode(models_, std::move(work.requests), options_, on_decided);
}

std::vector<std::string> Translator::translate(std::span<const Line> lines,
                                               const IncrementalDetokeniser::Callback& callback) {
  if (callback) check_left_to_right("--stream");
  Work work;
  for (const Line& line : lines) {
    add_line(line, report_.lines + std::ssize(work.counts), work);
  }
  report_.source_tokens += std::ssize(work.sources.ids);
  IncrementalDetokeniser text(
      static_cast<size_t>(work.sources.examples()),
      [this](std::span<const int32_t> tokens) { return output_.text_of(tokens); }, callback);
  decode::OnDecided on_decided;
  if (callback) {
    on_decided = [&](const decode::Decided& d) {
      text.decide(static_cast<size_t>(d.request), d.tokens, d.is_finished);
    };
  }
  std::vector<decode::NBest> found = decode_all(work, on_decided);
  if (constraints_) count_incomplete(found, work.counts);
  std::vector<std::string> out = outputs(work, found);
  if (callback) text.finish(out.front());
  return out;
}

std::vector<std::string> Translator::outputs(const Work& work, std::span<decode::NBest> found) {
  std::span<decode::NBest> rest = found;
  for (const size_t count : work.counts) {
    for (decode::NBest& n_best : rest.first(count)) {
      if (count > 1) n_best.resize(1);
      for (const decode::Hypothesis& h : n_best) {
        report_.output_tokens += std::ssize(h.tokens) + (h.ended ? 1 : 0);
      }
    }
    rest = rest.subspan(count);
  }
  std::vector<std::vector<decode::Alignment>> aligned(found.size());
  if (!heads_.empty()) {
    aligned = decode::align(session_->model, work.sources, found, heads_, options_.mini_batch);
  }
  std::vector<std::string> out;
  for (size_t begin = 0; const size_t all : work.counts) {
    // Nothing is left of a line without finite scores.
    const bool is_finite =
        have_finite_scores(found.subspan(begin, all), std::span(aligned).subspan(begin, all));
    const size_t count = is_finite ? all : 0;
    if (count < all) report_.not_finite.add(report_.lines + 1);
    const std::span<const decode::NBest> pieces = found.subspan(begin, count);
    const auto is_cut_off = [](const decode::NBest& n_best) { return !n_best.front().ended; };
    if (std::ranges::any_of(pieces, is_cut_off)) ++report_.unfinished;
    out.push_back(output_.line(pieces, std::span(aligned).subspan(begin, count), report_.lines++));
    begin += all;
  }
  return out;
}

}  // namespace weft::predict
