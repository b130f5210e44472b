#include "weft/inspect.h"

#include "weft/api/inputs.h"
#include "weft/api/inspect/inspect_file.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/inspect/page.h"
#include "weft/model_file/any_adapter.h"

namespace weft {
namespace {

// What is shown of examples.
struct ShownOptions {
  inspect::InspectionOptions inspection;
  std::string adapter;
  std::string folder;

  template <class V>
  void fields(V& v) {
    inspection.fields(v);
    model_file::adapter_field(v, adapter);
    v("folder", folder, {.help = "folder in which the paths of examples start"});
  }
};

struct FileInspectionOptions {
  ShownOptions shown;
  api::AblationOptions ablation;

  template <class V>
  void fields(V& v) {
    shown.fields(v);
    ablation.fields(v);
  }
};

inspect::ModelInspection inspection_of(const std::string& path, std::span<const Line> inputs,
                                       const Options& options) {
  const auto given = api::read_options<FileInspectionOptions>(options);
  if (inputs.empty()) fail<OptionError>("inputs", "none; expected at least one");
  const ShownOptions& shown = given.shown;
  return api::inspect_file(
      path, inputs,
      {.inspection = shown.inspection, .folder = shown.folder, .adapter = shown.adapter},
      given.ablation);
}

// With the adapter that the model was loaded with.
Options with_adapter(const Model& model, Options options) {
  const std::string& adapter = model.loaded().adapter;
  if (!adapter.empty()) options.push_back({"lora", adapter});
  return options;
}

std::vector<std::string> tokens_of(const inspect::Axis& axis) {
  const auto* const tokens = std::get_if<inspect::TokenAxis>(&axis.kind);
  return tokens != nullptr ? tokens->tokens : std::vector<std::string>();
}

AttentionMap map_of(const inspect::AttentionMaps& maps, const std::vector<inspect::Axis>& axes) {
  AttentionMap out{.stack = maps.stack,
                   .role = std::string(inspect::name_of(maps.role)),
                   .layer = maps.layer,
                   .queries = tokens_of(axes[maps.queries]),
                   .keys = tokens_of(axes[maps.keys]),
                   .weights = {}};
  const int64_t rows = axes[maps.queries].size(), columns = axes[maps.keys].size();
  out.weights.shape = {std::ssize(maps.heads), rows, columns};
  for (const Tensor& head : maps.heads) {
    const float* const numbers = head.data<float>();
    out.weights.values.insert(out.weights.values.end(), numbers, numbers + head.size());
  }
  return out;
}

}  // namespace

Inspection inspect_inputs(const Model& model, std::span<const std::string> inputs,
                          const Options& options) {
  return inspect_files({model.path()}, api::lines_of(inputs), with_adapter(model, options));
}

Inspection inspect_files(const std::vector<std::string>& models, std::span<const Line> inputs,
                         const Options& options) {
  std::vector<inspect::ModelInspection> found;
  found.reserve(models.size());
  for (const std::string& path : models) found.push_back(inspection_of(path, inputs, options));
  Inspection out;
  out.json = inspect::to_json(found);
  out.page = inspect::page(out.json);
  for (const inspect::ModelInspection& model : found) {
    if (model.ablation) out.ablations.push_back(model.ablation->text());
    out.is_finite = out.is_finite && model.is_finite;
  }
  return out;
}

const OptionSchema& inspection_schema() { return api::schema_of<ShownOptions>(); }

std::vector<AttentionMap> attention(const Model& model, std::string_view input,
                                    const Options& options) {
  const std::string text(input);
  const inspect::ModelInspection found =
      inspection_of(model.path(), api::lines_of({&text, 1}), with_adapter(model, options));
  const inspect::Example& example = found.examples.front();
  if (!found.is_finite) fail<NumericError>(model.path(), "{}", example.note);
  std::vector<AttentionMap> out;
  for (const inspect::AttentionMaps& maps : example.attentions) {
    out.push_back(map_of(maps, example.axes));
  }
  return out;
}

std::string summary(const Model& model, bool as_json) {
  return summary_of_file(model.path(), as_json);
}

std::string summary_of_file(const std::string& path, bool as_json) {
  const inspect::ModelInspection found = api::inspect_file(path, {}, {});
  return as_json ? found.summary.json() : found.summary.text();
}

std::string ablate_heads(const std::string& path, const Options& options) {
  const auto given = api::read_options<api::AblationOptions>(options);
  require_option(given.is_on(), "--ablate", "no text; expected its files");
  return api::inspect_file(path, {}, {}, given).ablation->text();
}

const OptionSchema& ablation_schema() { return api::schema_of<api::AblationOptions>(); }

}  // namespace weft
