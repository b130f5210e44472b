#include "weft/predict/translation/translator.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/decode/draft/model_drafter.h"
#include "weft/decode/draft/ngram_drafter.h"
#include "weft/decode/search/non_autoregressive.h"
#include "weft/decode/search/search.h"
#include "weft/decode/step_models.h"
#include "weft/model_file/translator.h"
#include "weft/nn/attention/guide.h"
#include "weft/predict/translation/source_pieces.h"

namespace weft::predict {
namespace {

decode::Models models_of(std::span<const model_file::TranslatorSession> sessions) {
  std::vector<const models::Seq2Seq*> out;
  out.reserve(sessions.size());
  for (const model_file::TranslatorSession& session : sessions) out.push_back(&session.model);
  return out;
}

}  // namespace

Translator::Translator(const model_file::TranslatorSession& session,
                       const decode::DecodeOptions& options, const std::vector<std::string>& banned)
    : Translator(std::span(&session, 1), options, banned) {}

Translator::Translator(std::span<const model_file::TranslatorSession> sessions,
                       const decode::DecodeOptions& options, const std::vector<std::string>& banned)
    : sessions_(sessions), options_(options) {
  options_.validate();
  const decode::Models models = models_of(sessions);
  for (const auto* model : models) decode::check_model(options_, model->options.generation);
  decode::check_ensemble(models, options_.weights);
  if (is_left_to_right()) traits_ = decode::step_model(models, options_.weights)->traits();
  if (!options_.normalize && options_.length_penalty == 0) {
    options_.normalize = first().normalize;
  }
  if (!banned.empty()) check_left_to_right("--banned-words");
  if (options_.alignment.is_on()) {  // its heads are of the model
    decode::printed_heads(options_.alignment.heads, first().model.options);
  }
  const data::Tokeniser& target = first().target();
  if (!options_.allow_unk) forbidden_.push_back(target.unknown_id());
  std::vector<decode::Phrase> phrases;
  for (const std::string& phrase : banned) {
    decode::Phrase ids = target.encode(phrase);
    if (!ids.empty()) phrases.push_back(std::move(ids));
  }
  if (!phrases.empty()) banned_.emplace(std::move(phrases));
  for (const auto* model : models) {
    if (options_.coverage_penalty != 0 && !model->has_attention()) {
      fail<OptionError>("--coverage-penalty", "a model of type {} does not attend to its source",
                        model->options.type.name());
    }
    options_.max_length = std::min(options_.max_length, model->options.source_capacity() - 1);
  }
}

bool Translator::is_left_to_right() const { return first().model.options.is_left_to_right(); }

void Translator::check_left_to_right(std::string_view option) const {
  if (is_left_to_right()) return;
  fail<OptionError>(option,
                    "is for translations that come about token by token; the model is of "
                    "--generation {}, which predicts all of them at once",
                    first().model.options.generation.name());
}

void Translator::use_shortlist(decode::Shortlist list) {
  check_left_to_right("--shortlist");
  shortlist_ = std::move(list);
}

void Translator::check_draft(std::string_view option) const {
  check_left_to_right(option);
  const bool is_one_draw = options_.sampling.is_on() && !options_.n_best;
  if (options_.beam_size > 1 && !is_one_draw) {
    fail<OptionError>(option, "is for one hypothesis of a sentence; expected --beam-size 1, got {}",
                      options_.beam_size);
  }
  if (options_.coverage_penalty != 0) {
    fail<OptionError>(option, "contradicts --coverage-penalty; expected one of them");
  }
  if (memory_ || draft_) {
    fail<OptionError>("--draft", "contradicts --draft-memory; expected one of them");
  }
}

void Translator::draft_by(DraftMemory memory) {
  check_draft("--draft-memory");
  if (!traits_.can_drop_rows) {
    fail<OptionError>("--draft-memory",
                      "the model keeps states from which no token can be taken back; expected one "
                      "that keeps keys and values of each token");
  }
  memory_ = std::move(memory);
}

void Translator::draft_by(std::shared_ptr<const model_file::TranslatorSession> small,
                          std::string_view path) {
  check_draft("--draft");
  model_file::check_vocabularies(first(), *small, path, "--model");
  draft_ = std::move(small);
  drafter();
}

std::unique_ptr<decode::Drafter> Translator::drafter() const {
  if (memory_) return std::make_unique<decode::NgramDrafter>();
  if (!draft_) return nullptr;
  double cost = 0;  // of the models together, as multiples of the small one
  for (const model_file::TranslatorSession& session : sessions_) {
    cost += 1 / decode::relative_cost(draft_->model.decoder, session.model.decoder);
  }
  return std::make_unique<decode::ModelDrafter>(decode::step_model(draft_->model), traits_,
                                                1 / cost);
}

void Translator::use_constraints(ConstraintLines lines) {
  check_left_to_right("--constraints");
  if (options_.sampling.is_on()) {
    fail<OptionError>("--constraints", "contradicts --sampling; expected one of them");
  }
  lines.check_length(std::min(options_.max_output_length, traits_.target_capacity) - 1);
  if (banned_) lines.check_banned(*banned_->phrases);
  constraints_ = std::move(lines);
}

void Translator::check_constraints_used(const Report& report) const {
  if (constraints_) constraints_->check_lines(report.inputs);
}

std::vector<std::vector<int32_t>> Translator::encode(const std::string& text,
                                                     Report& report) const {
  const size_t end = options_.force_decode ? text.find('\t') : text.npos;
  SourcePieces source =
      cut_source(first().source(), std::string_view(text).substr(0, end), options_.max_length);
  if (source.pieces.size() > 1) report.add(Note::kSplit);
  if (source.is_cropped) report.add(Note::kCropped);
  const int32_t unknown = first().source().unknown_id();
  const auto has_unknown = [&](const auto& ids) { return std::ranges::count(ids, unknown) > 0; };
  if (std::ranges::any_of(source.pieces, has_unknown)) report.add(Note::kUnknown);
  return std::move(source.pieces);
}

std::vector<int32_t> Translator::encode_prefix(const std::string& text) const {
  const size_t tab = text.find('\t');
  if (!options_.force_decode || tab == text.npos) return {};
  return first().target().encode(text.substr(tab + 1));
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

decode::Request Translator::request_of(std::vector<int32_t> source) const {
  Request out;
  out.source = std::move(source);
  out.source.push_back(first().source().end_id());
  out.forbidden = forbidden_;
  if (banned_) out.processors.emplace_back(*banned_);
  return out;
}

void Translator::add(size_t line, Request request, Prepared<Request>& out, Report& report) const {
  report.input_tokens += std::ssize(request.source);
  if (is_left_to_right()) decode::apply_options(options_, traits_, request);
  out.add(line, std::move(request));
}

void Translator::add_line(size_t number, const std::string& text, Prepared<Request>& out,
                          Report& report) const {
  std::vector<std::vector<int32_t>> pieces = encode(text, report);
  if (pieces.empty()) return out.add_fault(number, {FaultKind::kEmpty, "no token"}, report);
  const std::vector<decode::Phrase> phrases =
      constraints_ ? constraints_->of(out.first + static_cast<int64_t>(number))
                   : std::vector<decode::Phrase>();
  for (std::vector<int32_t>& ids : pieces) {
    const bool is_first = &ids == &pieces.front();
    Request request = request_of(std::move(ids));
    if (is_first) {
      request.prefix = encode_prefix(text);
      request.constraints = decode::Constraints(phrases);
    }
    if (memory_) {
      const auto similar =
          memory_->find(std::span(request.source).first(request.source.size() - 1));
      request.draft_text.assign(similar.begin(), similar.end());
    }
    if (shortlist_) limit_to_shortlist(phrases, request);
    add(number, std::move(request), out, report);
  }
}

Prepared<decode::Request> Translator::prepare(std::span<const Line> lines, Report& report) const {
  Prepared<Request> out(lines.size(), report);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (constraints_) constraints_->of(out.first + static_cast<int64_t>(i));  // there is a line
    const std::optional<Fault> fault = fault_of_text(lines[i]);
    if (fault) {
      out.add_fault(i, *fault, report);
    } else {
      add_line(i, lines[i].text, out, report);
    }
  }
  return out;
}

Prepared<decode::Request> Translator::prepare(std::span<const std::vector<int32_t>> sources,
                                              Report& report) const {
  Prepared<Request> out(sources.size(), report);
  for (size_t i = 0; i < sources.size(); ++i) add(i, request_of(sources[i]), out, report);
  return out;
}

std::vector<TranslatedPiece> Translator::run(std::span<Request> requests,
                                             const decode::OnStablePrefix& on_stable_prefix) const {
  data::Tokens sources;
  for (const Request& request : requests) sources.add(request.source);
  std::vector<decode::NBest> found;
  if (is_left_to_right()) {
    const auto model = decode::step_model(models_of(sessions_), options_.weights);
    const std::unique_ptr<decode::Drafter> drafting = drafter();
    found =
        decode::search(*model,
                       std::vector(std::make_move_iterator(requests.begin()),
                                   std::make_move_iterator(requests.end())),
                       {.slots = options_.mini_batch, .drafter = drafting.get()}, on_stable_prefix);
  } else {
    for (decode::Hypothesis& h :
         decode::decode_non_autoregressive(first().model, sources, options_, forbidden_)) {
      found.push_back({std::move(h)});
    }
  }
  std::vector<std::vector<decode::Alignment>> alignments(found.size());
  if (options_.alignment.is_on()) {
    const auto heads = decode::printed_heads(options_.alignment.heads, first().model.options);
    alignments = decode::align(first().model, sources, found, heads, options_.mini_batch);
  }
  std::vector<Answer> out;
  for (size_t i = 0; i < found.size(); ++i) {
    out.push_back({std::move(found[i]), std::move(alignments[i])});
  }
  return out;
}

void Translator::count_notes(std::span<const Answer> pieces, int64_t line, Report& report) const {
  if (constraints_ && !constraints_->of(line).empty()) {
    const bool is_complete = !pieces.empty() && pieces.front().found.front().is_complete;
    if (!is_complete) report.add(Note::kIncomplete);
  }
  const auto is_cut_off = [](const Answer& piece) { return !piece.found.front().ended; };
  if (std::ranges::all_of(pieces, &Answer::is_finite) && std::ranges::any_of(pieces, is_cut_off)) {
    report.add(Note::kUnfinished);
  }
  for (const Answer& piece : pieces) {
    for (const decode::Hypothesis& h : piece.found) {
      report.output_tokens += std::ssize(h.tokens) + (h.ended ? 1 : 0);
      report.drafted_tokens += h.drafts.drafted;
      report.accepted_tokens += h.drafts.accepted;
    }
  }
}

std::vector<TranslatedLine> Translator::finish(const Prepared<Request>& prepared,
                                               std::span<Answer> answers, Report& report) const {
  std::vector<TranslatedLine> out;
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> pieces) {
    if (pieces.size() > 1) {
      for (Answer& piece : pieces) piece.found.resize(1);
    }
    count_notes(pieces, prepared.first + static_cast<int64_t>(i), report);
    TranslatedLine& line = out.emplace_back();
    line.fault = prepared.inputs[i].fault;
    if (!std::ranges::all_of(pieces, &Answer::is_finite)) {
      line.fault = prepared.not_finite(i, report);
      pieces = {};
    }
    line.hypotheses = texts_of(pieces, first().target(), options_);
  });
  return out;
}

TranslatedLine Translator::stream(const Line& line, Report& report,
                                  const IncrementalDetokeniser::Callback& callback) const {
  check_left_to_right("--stream");
  Prepared<Request> prepared = prepare({&line, 1}, report);
  const auto detokenise = [this](std::span<const int32_t> tokens) {
    return text_of(tokens, first().target(), options_);
  };
  IncrementalDetokeniser text(prepared.requests.size(), detokenise, callback);
  std::vector<Answer> answers = run(prepared.requests, [&](const decode::StablePrefix& d) {
    text.decide(static_cast<size_t>(d.request), d.tokens, d.is_finished);
  });
  TranslatedLine out = std::move(finish(prepared, answers, report).front());
  text.finish(out.hypotheses.front().text);
  return out;
}

}  // namespace weft::predict
