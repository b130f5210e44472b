// Inspections of models as JSON, and as one self-contained HTML page.
#ifndef WEFT_INSPECT_PAGE_H_
#define WEFT_INSPECT_PAGE_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/inspect/ablation.h"
#include "weft/inspect/inspection.h"
#include "weft/inspect/positions.h"
#include "weft/inspect/summary/model_summary.h"

namespace weft::inspect {

struct ModelInspection {
  ModelSummary summary;
  std::vector<Example> examples = {};
  std::vector<PositionMaps> positions = {};
  std::optional<Ablation> ablation = {};
  bool is_finite = true;  // false: what is not made of numbers is left out
};

// The data of a page, as docs/inspect.md describes it. Text that is not UTF-8 has replacement
// characters. All models have the same examples.
std::string to_json(std::span<const ModelInspection> models);

// web/inspect/index.html with its style, its scripts and the data inside: it opens from disk and
// requests nothing.
std::string page(const std::string& json);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_PAGE_H_
