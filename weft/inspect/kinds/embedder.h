// What an embedder does with a text: attention, and which other texts are near to it, by which
// words.
#ifndef WEFT_INSPECT_KINDS_EMBEDDER_H_
#define WEFT_INSPECT_KINDS_EMBEDDER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/inspect/inspection.h"
#include "weft/inspect/options.h"
#include "weft/inspect/positions.h"
#include "weft/model_file/embedder.h"
#include "weft/predict/line.h"

namespace weft::inspect {

// Texts with vectors of length one, of the tokens that are shown of a text; lines without a text
// are left out.
struct TextCollection {
  std::vector<std::string> texts;
  std::vector<std::vector<float>> vectors;
};
TextCollection collect(const model_file::EmbedderSession& session, std::span<const Line> lines,
                       const InspectionOptions& options);

// Axes: "tokens", "words". Attributions: the labels are the texts of the collection whose vectors
// have the largest cosines with that of `text`, other than `text` itself; probability and score are
// the cosine. Throws NumericError for numbers that are not finite.
Example inspect(const model_file::EmbedderSession& session, std::string_view text,
                const InspectionOptions& options, const TextCollection& others = {});

std::vector<PositionMaps> positions_of(const model_file::EmbedderSession& session);
// Throws OptionError for an option that is not at its default and that such a model does not read.
void check_options(const model_file::EmbedderSession& session, const InspectionOptions& options);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_KINDS_EMBEDDER_H_
