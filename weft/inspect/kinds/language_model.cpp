#include "weft/inspect/kinds/language_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/text/escapes.h"
#include "weft/decode/step_models.h"
#include "weft/inspect/alternatives.h"
#include "weft/inspect/integrated_gradients.h"
#include "weft/inspect/most_probable.h"
#include "weft/inspect/text_words.h"
#include "weft/inspect/trace_maps.h"
#include "weft/ops/rows/select_rows.h"
#include "weft/ops/softmax.h"
#include "weft/predict/generation/continuation.h"

namespace weft::inspect {
namespace {

enum : size_t { kInputTokens, kOutputTokens, kPromptWords };  // the axes of an example

// The last row of each of several texts of `length` tokens.
Tensor last_rows(const Tensor& states, int64_t length, const nn::Context& context) {
  std::vector<int32_t> last;
  for (int64_t end = length; end <= states.rows(); end += length) {
    last.push_back(static_cast<int32_t>(end) - 1);
  }
  return ops::select_rows(states, ops::make_selection(last, states.rows()), context.tape);
}

class PromptInspector {
 public:
  PromptInspector(const model_file::LanguageModelSession& session, const InspectionOptions& options)
      : session_(&session),
        model_(session.model),
        options_(options),
        steps_(decode::decoder_steps(session.model)) {
    for (const nn::NamedParameter& named : nn::parameters_of(model_)) named.parameter->freeze();
    const auto vocab = static_cast<int32_t>(session.model.dims.vocab);
    for (int32_t id = session.tokeniser->size(); id < vocab; ++id) forbidden_.push_back(id);
  }

  Example operator()(std::string_view text) {
    Example out{.name = {}, .input = std::string(text)};
    read_prompt(text, out);
    if (prompt_.empty()) return out;
    continue_prompt(out);
    trace(out);
    explain(out);
    return out;
  }

 private:
  void read_prompt(std::string_view text, Example& out) {
    prompt_ = session_->tokeniser->encode(text);
    const int64_t special = session_->adds_begin ? 1 : 0;
    const int64_t capacity = session_->model.options.context() - options_.max_continuation;
    const int64_t limit = std::min(options_.max_length, std::max<int64_t>(1, capacity - special));
    if (std::ssize(prompt_) > limit) {
      out.note = fmt::format("cropped from {} to {} tokens", prompt_.size(), limit);
      prompt_.resize(static_cast<size_t>(limit));
    }
    if (prompt_.empty() || !session_->adds_begin) return;
    prompt_.insert(prompt_.begin(), static_cast<int32_t>(model_.dims.begin_id));
  }

  decode::Request request(Ids prefix) const {
    decode::Request out;
    out.beam.size = 1;
    out.prompt = prompt_;
    out.prefix = std::move(prefix);
    out.end_ids.assign(model_.dims.end_ids.begin(), model_.dims.end_ids.end());
    out.forbidden = forbidden_;
    out.length_limit = options_.max_continuation;
    return out;
  }

  // The text that a token adds after the prompt; a special symbol and a part of a character are
  // spelled as the vocabulary spells them.
  std::string spelled(int32_t token) const {
    if (token >= session_->tokeniser->size()) return fmt::format("<{}>", token);
    const std::string text = text_of({&token, 1});
    const bool is_part = text.find("\uFFFD") != text.npos;
    if (text.empty() || is_part) return std::string(session_->tokeniser->piece(token));
    return escaped(text);
  }
  std::string text_of(std::span<const int32_t> tokens) const {
    return predict::Continuation(*session_->tokeniser, prompt_)(tokens);
  }
  std::vector<std::string> all_spelled(std::span<const int32_t> tokens) const {
    std::vector<std::string> out;
    for (const int32_t token : tokens) out.push_back(spelled(token));
    return out;
  }

  void continue_prompt(Example& out) {
    const decode::RequestOutput found = std::move(run_requests(steps_, {request({})}).front());
    const decode::Hypothesis& best = found.hypotheses.front();
    continuation_ = best.tokens;
    Prediction& prediction = out.predictions.emplace_back(
        Prediction{.text = text_of(best.tokens), .log_probability = best.log_probability});
    for (size_t i = 0; i < continuation_.size(); ++i) {
      prediction.tokens.push_back(
          {.token = spelled(continuation_[i]), .probability = std::exp(best.token_scores[i])});
    }
  }

