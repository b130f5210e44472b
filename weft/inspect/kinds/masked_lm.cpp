#include "weft/inspect/kinds/masked_lm.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/inspect/integrated_gradients.h"
#include "weft/inspect/progress.h"
#include "weft/inspect/text_words.h"
#include "weft/inspect/trace_maps.h"
#include "weft/predict/filling/filler.h"

namespace weft::inspect {
namespace {

class MaskInspector {
 public:
  MaskInspector(const model_file::MaskedLmSession& session, const InspectionOptions& options)
      : session_(&session),
        model_(session.model),
        filler_(session, fill_options(options), batch_options(options)),
        most_explained_(options.most_explained) {
    for (const nn::NamedParameter& named : nn::parameters_of(model_)) named.parameter->freeze();
  }

  Example operator()(std::string_view text) {
    Example out{.name = {}, .input = std::string(text)};
    text_ = predict::read_masked_text(*session_->tokeniser, filler_.mask(), text);
    const int64_t limit = filler_.most_tokens();
    if (std::ssize(text_.ids) > limit) out.note = fmt::format("cropped to {} tokens", limit);
    read(limit);
    if (words_.words.empty()) {
      out.note = "no tokens";
      return out;
    }
    trace(out);
    if (!text_.masks.empty()) fill(out);
    return out;
  }

 private:
  static predict::FillOptions fill_options(const InspectionOptions& options) {
    return {.mask_token = {}, .top = options.alternatives + 1};
  }
  static predict::TextBatchOptions batch_options(const InspectionOptions& options) {
    predict::TextBatchOptions out;
    out.max_length = options.max_length;
    return out;
  }

  // Takes the tokens up to the limit, adds special symbols, and finds their words. Each mask is a
  // word.
  void read(int64_t limit) {
    if (has_begin()) add_special(session_->tokeniser->begin_id());
    const auto length = static_cast<int32_t>(std::min<int64_t>(limit, std::ssize(text_.ids)));
    int32_t begin = 0;
    for (size_t part = 0; begin < length || part == 0; ++part) {
      const bool has_mask = part < text_.masks.size() && text_.masks[part] < length;
      const int32_t end = has_mask ? text_.masks[part] : length;
      add_words(text_.parts[part], std::span(text_.ids).subspan(begin, end - begin));
      if (has_mask) {
        mask_words_.push_back(std::ssize(words_.words));
        mask_rows_.push_back(static_cast<int32_t>(std::ssize(ids_)));
        add_token(filler_.mask().id, static_cast<int32_t>(std::ssize(words_.words)));
        words_.words.push_back(filler_.mask().text);
      }
      begin = end + (has_mask ? 1 : 0);
    }
    add_special(session_->tokeniser->end_id());
  }
  bool has_begin() const { return model_.options.encoder.embedding.begin_symbol; }
  void add_token(int32_t id, int32_t word) {
    ids_.push_back(id);
    words_.word_of.push_back(word);
  }
  void add_special(int32_t id) { add_token(id, -1); }
  void add_words(std::string_view text, std::span<const int32_t> ids) {
    std::vector<std::string_view> spelled;
    data::for_each_word(text, [&](std::string_view word) { spelled.push_back(word); });
    const auto first = static_cast<int32_t>(std::ssize(words_.words));
    TextWords found = words_of(*session_->tokeniser, ids, spelled);
    for (size_t n = 0; n < ids.size(); ++n) {
      add_token(ids[n], found.word_of[n] < 0 ? -1 : first + found.word_of[n]);
    }
    std::ranges::move(found.words, std::back_inserter(words_.words));
  }

  void trace(Example& out) const {
    const data::Tokeniser& tokeniser = *session_->tokeniser;
    nn::AttentionTrace trace;
    nn::Context context;
    context.observer = &trace;
    data::Tokens texts;
    texts.add(ids_);
    model_.encoder(texts, context);
    TokenAxis axis;
    for (const int32_t id : ids_) {
      axis.tokens.emplace_back(id == filler_.mask().id ? filler_.mask().text : tokeniser.piece(id));
    }
    out.axes = {{"tokens", std::move(axis)}, {"words", TokenAxis{words_.words}}};
    out.attentions = maps_of(trace, 0, [](const nn::AttentionKey&) {
      return MapAxes{kTokens, kTokens};
    });
  }

  void fill(Example& out) const {
    const std::vector<Line> lines = {{.text = out.input}};
    Report report;
    const predict::FilledLine found = predict::predict(filler_, lines, report).front();
    if (found.fault && found.fault->kind == FaultKind::kNotFinite) {
      fail<NumericError>("masked language model", "{}", found.fault->reason);
    }
    if (found.fault) {
      out.add_note(found.fault->reason);
      return;
    }
    std::vector<int32_t> best;
    for (const auto& mask : found.masks) best.push_back(mask.front().token);
    Prediction& prediction = out.predictions.emplace_back(Prediction{.text = found.text});
    for (size_t m = 0; m < best.size(); ++m) {
      PredictedToken token{.token = spelled(best[m]),
                           .probability = found.masks[m].front().probability};
      for (size_t i = 1; i < found.masks[m].size(); ++i) {
        const predict::TokenCandidate& other = found.masks[m][i];
        std::vector<int32_t> tokens = best;
        tokens[m] = other.token;
        token.alternatives.push_back(
            {.token = spelled(other.token),
             .probability = other.probability,
             .continuation = predict::filled_text(*session_->tokeniser, text_, tokens)});
      }
      prediction.tokens.push_back(std::move(token));
    }
    explain(best, out);
  }

