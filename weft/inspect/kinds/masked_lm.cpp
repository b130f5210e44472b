#include "weft/inspect/kinds/masked_lm.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/inspect/trace_maps.h"
#include "weft/predict/filling/filler.h"

namespace weft::inspect {
namespace {

class MaskInspector {
 public:
  MaskInspector(const model_file::MaskedLmSession& session, const InspectionOptions& options)
      : session_(&session), filler_(session, fill_options(options), batch_options(options)) {}

  Example operator()(std::string_view text) {
    Example out{.name = {}, .input = std::string(text)};
    text_ = predict::read_masked_text(*session_->tokeniser, filler_.mask(), text);
    const int64_t limit = filler_.most_tokens();
    if (std::ssize(text_.ids) > limit) out.note = fmt::format("cropped to {} tokens", limit);
    std::vector<int32_t> ids = text_.ids;
    ids.resize(static_cast<size_t>(std::min<int64_t>(limit, std::ssize(ids))));
    if (ids.empty()) {
      out.note = "no tokens";
      return out;
    }
    trace(ids, out);
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

  void trace(std::vector<int32_t> ids, Example& out) const {
    const data::Tokeniser& tokeniser = *session_->tokeniser;
    if (session_->model.options.encoder.embedding.begin_symbol) {
      ids.insert(ids.begin(), tokeniser.begin_id());
    }
    ids.push_back(tokeniser.end_id());
    nn::AttentionTrace trace;
    nn::Context context;
    context.observer = &trace;
    data::Tokens texts;
    texts.add(ids);
    session_->model.encoder(texts, context);
    TokenAxis axis;
    for (const int32_t id : ids) {
      axis.tokens.emplace_back(id == filler_.mask().id ? filler_.mask().text : tokeniser.piece(id));
    }
    out.axes = {{"tokens", std::move(axis)}};
    out.attentions = maps_of(trace, 0, [](const nn::AttentionKey&) { return MapAxes{0, 0}; });
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
  }

  std::string spelled(int32_t token) const {
    return predict::text_of_token(*session_->tokeniser, token);
  }

  const model_file::MaskedLmSession* session_;
  predict::Filler filler_;
  predict::MaskedText text_;
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
  check_read(options, {"max-length", "alternatives"}, "with a masked language model");
}

}  // namespace weft::inspect
