#include "weft/model.h"

#include <fmt/format.h>

#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/model_file/any_adapter.h"

namespace weft {
namespace api {
namespace {

template <class... Session>
std::string kinds_of(model_file::SessionList<Session...>) {
  std::string out = "auto";
  ((out += fmt::format("|{}", Session::kKind)), ...);
  return out;
}
// "auto|seq2seq|..."
std::string_view known_kinds() {
  static const std::string kinds = kinds_of(model_file::Sessions());
  return kinds;
}

struct LoadOptions {
  model_file::PrecisionOption weights;
  std::string adapter;
  std::string kind = "auto";

  template <class V>
  void fields(V& v) {
    weights.fields(v);
    model_file::adapter_field(v, adapter);
    v("kind", kind,
      {.help = "the kind that the model has to be of; auto: any, and of a folder of Hugging Face "
               "Transformers that may be read as several kinds the first of them",
       .choices = known_kinds()});
  }
};

template <class Session>
Session load_session(const std::string& path, const LoadOptions& options) {
  const model_file::Precision precision = options.weights.weights();
  if constexpr (std::is_same_v<Session, model_file::LanguageModelSession>) {
    auto session = model_file::load_any_packed<Session>(path, precision);
    if (!options.adapter.empty()) model_file::attach_adapter(session, options.adapter);
    return session;
  } else {
    if (!options.adapter.empty()) {
      fail<OptionError>("lora", "{} is a model of type '{}'; expected a language model", path,
                        Session::kKind);
    }
    return model_file::load_any_packed<Session>(path, precision);
  }
}

struct LabelsOf {
  size_t column;

  std::vector<std::string> operator()(const model_file::ClassifierSession& session) const {
    return session.labels().names();
  }
  std::vector<std::string> operator()(const model_file::DetectorSession& session) const {
    return session.labels.names();
  }
  std::vector<std::string> operator()(const model_file::TaggerSession& session) const {
    if (column >= session.labels().size()) {
      fail<OptionError>("column", "{}; expected one of {}", column, session.labels().size());
    }
    return session.labels()[column].names();
  }
  std::vector<std::string> operator()(const auto&) const { return {}; }
};

}  // namespace

void fail_of_kind(const Model& model, std::string_view expected) {
  fail<OptionError>(model.path(), "is a model of type '{}'; expected {}", model.kind(), expected);
}

}  // namespace api

Model load(const std::string& path, const Options& options) {
  const auto given = api::read_options<api::LoadOptions>(options);
  return model_file::with_session_of(
      given.kind == "auto" ? kind_of_model(path) : given.kind, path,
      [&]<class Session>() {
        return Model(std::make_shared<const api::LoadedModel>(
            api::LoadedModel{.path = path,
                             .adapter = given.adapter,
                             .precision = given.weights.weights(),
                             .session = api::load_session<Session>(path, given)}));
      },
      model_file::Sessions());
}

std::string kind_of_model(const std::string& path) { return model_file::kind_of_model(path); }

const OptionSchema& load_schema() { return api::schema_of<api::LoadOptions>(); }

const std::string& Model::path() const { return loaded_->path; }

std::string_view Model::kind() const {
  return std::visit([](const auto& session) { return session.kKind; }, loaded_->session);
}

std::string Model::options() const {
  return std::visit([](const auto& session) { return session.contents().options; },
                    loaded_->session);
}

std::vector<std::string> Model::labels(size_t column) const {
  return std::visit(api::LabelsOf{column}, loaded_->session);
}

}  // namespace weft
