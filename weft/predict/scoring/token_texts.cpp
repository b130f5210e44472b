#include "weft/predict/scoring/token_texts.h"

#include "weft/predict/generation/continuation.h"

namespace weft::predict {

std::vector<int32_t> tokens_of_text(const model_file::LanguageModelSession& session,
                                    std::string_view text) {
  std::vector<int32_t> ids = session.tokeniser->encode(text);
  if (session.adds_begin && !ids.empty()) {
    ids.insert(ids.begin(), static_cast<int32_t>(session.model.dims.begin_id));
  }
  return ids;
}

int64_t bytes_of_tokens(const data::Tokeniser& tokeniser, std::span<const int32_t> ids,
                        TokenRange range) {
  if (range.begin >= range.end) return 0;
  const auto begin = static_cast<size_t>(range.begin), end = static_cast<size_t>(range.end);
  const Continuation continuation(tokeniser, ids.first(begin));
  return std::ssize(continuation(ids.subspan(begin, end - begin)));
}

}  // namespace weft::predict