  // The axes and attentions of the whole text, and the alternatives to the continuation's tokens.
  void trace(Example& out) {
    nn::AttentionTrace trace;
    nn::Context context;
    context.observer = &trace;
    Ids text = prompt_;
    text.insert(text.end(), continuation_.begin(), continuation_.end());
    data::Tokens read;
    const size_t inputs = std::max(prompt_.size(), text.size() - 1);
    read.add(std::span(text).first(inputs));
    const Tensor states = model_.states(read, context);  // [N, D]
    const auto first = std::ssize(prompt_) - 1;
    const Tensor logits = model_.decoder.logits(states.row_range(first, states.rows()), {});
    check_finite(logits.span<float>());
    const Tensor log_p = ops::log_softmax(logits, nullptr);  // [T, V] of the continuation
    next_.assign(log_p.data<float>(), log_p.data<float>() + log_p.cols());
    const std::vector<std::string> tokens = all_spelled(text);
    words_ = words_of_prompt(tokens);
    out.axes = {{"input", TokenAxis{{tokens.begin(), tokens.begin() + std::ssize(read.ids)}}},
                {"output", TokenAxis{{tokens.begin() + 1, tokens.end()}}},
                {"words", TokenAxis{words_.words}}};
    if (continuation_.empty()) out.axes[kOutputTokens].kind = TokenAxis{output_before_end(tokens)};
    out.attentions = maps_of(trace, 0, [](const nn::AttentionKey&) {
      return MapAxes{kOutputTokens, kInputTokens};
    });
    add_alternatives(log_p, out.predictions.front());
  }

  // Of a prompt that nothing but an end symbol follows.
  std::vector<std::string> output_before_end(const std::vector<std::string>& tokens) const {
    std::vector<std::string> out(tokens.begin() + 1, tokens.end());
    out.push_back(spelled(most_probable(next_, 1).front()));
    return out;
  }

  TextWords words_of_prompt(std::span<const std::string> tokens) const {
    TextWords out;
    for (size_t n = 0; n < prompt_.size(); ++n) {
      if (n == 0 && session_->adds_begin) {
        out.word_of.push_back(-1);
        continue;
      }
      std::string_view token = tokens[n];
      const bool begins = token.starts_with(' ') || out.words.empty();
      if (token.starts_with(' ')) token.remove_prefix(1);
      if (begins) out.words.emplace_back();
      out.words.back() += token;
      out.word_of.push_back(static_cast<int32_t>(out.words.size()) - 1);
    }
    return out;
  }

  void add_alternatives(const Tensor& log_p, Prediction& best) {
    inspect::add_alternatives(
        {.model = &steps_,
         .count = options_.alternatives,
         .left_out = forbidden_,
         .request = [&](Ids prefix) { return request(std::move(prefix)); },
         .spelled = [&](int32_t token) { return spelled(token); },
         .text = [&](std::span<const int32_t> tokens) { return text_of(tokens); },
         .continuation_limit = options_.max_continuation},
        continuation_, log_p, best);
  }

  // What each word of the prompt adds to the logits of the most probable next tokens.
  void explain(Example& out) {
    const Ids labels = most_probable(next_, std::max<int64_t>(1, options_.alternatives));
    projection_ = model_.decoder.projection_to(labels);
    const std::vector<float> whole = logits_of(prompt_), without = logits_without_words();
    Attributions& attributions = out.attributions.emplace(
        Attributions{.words = kPromptWords, .labels = {}, .gradients = {}, .leave_one_out = {}});
    std::vector<float> gradients, leave_one_out;
    for (size_t i = 0; i < labels.size(); ++i) {
      const Contributions found = contributions(static_cast<int64_t>(i));
      attributions.labels.push_back({.label = spelled(labels[i]),
                                     .column = {},
                                     .probability = std::exp(next_[labels[i]]),
                                     .score = found.score,
                                     .baseline_score = found.baseline_score,
                                     .is_complete = found.is_complete});
      const std::vector<float> by_word = words_.by_word(found.rows);
      gradients.insert(gradients.end(), by_word.begin(), by_word.end());
      for (size_t w = 0; w < words_.words.size(); ++w) {
        leave_one_out.push_back(whole[i] - without[w * labels.size() + i]);
      }
    }
    const Shape shape{std::ssize(labels), std::ssize(words_.words)};
    attributions.gradients = Tensor::from(gradients, shape);
    attributions.leave_one_out = Tensor::from(leave_one_out, shape);
    note_incomplete(out);
  }

