#include "weft/inspect/kinds/translator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/decode/options.h"
#include "weft/decode/step_models.h"
#include "weft/inspect/alternatives.h"
#include "weft/inspect/trace_maps.h"
#include "weft/ops/softmax.h"

namespace weft::inspect {
namespace {

// The axes of an example, in this order.
enum : size_t { kSource, kInput, kOutput };

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

  // The hypotheses and the tree of the beam search; target_ is the best.
  void search(Example& out) {
    decode::DecodeOptions options = search_;
    options.beam_size = options_.beam_size;
    options.n_best = true;
    decode::Request whole = request({}, options);
    whole.reports_tree = true;
    const decode::RequestOutput found =
        std::move(run_requests(*steps_, {std::move(whole)}).front());
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

  // `memory` [S, C] are the encoder's states, log_p [T, V].
  void add_alternatives(const Tensor& memory, const Tensor& log_p, Prediction& best) {
    Ids left_out = forbidden_;
    left_out.push_back(static_cast<int32_t>(session_->model.dims.begin_id));
    decode::DecodeOptions greedy = search_;
    greedy.beam_size = 1;
    const auto request_of = [&](Ids prefix) {
      decode::Request out = request(std::move(prefix), greedy);
      out.memory = memory;
      return out;
    };
    const data::Tokeniser& tokeniser = session_->target();
    inspect::add_alternatives(
        {.model = steps_.get(),
         .count = options_.alternatives,
         .left_out = std::move(left_out),
         .request = request_of,
         .spelled = [&](int32_t token) { return std::string(tokeniser.piece(token)); },
         .text = [&](std::span<const int32_t> tokens) { return tokeniser.decode(tokens); }},
        target_, log_p, best);
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
