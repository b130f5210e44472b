// What a handle of a model leads to.
#ifndef WEFT_API_LOADED_MODEL_H_
#define WEFT_API_LOADED_MODEL_H_

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/model.h"
#include "weft/model_file/kinds.h"

namespace weft::api {

template <class List>
struct VariantOf;
template <class... Session>
struct VariantOf<model_file::SessionList<Session...>> {
  using type = std::variant<Session...>;
};

struct LoadedModel {
  std::string path;
  std::string adapter;              // empty: none
  model_file::Precision precision;  // that was asked for
  VariantOf<model_file::Sessions>::type session;
};

[[noreturn]] void fail_of_kind(const Model& model, std::string_view expected);

// The session of a model. Throws OptionError, naming the file, for one of another kind.
template <class Session>
const Session& session_of(const Model& model) {
  const auto* const session = std::get_if<Session>(&model.loaded().session);
  if (session == nullptr) fail_of_kind(model, Session::kKind);
  return *session;
}
// Of one model or several, which share their weights.
template <class Session>
std::vector<Session> sessions_of(const std::vector<Model>& models) {
  if (models.empty()) fail<OptionError>("models", "none; expected at least one");
  std::vector<Session> out;
  out.reserve(models.size());
  for (const Model& model : models) out.push_back(session_of<Session>(model));
  return out;
}

// Of taggers with the same vocabulary and labels. Throws OptionError, naming the file, for others.
std::vector<model_file::TaggerSession> tagger_sessions(const std::vector<Model>& models);

}  // namespace weft::api

#endif  // WEFT_API_LOADED_MODEL_H_