  // Logits of the explained tokens after the last row of each text, [texts, labels].
  Tensor last_logits(const Tensor& states, int64_t length, const nn::Context& context) const {
    return model_.decoder.limited_logits(last_rows(states, length, context), projection_, context);
  }

  std::vector<float> logits_of(const Ids& ids) const {
    data::Tokens text;
    text.add(ids);
    const Tensor logits = last_logits(model_.states(text, {}), std::ssize(ids), {});
    return {logits.data<float>(), logits.data<float>() + logits.size()};
  }

  Contributions contributions(int64_t label) const {
    const int64_t length = std::ssize(prompt_);
    const auto rows = ops::make_layout(Segments::uniform(1, length));
    const models::TokenEmbedding& embedding = model_.decoder.embedding;
    const Tensor x = embedding({ops::make_ids(prompt_), rows}, {});  // [N, D]
    const int64_t columns = projection_.weight.shape.rows();
    const BatchedScore score{[&](const Tensor& copies, int64_t count, const nn::Context& context) {
                               const auto all = ops::make_layout(Segments::uniform(count, length));
                               return last_logits(model_.decoder.forward(copies, all, {}, context),
                                                  length, context);
                             },
                             [&](int64_t copy) { return copy * columns + label; }};
    const Tensor blank = without_words(embedding, x, rows, words_, mean_embedding());
    return integrated_gradients(x, blank, score);
  }

  // [D]. A prompt of it is the baseline: zeros would stay zeros in every layer, where a norm by
  // root mean squares has gradients that grow beyond F32.
  std::vector<float> mean_embedding() const {
    const Tensor& table = model_.decoder.embedding.table.value;  // [V, D]
    std::vector<double> sums(static_cast<size_t>(table.cols()), 0.0);
    for (int64_t id = 0; id < table.rows(); ++id) {
      const auto row = table.row_range(id, id + 1).span<float>();
      for (size_t d = 0; d < row.size(); ++d) sums[d] += double{row[d]};
    }
    const double factor = model_.decoder.embedding.scale / static_cast<double>(table.rows());
    std::vector<float> out;
    out.reserve(sums.size());
    for (const double sum : sums) out.push_back(static_cast<float>(factor * sum));
    return out;
  }

  // Logits [words * labels] of the prompt without each word; 0 for its only word.
  std::vector<float> logits_without_words() const {
    std::vector<float> out;
    for (size_t w = 0; w < words_.words.size(); ++w) {
      const Ids rest = words_.without(prompt_, w);
      const std::vector<float> logits = logits_of(rest.empty() ? prompt_ : rest);
      out.insert(out.end(), logits.begin(), logits.end());
    }
    return out;
  }

  const model_file::LanguageModelSession* session_;
  models::LanguageModel model_;  // with frozen parameters
  InspectionOptions options_;
  decode::DecoderSteps steps_;
  Ids forbidden_;              // tokens that the tokeniser does not have
  Ids prompt_, continuation_;  // without what ended it
  TextWords words_;            // of the prompt
  std::vector<float> next_;    // [V] log p of the token after the prompt
  nn::Linear projection_;      // to the explained tokens
};

}  // namespace

Example inspect(const model_file::LanguageModelSession& session, std::string_view text,
                const InspectionOptions& options) {
  return PromptInspector(session, options)(text);
}

std::vector<PositionMaps> positions_of(const model_file::LanguageModelSession& session) {
  const models::LanguageModelOptions& o = session.model.options;
  return position_maps({{"decoder", session.model.decoder.embedding.position, o.layers,
                         rows_of_tokens(o.context())}});
}

void check_options(const model_file::LanguageModelSession&, const InspectionOptions& options) {
  check_read(options, {"max-length", "max-continuation", "alternatives"}, "with a language model");
}

}  // namespace weft::inspect
