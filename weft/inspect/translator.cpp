#include "weft/inspect/translator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/decode/engine.h"
#include "weft/decode/options.h"
#include "weft/decode/step_models.h"
#include "weft/inspect/most_probable.h"
#include "weft/inspect/progress.h"
#include "weft/inspect/trace_maps.h"
#include "weft/ops/softmax.h"

namespace weft::inspect {
namespace {

using Ids = std::vector<int32_t>;

// The axes of an example, in this order.
enum : size_t { kSource, kInput, kOutput };

// Continuations take time: the first tokens have them, and of a long one this many tokens.
constexpr size_t kContinuedTokens = 100;
constexpr int64_t kContinuation = 100;

class SentenceInspector {
 public:
  SentenceInspector(const model_file::TranslatorSession& session, const InspectionOptions& options)
      : session_(&session), options_(options), steps_(decode::step_model(session.model)) {
    search_.normalize = session.normalize;
    forbidden_.push_back(session.target().unknown_id());
  }

  Example operator()(std::string_view text) {
    Example out{.name = {}, .input = std::string(text)};
    read_source(text, out);
    if (source_.size() > 1) {
      search(out);
      trace(out);
    }
    return out;
  }

 private:
  void read_source(std::string_view text, Example& out) {
    source_ = session_->source().encode(text);
    const int64_t capacity = session_->model.options.source_capacity() - 1;
    const auto limit = static_cast<size_t>(std::min(options_.max_length, capacity));
    if (source_.size() > limit) {
      out.note = fmt::format("cropped from {} to {} tokens", source_.size(), limit);
      source_.resize(limit);
    }
    source_.push_back(session_->source().end_id());
  }

  decode::Request request(Ids prefix, const decode::DecodeOptions& search) const {
    decode::Request out;
    out.source = source_;
    out.prefix = std::move(prefix);
    out.forbidden = forbidden_;
    decode::apply_options(search, steps_->traits(), out);
    return out;
  }

  // The outputs of requests, in their order.
  std::vector<decode::RequestOutput> run(std::vector<decode::Request> requests) {
    std::vector<decode::RequestOutput> out(requests.size());
    if (requests.empty()) return out;
    decode::Engine engine(*steps_);
    Progress progress("texts are decoded", std::ssize(requests));
    for (decode::Request& r : requests) engine.submit(std::move(r));
    while (!engine.is_idle()) {
      for (decode::RequestOutput& output : engine.step()) {
        if (output.error) std::rethrow_exception(output.error);
        if (!output.is_finished) continue;
        out[static_cast<size_t>(output.id)] = std::move(output);
        progress.add_one();
      }
    }
    return out;
  }

  // The hypotheses and the tree of the beam search; target_ is the best.
  void search(Example& out) {
    decode::DecodeOptions options = search_;
    options.beam_size = options_.beam_size;
    options.n_best = true;
    decode::Request whole = request({}, options);
    whole.reports_tree = true;
    const decode::RequestOutput found = std::move(run({std::move(whole)}).front());
    const data::Tokeniser& target = session_->target();
    for (const decode::SearchNode& node : found.tree) {
      out.beam.push_back({.token = std::string(target.piece(node.token)),
                          .parent = node.parent,
                          .log_probability = node.log_probability,
                          .is_end = node.token == target.end_id()});
    }
    for (const decode::Hypothesis& h : found.hypotheses) {
      Prediction& prediction = out.predictions.emplace_back(Prediction{
          .text = target.decode(h.tokens), .log_probability = h.log_probability, .score = h.score});
      const Ids tokens = whole_target(h);
      for (size_t i = 0; i < tokens.size(); ++i) {
        prediction.tokens.push_back({.token = std::string(target.piece(tokens[i])),
                                     .probability = std::exp(h.token_scores[i])});
      }
    }
    target_ = whole_target(found.hypotheses.front());
  }

  // With the end symbol, where the hypothesis ended.
  Ids whole_target(const decode::Hypothesis& h) const {
    Ids out = h.tokens;
    if (h.ended) out.push_back(session_->target().end_id());
    return out;
  }

  // The axes and attentions of the best translation, and the alternatives to its tokens.
  void trace(Example& out) {
    const models::Seq2Seq& model = session_->model;
    nn::AttentionTrace trace;
    nn::Context context;
    context.observer = &trace;
    const auto begin = static_cast<int32_t>(model.dims.begin_id);
    const data::Tokens target = tokens_of(target_);
    const nn::Memory memory = model.encode(tokens_of(source_), context);
    const Tensor states = model.states(memory, target, context);  // [T, D]
    out.axes = {axis("source", session_->source(), source_),
                axis("input", session_->target(), models::shift_right(target, begin)),
                axis("output", session_->target(), target_)};
    out.attentions = maps_of(trace, 0, [](const nn::AttentionKey& key) {
      if (key.stack == "encoder") return MapAxes{kSource, kSource};
      return MapAxes{kOutput, key.role == nn::AttentionRole::kSelf ? kInput : kSource};
    });
    add_alternatives(memory.states, ops::log_softmax(model.decoder.logits(states, {}), nullptr),
                     out.predictions.front());
  }

