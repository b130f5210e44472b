#include "weft/api/convert/check_models.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "weft/core/log.h"
#include "weft/core/text/counted.h"
#include "weft/data/text/text_file.h"
#include "weft/formats/safetensors.h"
#include "weft/model_file/any_adapter.h"
#include "weft/predict/generation/generator.h"
#include "weft/predict/scoring/model_comparison.h"

namespace weft::api {
namespace {

constexpr const char* kTexts[] = {
    "The library opens at nine in the morning, and on Sundays it stays closed all day.",
    "In 1969 two people walked on the Moon; 12 have done so since, the last of them in 1972.",
    "def area(width, height):\n    return width * height\n\nprint(area(3, 4))",
    "Il treno per Milano parte alle 18:45 dal binario 7.",
    "Dear Ms Smith, thank you for your letter of 3 May. We are sorry that the parcel was late.",
    "Question: which of these is a mammal? A) trout B) whale C) eagle. Answer: B",
    "Water boils at 100 degrees Celsius at sea level, and at a lower temperature on a mountain.",
    "{\"name\": \"weft\", \"version\": 1, \"tags\": [\"text\", \"translation\"]}",
};
constexpr int64_t kGreedyTokens = 32;  // or half of a shorter context

// Continues each text by `tokens` tokens; null if they do not fit into the context.
std::vector<std::optional<std::string>> greedy_texts(
    const model_file::LanguageModelSession& session, const std::vector<std::string>& texts,
    int64_t tokens) {
  predict::GenerationOptions options;
  options.temperature = 0;
  options.max_length = tokens;
  const predict::Generator generator(session, options);
  Report report;
  std::vector<predict::Prompt> prompts;
  prompts.reserve(texts.size());
  for (const std::string& text : texts) prompts.push_back({.text = text});
  std::vector<std::optional<std::string>> out;
  for (const predict::GeneratedLine& line : predict::predict(generator, prompts, report)) {
    out.push_back(line.fault ? std::nullopt : std::optional(line.written()));
  }
  return out;
}

}  // namespace

std::vector<std::string> texts_to_compare(const std::string& path) {
  if (path.empty()) return {std::begin(kTexts), std::end(kTexts)};
  std::vector<std::string> out = data::read_lines(path);
  std::erase(out, "");
  if (out.empty()) fail<FormatError>(path, "no text");
  return out;
}

bool is_language_model(const std::string& path) {
  if (model_file::is_foreign_model(path)) return true;
  return !formats::SafetensorsFile(path).has("logits");
}

std::string check_against_model(const model_file::LanguageModelSession& session,
                                const ModelCheck& check) {
  const model_file::LanguageModelSession other =
      model_file::load_any_packed<model_file::LanguageModelSession>(
          check.path, model_file::Precision::kFloat32);
  const std::vector<std::string> texts = texts_to_compare(check.text);
  const predict::ModelComparison found = predict::compare_models(session, other, texts);
  const int64_t context = std::min(session.model.options.context(), other.model.options.context());
  const int64_t tokens = std::clamp<int64_t>(context / 2, 1, kGreedyTokens);
  const auto x = greedy_texts(session, texts, tokens), y = greedy_texts(other, texts, tokens);
  size_t same = 0, continued = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!x[i] || !y[i]) continue;
    ++continued;
    same += *x[i] == *y[i];
  }
  std::string out = fmt::format(
      "compared with {}\n"
      "tokens: {}\n"
      "largest difference of logits: {:.3g} of the largest logit\n"
      "mean KL divergence: {:.3g} nats per token\n"
      "same most probable token: {:.2f} %\n"
      "perplexity: {:.5g}, of the other {:.5g}\n"
      "same greedy text: {} of {} lines, {} tokens each\n",
      check.path, found.tokens, found.largest, found.divergence,
      100.0 * static_cast<double>(found.same_best) / static_cast<double>(found.tokens),
      found.first.perplexity(), found.second.perplexity(), same, continued, tokens);
  if (continued < x.size()) {
    log::warn("{} not continued: with {} more over the context limit of a model",
              counted(std::ssize(x) - static_cast<int64_t>(continued), "line"),
              counted(tokens, "token"));
  }
  if (!found.is_finite()) fail<NumericError>(check.path, "logits are not finite numbers");
  if (check.limit && found.divergence > *check.limit) {
    fail<NumericError>(check.path, "a mean KL divergence of {}; expected at most {}",
                       fmt::format("{:.3g}", found.divergence), *check.limit);
  }
  return out;
}

}  // namespace weft::api
