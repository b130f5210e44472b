#include "weft/predict/embedding/embedder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/interruption.h"
#include "weft/data/labels/labelled_corpus.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/predict/batches.h"
#include "weft/predict/not_finite.h"
#include "weft/predict/token_limit.h"

namespace weft::predict {
namespace {

std::string prompt_of(const model_file::Prompts& prompts, const VectorOptions& options,
                      const std::string& prefix) {
  if (!options.prompt.empty() && !options.prompt_name.empty()) {
    fail<OptionError>(prefix + "prompt", "contradicts {}prompt-name; expected one of them", prefix);
  }
  if (!options.prompt.empty()) return options.prompt;
  const std::string& name = options.prompt_name.empty() ? prompts.chosen : options.prompt_name;
  if (name.empty()) return {};
  const std::string* text = prompts.find(name);
  if (text != nullptr) return *text;
  fail<OptionError>(prefix + "prompt-name", "the model has no prompt {}; expected {}", quote(name),
                    prompts.names.empty() ? prefix + "prompt, as it has none"
                                          : fmt::format("{}", fmt::join(prompts.names, ", ")));
}

int64_t dimensions_of(const models::Embedder& model, int64_t wanted) {
  if (wanted <= model.width()) return wanted == 0 ? model.width() : wanted;
  fail<OptionError>("--dimensions", "{}; expected at most {}, as the model has", wanted,
                    model.width());
}

void normalise(std::span<float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * value;
  if (sum == 0) return;
  const double scale = 1 / std::sqrt(sum);
  for (float& value : values) value = static_cast<float>(value * scale);
}

}  // namespace

Embedder::Embedder(const model_file::EmbedderSession& session, const VectorOptions& options,
                   const TextBatchOptions& batches, std::string_view prefix)
    : session_(session),
      batches_(batches),
      prompt_(prompt_of(session.prompts, options, std::string(prefix))),
      width_(dimensions_of(session.model, options.dimensions)) {
  const models::EmbedderOptions& o = session.model.options;
  const int64_t known = session.max_length > 0 ? session.max_length : batches.max_length;
  most_tokens_ = token_limit(std::min(known, batches.max_length), o.encoder.table_capacity(),
                             o.special_symbols());
  const bool is_cut = width_ < session.model.width();
  const bool wanted = options.normalise == "auto" ? o.normalise : options.normalise == "true";
  if (o.normalise && !wanted) {
    fail<OptionError>("--normalise", "the vectors of the model have length one; expected auto");
  }
  normalises_ = wanted && (is_cut || !o.normalise);
}

Prepared<Embedder::Request> Embedder::prepare(std::span<const Line> lines, Report& report) const {
  Prepared<Request> out(lines.size(), report);
  const data::TokenOptions params{.max_length = most_tokens_,
                                  .with_begin = session_.model.options.with_begin()};
  for (size_t i = 0; i < lines.size(); ++i) {
    if (const std::optional<Fault> fault = fault_of_text(lines[i])) {
      out.add_fault(i, *fault, report);
      continue;
    }
    data::EncodedText encoded =
        data::encode_text(*session_.tokeniser, params, prompt_ + lines[i].text, {});
    if (encoded.is_cropped) report.add(Note::kCropped);
    if (std::ranges::count(encoded.ids, session_.tokeniser->unknown_id()) > 0) {
      report.add(Note::kUnknown);
    }
    if (!data::has_word(lines[i].text)) report.add(Note::kNoWords);
    report.input_tokens += std::ssize(encoded.ids);
    out.add(i, std::move(encoded.ids));
  }
  return out;
}

std::vector<Embedder::Answer> Embedder::run(std::span<Request> requests) const {
  std::vector<Answer> out(requests.size());
  const auto length = [&](size_t i) { return requests[i].size(); };
  const auto run_batch = [&](std::span<const size_t> numbers) {
    interruption_point();
    data::Tokens texts;
    for (const size_t i : numbers) texts.add(requests[i]);
    const Tensor vectors = session_.model(texts, {}).to(DType::kF32);  // [B, E]
    for (size_t b = 0; b < numbers.size(); ++b) {
      const auto row = static_cast<int64_t>(b);
      const float* values = vectors.row_range(row, row + 1).data<float>();
      Answer& answer = out[numbers[b]];
      answer.assign(values, values + width_);
      if (normalises_) normalise(answer);
    }
  };
  for_each_batch(requests.size(), batches_.mini_batch, length, run_batch);
  return out;
}

std::vector<TextVector> Embedder::finish(const Prepared<Request>& prepared,
                                         std::span<Answer> answers, Report& report) const {
  std::vector<TextVector> out(prepared.inputs.size());
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> found) {
    out[i].fault = prepared.inputs[i].fault;
    if (found.empty()) return;
    if (!is_finite(found.front())) {
      out[i].fault = prepared.not_finite(i, report);
      return;
    }
    out[i].values = std::move(found.front());
  });
  return out;
}

}  // namespace weft::predict