  // Which words speak for the most probable token of each mask, and which against it.
  void explain(const std::vector<int32_t>& best, Example& out) const {
    const auto explained =
        static_cast<size_t>(std::min<int64_t>(most_explained_, std::ssize(mask_rows_)));
    const Shape shape{static_cast<int64_t>(explained), std::ssize(words_.words)};
    Attributions& attributions =
        out.attributions.emplace(Attributions{.words = kWords,
                                              .labels = {},
                                              .gradients = Tensor::empty(shape),
                                              .leave_one_out = Tensor::zeros(shape)});
    Progress progress("masks are explained", shape.rows());
    for (size_t m = 0; m < explained; ++m) {
      const Contributions found = contributions(mask_rows_[m], best[m]);
      attributions.labels.push_back({.label = spelled(best[m]),
                                     .column = {},
                                     .word = mask_words_[m],
                                     .probability = out.predictions[0].tokens[m].probability,
                                     .score = found.score,
                                     .baseline_score = found.baseline_score,
                                     .is_complete = found.is_complete});
      const auto row = static_cast<int64_t>(m) * shape.cols();
      std::ranges::copy(words_.by_word(found.rows), attributions.gradients.data<float>() + row);
      leave_out(m, best[m], attributions.leave_one_out.data<float>() + row, found.score);
      progress.add_one();
    }
    note_incomplete(out);
    if (explained < best.size()) {
      out.add_note(fmt::format("the tokens of the first {} are explained; hint: --max-explained",
                               counted(most_explained_, "mask")));
    }
  }

  // Masks are in the baseline, too: without them there is no question.
  Contributions contributions(int32_t row, int32_t token) const {
    const models::TokenEmbedding& embedding = model_.encoder.embedding;
    const int64_t length = std::ssize(ids_);
    const auto rows = ops::make_layout(Segments::uniform(1, length));
    const Tensor x = embedding({ops::make_ids(ids_), rows}, {});  // [N, D]
    TextWords replaced = words_;
    for (const int32_t mask : mask_rows_) replaced.word_of[static_cast<size_t>(mask)] = -1;
    const auto forward = [&](const Tensor& copies, int64_t count, const nn::Context& context) {
      std::vector<int32_t> chosen;
      for (int64_t i = 0; i < count; ++i) chosen.push_back(static_cast<int32_t>(i * length) + row);
      const auto all = ops::make_layout(Segments::uniform(count, length));
      return model_.logits(model_.states(copies, all, std::move(chosen), context), context);
    };
    const auto element = [&](int64_t copy) { return copy * model_.dims.vocab + token; };
    return integrated_gradients(x, without_words(embedding, x, rows, replaced), {forward, element});
  }

  // The score less that of the text without each word; 0 for the mask itself.
  void leave_out(size_t mask, int32_t token, float* differences, double score) const {
    const int64_t own = mask_words_[mask];
    for_each_left_out(std::ssize(words_.words), std::ssize(ids_), [&](int64_t begin, int64_t end) {
      data::Tokens texts;
      std::vector<int32_t> rows;
      for (int64_t w = begin; w < end; ++w) {
        const auto first = static_cast<int32_t>(texts.rows());
        texts.add(w == own ? ids_ : words_.without(ids_, static_cast<size_t>(w)));
        const auto before = std::span(words_.word_of).first(static_cast<size_t>(mask_rows_[mask]));
        const auto removed = w == own ? 0 : std::ranges::count(before, static_cast<int32_t>(w));
        rows.push_back(first + mask_rows_[mask] - static_cast<int32_t>(removed));
      }
      const Tensor logits = model_.logits(model_.states(texts, rows, {}), {});
      for (int64_t w = begin; w < end; ++w) {
        const float without = logits.row_range(w - begin, w - begin + 1).span<float>()[token];
        differences[w] = w == own ? 0.0F : static_cast<float>(score) - without;
      }
    });
  }

  std::string spelled(int32_t token) const {
    return predict::text_of_token(*session_->tokeniser, token);
  }

  const model_file::MaskedLmSession* session_;
  models::MaskedLm model_;  // with frozen parameters
  predict::Filler filler_;
  int64_t most_explained_;
  predict::MaskedText text_;
  std::vector<int32_t> ids_;         // with special symbols
  TextWords words_;                  // of these
  std::vector<int32_t> mask_rows_;   // where each mask that is read is among the tokens
  std::vector<int64_t> mask_words_;  // and among the words
};

}  // namespace

Example inspect(const model_file::MaskedLmSession& session, std::string_view text,
                const InspectionOptions& options) {
  return MaskInspector(session, options)(text);
}

std::vector<PositionMaps> positions_of(const model_file::MaskedLmSession& session) {
  return positions_of(session.model.encoder);
}

void check_options(const model_file::MaskedLmSession&, const InspectionOptions& options) {
  check_read(options, {"max-length", "alternatives", "max-explained"},
             "with a masked language model");
}

}  // namespace weft::inspect
