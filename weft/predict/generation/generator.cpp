#include "weft/predict/generation/generator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/core/text/escapes.h"
#include "weft/data/text/text_file.h"
#include "weft/decode/draft/drafted_steps.h"
#include "weft/decode/draft/model_drafter.h"
#include "weft/decode/draft/ngram_drafter.h"
#include "weft/decode/step_models.h"
#include "weft/predict/generation/context_shift.h"
#include "weft/predict/generation/logit_bias.h"
#include "weft/predict/generation/phrases.h"

namespace weft::predict {
namespace {

constexpr int64_t kDefaultMaxLength = 256;

uint64_t stream_of(std::span<const int32_t> prompt) {
  Hash hash;
  for (const int32_t id : prompt) hash.add(static_cast<uint32_t>(id));
  return hash.value();
}

// The text of tokens behind others, which may begin with a space.
Continuation text_behind_another(const data::Tokeniser& tokeniser) {
  return {tokeniser, tokeniser.encode("a")};
}

}  // namespace

GeneratedText generated_text(const decode::Hypothesis& found, const Continuation& continuation) {
  std::string text = continuation(found.tokens);
  if (found.stopped_at) text.resize(static_cast<size_t>(*found.stopped_at));
  return {.text = std::move(text),
          .log_probability = found.log_probability,
          .tokens = std::ssize(found.token_scores),
          .ended = found.ended,
          .is_complete = found.is_complete,
          .token_scores = found.token_scores,
          .top_tokens = found.top_tokens,
          .drafts = found.drafts};
}

std::string GeneratedLine::written() const {
  std::vector<std::string> lines;
  for (const GeneratedText& one : texts) {
    std::string& line = lines.emplace_back(escaped(one.text));
    if (one.token_scores.empty()) continue;
    line += fmt::format(" ||| WordScores= {:.6f}", fmt::join(one.token_scores, " "));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Generator::Generator(const model_file::LanguageModelSession& session,
                     const GenerationOptions& options, const ChatFormat* chat,
                     const model_file::LanguageModelSession* draft)
    : session_(&session), draft_(draft), options_(options), chat_(chat) {
  options_.validate();
  check_draft();
  const models::LanguageModelDims& dims = session.model.dims;
  end_ids_.assign(dims.end_ids.begin(), dims.end_ids.end());
  for (int64_t id = session.tokeniser->size(); id < dims.vocab; ++id) {
    forbidden_.push_back(static_cast<int32_t>(id));
  }
  add_processors();
  if (!options_.constraints.empty()) read_constraints();
}

Generator Generator::with(const ChatFormat& chat) const {
  Generator out = *this;
  out.chat_ = &chat;
  return out;
}

void Generator::check_draft() const {
  if (options_.has_draft_model() != (draft_ != nullptr)) {
    fail<OptionError>("--draft", "is '{}' {} a drafting model; expected a model for a path alone",
                      options_.draft, draft_ != nullptr ? "with" : "without");
  }
  if (draft_ != nullptr) model_file::check_vocabulary(*session_, *draft_, options_.draft);
  if (const auto drafting = drafter()) {
    decode::DecoderSteps model = decode::decoder_steps(session_->model);
    decode::DraftedSteps(model, *drafting);  // checks both
  }
}

std::unique_ptr<decode::Drafter> Generator::drafter() const {
  if (options_.draft.empty()) return nullptr;
  if (draft_ == nullptr) return std::make_unique<decode::NgramDrafter>();
  return std::make_unique<decode::ModelDrafter>(
      std::make_unique<decode::DecoderSteps>(decode::decoder_steps(draft_->model)),
      decode::decoder_steps(session_->model).traits(),
      decode::relative_cost(draft_->model.decoder, session_->model.decoder));
}

std::string Generator::token_text(int32_t token) const {
  const data::Tokeniser& tokeniser = *session_->tokeniser;
  std::string text = text_behind_another(tokeniser)(std::span(&token, 1));
  if (text.empty() && token < tokeniser.size()) text = tokeniser.piece(token);
  return text;
}

// In the order of llama.cpp.
void Generator::add_processors() {
  if (!options_.logit_bias.empty()) {
    processors_.emplace_back(logit_bias(options_.logit_bias, *session_->tokeniser));
  }
  if (options_.penalties.is_on()) processors_.emplace_back(options_.penalties);
  if (options_.dry.is_on()) {
    const auto text_of = [continuation = text_behind_another(*session_->tokeniser)](int32_t token) {
      return continuation(std::span(&token, 1));
    };
    processors_.emplace_back(decode::Dry{options_.dry, text_of});
  }
  if (options_.no_repeat_ngram_size > 0) {
    processors_.emplace_back(decode::NoRepeatNgram{options_.no_repeat_ngram_size});
  }
  if (options_.banned_words.empty()) return;
  const auto banned = banned_in_text(data::read_lines(options_.banned_words), *session_->tokeniser);
  if (!banned.phrases->empty()) processors_.emplace_back(banned);
}

void Generator::read_constraints() {
  const data::Tokeniser& tokeniser = *session_->tokeniser;
  const auto encode = [&](std::string_view phrase) { return phrase_in_text(phrase, tokeniser); };
  constraints_.emplace(options_.constraints, encode, tokeniser.unknown_id());
  constraints_->check_length(options_.max_length.value_or(kDefaultMaxLength));
  for (const decode::LogitsProcessor& processor : processors_) {
    const auto* banned = std::get_if<decode::BannedPhrases>(&processor);
    if (banned != nullptr) constraints_->check_banned(*banned->phrases);
  }
}

ContextShift Generator::context_shift() const {
  const int64_t context = session_->model.options.capacity();
  const int64_t most = std::min(context / 2, context - 2);  // so that there is a token to drop
  return {.context = context,
          .keep = std::clamp<int64_t>(options_.keep + (session_->adds_begin ? 1 : 0), 0,
                                      std::max<int64_t>(most, 0))};
}

std::optional<Fault> Generator::fault_of(int64_t prompt) const {
  const int64_t context = session_->model.options.capacity();
  const int64_t wanted = options_.context_shift ? 1 : options_.max_length.value_or(1);
  if (prompt == 0) return Fault{FaultKind::kEmpty, "no token"};
  if (prompt + wanted <= context) return std::nullopt;
  const std::string more = options_.max_length && !options_.context_shift
                               ? fmt::format(" and --max-length {}", *options_.max_length)
                               : "";
  return Fault{FaultKind::kOverContext,
               fmt::format("a prompt of {}{}; the context of the model is {}",
                           counted(prompt, "token"), more, counted(context, "token"))};
}

int64_t Generator::length_limit(int64_t prompt) const {
  if (options_.max_length) return *options_.max_length;
  if (options_.context_shift) return kDefaultMaxLength;
  return std::min(kDefaultMaxLength, session_->model.options.capacity() - prompt);
}

std::vector<int32_t> Generator::tokens_of(const Prompt& prompt) const {
  if (prompt.conversation) {
    if (chat_ == nullptr) {
      fail<OptionError>("generator", "a conversation needs the format of conversations");
    }
    return chat_->tokens(*prompt.conversation);
  }
  std::vector<int32_t> out = session_->tokeniser->encode(prompt.text);
  if (session_->adds_begin && !out.empty()) {
    out.insert(out.begin(), static_cast<int32_t>(session_->model.dims.begin_id));
  }
  return out;
}

decode::Request Generator::request_of(std::vector<int32_t> prompt, bool is_conversation) const {
  Request request;
  request.beam = {.size = options_.beam_size, .penalty = {decode::PowerPenalty{1}}};
  request.sampling = options_.sampling();
  request.end_ids = end_ids_;
  if (is_conversation) {
    const std::span<const int32_t> more = chat_->end_ids();
    request.end_ids.insert(request.end_ids.end(), more.begin(), more.end());
  }
  request.forbidden = forbidden_;
  request.prompt = std::move(prompt);
  if (request.sampling) {
    request.beam = {.size = options_.samples, .n_best = options_.samples};
    request.sampling->stream = stream_of(request.prompt);
  }
  request.beam.top_tokens = options_.top_logprobs;
  request.length_limit = length_limit(std::ssize(request.prompt));
  request.processors = processors_;
  request.beam.early_exit = processors_.empty();
  if (!options_.stop.empty()) {
    request.stop = {options_.stop, Continuation(*session_->tokeniser, request.prompt)};
  }
  return request;
}

void Generator::prepare_one(const Prompt& prompt, size_t index, Prepared<Request>& out,
                            Report& report) const {
  std::vector<int32_t> tokens;
  try {
    tokens = tokens_of(prompt);
  } catch (const FormatError& error) {  // the template refuses the conversation
    return out.add_fault(index, {FaultKind::kUnreadable, error.what()}, report);
  }
  const int64_t count = std::ssize(tokens);
  report.input_tokens += count;
  Request request = request_of(std::move(tokens), prompt.conversation.has_value());
  if (constraints_) {
    const int64_t number = out.first + static_cast<int64_t>(index);
    request.constraints = decode::Constraints(constraints_->of(number));
  }
  out.add(index, std::move(request), fault_of(count), report);
}

Prepared<decode::Request> Generator::prepare(std::span<const Prompt> prompts,
                                             Report& report) const {
  Prepared<Request> out(prompts.size(), report);
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (constraints_) constraints_->of(out.first + static_cast<int64_t>(i));  // there is a line
    if (prompts[i].fault) {
      out.add_fault(i, *prompts[i].fault, report);
    } else {
      prepare_one(prompts[i], i, out, report);
    }
  }
  return out;
}

std::vector<Generator::Answer> Generator::run(
    std::span<Request> requests, const decode::OnStablePrefix& on_stable_prefix) const {
  std::vector<Continuation> continuations;
  std::vector<Answer> out(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    continuations.emplace_back(*session_->tokeniser, requests[i].prompt);
    out[i].prompt_tokens = std::ssize(requests[i].prompt);
  }
  decode::DecoderSteps model = decode::decoder_steps(session_->model, options_.cache.type());
  const std::unique_ptr<decode::Drafter> drafting = drafter();
  std::vector<Request> taken(std::make_move_iterator(requests.begin()),
                             std::make_move_iterator(requests.end()));
  const decode::EngineOptions engine{.slots = options_.mini_batch, .drafter = drafting.get()};
  const std::vector<decode::NBest> found =
      options_.context_shift
          ? search_shifting(model, std::move(taken), context_shift(), engine, on_stable_prefix)
          : decode::search(model, std::move(taken), engine, on_stable_prefix);
  for (size_t i = 0; i < found.size(); ++i) {
    out[i].is_finite = found[i].front().is_finite;
    for (const decode::Hypothesis& one : found[i]) {
      out[i].texts.push_back(generated_text(one, continuations[i]));
    }
  }
  return out;
}

std::vector<GeneratedLine> Generator::finish(const Prepared<Request>& prepared,
                                             std::span<Answer> answers, Report& report) const {
  std::vector<GeneratedLine> out;
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> found) {
    GeneratedLine& line = out.emplace_back();
    line.fault = prepared.inputs[i].fault;
    if (!found.empty() && !found.front().is_finite) line.fault = prepared.not_finite(i, report);
    if (line.fault) {
      line.texts.resize(static_cast<size_t>(options_.samples));
      return;
    }
    line.texts = std::move(found.front().texts);
    line.prompt_tokens = found.front().prompt_tokens;
    for (GeneratedText& text : line.texts) {
      report.output_tokens += text.tokens;
      report.drafted_tokens += text.drafts.drafted;
      report.accepted_tokens += text.drafts.accepted;
      if (!options_.word_scores) text.token_scores.clear();
    }
    if (!line.texts.front().is_complete) report.add(Note::kIncomplete);
  });
  return out;
}

GeneratedLine Generator::stream(const Prompt& prompt, Report& report,
                                const IncrementalDetokeniser::Callback& callback) const {
  Prepared<Request> prepared = prepare({&prompt, 1}, report);
  std::optional<Continuation> continuation;
  if (!prepared.requests.empty()) {
    continuation.emplace(*session_->tokeniser, prepared.requests.front().prompt);
  }
  const auto detokenise = [&](std::span<const int32_t> tokens) {
    const std::string text = (*continuation)(tokens);
    return text.substr(0, length_before_stop(text, options_.stop));
  };
  IncrementalDetokeniser text(prepared.requests.size(), detokenise, callback);
  std::vector<Answer> answers = run(prepared.requests, [&](const decode::StablePrefix& d) {
    text.decide(static_cast<size_t>(d.request), d.tokens, d.is_finished);
  });
  GeneratedLine out = std::move(finish(prepared, answers, report).front());
  text.finish(out.texts.front().text);
  return out;
}

}  // namespace weft::predict
