#include "weft/predict/generation/logit_bias.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"

namespace weft::predict {
namespace {

constexpr std::string_view kLogitBias = "--logit-bias";

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

int32_t token_named(const std::string& text, const data::Tokeniser& tokeniser) {
  if (const std::optional<int64_t> id = number_of<int64_t>(text)) {
    if (*id >= 0 && *id < tokeniser.size()) return static_cast<int32_t>(*id);
    fail<OptionError>(kLogitBias, "token {}; expected 0 to {}", *id, tokeniser.size() - 1);
  }
  for (int32_t id = 0; id < tokeniser.size(); ++id) {
    if (tokeniser.piece(id) == text) return id;
  }
  const std::vector<int32_t> ids = tokeniser.encode(text);
  if (ids.size() == 1 && ids.front() != tokeniser.unknown_id()) return ids.front();
  fail<OptionError>(kLogitBias, "{} is {} of the vocabulary; expected one", quote(text),
                    ids.size() > 1 ? counted(std::ssize(ids), "token") : "no token");
}

decode::LogitBias::TokenBias token_bias(const std::string& value,
                                        const data::Tokeniser& tokeniser) {
  const size_t colon = value.rfind(':');
  const std::string_view number =
      colon == value.npos ? std::string_view() : std::string_view(value).substr(colon + 1);
  const std::optional<float> bias = number_of<float>(number);
  const bool is_bias =
      bias && (std::abs(*bias) <= decode::LogitBias::kMost || *bias == decode::kNever);
  if (colon == 0 || !is_bias) {
    fail<OptionError>(kLogitBias,
                      "{}; expected TOKEN:NUMBER, such as 15043:-1.5 or ' Hello:-inf', with a "
                      "number from -{} to {} or -inf",
                      quote(value), decode::LogitBias::kMost, decode::LogitBias::kMost);
  }
  return {token_named(value.substr(0, colon), tokeniser), *bias};
}

}  // namespace

decode::LogitBias logit_bias(std::span<const std::string> values,
                             const data::Tokeniser& tokeniser) {
  decode::LogitBias out;
  for (const std::string& value : values) out.biases.push_back(token_bias(value, tokeniser));
  return out;
}

}  // namespace weft::predict
