#include "weft/api/inspect/inspect_file.h"

#include <fmt/format.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "weft/core/log.h"
#include "weft/inspect/kinds.h"
#include "weft/model_file/any_adapter.h"
#include "weft/model_file/kinds.h"

namespace weft::api {
namespace {

using inspect::ModelInspection;

// An example that cannot be read, or whose scores are not finite, is empty, and its note says why.
// `show` is inspect::inspect() of a text.
template <class Session, class Show>
inspect::Example example_of(const Session& session, const Line& line, const ExampleOptions& options,
                            ModelInspection& inspection, const Show& show) {
  if (const auto fault = predict::fault_of_text(line)) {
    return {.name = {}, .input = {}, .note = fault->reason};
  }
  std::string text = line.text;
  if constexpr (requires { inspect::in_folder(session, text, text); }) {
    text = inspect::in_folder(session, text, options.folder);
  }
  try {
    inspect::Example example = show(text);
    inspect::check_finite(example);
    return example;
  } catch (const NumericError& error) {
    inspection.is_finite = false;
    return {.name = {}, .input = line.text, .note = error.what()};
  } catch (const FileError& error) {
    return {.name = {}, .input = line.text, .note = error.what()};
  } catch (const FormatError& error) {
    return {.name = {}, .input = line.text, .note = error.what()};
  }
}

template <class Session>
void add_examples(const Session& session, std::span<const Line> lines,
                  const ExampleOptions& options, ModelInspection& inspection) {
  inspect::check_options(session, options.inspection);
  std::vector<inspect::Example>& out = inspection.examples;
  const auto show_all = [&](const auto& show) {
    for (const Line& line : lines) {
      out.push_back(example_of(session, line, options, inspection, show));
      out.back().name = fmt::format("line {}", out.size());
      if (!out.back().note.empty()) log::warn("{}: {}", out.back().name, out.back().note);
    }
  };
  if constexpr (requires { inspect::collect(session, lines, options.inspection); }) {
    const auto others = inspect::collect(session, lines, options.inspection);
    show_all([&](std::string_view text) {
      return inspect::inspect(session, text, options.inspection, others);
    });
  } else {
    show_all(
        [&](std::string_view text) { return inspect::inspect(session, text, options.inspection); });
  }
}

template <class Session>
void add_positions(const Session& session, ModelInspection& inspection) {
  for (inspect::PositionMaps& maps : inspect::positions_of(session)) {
    if (inspect::is_finite(maps)) {
      inspection.positions.push_back(std::move(maps));
      continue;
    }
    inspection.is_finite = false;
    log::warn("positions of the {}: not finite numbers", maps.stack);
  }
}

template <class Session>
inspect::Ablation ablation_of(const Session& session, const AblationOptions& options) {
  if constexpr (requires { ablate(session, options); }) {
    return ablate(session, options);
  } else {
    fail<OptionError>("--ablate", "a model of type {}; expected seq2seq, classifier or tagger",
                      Session::kKind);
  }
}

// The session of a model in any format, and what is in its files. Of a foreign model whose examples
// are not shown the weights are not read.
template <class Session>
std::pair<Session, inspect::ModelSummary> load_with_summary(const std::string& path,
                                                            model_file::ForeignModel* foreign,
                                                            bool needs_weights) {
  if (foreign == nullptr) {
    auto session = model_file::load<Session>(path);
    inspect::ModelSummary summary = inspect::summarise(path, session);
    return {std::move(session), std::move(summary)};
  }
  auto session = needs_weights ? foreign->load<Session>() : foreign->open<Session>();
  inspect::ModelSummary summary = inspect::summarise(path, *foreign, session);
  return {std::move(session), std::move(summary)};
}

// Adds an adapter to the weights.
template <class Session>
void merge_into(Session& session, const std::string& path, const std::string& adapter) {
  if (adapter.empty()) return;
  if constexpr (std::is_same_v<Session, model_file::LanguageModelSession>) {
    model_file::attach_adapter(session, adapter);
    model_file::merge_adapter(session);
  } else {
    fail<OptionError>("--lora", "{} is a model of type '{}'; expected a language model", path,
                      Session::kKind);
  }
}

template <class Session>
ModelInspection inspect_session(const std::string& path, model_file::ForeignModel* foreign,
                                std::span<const Line> lines, const ExampleOptions& options,
                                const AblationOptions& ablation) {
  auto [session, summary] =
      load_with_summary<Session>(path, foreign, !lines.empty() || ablation.is_on());
  ModelInspection out{.summary = std::move(summary)};
  merge_into(session, path, options.adapter);
  if (!lines.empty()) {
    if constexpr (inspect::Inspected<Session>) {
      add_positions(session, out);
      add_examples(session, lines, options, out);
    } else {  // no kind today: all have a pair of files in inspect/kinds/, which a new one may lack
      fail<OptionError>("--html", "nothing is shown of examples of a model of type {}",
                        Session::kKind);
    }
  }
  if (ablation.is_on()) out.ablation = ablation_of(session, ablation);
  return out;
}

}  // namespace

ModelInspection inspect_file(const std::string& path, std::span<const Line> lines,
                             const ExampleOptions& options, const AblationOptions& ablation) {
  std::unique_ptr<model_file::ForeignModel> foreign;
  if (model_file::is_foreign_model(path)) foreign = model_file::open_foreign_model(path);
  return model_file::with_session_of(
      foreign ? foreign->kind() : model_file::ModelFile(path).kind(), path,
      [&]<class Session>() {
        return inspect_session<Session>(path, foreign.get(), lines, options, ablation);
      },
      model_file::Sessions());
}

}  // namespace weft::api
