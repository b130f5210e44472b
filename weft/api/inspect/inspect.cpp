#include "weft/inspect.h"

#include "weft/api/inputs.h"
#include "weft/api/inspect/inspect_file.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/inspect/page.h"

namespace weft {
namespace {

inspect::ModelInspection inspection_of(const Model& model, std::span<const std::string> inputs,
                                       const Options& options) {
  if (inputs.empty()) fail<OptionError>("inputs", "none; expected at least one");
  return api::inspect_file(model.path(), api::lines_of(inputs),
                           {.inspection = api::read_options<inspect::InspectionOptions>(options),
                            .folder = "",
                            .adapter = model.loaded().adapter});
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
  const std::vector found = {inspection_of(model, inputs, options)};
  std::string json = inspect::to_json(found);
  std::string page = inspect::page(json);
  return {.json = std::move(json), .page = std::move(page)};
}

std::vector<AttentionMap> attention(const Model& model, std::string_view input,
                                    const Options& options) {
  const std::string text(input);
  const inspect::ModelInspection found = inspection_of(model, {&text, 1}, options);
  const inspect::Example& example = found.examples.front();
  if (!found.is_finite) fail<NumericError>(model.path(), "{}", example.note);
  std::vector<AttentionMap> out;
  for (const inspect::AttentionMaps& maps : example.attentions) {
    out.push_back(map_of(maps, example.axes));
  }
  return out;
}

std::string summary(const Model& model, bool as_json) {
  const inspect::ModelInspection found = api::inspect_file(model.path(), {}, {});
  return as_json ? found.summary.json() : found.summary.text();
}

}  // namespace weft