  static data::Tokens tokens_of(const Ids& ids) {
    data::Tokens out;
    out.add(std::span(ids).first(ids.size() - 1), ids.back());
    return out;
  }

  static Axis axis(std::string name, const data::Tokeniser& tokeniser, const Ids& ids) {
    return {std::move(name), TokenAxis{data::pieces(tokeniser, ids)}};
  }

  // The most probable tokens of a row, other than the one taken and those that search forbids.
  Ids alternatives(std::span<const float> row, int32_t taken) const {
    const int64_t left_out = 2 + std::ssize(forbidden_);
    Ids out = most_probable(row, options_.alternatives + left_out);
    std::erase_if(out, [&](int32_t token) {
      return token == taken || token == session_->model.dims.begin_id ||
             std::ranges::count(forbidden_, token) > 0;
    });
    out.resize(std::min(out.size(), static_cast<size_t>(options_.alternatives)));
    return out;
  }

  // `memory` [S, C] are the encoder's states, log_p [T, V].
  void add_alternatives(const Tensor& memory, const Tensor& log_p, Prediction& best) {
    std::vector<decode::Request> requests;
    struct Continued {
      Alternative* alternative;
      bool is_cut;  // before the limit of a translation
    };
    std::vector<Continued> waiting;
    decode::DecodeOptions greedy = search_;
    greedy.beam_size = 1;
    for (PredictedToken& token : best.tokens) {
      token.alternatives.reserve(static_cast<size_t>(options_.alternatives));
    }
    for (size_t t = 0; t < target_.size(); ++t) {
      const auto row = log_p.row_range(static_cast<int64_t>(t), static_cast<int64_t>(t) + 1);
      for (const int32_t token : alternatives(row.span<float>(), target_[t])) {
        const double probability = std::exp(static_cast<double>(row.span<float>()[token]));
        Alternative& alternative = best.tokens[t].alternatives.emplace_back(Alternative{
            .token = std::string(session_->target().piece(token)), .probability = probability});
        if (t >= kContinuedTokens) continue;
        Ids prefix(target_.begin(), target_.begin() + static_cast<std::ptrdiff_t>(t));
        prefix.push_back(token);
        const int64_t most = std::ssize(prefix) + kContinuation;
        decode::Request& added = requests.emplace_back(request(std::move(prefix), greedy));
        waiting.push_back({&alternative, most < added.length_limit});
        added.length_limit = std::min(added.length_limit, most);
        added.memory = memory;
      }
    }
    const std::vector<decode::RequestOutput> found = run(std::move(requests));
    for (size_t i = 0; i < found.size(); ++i) {
      const decode::Hypothesis& best_found = found[i].hypotheses.front();
      std::string& text = waiting[i].alternative->continuation;
      text = session_->target().decode(best_found.tokens);
      if (waiting[i].is_cut && !best_found.ended) text += " \u2026";
    }
  }

  const model_file::TranslatorSession* session_;
  InspectionOptions options_;
  std::unique_ptr<decode::StepModel> steps_;
  decode::DecodeOptions search_;
  Ids forbidden_;
  Ids source_, target_;  // with their end symbols
};

}  // namespace

Example inspect(const model_file::TranslatorSession& session, std::string_view text,
                const InspectionOptions& options) {
  if (!session.model.options.is_left_to_right()) {
    fail<OptionError>("inspect", "the model is of --generation {}; expected left-to-right",
                      session.model.options.generation.name());
  }
  return SentenceInspector(session, options)(text);
}

std::vector<PositionMaps> positions_of(const model_file::TranslatorSession& session) {
  const models::Seq2Seq& model = session.model;
  const models::Seq2SeqOptions& o = model.options;
  return position_maps(
      {{"encoder", model.source.position, o.encoder, rows_of_tokens(o.source_capacity())},
       {"decoder", model.decoder.embedding.position, o.encoder,
        rows_of_tokens(o.target_capacity())}});
}

void check_options(const model_file::TranslatorSession&, const InspectionOptions& options) {
  check_read(options, {"max-length", "beam-size", "alternatives"}, "with a translator");
}

}  // namespace weft::inspect
