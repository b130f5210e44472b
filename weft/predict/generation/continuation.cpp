#include "weft/predict/generation/continuation.h"

#include <algorithm>

namespace weft::predict {
namespace {

// Tokens of the prompt that are detokenised with a continuation; characters have 4 bytes at most.
constexpr size_t kTokensBefore = 8;

}  // namespace

Continuation::Continuation(const data::Tokeniser& tokeniser, std::span<const int32_t> prompt)
    : tokeniser_(&tokeniser) {
  const auto last = prompt.last(std::min(prompt.size(), kTokensBefore));
  before_.assign(last.begin(), last.end());
  text_before_ = tokeniser.decode(before_);
}

std::string Continuation::operator()(std::span<const int32_t> tokens) const {
  std::vector<int32_t> all = before_;
  all.insert(all.end(), tokens.begin(), tokens.end());
  const std::string text = tokeniser_->decode(all);
  // The first tokens may complete a character that the prompt ends in.
  return text.starts_with(text_before_) ? text.substr(text_before_.size())
                                        : tokeniser_->decode(tokens);
}

size_t length_before_stop(std::string_view text, std::span<const std::string> stop) {
  for (size_t begin = 0; begin < text.size(); ++begin) {
    const std::string_view rest = text.substr(begin);
    const auto may_be_at = [&](std::string_view s) {
      return s.starts_with(rest) || rest.starts_with(s);
    };
    if (std::ranges::any_of(stop, may_be_at)) return begin;
  }
  return text.size();
}

}  // namespace weft::predict
