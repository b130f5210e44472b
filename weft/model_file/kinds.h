// The kinds of models, by their sessions. A kind is its own files and one line of this list.
#ifndef WEFT_MODEL_FILE_KINDS_H_
#define WEFT_MODEL_FILE_KINDS_H_

#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "weft/core/error.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/cross_view.h"
#include "weft/model_file/detector.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/language_model.h"
#include "weft/model_file/masked_lm.h"
#include "weft/model_file/tagger.h"
#include "weft/model_file/transcriber.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {

template <class... Session>
struct SessionList {};

using Sessions = SessionList<TranslatorSession, ClassifierSession, TaggerSession,
                             TranscriberSession, DetectorSession, CrossViewSession,
                             LanguageModelSession, EmbedderSession, MaskedLmSession>;

// Calls body.operator()<Session>() with the session type of `kind`, the kind of the model in the
// file or folder `path`, and returns its result. Throws FormatError for an unknown kind. If `kind`
// is empty, the first session type is used, whose reader says what is wrong with the file.
template <class Body, class First, class... Session>
auto with_session_of(std::string_view kind, const std::string& path, Body body,
                     SessionList<First, Session...>) {
  using Result = decltype(body.template operator()<First>());
  std::optional<Result> out;
  const auto try_session = [&]<class T>() {
    if (T::kKind == kind) out = body.template operator()<T>();
    return out.has_value();
  };
  if (kind.empty()) return body.template operator()<First>();
  if (!(try_session.template operator()<First>() || ... ||
        try_session.template operator()<Session>())) {
    fail<FormatError>(
        path, "is a model of type '{}'; expected {}", kind,
        fmt::format("{}", fmt::join(std::array{First::kKind, Session::kKind...}, ", ")));
  }
  return std::move(*out);
}

// The same of the model in a file.
template <class Body>
auto with_session_of(const std::string& path, Body body) {
  return with_session_of(ModelFile(path).kind(), path, body, Sessions());
}

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_KINDS_H_
