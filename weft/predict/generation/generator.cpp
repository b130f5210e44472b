#include "weft/predict/generation/generator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/decode/step_models.h"
#include "weft/predict/generation/logit_bias.h"

namespace weft::predict {
namespace {

constexpr int64_t kDefaultMaxLength = 256;

uint64_t stream_of(std::span<const int32_t> prompt) {
  Hash hash;
  for (const int32_t id : prompt) hash.add(static_cast<uint32_t>(id));
  return hash.value();
}

GeneratedText generated_text(const decode::Hypothesis& found, const Continuation& continuation) {
  std::string text = continuation(found.tokens);
  if (found.stopped_at) text.resize(static_cast<size_t>(*found.stopped_at));
  return {.text = std::move(text),
          .log_probability = found.log_probability,
          .tokens = std::ssize(found.token_scores),
          .ended = found.ended};
}

}  // namespace

std::string GeneratedLine::written() const {
  std::vector<std::string> lines;
  for (const GeneratedText& one : texts) lines.push_back(escaped(one.text));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Generator::Generator(const model_file::LanguageModelSession& session,
                     const GenerationOptions& options)
    : session_(&session), options_(options) {
  options_.validate();
  const models::LanguageModelDims& dims = session.model.dims;
  end_ids_.assign(dims.end_ids.begin(), dims.end_ids.end());
  for (int64_t id = session.tokeniser->size(); id < dims.vocab; ++id) {
    forbidden_.push_back(static_cast<int32_t>(id));
  }
  add_processors();
}

// In the order of llama.cpp.
void Generator::add_processors() {
  if (!options_.logit_bias.empty()) {
    processors_.emplace_back(logit_bias(options_.logit_bias, *session_->tokeniser));
  }
  if (options_.penalties.is_on()) processors_.emplace_back(options_.penalties);
  if (options_.dry.is_on()) {
    // The text of a token behind another, which may begin with a space.
    const Continuation continuation(*session_->tokeniser, session_->tokeniser->encode("a"));
    processors_.emplace_back(decode::Dry{options_.dry, [continuation](int32_t token) {
                                           return continuation(std::span(&token, 1));
                                         }});
  }
  if (options_.no_repeat_ngram_size > 0) {
    processors_.emplace_back(decode::NoRepeatNgram{options_.no_repeat_ngram_size});
  }
}

std::optional<Fault> Generator::fault_of(int64_t prompt) const {
  const int64_t context = session_->model.options.context();
  const int64_t wanted = options_.max_length.value_or(1);
  if (prompt == 0) return Fault{FaultKind::kEmpty, "no token"};
  if (prompt + wanted <= context) return std::nullopt;
  const std::string more =
      options_.max_length ? fmt::format(" and --max-length {}", *options_.max_length) : "";
  return Fault{FaultKind::kOverContext,
               fmt::format("a prompt of {}{}; the context of the model is {}",
                           counted(prompt, "token"), more, counted(context, "token"))};
}

int64_t Generator::length_limit(int64_t prompt) const {
  if (options_.max_length) return *options_.max_length;
  return std::min(kDefaultMaxLength, session_->model.options.context() - prompt);
}

decode::Request Generator::request_of(const std::string& text) const {
  const data::Tokeniser& tokeniser = *session_->tokeniser;
  Request request;
  request.beam = {.size = options_.beam_size, .penalty = {decode::PowerPenalty{1}}};
  request.sampling = options_.sampling();
  request.end_ids = end_ids_;
  request.forbidden = forbidden_;
  request.prompt = tokeniser.encode(text);
  if (session_->adds_begin && !request.prompt.empty()) {
    request.prompt.insert(request.prompt.begin(),
                          static_cast<int32_t>(session_->model.dims.begin_id));
  }
  if (request.sampling) {
    request.beam = {.size = options_.samples, .n_best = options_.samples};
    request.sampling->stream = stream_of(request.prompt);
  }
  request.length_limit = length_limit(std::ssize(request.prompt));
  request.processors = processors_;
  request.beam.early_exit = processors_.empty();
  if (!options_.stop.empty()) {
    request.stop = {options_.stop, Continuation(tokeniser, request.prompt)};
  }
  return request;
}

Prepared<decode::Request> Generator::prepare(std::span<const Line> lines, Report& report) const {
  Prepared<Request> out(lines.size(), report);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (const std::optional<Fault> fault = fault_of_text(lines[i])) {
      out.add_fault(i, *fault, report);
      continue;
    }
    Request request = request_of(lines[i].text);
    const int64_t prompt = std::ssize(request.prompt);
    report.input_tokens += prompt;
    out.add(i, std::move(request), fault_of(prompt), report);
  }
  return out;
}

std::vector<Generator::Answer> Generator::run(
    std::span<Request> requests, const decode::OnStablePrefix& on_stable_prefix) const {
  std::vector<Continuation> continuations;
  for (const Request& request : requests) {
    continuations.emplace_back(*session_->tokeniser, request.prompt);
  }
  decode::DecoderSteps model = decode::decoder_steps(session_->model);
  const std::vector<decode::NBest> found = decode::search(
      model, {std::make_move_iterator(requests.begin()), std::make_move_iterator(requests.end())},
      {.slots = options_.mini_batch}, on_stable_prefix);
  std::vector<Answer> out(found.size());
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
    for (const GeneratedText& text : line.texts) report.output_tokens += text.tokens;
  });
  return out;
}

GeneratedLine Generator::stream(const Line& line, Report& report,
                                const IncrementalDetokeniser::Callback& callback) const {
  Prepared<Request> prepared = prepare({&line, 1}, report);
  std::optional<Continuation> continuation;
  if (!prepared.requests.empty()) {
    continuation.emplace(*session_->tokeniser, prepared.requests.front().prompt);
  }
  const auto detokenise = [&](std::span<const int32_t> tokens) {
    const std::string text = (*continuation)(tokens);
    return escaped(std::string_view(text).substr(0, length_before_stop(text, options_.stop)));
  };
  IncrementalDetokeniser text(prepared.requests.size(), detokenise, callback);
  std::vector<Answer> answers = run(prepared.requests, [&](const decode::StablePrefix& d) {
    text.decide(static_cast<size_t>(d.request), d.tokens, d.is_finished);
  });
  GeneratedLine out = std::move(finish(prepared, answers, report).front());
  text.finish(out.written());
  return out;
}

}  // namespace weft::predict
